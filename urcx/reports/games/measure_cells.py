"""How measures and estimates of played games are shown: table cells, JSON and CSV."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import Any

from urcx.games.statistics import Measure
from urcx.results.fields import COUNT, Field, Fields, Kind, decimals, percents_of
from urcx.results.numbers import counted
from urcx.results.tables import Column, Note, Table
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

MEASURE_COLUMNS = (
    Column("measure", text=True, key=True, least=32),
    Column("mean"),
    Column("95 % interval"),
    *(
        Column(title, secondary=True)
        for title in ("deviation", "lower quartile", "median", "upper quartile")
    ),
)
EXACT_COLUMNS = (
    Column("measure", text=True, least=32),
    Column("mean"),
    Column("off by at most"),
)
SPREAD_NOTE = Note(
    "deviation and quartiles: of single games",
    *(column.title for column in MEASURE_COLUMNS if column.secondary),
)


def interval(pair: tuple[float, float] | None, digits: int) -> str:
    """Return an interval as text; empty if there is none."""
    return "" if pair is None else f"{pair[0]:.{digits}f} to {pair[1]:.{digits}f}"


def percents(pair: tuple[float, float]) -> str:
    """Return an interval of a share as text."""
    return f"{pair[0]:.2%} to {pair[1]:.2%}"


MEASURE = Fields(
    Field("title", about="what is measured"),
    Field("mean", about="over all games, or all plies of all games"),
    Field("sd", about="standard deviation of single games"),
    Field("ci95", about="95 % interval of the mean"),
    Field("quartiles", about="lower quartile, median and upper quartile of single games"),
    Field("per_game", about="mean of single games' ratios, where that is not the mean"),
    Field("bound", about="by how much an exact mean is off at most"),
)
ESTIMATE = Fields(
    Field("convention", "<convention", about="name of the convention", of="convention.name"),
    Field(
        "formula",
        Column("formula", text=True, least=len("mean of sum -log p_i + d H")),
        about="how it is computed",
        of="convention.written",
    ),
    Field(
        "counts",
        Column("what it counts", text=True, least=24),
        about="what it counts",
        of="convention.counts",
    ),
    Field("log10", "log10", decimals(2), "the size of the tree"),
    Field("ci95", "95 % interval", Kind(partial(interval, digits=2)), "its 95 % interval"),
    Field(
        "games95",
        Column("95 % of games", secondary=True),
        Kind(partial(interval, digits=0)),
        "what 95 % of single games give",
    ),
)
WINS = Fields(
    Field("games", "number", COUNT, "how many games", of="number"),
    Field("share", "share", percents_of(2), "their share"),
    Field("ci95", "95 % interval", Kind(percents), "its 95 % interval"),
)


def measure_row(measure: Measure) -> dict[str, Any]:
    """Return a measure for JSON."""
    missing = [name for name in ("per_game", "bound") if getattr(measure, name) is None]
    return MEASURE.without(*missing).record(measure)


def power_of_ten(bound: float) -> float:
    """Return the least power of ten that is no less; a bound's digits differ from run to run."""
    return 10.0 ** math.ceil(math.log10(bound)) if 0.0 < bound < math.inf else bound


def shown_bound(bound: float | None) -> str:
    """Return a bound for a table."""
    return "" if bound is None else f"{power_of_ten(bound):.0e}"


def against(light: str, dark: str) -> str:
    """Return the agents of a game as text, for a title."""
    return light if light == dark else f"{light} (light) against {dark} (dark)"


def game_name(rules: RuleSet) -> str:
    """Return a rule set's name, with its pieces a side unless they are those it always has."""
    known = catalogue.catalogue().rules.get(rules.name)
    if known is not None and known.pieces == rules.pieces:
        return rules.name
    return f"{rules.name}, {counted(rules.pieces, 'piece')} a side"


def begins(first: str) -> str:
    """Return a text on who begins, for a title."""
    known = {"alternate": "each colour begins in turn", "coin": "a coin decides who begins"}
    return known.get(first, f"{first} begins")


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for CSV: intervals and quartiles in columns of their own."""
    flat: dict[str, Any] = {key: row[key] for key in ("mean", "sd", "exact", "bound") if key in row}
    for key, names in (
        ("ci95", ("ci95_low", "ci95_high")),
        ("quartiles", ("q1", "median", "q3")),
        ("games95", ("games95_low", "games95_high")),
    ):
        if row.get(key) is not None:
            flat |= dict(zip(names, row[key], strict=True))
    return flat


def estimate_flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a convention's row of JSON for CSV."""
    return {"kind": "gtc", "name": row["convention"], "mean": row["log10"], **flat(row)}


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


def measure_table(title: str, games: Any, found: Iterable[Measure], ply: str) -> Table:
    """Return the table of the measures of games; ``ply`` says what a ply is in them."""
    notes = ["mean of ratios: ratio of the sums over all plies", SPREAD_NOTE, ply]
    if games.interrupted:
        notes.append(f"interrupted: {games.asked:,} games were asked for")
    return Table(title, MEASURE_COLUMNS, list(map(measure_cells, found)), notes)


def _digits(measure: Measure) -> int:
    """Return the number of decimals for a measure: more for small ones."""
    return 3 if abs(measure.mean) < 10 else 2
