"""What solve and probe show."""

from __future__ import annotations

from typing import Any

from urcx.engine.memory import size_text
from urcx.errors import PositionError
from urcx.reports.output import Report, Table, counted, number
from urcx.reports.play import drawn
from urcx.rules.position import Position
from urcx.solve.checking import Checked
from urcx.solve.closeness import Closeness
from urcx.solve.solution import Solution
from urcx.solve.tablebase import Tablebase


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
        "peak_memory": str(found.peak_memory),
        "resumed_layers": found.resumed,
        "file": None if found.file is None else str(found.file),
        "file_size": str(found.file_size),
        "rows": rows,
    }
    lines = [
        ["who begins wins", f"{solved.opening:.15f}"],
        ["at least", f"{solved.lower:.15f}"],
        ["at most", f"{solved.upper:.15f}"],
        ["widest gap of any state", f"{solved.gap:.2e}"],
        ["states (mover views, unfinished)", number(solved.states)],
        ["most sweeps of a layer", number(solved.sweeps)],
        ["states renewed a second", f"{rate / 1e6:.1f} M"],
        ["seconds", f"{solved.seconds:.1f}"],
        ["peak memory", size_text(found.peak_memory)],
    ]
    if found.file is not None:
        lines.append(["written", f"{found.file}, {size_text(found.file_size)}"])
    title = f"Perfect play of {solved.rules.name}, {counted(solved.rules.pieces, 'piece')} a side"
    notes = ["chances of winning before the first roll; the true value lies between the bounds"]
    return Report("urcx.solve/1", data, rows, [Table(title, ["<", "<value"], lines, notes)])


def check_report(found: Checked, near: Closeness) -> Report:
    """Return the report on a tablebase's check, and on how close moves come in it."""
    base = found.base
    damaged = [f"{i}-{j}" for i, j in found.damaged]
    data: dict[str, Any] = {
        "file": str(base.file),
        "rules": base.rules.name,
        "store": base.store,
        "gap": base.gap,
        "damaged_layers": damaged,
        "residual": found.residual,
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
    closest = "none"
    if near.least is not None:
        closest = f"{near.least:.2e}, in {near.position} with roll {near.roll}"
    lines = [
        ["rules", f"{base.rules.name}, {counted(base.rules.pieces, 'piece')} a side"],
        ["stored as", base.store],
        ["gap, as recorded", f"{base.gap:.2e}"],
        ["damaged layers", ", ".join(damaged) or "none"],
        ["residual", f"{found.residual:.2e}"],
        ["states and rolls that leave a choice", number(near.choices)],
        ["with the best two moves equal", number(near.equal)],
        ["with less than 1e-4 between them", number(near.within[near.tolerances.index(1e-4)])],
        ["least difference otherwise", closest],
    ]
    notes = [
        "residual: the most that a chance changes when computed again from the others, once",
        "moves are compared as stored: in f32, u16, percent16 some are equal that are not in truth",
    ]
    return Report("urcx.check/1", data, [data], [Table(str(base.file), ["<", "<"], lines, notes)])


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
    }
    if rules.pieces in position.home:
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
            cells.append([str(thrown), text, f"{item.value:.6f}", f"{item.regret:.6f}", mark])
    data["rows"] = records
    table = Table(
        f"{position} ({rules.name}): {side}, to move, wins with {value:.6f}",
        ["roll", "<move", "wins", "regret", "<choice"],
        cells,
        ["regret: how much less than the best move for this roll"],
    )
    return Report("urcx.probe/1", data, records, [table], body=drawn(rules, position))
