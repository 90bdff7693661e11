"""What nalimov shows."""

from __future__ import annotations

from typing import Any

from urcx.engine.compiling import seconds as compile_seconds
from urcx.reports.display.output import Column, Report, Table, counted, number
from urcx.solving.michon.cycles import Ply
from urcx.solving.michon.nalimov import READINGS, Nalimov, Stall

MEANING = {
    "literal": "every roll counts, a pass leads to the other player's turn",
    "zero-rolls": "rolls of 0 left out, other passes count",
    "passes": "passes of both players solved as equations",
}


def report(found: Nalimov) -> Report:
    """Return the report on a run of the procedure."""
    rules = found.rules
    undecided = found.states - found.decided("passes")
    rows = [
        {
            "mover_home": layer.home[0],
            "other_home": layer.home[1],
            "states": str(layer.states),
            **{_key(name): str(layer.decided[name]) for name in READINGS},
            "quiet": str(layer.quiet),
            "on_cycle": None if layer.on_cycle is None else str(layer.on_cycle),
        }
        for layer in found.layers
    ]
    data: dict[str, Any] = {
        "rules": rules.name,
        "pieces": rules.pieces,
        "dice": rules.dice.name,
        "convention": found.convention,
        "exactness": "exact",
        "states": str(found.states),
        "decided": {_key(name): str(found.decided(name)) for name in READINGS},
        "share": {_key(name): found.decided(name) / found.states for name in READINGS},
        "quiet": str(found.quiet),
        "undecided": str(undecided),
        "on_cycle": None if found.on_cycle is None else str(found.on_cycle),
        "undecided_without_captures": str(found.left_without_captures),
        "stalls": {_key(name): _stall_data(stall) for name, stall in found.stalls.items()},
        "sweeps": found.sweeps,
        "seconds": found.seconds,
        "compile_seconds": compile_seconds(),
        "rows": rows,
    }
    return Report(
        "urcx.nalimov/1",
        data,
        rows,
        [_readings(found), _left(found, undecided), _by_home(found), *_cycles(found)],
    )


def _key(reading: str) -> str:
    return reading.replace("-", "_")


def _share(part: int, whole: int) -> str:
    """Return a share in percent, never rounded to nothing or to all."""
    if part in (0, whole):
        return f"{100 if part and whole else 0} %"
    percent = 100 * part / whole
    return f"{percent:.2g} %" if percent < 10 else f"{min(percent, 99.99):.2f} %"


def _readings(found: Nalimov) -> Table:
    rules = found.rules
    title = f"Michon's procedure on {rules.name}, {counted(rules.pieces, 'piece')} a side, "
    title += f"{rules.dice.name}: {number(found.states)} unfinished states ({found.convention})"
    cells = [
        [name, number(found.decided(name)), _share(found.decided(name), found.states), meaning]
        for name, meaning in MEANING.items()
    ]
    notes = [
        "exact; decided: all descendants are, over all rolls; finished states are to begin with",
        "the rest lead to a cycle, where each state waits for the next",
    ]
    return Table(title, ["<reading", "decided", "share", "<which is"], cells, notes)


def _left(found: Nalimov, undecided: int) -> Table:
    lines = [
        ["undecided", number(undecided)],
        ["decided, and no capture can come", number(found.quiet_and_decided)],
        ["decided, though a capture can come", number(found.decided_in_contact)],
        ["undecided, though no capture can come", number(found.quiet_undecided)],
    ]
    if found.on_cycle is not None:
        lines.append(["undecided, on a cycle", number(found.on_cycle)])
        lines.append(["undecided, only leading to one", number(undecided - found.on_cycle)])
    lines.append(["undecided if nobody could capture", number(found.left_without_captures)])
    notes = ["every move but a capture brings a side further, so each cycle has a capture"]
    if found.left_without_captures:
        notes.append("what is left without captures leads to where nobody can ever move")
    return Table("Where it stalls, passes solved", ["<", "<"], lines, notes)


def _by_home(found: Nalimov) -> Table:
    homes: dict[int, list[int]] = {}
    for layer in found.layers:
        row = homes.setdefault(sum(layer.home), [0] * (1 + len(READINGS)))
        row[0] += layer.states
        for k, name in enumerate(READINGS, start=1):
            row[k] += layer.decided[name]
    cells = [[str(home), *map(number, row), _share(row[-1], row[0])] for home, row in homes.items()]
    columns = ["pieces home", "states", *READINGS, "share of passes"]
    return Table("Decided, by both players' pieces home", columns, cells)


def _cycles(found: Nalimov) -> list[Table]:
    tables = []
    for name, stall in found.stalls.items():
        if stall is None:
            continue
        cells = [
            [str(ply.position), str(ply.roll), _answer(ply, found), str(ply.after)]
            for ply in stall.cycle
        ]
        how = "a shortest cycle through it" if stall.on_cycle else "it leads to this cycle"
        note = f"{stall.position} is the undecided state nearest to the end; {how}"
        title = f"A cycle, {name}"
        tables.append(
            Table(
                title,
                [
                    Column("position", text=True, key=True),
                    Column("roll", key=True),
                    "<answer",
                    "<leads to",
                ],
                cells,
                [note],
            )
        )
    return tables


def _answer(ply: Ply, found: Nalimov) -> str:
    if ply.move is None:
        return "pass"
    words = ply.move.describe(found.rules.path, light=ply.position.light_to_move)
    return f"{ply.move.start}-{ply.move.end}  {words}"


def _stall_data(stall: Stall | None) -> dict[str, Any] | None:
    if stall is None:
        return None
    return {
        "position": str(stall.position),
        "on_cycle": stall.on_cycle,
        "cycle": [
            {
                "position": str(ply.position),
                "roll": ply.roll,
                "from": None if ply.move is None else ply.move.start,
                "to": None if ply.move is None else ply.move.end,
                "captures": ply.move is not None and ply.move.captures,
                "after": str(ply.after),
            }
            for ply in stall.cycle
        ],
    }
