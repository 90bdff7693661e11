"""What single results about strategy show: one journey, one gain, one hunt."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from urcx.reports.display.fractions import both, decimal, fraction, percent
from urcx.reports.display.output import Report, Table
from urcx.reports.strategy.gain import PARTS, rounded
from urcx.reports.strategy.journey import journey_report
from urcx.strategy.capture import Hunt
from urcx.strategy.gain import Gain
from urcx.strategy.journey import Journey, Leg, Track
from urcx.strategy.rush import Rush
from urcx.strategy.sequences import written
from urcx.strategy.throughput import Throughput


def journey(found: Journey) -> Report:
    """Return the report of ``urcx journey`` on one goal."""
    way = found.way
    home = way.length is not None and found.to == way.length + 1
    report = journey_report([Leg(found, "home" if home else f"step {found.to}")], way.dice, None)
    where = f"step {found.start}" if found.start else "the start"
    title = f"One piece from {where} on: {_described(way)}, {way.dice.name}"
    return replace(report, tables=[replace(table, title=title) for table in report.tables])


def _described(way: Track) -> str:
    """Return a track in words."""
    if way.length is None and not way.rosettes:
        return "a plain track without rosettes or end"
    length = "a track without end" if way.length is None else f"a track of {way.length} steps"
    if not way.rosettes:
        return f"{length} without rosettes"
    return f"{length} with rosettes on {', '.join(map(str, sorted(way.rosettes)))}"


def rush(found: Rush) -> Report:
    """Return the exact columns of ``urcx rush`` for one track."""
    p = found.probability
    record: dict[str, Any] = {
        "sequences": str(found.sequences),
        "likeliest": written(found.likeliest) or None,
        "exactness": "exact",
        **both("probability", p),
    }
    lines = [
        ["probability", fraction(p) or decimal(p)],
        ["in percent", percent(p, 4)],
        ["sequences of rolls", str(found.sequences)],
        ["the likeliest", written(found.likeliest) or "none"],
    ]
    table = Table(
        "A piece rushed from the start to home in one turn, exactly",
        ["<", "<"],
        lines,
        ["a piece alone on the board"],
    )
    return Report("urcx.rush/1", record, [record], [table])


def throughput(found: Throughput) -> Report:
    """Return the long-run rate of ``urcx journey --pieces``."""
    low, high = found.rolls_a_piece
    record: dict[str, Any] = {
        **both("bound_rolls_a_piece", 1 / found.bound),
        "rolls_a_piece_low": low,
        "rolls_a_piece_high": high,
        "pieces_a_roll_low": found.rate[0],
        "pieces_a_roll_high": found.rate[1],
        "waste_low": found.waste[0],
        "waste_high": found.waste[1],
    }
    lines = [
        ["many pieces, rolls a piece, at least", decimal(1 / found.bound)],
        ["by the best choice", f"{low:.12g} to {high:.12g}" if math.isfinite(high) else "never"],
        ["steps wasted a roll", f"{found.waste[0]:.3g} to {found.waste[1]:.3g}"],
    ]
    table = Table(
        f"In the long run, with a start pool that never empties: {found.length} steps",
        ["<", "<"],
        lines,
        ["at least: a piece has L + 1 steps to go, and rolls have their mean"],
    )
    return Report("urcx.pieces/1", record, [record], [table])


def gain(found: Gain) -> Report:
    """Return the gain of one sequence in one reading, and its terms."""
    values = {part: found.part(part) for part in PARTS}
    record: dict[str, Any] = {
        "sequence": found.sequence,
        "reading": found.reading,
        **{part: str(value) for part, value in values.items()},
        **{f"{part}_rounded": rounded(value) for part, value in values.items()},
    }
    summary = Table(
        f"Gain of the sequence {found.sequence} in the reading {found.reading}",
        ["<part", "gain", "exactly"],
        [[part, rounded(value), str(value)] for part, value in values.items()],
        ["W tiles walked, A tiles captured, C tiles the opponent may take in his next turn, G all"],
    )
    terms = Table(
        "Terms",
        ["<part", "move", "<piece", "step captured", "<product", "value"],
        [
            [
                term.part,
                str(term.move) if term.move else "stands",
                term.piece,
                "" if term.tile is None else str(term.tile),
                term.text,
                f"{float(term.value):.4f}",
            ]
            for term in found.terms
        ],
    )
    return Report("urcx.gain/1", record, [record], [summary, terms] if found.terms else [summary])


def hunt(found: Hunt) -> Report:
    """Return the chances of one side's piece, the last table of ``urcx capture``."""
    hunter, prey = ("light", "dark") if found.light else ("dark", "light")
    shortest = [_digits(rolls) for rolls, _ in found.shortest]
    turns = {f"turn_{k}": chance for k, chance in enumerate(found.turns, start=1)}
    record: dict[str, Any] = {
        "hunter": hunter,
        "shortest": " ".join(shortest),
        "estimate": str(found.estimate),
        "ever": str(found.ever),
        "ever_value": float(found.ever),
        **{name: str(chance) for name, chance in turns.items()},
    }
    lines = [
        ["fewest rolls", " ".join(shortest)],
        ["by these", f"{float(100 * found.estimate):.2f} %"],
        *(
            [f"in the hunter's turn {k}", f"{float(100 * chance):.2f} %"]
            for k, chance in enumerate(found.turns, start=1)
        ),
        ["ever", f"{float(100 * found.ever):.2f} %"],
    ]
    table = Table(
        f"Chances that {hunter}'s piece captures {prey}'s, exactly",
        ["<", "<chance"],
        lines,
        [
            "each side has one piece left, so every move is forced; ever: before a piece is home",
            "fewest rolls: of both players from now on; turn: of the hunter, extra rolls included",
        ],
    )
    return Report("urcx.capture/1", record, [record], [table])


def _digits(rolls: tuple[int, ...]) -> str:
    return ("" if all(roll < 10 for roll in rolls) else ",").join(map(str, rolls))
