"""What ``urcx longest`` shows: the longest expected games, with proven bounds."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from urcx.extremes.courses import LongestLayer
from urcx.extremes.longest import Longest
from urcx.reports.display.output import Column, Report, Table, counted
from urcx.reports.display.result_fields import (
    COMPILED,
    COUNT,
    RULES,
    Field,
    Fields,
    Schema,
    always,
    shown_as,
)


def _home(row: LongestLayer) -> str:
    return ", ".join(f"{i}-{j}" for i, j in row.layers)


def mean_plies(plies: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a mean as tables have it, to ten digits or so."""
    if plies >= 1e12:
        return f"{Context(10, rounding).create_decimal(plies):.9e}"
    places = 6 if plies < 1e6 else 3
    return f"{Decimal(plies).quantize(Decimal(1).scaleb(-places), rounding):,}"


PLIES = shown_as(mean_plies)
AT_LEAST = shown_as(lambda plies: mean_plies(plies, ROUND_FLOOR))
AT_MOST = shown_as(lambda plies: mean_plies(plies, ROUND_CEILING))
LAYERS = Fields(
    Field("home", Column("pieces home", text=True, key=True), about="pieces home", of=_home),
    Field("states", "states", COUNT, "states of these layers"),
    Field("sweeps", "sweeps", about="sweeps until their values settled"),
    Field("most", "most to come", PLIES, "the most mean plies or moves that a state has to come"),
)
FOUND = Fields(
    Field(
        "against",
        about="the agent that does not prolong the game, null if both players do",
        of=lambda found: None if found.against is None else found.against.name,
    ),
    Field("unit", about="what is counted: plies, or moves, which are plies that are no passes"),
    Field("mean", "mean of a game", PLIES, "the mean of a game", exactness="estimate"),
    Field("lower", "at least", AT_LEAST, "a proven lower bound of it", exactness="bound"),
    Field("upper", "at most", AT_MOST, "a proven upper bound of it", exactness="bound"),
    Field("begins", "if who stalls begins", PLIES, "mean plies if who stalls begins, else null"),
    Field("answers", "if the agent begins", PLIES, "mean plies if the agent begins, else null"),
    Field(
        "ordinary",
        "if both play as the agent",
        PLIES,
        "mean plies if both play as the agent does, else null",
    ),
    Field("change", about="the greatest change of a value at the end, as a part of a ply"),
    Field("states", "states", COUNT, "unfinished states, mover views"),
    Field("seconds", about="how long that took"),
)
LONGEST = Schema(
    "urcx.longest/1",
    {
        "": RULES
        + Fields(always("exactness", "proven bounds on both sides", "of the mean"))
        + FOUND
        + COMPILED,
        "rows": LAYERS,
    },
)


def longest_report(found: Longest) -> Report:
    """Return the report on the longest expected games."""
    data = LONGEST.data(found, rows=found.layers)
    who = "both players prolong it"
    names = ["mean", "lower", "upper", "states"]
    if found.against is not None:
        who = f"one player stalls against {found.against.name}"
        names[3:3] = ["begins", "answers", "ordinary"]
    rules = found.rules
    game = f"{rules.name}, {counted(rules.pieces, 'piece')} a side"
    title = f"Longest expected games in {found.unit}, {game}: {who}"
    lines: list[Any] = FOUND.pick(*names).lines(found)
    notes = [] if found.against is None else ["each side begins in half of the games"]
    tables = [Table(title, ["<", "<"], lines, notes), LAYERS.table("By pieces home", found.layers)]
    return Report(LONGEST.name, data, data["rows"], tables)
