"""Quantities of gain, captures and events within a turn: the paper's sections 4.1 to 4.4 and 5.2.

The module also has Appendix C, and the race to a tile.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cache
from itertools import groupby
from typing import Any

from urcx.published.rounding import Params, Worded
from urcx.rules import catalogue
from urcx.rules.model import RuleSet, check_flags
from urcx.rules.position import Position, parse_position
from urcx.strategy.dice import chances
from urcx.strategy.journey import track

RULES = "finkel"


def _gain_of(params: dict[str, Any], sequence: str) -> Any:
    from urcx.strategy.gain import gain_of

    reading = params.get("reading", "text")
    position = parse_position(params["position"])
    return gain_of(position, sequence, catalogue.ruleset(RULES), reading=reading)


def _cents(value: Fraction) -> Fraction:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return Fraction(exact.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))


def gain(params: dict[str, Any]) -> Fraction:
    """Return W, A, C, their sum G, or A+C of a sequence.

    With ``terms``, each term is first rounded to two decimals. With ``attack``, A counts only the
    last move of the sequence.
    """
    sequence, part = params["sequence"], params["part"]
    parts = {"G": "WAC", "A+C": "AC"}.get(part, part)
    terms = [
        term
        for term in _gain_of(params, sequence).terms
        if term.part in parts
        and not ("attack" in params and term.part == "A" and term.move < len(sequence))
    ]
    values = [_cents(term.value) if "terms" in params else term.value for term in terms]
    return sum(values, Fraction(0))


def gain_terms(params: dict[str, Any]) -> str:
    """Return the terms of a part as text: products for W and A, tiles and replies for C."""
    part_terms = [t for t in _gain_of(params, params["sequence"]).terms if t.part == params["part"]]
    if params["part"] != "C":
        return " ".join(t.text if t.text.startswith("-") else f"+{t.text}" for t in part_terms)
    moves = groupby(part_terms, key=lambda term: (term.move, term.piece, term.tile))
    return "; ".join(
        f"{piece} on {tile}: " + ", ".join("".join(map(str, term.replies)) for term in group)
        for (_, piece, tile), group in moves
    )


def gain_best(params: dict[str, Any]) -> str:
    """Return the sequence with the highest gain."""
    sequences: list[str] = params["of"].split()
    return max(sequences, key=lambda sequence: _gain_of(params, sequence).part("G"))


def gain_signs(params: dict[str, Any]) -> str:
    """Return whether the gains of all sequences are negative."""
    gains = [_gain_of(params, sequence).part("G") for sequence in params["of"].split()]
    return "all negative" if max(gains) < 0 else "all positive" if min(gains) > 0 else "mixed"


def gain_walks_on(params: dict[str, Any]) -> str:
    """Return in words the least excess of W of the sequences ``of`` over W of ``over``."""
    more, less = (
        [_gain_of(params, sequence).part("W") for sequence in params[key].split()]
        for key in ("of", "over")
    )
    return "over 1 tile" if min(more) - max(less) > 1 else "1 tile or less"


def gain_attacks(params: dict[str, Any]) -> str:
    """Return all sequences of rolls with which the sequences ``of`` capture."""
    rolls_that_capture = {
        term.rolls
        for sequence in params["of"].split()
        for term in _gain_of(params, sequence).terms
        if term.part == "A"
    }
    return ", ".join(
        "".join(map(str, rolls)) for rolls in sorted(rolls_that_capture, key=lambda r: (len(r), r))
    )


def danger(params: dict[str, Any]) -> Fraction:
    """Return the probability of a capture on ``tile`` after a roll, in percent.

    With ``rolls`` "single", only the enemy's first roll counts.
    """
    from urcx.strategy.capture import dangers_after

    position = parse_position(params["position"])
    (chance,) = [
        item.direct_chance if params["rolls"] == "single" else item.chance
        for item in dangers_after(position, params["roll"], catalogue.ruleset(RULES))
        if item.move and item.move.end == item.step == params["tile"]
    ]
    return chance * 100


def danger_less(params: dict[str, Any]) -> Fraction:
    """Return the excess of the danger on ``than`` over the danger on ``tile``, in points."""
    return danger({**params, "tile": params["than"]}) - danger(params)


def _hunt(params: dict[str, Any]) -> Any:
    from urcx.strategy.capture import chances_ever

    hunts = chances_ever(parse_position(params["position"]), catalogue.ruleset(RULES))
    return next(item for item in hunts if item.light)


def capture_sequences(params: dict[str, Any]) -> str:
    """Return the sequences of both players' rolls that capture with the fewest rolls."""
    return ", ".join("".join(map(str, rolls)) for rolls, _ in _hunt(params).shortest)


