"""What solve and probe show."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from urcx.engine.compiling import seconds as compile_seconds
from urcx.engine.memory import size_text
from urcx.errors import PositionError, printable
from urcx.reports.display.output import Report, Table, Toned, counted, number
from urcx.reports.figures.board import drawn
from urcx.rules.position import Position
from urcx.solving.checking import Checked
from urcx.solving.closeness import Closeness
from urcx.solving.files.rgu import RguFile
from urcx.solving.files.tablebase import Tablebase, at_most
from urcx.solving.layered.order import Layer
from urcx.solving.solution import Solution

VALUES = ("opening", "lower", "upper")  # of the game as a whole


def report(found: Solution) -> Report:
    """Return the report on a solution."""
    solved = found.solved
    rate = solved.updates / solved.seconds if solved.seconds else 0.0
    rows = [
        {
            "light": row.layer[0],
            "dark": row.layer[1],
            "states": str(row.states),
            "sweeps": row.sweeps,
            "certifying": row.certifying,
            "seconds": row.seconds,
            "gap": row.gap,
        }
        for row in solved.layers
    ]
    data: dict[str, Any] = {
        "rules": solved.rules.name,
        "pieces": solved.rules.pieces,
        "exactness": "bounds",
        "opening": solved.opening,
        "lower": solved.lower,
        "upper": solved.upper,
        "gap": solved.gap,
        "states": str(solved.states),
        "sweeps": solved.sweeps,
        "updates": str(solved.updates),
        "updates_per_second": rate,
        "seconds": solved.seconds,
        "compile_seconds": compile_seconds(),
        "peak_memory": str(found.peak_memory),
        "resumed_layers": found.resumed,
        "damaged_layers": layer_names(found.damaged),
        "file": None if found.file is None else str(found.file),
        "file_size": str(found.file_size),
        "store": None if found.file is None else found.store,
        "bound": found.bound,
        "rows": rows,
    }
    lines = [
        ["who begins wins", f"{solved.opening:.15f}"],
        ["at least", f"{solved.lower:.15f}"],
        ["at most", f"{solved.upper:.15f}"],
        ["widest gap of any state", at_most(solved.gap, 3)],
        ["states (mover views, unfinished)", number(solved.states)],
        ["most sweeps of a layer", number(solved.sweeps)],
        ["states renewed a second", f"{rate / 1e6:.1f} M"],
        ["seconds", f"{solved.seconds:.1f}"],
        ["peak memory", size_text(found.peak_memory)],
    ]
    if found.file is not None and found.bound is not None:
        written = f"{printable(str(found.file))}, {size_text(found.file_size)}"
        lines.append(["written", written])
        lines.append(["a value in the file is off by at most", at_most(found.bound, 3)])
    title = f"Perfect play of {solved.rules.name}, {counted(solved.rules.pieces, 'piece')} a side"
    notes = ["chances of winning before the first roll; the true value lies between the bounds"]
    whole = {key: data[key] for key in ("states", "sweeps", "seconds", "gap", *VALUES)}
    records = [*({**row, "kind": "layer"} for row in rows), {**whole, "kind": "game"}]
    return Report("urcx.solve/1", data, records, [Table(title, ["<", "<value"], lines, notes)])


def layer_names(layers: Iterable[Layer]) -> list[str]:
    """Return layers as texts such as ``1-0``."""
    return [f"{i}-{j}" for i, j in layers]


def precision(bound: float | None) -> str:
    """Return how far values of a file may be from the truth, as text."""
    return "unknown" if bound is None else at_most(bound, 3)


def known_digits(value: float, bound: float, most: int = 12) -> str:
    """Return a chance with as many decimals, up to ``most``, as a bound leaves certain to one."""
    digits = most if bound <= 0.0 else min(most, max(1, math.floor(-math.log10(bound))))
    return f"{value:.{digits}f}"


def check_report(found: Checked, near: Closeness | None, proof: Path | None) -> Report:
    """Return the report on a tablebase's check, and on how close moves come in it.

    ``near`` is None where the file is damaged; ``proof`` is where a bound was written down.
    """
    base = found.base
    damaged = layer_names(found.damaged)
    claimed = base.claimed if isinstance(base, RguFile) else None
    data: dict[str, Any] = {
        "file": str(base.file),
        "rules": base.rules.name,
        "store": base.store,
        "gap": base.gap,
        "damaged_layers": damaged,
        "residual": found.residual,
        "bound": found.bound,
        "bounded_by": None if found.bound is None else "check" if found.bounded else "record",
        "contradicted": found.contradicted,
        "last_change": claimed,
        "proof": None if proof is None else str(proof),
        **_closeness(near),
    }
    lines = [
        ["rules", f"{base.rules.name}, {counted(base.rules.pieces, 'piece')} a side"],
        ["stored as", base.store],
        ["gap, as recorded", "none" if base.gap is None else at_most(base.gap, 3)],
    ]
    if claimed is not None:
        lines.append(["last change, as its maker says", f"{claimed:.2e}"])
    notes = []
    if damaged:
        every = len(damaged) >= len(base.order.layers) > 1
        lines.append(
            ["damaged layers", "all, or it is not known which" if every else ", ".join(damaged)]
        )
        notes.append("damaged values are not looked at any further")
    else:
        lines += _sound(found, near)
        notes += [
            "residual: the most that a chance changes when computed again from the others, once",
            (
                "moves are compared as stored: in f32, u16, percent16 some are equal that are not "
                "in truth"
            ),
        ]
        if found.bound is not None:
            apart = at_most(2.0 * found.bound)
            notes.append(f"moves that differ by less than {apart} may in truth lie the other way")
    if found.contradicted:
        notes.append("what is recorded cannot be true: values off by so little change by less")
    if found.why:
        notes.append(f"unknown, since {printable(found.why)}")
    if proof is not None:
        notes.append(f"the bound is written down in {printable(proof.name)}")
    title = printable(str(base.file))
    return Report("urcx.check/1", data, [data], [Table(title, ["<", "<"], lines, notes)])


def _sound(found: Checked, near: Closeness | None) -> list[list[str]]:
    """Return what a check found in a file that is not damaged."""
    assert near is not None  # noqa: S101 - as it is not damaged
    how = "" if found.bound is None else ", found now" if found.bounded else ", as recorded"
    closest = "none"
    if near.least is not None:
        closest = f"{near.least:.2e}, in {near.position} with roll {near.roll}"
    return [
        ["a value is off by at most", precision(found.bound) + how],
        ["damaged layers", "none"],
        ["residual", f"{found.residual:.2e}"],
        ["states and rolls that leave a choice", number(near.choices)],
        ["with the best two moves equal", number(near.equal)],
        ["with less than 1e-4 between them", number(near.within[near.tolerances.index(1e-4)])],
        ["least difference otherwise", closest],
    ]


def _closeness(near: Closeness | None) -> dict[str, Any]:
    """Return how close moves come as members of JSON, null where it is not known."""
    if near is None:
        names = (
            "choices", "equal", "within", "closest", "closest_position", "closest_roll",
        )  # fmt: skip
        return dict.fromkeys(names)
    return {
        "choices": str(near.choices),
        "equal": str(near.equal),
        "within": {
            f"{tolerance:g}": str(number)
            for tolerance, number in zip(near.tolerances, near.within, strict=True)
        },
        "closest": near.least,
        "closest_position": None if near.position is None else str(near.position),
        "closest_roll": near.roll,
    }


def precision_note(base: Tablebase) -> str:
    """Return what is to be said of how far a file's values may be from the truth."""
    if base.bound is None:
        name = printable(str(base.file))
        return (
            "unproven, and of unknown precision: the file has neither checksums nor bounds; "
            f"urcx solve --check {name} finds bounds and writes both down"
        )
    return f"chances are off by at most {at_most(base.bound)}, kept as {base.store}"


