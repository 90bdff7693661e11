"""What ``urcx luck`` shows: what dice and decisions do to the chance of winning."""

from __future__ import annotations

from typing import Any

from urcx.extremes.luck import Luck
from urcx.reports.display.output import Report, Table, counted
from urcx.reports.display.result_fields import (
    COMPILED,
    RULES,
    Field,
    Fields,
    Schema,
    always,
    decimals,
    percents_of,
)


def _of(name: str, side: int) -> Any:
    return lambda found: getattr(found, name)[side]


FOUND = Fields(
    Field("light", about="the agent that plays light", of="light.name"),
    Field("dark", about="the agent that plays dark", of="dark.name"),
    always("first", "alternate", "who begins"),
    Field("wins", "light wins", percents_of(4), "how likely light wins"),
    Field("outcome", "variance of the result", decimals(6), "the variance of who wins"),
    Field("dice", "dice, squares a game", decimals(6), "sum of squares of what the dice change"),
    Field(
        "light_decisions",
        "light's decisions, squares",
        decimals(6),
        "sum of squares of what light's decisions lose",
        _of("decisions", 0),
    ),
    Field(
        "dark_decisions",
        "dark's decisions, squares",
        decimals(6),
        "sum of squares of what dark's decisions lose",
        _of("decisions", 1),
    ),
    Field(
        "share", "the dice's share of squares", percents_of(2), "the dice's share of all squares"
    ),
    Field(
        "light_losses",
        "light loses by decisions",
        decimals(6),
        "what light's decisions lose in a game",
        _of("losses", 0),
    ),
    Field(
        "dark_losses",
        "dark loses by decisions",
        decimals(6),
        "what dark's decisions lose in a game",
        _of("losses", 1),
    ),
    Field("a_ply", "a roll changes the chance by", decimals(6), "root mean square of a roll"),
    Field("plies", "plies of a game", decimals(4), "mean plies of a game"),
    Field("bound", about="by how much each sum is off at most"),
    Field("seconds", about="how long that took"),
)
LUCK = Schema(
    "urcx.luck/1",
    {
        "": RULES
        + Fields(always("exactness", "exact but for the bound", "of all sums"))
        + FOUND
        + COMPILED
    },
)


def luck_report(found: Luck) -> Report:
    """Return the report on luck and decisions."""
    data = LUCK.data(found)
    players = found.light.name
    if found.dark != found.light:
        players = f"{players} (light) against {found.dark.name} (dark)"
    rules = found.rules
    pieces = counted(rules.pieces, "piece")
    title = f"Luck and decisions, {players}, {rules.name}, {pieces} a side, exactly"
    shown = FOUND.without("light", "dark", "first", "bound", "seconds")
    notes = [
        (
            "dice: by how much a roll changes the chance of winning under perfect play, squared "
            "and added up over a game, on average over all games"
        ),
        "decisions: by how much moves lower the mover's chance, in the same way",
        f"each side begins in half of the games; no sum is off by more than {found.bound:.1e}",
    ]
    return Report(LUCK.name, data, [data], [Table(title, ["<", "<"], shown.lines(found), notes)])