def capture_sequence(params: dict[str, Any]) -> Fraction:
    """Return the probability of one of these sequences, in percent."""
    chances = {"".join(map(str, rolls)): chance for rolls, chance in _hunt(params).shortest}
    return Fraction(chances[params["sequence"]] * 100)


def war_zone(params: dict[str, Any]) -> str:
    """Return in words the ratio of captures at the end and at the start of the war zone."""
    path = catalogue.path(params["path"])
    steps = [step for step, tile in enumerate(path.light, start=1) if tile in path.dark]
    return "more than twice" if max(steps) > 2 * min(steps) else "twice or less"


def _capturing_tiles(rules: RuleSet) -> list[str]:
    """Return the tiles on which light can capture."""
    check_flags("the list of tiles with captures", rules)
    stars = rules.path.board.rosettes if rules.rosette_protects else frozenset()
    return [tile for tile in rules.path.light if tile in rules.path.dark and tile not in stars]


def _captures_grant(rules: RuleSet) -> bool:
    """Return whether there is a capture that grants an extra roll."""
    tiles = _capturing_tiles(rules)
    return bool(tiles) and (rules.capture_grants_roll or not rules.granting.isdisjoint(tiles))


def captures_a_turn(params: Params) -> str:
    """Return the number of pieces that can be captured in one turn, in words.

    A capture ends the turn unless it, or its tile, grants an extra roll. Then another capture can
    follow.
    """
    rules = catalogue.ruleset(params["rules"])
    if not _capturing_tiles(rules):
        return "0"
    return "several" if _captures_grant(rules) else "1"


def roll_and_capture(params: Params) -> Worded:
    """Return in words whether an extra roll and a capture can occur together.

    They can in a turn if moves by the ``rolls`` from the ``position`` include both. With ``within``
    "a move", they can if there is a capture that grants an extra roll.
    """
    rules = catalogue.ruleset(params["rules"])
    if params.get("within") == "a move":
        tiles = ", ".join(_capturing_tiles(rules))
        if _captures_grant(rules):
            return Worded("both", f"captures on {tiles}")
        return Worded("not both", f"no capture on {tiles} grants a roll")
    rolls = [int(roll) for roll in params["rolls"]]
    lines = _lines(parse_position(params["position"]), rolls, rules)
    captures = [line for line in lines if line[-1].endswith("captures")]
    if captures and len(rolls) > 1:
        return Worded("both", "; ".join(captures[0]))
    return Worded("not both", f"{params['rolls']} from {params['position']}")


def _lines(position: Position, rolls: list[int], rules: RuleSet) -> Iterator[list[str]]:
    """Yield the moves of one turn with ``rolls``, in words. The first roll is not an extra roll."""
    from urcx.engine.moves import legal_moves

    for move in legal_moves(position, rolls[0], rules):
        words = f"{rolls[0]}: {move.describe(rules.path, light=position.light_to_move)}"
        if len(rolls) == 1:
            yield [words]
        elif move.rolls_again:
            for line in _lines(move.position, rolls[1:], rules):
                yield [words, *line]


def race(params: Params) -> Worded:
    """Return in words the edge of the first player in a race to a step.

    Both players move a piece with every roll, undisturbed, and arrive when it is on the step or
    beyond. The edge is significant if the probabilities of arriving first differ by ``significant``
    or more.
    """
    first = _undisturbed(catalogue.ruleset(params["rules"]), params["to"])
    second = 1 - first
    edge = first - second
    if edge >= Fraction(params["significant"]):
        words = "a significant edge"
    else:
        words = "a slight edge" if edge > 0 else "no edge"
    return Worded(words, f"{float(first):.2%} to {float(second):.2%}")


def _undisturbed(rules: RuleSet, to: int) -> Fraction:
    """Return the probability that the player to move arrives first."""
    way = track(rules)
    zero = chances(way.dice).get(0, Fraction(0))

    def moved(own: int, other: int) -> Fraction:
        """Return the part of the probability that comes from rolls above 0."""
        total = Fraction(0)
        for roll, p in chances(way.dice).items():
            end = own + roll
            if roll:
                again = end in way.rosettes
                total += p * (
                    1 if end >= to else first(end, other) if again else 1 - first(other, end)
                )
        return total

    @cache
    def first(own: int, other: int) -> Fraction:
        # After a 0, the other side is to move in the same race, so x = a + z (1 - y) and
        # y = b + z (1 - x).
        a, b = moved(own, other), moved(other, own)
        return (a + zero * (1 - b) - zero * zero) / (1 - zero * zero)

    return first(0, 0)