def probe_report(base: Tablebase, position: Position, roll: int | None) -> Report:
    """Return a position's value and its moves with theirs, for a roll or for all.

    Raises
    ------
    PositionError
        If the position breaks a rule, or all pieces of both sides are home.
    """
    rules = base.rules
    if position.home == (rules.pieces, rules.pieces):
        raise PositionError("home: all pieces of both players are home, which no game reaches")
    value = base.probe(position)
    side = "light" if position.light_to_move else "dark"
    data: dict[str, Any] = {
        "file": str(base.file),
        "rules": rules.name,
        "position": str(position),
        "to_move": side,
        "value": value,
        "gap": base.gap,
        "store": base.store,
        "bound": base.bound,
        "lower": None if base.bound is None else max(0.0, value - base.bound),
        "upper": None if base.bound is None else min(1.0, value + base.bound),
    }
    if rules.pieces in position.home:
        data |= {"bound": 0.0, "lower": value, "upper": value}
        winner = "light" if position.home[0] == rules.pieces else "dark"
        body = f"{position} ({rules.name}): the game is over, {winner} has won\n"
        blank = dict.fromkeys(("roll", "pass", "from", "to"))
        only = {**blank, "value": value, "regret": None}  # CSV has a row, of the position itself
        return Report("urcx.probe/1", {**data, "winner": winner, "rows": []}, [only], body=body)
    records: list[dict[str, Any]] = []
    cells = []
    for thrown in rules.dice.rolls if roll is None else (roll,):
        found = base.best_moves(position, thrown)
        if not found:
            records.append({"roll": thrown, "pass": True})
            cells.append([str(thrown), "pass", "", "", ""])
        for item in found:
            move = item.move
            records.append(
                {
                    "roll": thrown,
                    "pass": False,
                    "from": move.start,
                    "to": move.end,
                    "value": item.value,
                    "regret": item.regret,
                }
            )
            words = move.describe(rules.path, light=position.light_to_move)
            text = f"{move.start}-{move.end}  {words}"
            mark = "only" if len(found) == 1 else "best" if item.regret == 0 else ""
            shown = Toned(mark, "best") if mark else mark
            cells.append([str(thrown), text, f"{item.value:.6f}", f"{item.regret:.6f}", shown])
    data["rows"] = records
    table = Table(
        f"{position} ({rules.name}): {side}, to move, wins with {value:.6f}",
        ["roll", "<move", "wins", "regret", "<choice"],
        cells,
        ["regret: how much less than the best move for this roll", precision_note(base)],
    )
    return Report("urcx.probe/1", data, records, [table], body=drawn(rules, position))
