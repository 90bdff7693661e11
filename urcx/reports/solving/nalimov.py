"""What ``urcx nalimov`` shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from urcx.engine.compiling import COMPILED
from urcx.results.fields import COUNT, DICE, RULES, TEXT, Field, Fields, Schema, always, column
from urcx.results.numbers import counted, number
from urcx.results.report import Report
from urcx.results.tables import Column, Table
from urcx.solving.michon.cycles import CyclePly
from urcx.solving.michon.nalimov import Homes, Nalimov
from urcx.solving.michon.procedure import READINGS, LayerMarks, Stall

MEANING = {
    "literal": "every roll counts, a pass leads to the other player's turn",
    "zero-rolls": "rolls of 0 left out, other passes count",
    "passes": "passes of both players solved as equations",
}


def _key(reading: str) -> str:
    return reading.replace("-", "_")


def _each(value: Callable[[Nalimov, str], Any]) -> Callable[[Nalimov], dict[str, Any]]:
    """Return a function that gives a value of every reading, by its name."""
    return lambda found: {_key(name): value(found, name) for name in READINGS}


def _decided(reading: str) -> Callable[[LayerMarks | Homes], int]:
    return lambda row: row.decided[reading]


def _end(name: str) -> Callable[[CyclePly], int | None]:
    return lambda ply: getattr(ply.move, name, None)


LAYERS = Fields(
    Field("mover_home", about="pieces home of who moves", of=lambda layer: layer.home[0]),
    Field("other_home", about="pieces home of the other", of=lambda layer: layer.home[1]),
    Field("states", "states", COUNT, "their unfinished states"),
    *(
        Field(_key(name), name, COUNT, f"those decided: {meaning}", _decided(name))
        for name, meaning in MEANING.items()
    ),
    Field("quiet", kind=COUNT, about="those in which no capture can come any more"),
    Field("on_cycle", kind=COUNT, about="those on a cycle, null if not looked for"),
)
PLIES = Fields(
    Field("position", Column("position", text=True, key=True), TEXT, "a position of the cycle"),
    Field("roll", Column("roll", key=True), about="the roll"),
    *(
        Field(name, about=f"the step that the piece {what}, null for a pass", of=_end(end))
        for name, end, what in (("from", "start", "leaves"), ("to", "end", "reaches"))
    ),
    Field(
        "captures",
        about="whether the move captures",
        of=lambda ply: ply.move is not None and ply.move.captures,
    ),
    Field("after", "<leads to", TEXT, "the position that it leads to"),
)
STALL = Fields(
    Field("position", kind=TEXT, about="the undecided position nearest to the end"),
    Field("on_cycle", about="whether it lies on the cycle"),
    Field("cycle", about="a cycle, ply by ply", of=lambda stall: PLIES.records(stall.cycle)),
)
FOUND = (
    RULES
    + DICE
    + Fields(
        Field("convention", about="how states are told apart: mover-view or positions"),
        always("exactness", "exact", "all states are gone through"),
        Field("states", kind=COUNT, about="unfinished states"),
        Field(
            "decided",
            about="how many each reading decides",
            of=_each(lambda found, name: str(found.decided(name))),
        ),
        Field(
            "share",
            about="which part each reading decides",
            of=_each(lambda found, name: found.decided(name) / found.states),
        ),
        Field("quiet", kind=COUNT, about="states in which no capture can come any more"),
        Field("undecided", "undecided", COUNT, "states that are not decided, passes solved"),
        Field("on_cycle", kind=COUNT, about="those on a cycle, null if not looked for"),
        Field(
            "undecided_without_captures",
            kind=COUNT,
            about="what stays undecided if nobody could capture",
            of="left_without_captures",
        ),
        Field(
            "stalls",
            about="where each reading stalls, null where it decides everything",
            of=lambda found: {_key(name): _stall(stall) for name, stall in found.stalls.items()},
        ),
        Field("sweeps", about="how often all states were looked at"),
        Field("seconds", about="how long it took"),
    )
    + COMPILED
)
SCHEMA = Schema(
    "urcx.nalimov/1", {"": FOUND, "rows": LAYERS, "stalls.READING": STALL, "cycle": PLIES}
)


def _stall(stall: Stall | None) -> dict[str, Any] | None:
    return None if stall is None else STALL.record(stall)


def nalimov_report(found: Nalimov) -> Report:
    """Return the report on a run of the procedure."""
    data = SCHEMA.data(found, rows=found.layers)
    tables = [readings_table(found), _left(found), _by_home(found), *_cycles(found)]
    return Report(SCHEMA.name, data, data["rows"], tables)


def _share(part: int, whole: int) -> str:
    """Return a share in percent, never rounded to 0 or 100 unless it is exactly that."""
    if part in (0, whole):
        return f"{100 if part and whole else 0} %"
    percent = 100 * part / whole
    return f"{percent:.2g} %" if percent < 10 else f"{min(percent, 99.99):.2f} %"


def readings_table(found: Nalimov) -> Table:
    """Return the table of what each reading decides."""
    rules = found.rules
    title = f"Michon's procedure on {rules.name}, {counted(rules.pieces, 'piece')} a side, "
    title += f"{rules.dice.name}: {number(found.states)} unfinished states ({found.convention})"
    cells = [
        [name, number(found.decided(name)), _share(found.decided(name), found.states), meaning]
        for name, meaning in MEANING.items()
    ]
    notes = [
        "exact; decided: all successors are, over all rolls; finished states from the start",
        "the rest lead to a cycle, where each state waits for the next",
    ]
    return Table(title, ["<reading", "decided", "share", "<which is"], cells, notes)


def _left(found: Nalimov) -> Table:
    lines = [
        ["undecided", number(found.undecided)],
        ["decided, and no capture can come", number(found.quiet_and_decided)],
        ["decided, though a capture can come", number(found.decided_in_contact)],
        ["undecided, though no capture can come", number(found.quiet_undecided)],
    ]
    if found.on_cycle is not None and found.off_cycle is not None:
        lines.append(["undecided, on a cycle", number(found.on_cycle)])
        lines.append(["undecided, only leading to one", number(found.off_cycle)])
    lines.append(["undecided if nobody could capture", number(found.left_without_captures)])
    notes = ["every move but a capture increases a side's progress, so each cycle has a capture"]
    if found.left_without_captures:
        notes.append("what is left without captures leads to where nobody can ever move")
    return Table("Where it stalls, passes solved", ["<", "<"], lines, notes)


def _by_home(found: Nalimov) -> Table:
    shown = Fields(
        Field("home", "pieces home"),
        *LAYERS.pick("states", *map(_key, READINGS)),
        column("share of passes", lambda row: _share(row.decided["passes"], row.states)),
    )
    return shown.table("Decided, by both players' pieces home", found.by_home())


def _cycles(found: Nalimov) -> list[Table]:
    shown = Fields(
        *PLIES.pick("position", "roll"),
        column("<answer", lambda ply: _answer(ply, found)),
        PLIES["after"],
    )
    return [
        shown.table(
            f"A cycle, {name}",
            stall.cycle,
            [
                f"{stall.position} is the undecided state nearest to the end; "
                + ("a shortest cycle through it" if stall.on_cycle else "it leads to this cycle")
            ],
        )
        for name, stall in found.stalls.items()
        if stall is not None
    ]


def _answer(ply: CyclePly, found: Nalimov) -> str:
    if ply.move is None:
        return "pass"
    words = ply.move.describe(found.rules.path, light=ply.position.light_to_move)
    return f"{ply.move.start}-{ply.move.end}  {words}"
