"""Quantities of the paper's sections 4.1 to 4.4 and appendix C: gain, probabilities of captures."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any

from urcx.rules import catalogue
from urcx.rules.position import parse_position

RULES = "finkel"


def _found(params: dict[str, Any], sequence: str) -> Any:
    from urcx.strategy.gain import gain_of

    reading = params.get("reading", "text")
    position = parse_position(params["position"])
    return gain_of(position, sequence, catalogue.ruleset(RULES), reading=reading)


def _cents(value: Fraction) -> Fraction:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return Fraction(exact.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))


def gained(params: dict[str, Any]) -> Fraction:
    """Return W, A, C, their sum G or A+C of a sequence.

    With ``terms``, each term is first rounded to two decimals; with ``attack``, A counts only the
    last move of the sequence.
    """
    sequence, part = params["sequence"], params["part"]
    parts = {"G": "WAC", "A+C": "AC"}.get(part, part)
    terms = [
        term
        for term in _found(params, sequence).terms
        if term.part in parts
        and not ("attack" in params and term.part == "A" and term.move < len(sequence))
    ]
    values = [_cents(term.value) if "terms" in params else term.value for term in terms]
    return sum(values, Fraction(0))


def slips(params: dict[str, Any]) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield the way the tables reckon, and possible slips."""
    yield 1.0, {**params, "reading": "tables"}
    if params["part"] in ("W", "G"):
        yield 1.25, {**params, "reading": "tables", "terms": "rounded to 0.01 each"}
    if params["part"] in ("A", "G"):
        yield 2.0, {**params, "reading": "tables", "attack": "of the last move only"}


def terms(params: dict[str, Any]) -> str:
    """Return the terms of a part as text: products for W and A, tiles and replies for C."""
    found = [t for t in _found(params, params["sequence"]).terms if t.part == params["part"]]
    if params["part"] != "C":
        return " ".join(t.text if t.text.startswith("-") else f"+{t.text}" for t in found)
    moves = groupby(found, key=lambda term: (term.move, term.piece, term.tile))
    return "; ".join(
        f"{piece} on {tile}: " + ", ".join("".join(map(str, term.rolls)) for term in group)
        for (_, piece, tile), group in moves
    )


def best_gain(params: dict[str, Any]) -> str:
    """Return the sequence with the highest gain."""
    sequences: list[str] = params["of"].split()
    return max(sequences, key=lambda sequence: _found(params, sequence).part("G"))


def signs(params: dict[str, Any]) -> str:
    """Return whether the gains of all sequences are negative."""
    gains = [_found(params, sequence).part("G") for sequence in params["of"].split()]
    return "all negative" if max(gains) < 0 else "all positive" if min(gains) > 0 else "mixed"


def walks_on(params: dict[str, Any]) -> str:
    """Return the least amount by which W of the sequences ``of`` exceeds that of ``over``."""
    more, less = (
        [_found(params, sequence).part("W") for sequence in params[key].split()]
        for key in ("of", "over")
    )
    return "over 1 tile" if min(more) - max(less) > 1 else "1 tile or less"


def attacks(params: dict[str, Any]) -> str:
    """Return all sequences of rolls with which the sequences ``of`` capture."""
    found = {
        term.rolls
        for sequence in params["of"].split()
        for term in _found(params, sequence).terms
        if term.part == "A"
    }
    return ", ".join("".join(map(str, rolls)) for rolls in sorted(found, key=lambda r: (len(r), r)))


def attacks_readings(params: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each of the sequences alone."""
    for sequence in params["of"].split():
        yield f"{sequence} alone", {**params, "of": sequence}


def danger(params: dict[str, Any]) -> Fraction:
    """Return the percent of being captured next on ``tile``, after a roll: by ``rolls`` of one."""
    from urcx.strategy.capture import dangers_after

    position = parse_position(params["position"])
    (found,) = [
        item.direct_chance if params["rolls"] == "single" else item.chance
        for move, items in dangers_after(position, params["roll"], catalogue.ruleset(RULES))
        for item in items
        if move.end == item.step == params["tile"]
    ]
    return found * 100


def danger_less(params: dict[str, Any]) -> Fraction:
    """Return by how many per cent the danger on ``than`` exceeds that on ``tile``."""
    return danger({**params, "tile": params["than"]}) - danger(params)


def _hunt(params: dict[str, Any]) -> Any:
    from urcx.strategy.capture import hunt

    return hunt(parse_position(params["position"]), catalogue.ruleset(RULES), light=True)


def shortest_gain(params: dict[str, Any]) -> str:
    """Return the sequences of both players' rolls that capture with the fewest rolls."""
    return ", ".join("".join(map(str, rolls)) for rolls, _ in _hunt(params).shortest)


def shortest_chance(params: dict[str, Any]) -> Fraction:
    """Return the probability of one of these sequences in per cent."""
    chances = {"".join(map(str, rolls)): chance for rolls, chance in _hunt(params).shortest}
    return Fraction(chances[params["sequence"]] * 100)


def war_zone(params: dict[str, Any]) -> str:
    """Compare captures at the end and at the start of the war zone."""
    path = catalogue.path(params["path"])
    steps = [step for step, tile in enumerate(path.light, start=1) if tile in path.dark]
    return "more than twice" if max(steps) > 2 * min(steps) else "twice or less"
