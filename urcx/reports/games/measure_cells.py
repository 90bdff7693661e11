"""How measures and estimates are shown wherever games are played: cells, JSON and CSV."""

from __future__ import annotations

from typing import Any

from urcx.complexity.game_tree import Estimate
from urcx.games.statistics import Measure
from urcx.reports.display.output import Column, Note

MEASURE_COLUMNS = (
    Column("measure", text=True, key=True, least=32),
    Column("mean"),
    Column("95 % interval"),
    *(
        Column(title, secondary=True)
        for title in ("deviation", "lower quartile", "median", "upper quartile")
    ),
)
SPREAD_NOTE = Note(
    "deviation and quartiles: of single games",
    *(column.title for column in MEASURE_COLUMNS if column.secondary),
)


def measure_row(measure: Measure) -> dict[str, Any]:
    """Return a measure for JSON."""
    row = {
        "title": measure.title,
        "mean": measure.mean,
        "sd": measure.sd,
        "ci95": measure.ci95,
        "quartiles": measure.quartiles,
    }
    return row if measure.per_game is None else {**row, "per_game": measure.per_game}


def estimate_row(estimate: Estimate) -> dict[str, Any]:
    """Return a convention's figure for JSON."""
    return {
        "convention": estimate.convention.name,
        "formula": estimate.convention.written,
        "counts": estimate.convention.counts,
        "log10": estimate.log10,
        "ci95": estimate.ci95,
        "games95": estimate.games95,
    }


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for CSV: intervals and quartiles in columns of their own."""
    flat: dict[str, Any] = {key: row[key] for key in ("mean", "sd") if key in row}
    for key, names in (
        ("ci95", ("ci95_low", "ci95_high")),
        ("quartiles", ("q1", "median", "q3")),
        ("games95", ("games95_low", "games95_high")),
    ):
        if row.get(key) is not None:
            flat |= dict(zip(names, row[key], strict=True))
    return flat


def measure_cells(m: Measure) -> list[str]:
    """Return a measure's row of a table, for `MEASURE_COLUMNS`."""
    k = _digits(m)
    quartiles = m.quartiles or ()
    whole = m.per_game is None and all(q.is_integer() for q in quartiles)
    return [
        m.title,
        f"{m.mean:.{k}f}",
        interval(m.ci95, k),
        "" if m.sd is None else f"{m.sd:.{k}f}",
        *(f"{q:.{0 if whole else k}f}" for q in quartiles),
    ]


def interval(pair: tuple[float, float] | None, digits: int) -> str:
    """Return an interval as text; empty if there is none."""
    return "" if pair is None else f"{pair[0]:.{digits}f} to {pair[1]:.{digits}f}"


def _digits(measure: Measure) -> int:
    """Return how many decimals a measure deserves: small ones more."""
    return 3 if abs(measure.mean) < 10 else 2
