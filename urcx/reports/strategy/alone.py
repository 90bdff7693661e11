"""What is shown of one player alone: expected rolls of many pieces, and the long run."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from urcx.reports.strategy.journey import TIME
from urcx.results.fields import FRACTION, INTERVAL, Field, Fields, Kind, Schema, always, decimals
from urcx.results.fractions import decimal
from urcx.results.report import Report
from urcx.results.tables import Table
from urcx.strategy.alone import Alone
from urcx.strategy.throughput import Throughput


def _single(unit: str) -> Callable[[Alone], Fraction | None]:
    return lambda found: getattr(found.single, unit, None)


NUMBERS = Fields(
    Field("pieces", "pieces", about="number of pieces"),
    Field("rolls", "rolls", decimals(4), "expected rolls by the best choice of moves"),
    Field("rolls_worst", "worst choice", decimals(4), "expected rolls by the worst"),
    Field("rolls_a_piece", "rolls a piece", decimals(4), "rolls by the number of pieces"),
    Field("added_by_last", "by the last", decimals(6), "how many more than with a piece less"),
)
ALONE = Fields(
    Field("rules", about="name of the rule set", of="rules.name"),
    Field("path", about="name of its path", of="rules.path.name"),
    Field("dice", about="name of its dice", of="rules.dice.name"),
    always(
        "exactness",
        "computed in floating point; one_piece and bound are exact",
        "how numbers were obtained",
    ),
    Field("one_piece_rolls", "one piece, rolls", TIME, "one piece's rolls", _single("rolls")),
    Field("one_piece_turns", "one piece, turns", TIME, "one piece's turns", _single("turns")),
    Field(
        "bound_rolls_a_piece",
        "many pieces, rolls a piece, at least",
        Kind(decimal, FRACTION.json),
        "fewest rolls a piece if no roll were wasted",
        lambda found: 1 / found.long_run.bound,
    ),
    Field(
        "long_run_rolls_a_piece",
        "by the best choice",
        Kind(
            lambda ends: f"{ends[0]:.12g} to {ends[1]:.12g}" if math.isfinite(ends[1]) else "never",
            (("", lambda ends: list(ends) if math.isfinite(ends[1]) else None),),
        ),
        "bounds of rolls a piece by the best choice, the start pool never empty",
        "long_run.rolls_a_piece",
        "bound",
    ),
    Field(
        "long_run_pieces_a_roll",
        kind=Kind(json=(("", list),)),
        about="bounds of pieces home a roll",
        of="long_run.rate",
        exactness="bound",
    ),
    Field(
        "long_run_waste",
        "steps wasted a roll",
        Kind(lambda ends: f"{ends[0]:.3g} to {ends[1]:.3g}", (("", list),)),
        "bounds of the steps a roll that the best choice wastes",
        "long_run.waste",
        "bound",
    ),
)
ALONE_NOTES = (
    "rolls of one player alone until all pieces are home, 0s and rosettes' extra rolls counted",
    (
        "by the last: how many more rolls than with a piece fewer, which is less than the long "
        "run's where one more piece wastes fewer steps in all; worst choice: by the moves that "
        "take longest"
    ),
)
LONG_RUN = Fields(
    ALONE["bound_rolls_a_piece"],
    Field("rolls_a_piece", kind=INTERVAL, of="long_run.rolls_a_piece"),
    Field("pieces_a_roll", kind=INTERVAL, of="long_run.rate"),
    Field("waste", kind=INTERVAL, of="long_run.waste"),
)
PIECES = Schema("urcx.pieces/1", {"": ALONE, "rows": NUMBERS})


def pieces_report(found: Alone) -> Report:
    """Return the expected time of one player alone, by number of pieces."""
    data = PIECES.data(found, rows=found.rows)
    rules = found.rules
    order = ("pieces", "rolls", "rolls_a_piece", "added_by_last", "rolls_worst")
    tables = [
        NUMBERS.pick(*order).table(
            f"One player alone: {rules.name}, {rules.path.name}, {rules.dice.name}",
            found.rows,
            list(ALONE_NOTES),
        ),
        _long_run_table("", ALONE, found),
    ]
    return Report(PIECES.name, data, data["rows"], tables)


def _long_run_table(where: str, shown: Fields, found: Any) -> Table:
    return Table(
        f"In the long run, with a start pool that never empties{where}",
        ["<", "<"],
        shown.lines(found),
        ["at least: a piece has L + 1 steps to go, and rolls have their mean"],
    )


def throughput_report(found: Throughput) -> Report:
    """Return what is said of the long run, for one track."""
    item = SimpleNamespace(long_run=found)
    record = LONG_RUN.flat(item)
    shown = ALONE.pick("bound_rolls_a_piece", "long_run_rolls_a_piece", "long_run_waste")
    table = _long_run_table(f": {found.length} steps", shown, item)
    return Report(PIECES.name, record, [record], [table])
