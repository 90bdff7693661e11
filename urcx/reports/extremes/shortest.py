"""What ``urcx shortest`` shows: the shortest game and the likeliest course of one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from urcx.extremes.shortest import Shortest
from urcx.reports.display.output import Column, Report, Table, counted, number
from urcx.reports.display.result_fields import (
    COUNT,
    FRACTION,
    RULES,
    TEXT,
    Field,
    Fields,
    Schema,
    always,
    shown_as,
)


def _end(name: str) -> Any:
    return lambda row: None if row.ply.move is None else getattr(row.ply.move, name)


def _side(row: Any) -> str:
    return "light" if row.ply.position.light_to_move else "dark"


COURSE = Fields(
    Field("ply", Column("ply", key=True), about="number of the ply", of="number"),
    Field("side", "<side", about="who rolls: light or dark", of=_side),
    Field("position", kind=TEXT, about="the position before the ply", of="ply.position"),
    Field("roll", "roll", about="the roll", of="ply.roll"),
    Field("from", about="the step that the piece leaves, null for a pass", of=_end("start")),
    Field("to", about="the step that it reaches, null for a pass", of=_end("end")),
    Field("move", "<move", about="the move in words", of="words"),
)
TINY = shown_as(lambda chance: f"{chance:.4g}")
FOUND = Fields(
    Field("unit", about="what is counted: plies (which are rolls) or turns"),
    Field("length", about="plies or turns of the shortest game"),
    Field("plies", "plies, which are rolls", about="plies of the game shown, which are rolls"),
    Field("turns", "turns", about="turns of the game shown"),
    Field("winner", "won by", about="who wins it; light begins"),
    Field(
        "games",
        "games as short",
        COUNT,
        "how many games are as short",
        of="number_of_games",
    ),
    Field(
        "chance",
        "chance of one, by good will",
        TINY,
        "how likely a game is as short if both players choose moves for that",
    ),
    Field("course_chance", about="the probability of the rolls shown", kind=FRACTION),
    Field("positions", kind=COUNT, about="positions these games come to, counted at each ply"),
)
SHORTEST = Schema(
    "urcx.shortest/1",
    {
        "": RULES + Fields(always("exactness", "exact", "a proof by search")) + FOUND,
        "rows": COURSE,
    },
)


def shortest_report(found: Shortest) -> Report:
    """Return the report on the shortest game."""
    rows = []
    for k, ply in enumerate(found.course, start=1):
        light = ply.position.light_to_move
        words = ply.move.describe(found.rules.path, light=light) if ply.move else "pass"
        rows.append(SimpleNamespace(number=k, ply=ply, words=words))
    data = SHORTEST.data(found, rows=rows)
    title = (
        f"Shortest game, {found.rules.name}, {counted(found.rules.pieces, 'piece')} a side: "
        f"{number(found.length)} {found.unit}"
    )
    shown = FOUND.pick("plies", "turns", "winner", "games", "chance")
    notes = [
        "games as short: different rolls or different moves are different games",
        "chance of one: both players choose the moves that make such a game likeliest",
    ]
    course = f"The likeliest of them, with a chance of {float(found.course_chance):.4g}"
    return Report(
        SHORTEST.name,
        data,
        data["rows"],
        [Table(title, ["<", "<"], shown.lines(found), notes), COURSE.table(course, rows)],
    )
