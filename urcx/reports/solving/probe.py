"""What ``urcx probe`` shows: a position's value in a tablebase, and the values of its moves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from urcx.errors import printable
from urcx.results.fields import PLAIN, TEXT, Field, Fields, Kind, Schema, column
from urcx.results.report import Report
from urcx.results.tables import Toned
from urcx.rules.drawing import Standing
from urcx.solving.files.tablebase import at_most
from urcx.solving.probing import Probed, ProbedRoll, Solution


def precision_note(base: Solution) -> str:
    """Return the note on the error bound of a file's values."""
    if base.bound is None:
        name = printable(str(base.file))
        return (
            "unproven, and of unknown precision: the file has neither checksums nor bounds; "
            f"urcx solve --check {name} finds bounds and writes both down"
        )
    return f"chances are off by at most {at_most(base.bound)}, kept as {base.store}"


def move_fields(value: Kind = PLAIN) -> Fields:
    """Return the fields of a roll with one of its moves; chances are of a kind."""
    return Fields(
        Field("roll", "roll", about="the roll"),
        Field("pass", about="whether nothing can move", of=lambda item: item.best is None),
        Field("from", about="the step that the piece leaves, 0 in the pool", of="best.move.start"),
        Field("to", about="the step that it reaches", of="best.move.end"),
        Field("value", "", value, "chance of winning of who moves, after it", "best.value"),
        Field("regret", "", value, "how much less than after the best", "best.regret"),
    )


def move_records(fields: Fields, items: Iterable[Any]) -> list[dict[str, Any]]:
    """Return a row for each move; a pass has only the roll."""
    passes = fields.pick("roll", "pass")
    return [(passes if item.best is None else fields).record(item) for item in items]


MOVES = move_fields()
POSITION = Fields(
    Field(
        "file", about="name of the file, null if it was solved in memory", of="base.file", kind=TEXT
    ),
    Field("rules", about="name of its rule set", of="base.rules.name"),
    Field("pieces", about="pieces a side", of="base.rules.pieces"),
    Field("position", kind=TEXT, about="the position"),
    Field(
        "to_move",
        about="light or dark",
        of=lambda found: "light" if found.position.light_to_move else "dark",
    ),
    Field("value", about="chance that the player to move wins"),
    Field("gap", about="how far values were off before they were stored", of="base.gap"),
    Field("store", about="how values are stored", of="base.store"),
    Field("bound", about="how far the value is off at most, null if unknown"),
    Field("lower", about="the least that it can be", exactness="bound"),
    Field("upper", about="the most that it can be", exactness="bound"),
)
WINNER = Field("winner", about="where the game is over, who has won")
SCHEMA = Schema("urcx.probe/1", {"": Fields(*POSITION, WINNER), "rows": MOVES})


def probe_report(found: Probed) -> Report:
    """Return a position's value and the values of its moves."""
    rules, position = found.base.rules, found.position
    data = POSITION.record(found)
    if found.winner is not None:
        body = f"{position} ({rules.name}): the game is over, {found.winner} has won\n"
        blank = dict.fromkeys(("roll", "pass", "from", "to"))
        only = {**blank, "value": found.value, "regret": None}  # of the position itself, for CSV
        data |= {**WINNER.json(found), "rows": []}
        return Report(SCHEMA.name, data, [only], body=body)
    data["rows"] = move_records(MOVES, found.moves)

    def words(item: ProbedRoll) -> str:
        if item.best is None:
            return "pass"
        move = item.best.move
        described = move.describe(rules.path, light=position.light_to_move)
        return f"{move.start}-{move.end}  {described}"

    shown = Fields(
        MOVES["roll"],
        column("<move", words),
        column("wins", lambda item: f"{item.best.value:.6f}" if item.best else ""),
        column("regret", lambda item: f"{item.best.regret:.6f}" if item.best else ""),
        column("<choice", _choice),
    )
    table = shown.table(
        f"{position} ({rules.name}): {data['to_move']}, to move, wins with {found.value:.6f}",
        found.moves,
        ["regret: how much less than the best move for this roll", precision_note(found.base)],
    )
    return Report(SCHEMA.name, data, data["rows"], [table], body=Standing(rules, position).text())


def _choice(item: ProbedRoll) -> str:
    if item.best is None:
        return ""
    mark = "only" if item.only else "best" if item.best.regret == 0 else ""
    return Toned(mark, "best") if mark else ""
