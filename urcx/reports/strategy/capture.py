"""What ``urcx capture`` shows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from urcx.results.fields import RULES, TEXT, Field, Fields, Kind, Schema, always, column
from urcx.results.report import Report
from urcx.results.tables import Column, Table
from urcx.strategy.attack import Attempt
from urcx.strategy.capture import TURNS, Captures, Exposure, Hunt
from urcx.strategy.sequences import written


def _percent(chance: Fraction) -> str:
    """Return a chance in percent to two decimals."""
    return f"{float(chance * 100):.2f} %"


def _rolls(found: tuple[Attempt, ...]) -> str:
    return " ".join(written(attempt.rolls) for attempt in found)


def _side(light: bool) -> str:
    return "light" if light else "dark"


def _shortest(item: Hunt) -> str:
    return " ".join(written(rolls) for rolls, _ in item.shortest)


CHANCE = Kind(_percent, (("", str),))  # exactly in JSON
CHANCE_AND_VALUE = Kind(_percent, (("", str), ("_value", float)))
ROLLS = Kind(_rolls, (("", _rolls),))
MOVE = Fields(
    Field("from", about="with a roll: the step the move leaves", of="move.start"),
    Field("to", about="with a roll: the step it reaches", of="move.end"),
)
EXPOSURES = Fields(
    Field("step", about="step of a piece that can be captured", of="danger.step"),
    Field("tile", about="its tile"),
    Field("single_rolls", "<single rolls", ROLLS, "single rolls that do it", of="danger.direct"),
    Field("single_chance", "of these", CHANCE, "chance of these", of="danger.direct_chance"),
    Field("sequences", "<all sequences", ROLLS, "all rolls that do it", of="danger.attempts"),
    Field("chance", "in percent", CHANCE_AND_VALUE, "chance of these", of="danger.chance"),
)
HUNTS = Fields(
    Field("hunter", about="light or dark: whose piece captures", of=lambda item: _side(item.light)),
    Field("ever", kind=CHANCE_AND_VALUE, about="chance that it does before a piece is home"),
    Field(
        "turns",
        kind=Kind(json=(("", lambda found: [str(chance) for chance in found]),)),
        about="chance that it does in each of its next turns",
    ),
    Field(
        "shortest",
        kind=Kind(
            json=(("", lambda f: [{"rolls": written(r), "chance": str(c)} for r, c in f]),),
            csv=(("", lambda found: " ".join(written(rolls) for rolls, _ in found)),),
        ),
        about="the fewest rolls that capture, of both players, each with its chance",
    ),
    Field("estimate", kind=CHANCE, about="chance of the shortest, which the paper estimates by"),
)


def _in_turn(k: int) -> Field:
    return Field(f"turn_{k + 1}", f"turn {k + 1}", CHANCE, of=lambda item: item.turns[k])


IN_TURNS = Fields(*map(_in_turn, range(TURNS)))  # separate columns in CSV and in the table
HUNT_COLUMNS = HUNTS.pick("hunter", "shortest", "estimate", "ever") + IN_TURNS
SCHEMA = Schema(
    "urcx.capture/1",
    {
        "": RULES
        + Fields(
            Field("position", kind=TEXT, about="the position"),
            Field("roll", about="the roll of the player to move, or null"),
            always("exactness", "exact", "fractions, without rounding"),
        ),
        "rows": MOVE + EXPOSURES,
        "hunts": HUNTS,
    },
)


def capture_report(found: Captures) -> Report:
    """Return the probabilities of captures: in this turn or after each move of a roll, and ever."""
    data = {**SCHEMA.data(found), "rows": _rows(found)}
    tables = [exposures_table(found)]
    if found.hunts:
        data["hunts"] = HUNTS.records(found.hunts)
        tables.append(hunts_table(found.hunts))
    keys = [key for one in EXPOSURES for key in one.keys]
    return Report(SCHEMA.name, data, capture_records(found), tables, fields=keys)


def _rows(found: Captures) -> list[dict[str, Any]]:
    fields = EXPOSURES if found.roll is None else MOVE + EXPOSURES
    return fields.records(found.exposures)


def capture_records(found: Captures) -> list[dict[str, Any]]:
    """Return the rows for CSV: pieces in danger, and the hunts."""
    if not found.hunts:
        return _rows(found)
    dangers = [{**row, "kind": "danger"} for row in _rows(found)]
    return dangers + [{"kind": "hunt", **HUNT_COLUMNS.flat(item)} for item in found.hunts]


def hunt_report(found: Hunt) -> Report:
    """Return the chances of one side's piece."""
    record = HUNT_COLUMNS.flat(found)
    return Report(SCHEMA.name, record, [record], [hunts_table([found])])


def exposures_table(found: Captures) -> Table:
    """Return the table of pieces that can be captured in a turn."""
    who = _side(found.position.light_to_move)
    title = f"Chances to be captured in {who}'s turn"
    shown = Fields()
    if found.roll is not None:
        title = f"Chances to be captured in the next turn, after {who} moves by {found.roll}"
        if found.exposures:
            shown = Fields(column(_head("move"), _move))
    shown += Fields(
        column(_head("piece on"), lambda item: f"{item.danger.step} {item.tile}"),
        *EXPOSURES.pick("single_rolls", "single_chance", "sequences"),
        column("chance", lambda item: str(item.danger.chance)),
        EXPOSURES["chance"],
    )
    note = "sequences: the first rolls grant another; the opponent plays only for that capture"
    if not found.exposures:
        note = "no piece of that side is on the board where one could be captured"
    return shown.table(f"{title} in {found.position} ({found.rules.name})", found.exposures, [note])


def _head(title: str) -> Column:
    return Column(title, text=True, key=True)


def _move(item: Exposure) -> str:
    return f"{item.move.start}-{item.move.end}" if item.move else ""


def hunts_table(hunts: Sequence[Hunt]) -> Table:
    """Return the table of the chances that one piece ever captures the other."""
    shown = Fields(
        column("<hunt", lambda item: f"{_side(item.light)} captures {_side(not item.light)}"),
        column("<fewest rolls", _shortest),
        Field("", "of these", CHANCE, of="estimate"),
        *IN_TURNS,
        Field("", "ever", CHANCE, of="ever"),
    )
    return shown.table(
        "Chances that one piece captures the other, exactly, from the Markov chain",
        hunts,
        [
            "each side has one piece left, so every move is forced; ever: before a piece is home",
            "fewest rolls: of both players from now on; turn: of the hunter, extra rolls included",
        ],
    )
