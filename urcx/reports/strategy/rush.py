"""What is shown of rushes: how probable it is that a piece comes home in one turn."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from urcx.reports.strategy.journey import EXACT, PERCENT
from urcx.results.fields import COUNT, FRACTION, Field, Fields, Kind, Schema, column, shown_as
from urcx.results.fractions import decimal, fraction
from urcx.results.numbers import number
from urcx.results.report import Report
from urcx.results.tables import Column, Note, Table, key
from urcx.strategy.rush import PathRush, Rush, Rushes, Simulated
from urcx.strategy.sequences import written


def _of_simulated(get: Callable[[Simulated], Any]) -> Callable[[PathRush], Any]:
    """Return a function that gives a value of a simulation, None without a simulation."""
    return lambda row: None if row.simulated is None else get(row.simulated)


def _end(k: int) -> Callable[[PathRush], Any]:
    return _of_simulated(lambda seen: None if seen.ci95 is None else seen.ci95[k])


PATH_RUSHES = Fields(
    Field("path", key("path"), about="name of the path", of="path.name"),
    Field("dice", key("dice"), about="name of the dice", of="dice.name"),
    Field("sequences", kind=COUNT, about="sequences of rolls that do it", of="rush.sequences"),
    Field(
        "likeliest",
        Column("rolls", text=True, secondary=True),
        about="the likeliest of them, null if it never happens",
        of=lambda row: written(row.rush.likeliest) or None,
    ),
    EXACT,
    Field("probability", "probability", FRACTION, "how probable it is", "rush.probability"),
    Field(
        "simulated",
        about="the same, as simulated",
        of=_of_simulated(lambda seen: seen.probability),
        exactness="estimate",
    ),
    Field("simulated_low", about="lower end of its 95 % interval", of=_end(0)),
    Field("simulated_high", about="upper end", of=_end(1)),
    Field(
        "simulated_rolls",
        about="how many rolls were simulated",
        of=_of_simulated(lambda seen: seen.rolls),
    ),
    Field(
        "games",
        "games",
        Kind(lambda games: number(round(games)), FRACTION.json),
        "games in which it comes once",
    ),
)
RUSHED = "A piece rushed from the start to home in one turn"
RUSH_NOTE = "a piece alone on the board"
RUSH = Schema(
    "urcx.rush/1",
    {
        "": Fields(
            Field("turns", about="a player's turns in a game, in each of which it is tried"),
            Field("particles", about="pieces simulated for each row"),
            Field("seed", about="seed of the random numbers"),
        ),
        "rows": PATH_RUSHES,
    },
)


def rush_report(found: Rushes) -> Report:
    """Return the probability of rushing a piece over each path, exactly and by simulation."""
    data = RUSH.data(found, rows=found.rows)
    if any(row.rush.sequences for row in found.rows):
        return Report(RUSH.name, data, data["rows"], [rush_table(found)])
    # Nothing for a table to show.
    never = ", ".join(_never(found))
    body = f"No piece is ever rushed from the start to home in one turn: {never}\n"
    return Report(RUSH.name, data, data["rows"], body=body)


def rush_table(found: Rushes) -> Table:
    """Return the table of paths that can be rushed; the notes name the others."""
    shown = f"simulated: 95 % interval, {found.particles:,} pieces for each row, seed {found.seed}"
    notes = [
        *([Note(shown, "simulated, %")] if found.particles else []),
        RUSH_NOTE,
        f"games: for one rush, if a player tries in each of {found.turns} turns a game",
    ]
    if names := _never(found):
        notes.append(f"never: {', '.join(names)}")
    simulated = Field(
        "", Column("simulated, %", secondary=True), shown_as(_interval), of="simulated"
    )
    fields = Fields(
        *PATH_RUSHES.pick("path", "dice", "likeliest", "probability"),
        Field("", "%", PERCENT, of="rush.probability"),
        *([simulated] if found.particles else []),
        PATH_RUSHES["games"],
    )
    rows = [row for row in found.rows if row.rush.sequences]
    return fields.table(RUSHED, rows, notes)


def one_rush(found: Rush) -> Report:
    """Return what is exact of one track's row."""
    kept = PATH_RUSHES.pick("sequences", "likeliest", "exactness", "probability")
    record = kept.record(SimpleNamespace(rush=found))
    shown = Fields(
        Field("", "probability", Kind(lambda p: fraction(p) or decimal(p)), of="probability"),
        Field("", "in percent", PERCENT, of="probability"),
        Field("", "sequences of rolls", of="sequences"),
        column("the likeliest", lambda rush: written(rush.likeliest) or "none"),
    )
    table = Table(f"{RUSHED}, exactly", ["<", "<"], shown.lines(found), [RUSH_NOTE])
    return Report(RUSH.name, record, [record], [table])


def _never(found: Rushes) -> list[str]:
    """Return the paths that cannot be rushed, with the dice if not with all."""
    by_path: dict[str, list[str]] = {}
    for row in found.rows:
        if not row.rush.sequences:
            by_path.setdefault(row.path.name, []).append(row.dice.name)
    every = {row.dice.name for row in found.rows}
    return [
        name if set(dice) == every else f"{name} ({', '.join(dice)})"
        for name, dice in by_path.items()
    ]


def _interval(found: Simulated) -> str:
    """Return an interval in percent."""
    if found.ci95 is None:
        return "none seen"
    return " to ".join(f"{100 * end:.3g}" for end in found.ci95)
