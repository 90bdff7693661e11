"""What ``urcx solve --exact-fractions`` shows, and the file with every state's fraction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from urcx import __version__
from urcx.engine.compiling import seconds as compile_seconds
from urcx.engine.threads import Stage
from urcx.reports.display.output import Report, Table, atomic_file, counted, number
from urcx.rules.position import Position
from urcx.solving.exact.rational import ExactMove, ExactSolution, Ties
from urcx.solving.files.header import describe_rules

DECIMALS = 30
PIECE = 4000  # digits, which Python turns into text without being asked twice


def decimal(value: int) -> str:
    """Return a natural number as text, however long it is."""
    if value < 10**PIECE:
        return str(value)
    half = PIECE
    while 10 ** (2 * half) <= value:
        half *= 2
    high, low = divmod(value, 10**half)
    return decimal(high) + decimal(low).zfill(half)


def fraction_text(value: Fraction) -> str:
    """Return a fraction as text, ``4/7``; a whole number without a denominator."""
    top = decimal(value.numerator)
    return top if value.denominator == 1 else f"{top}/{decimal(value.denominator)}"


def rounded(value: Fraction) -> str:
    """Return a chance with `DECIMALS` decimals, rounded down."""
    whole, rest = divmod(value.numerator * 10**DECIMALS // value.denominator, 10**DECIMALS)
    return f"{whole}.{rest:0{DECIMALS}d}"


def report(found: ExactSolution, position: Position | None) -> Report:
    """Return the report on an exact solution and one of its positions, by default the start."""
    where = found.start if position is None else position
    value = found.value(where)
    moves = _moves(found, where)
    rows = [_layer(item) for item in found.ties]
    data: dict[str, Any] = {
        "rules": found.rules.name,
        "pieces": found.rules.pieces,
        "pieces_left": found.left,
        "exactness": "exact",
        "position": str(where),
        "value": fraction_text(value),
        "decimal": rounded(value),
        "digits": str(len(decimal(value.denominator))),
        "states": str(found.states),
        "rounds": found.rounds,
        "tied_decisions": str(sum(item.tied for item in found.ties)),
        "seconds": found.seconds,
        "compile_seconds": compile_seconds(),
        "moves": [_move(roll, item) for roll, item in moves],
        "rows": rows,
    }
    tables = [_values_table(found, where, value)]
    if moves:
        cells = [_cells(roll, item) for roll, item in moves]
        tables.append(Table("Its moves", ["roll", "<move", "wins", "regret"], cells))
    records = [
        *({**row, "kind": "layer"} for row in rows),
        {**_valued(data), "kind": "position", "states": data["states"]},
        *({"kind": "move", **_move(roll, item), "position": str(where)} for roll, item in moves),
    ]
    return Report("urcx.fractions/1", data, records, [*tables, _ties_table(found.ties)])


def _valued(data: dict[str, Any]) -> dict[str, Any]:
    """Return what is said of the position itself, for CSV."""
    return {key: data[key] for key in ("position", "value", "decimal", "digits", "seconds")}


def _moves(found: ExactSolution, where: Position) -> list[tuple[int, ExactMove | None]]:
    """Return the moves of every roll, the best first; None where it is a pass."""
    if found.rules.pieces in where.home:
        return []
    return [
        (roll, item)
        for roll in found.rules.dice.rolls
        for item in found.best_moves(where, roll) or (None,)
    ]


def _move(roll: int, item: ExactMove | None) -> dict[str, Any]:
    if item is None:
        return {"roll": roll, "pass": True}
    return {
        "roll": roll,
        "pass": False,
        "from": item.move.start,
        "to": item.move.end,
        "value": fraction_text(item.value),
        "regret": fraction_text(item.regret),
    }


def _cells(roll: int, item: ExactMove | None) -> list[str]:
    if item is None:
        return [str(roll), "pass", "", ""]
    regret = f"{float(item.regret):.3e}" if item.regret else "0"
    return [str(roll), f"{item.move.start}-{item.move.end}", f"{float(item.value):.15f}", regret]


def _layer(item: Ties) -> dict[str, Any]:
    where, roll = item.place or (None, None)
    return {
        "left": f"{item.left[0]}-{item.left[1]}",
        "states": str(item.states),
        "digits": str(len(decimal(item.denominator))),
        "decisions": str(item.decisions),
        "tied": str(item.tied),
        "best_tied": str(item.best_tied),
        "smallest_difference": None if item.smallest is None else float(item.smallest),
        "smallest_at": None if where is None else str(where),
        "smallest_roll": roll,
        "tied_at": None if item.example is None else str(item.example[0]),
        "tied_roll": None if item.example is None else item.example[1],
    }


def _values_table(found: ExactSolution, where: Position, value: Fraction) -> Table:
    side = "light" if where.light_to_move else "dark"
    bottom = decimal(value.denominator)
    lines = [
        [f"{side}, to move, wins", rounded(value)],
        ["numerator", number(value.numerator)],
        ["denominator", number(value.denominator)],
        ["digits of the denominator", number(len(bottom))],
        ["states (unfinished)", number(found.states)],
        ["rounds of policy iteration", number(found.rounds)],
        ["seconds", f"{found.seconds:.1f}"],
    ]
    left = f", at most {found.left} left" if found.left < found.rules.pieces else ""
    sides = f"{counted(found.rules.pieces, 'piece')} a side{left}"
    title = f"{where} ({found.rules.name}, {sides}), exactly"
    notes = ["proven: compared as fractions no move is better, and every game ends"]
    return Table(title, ["<", "<value"], lines, notes)


def _ties_table(ties: Sequence[Ties]) -> Table:
    cells = [
        [
            f"{item.left[0]}-{item.left[1]}",
            number(item.states),
            number(len(decimal(item.denominator))),
            number(item.decisions),
            number(item.tied),
            number(item.best_tied),
            "" if item.smallest is None else f"{float(item.smallest):.3e}",
            "" if item.place is None else "{}, roll {}".format(*item.place),
        ]
        for item in ties
    ]
    columns = ["left", "states", "digits", "choices", "tied", "best tied", "least", "<at"]
    notes = [
        "left: pieces not home of one side and the other; digits: of the common denominator",
        "choices: states and rolls with two moves or more; tied: two are worth exactly the same",
        "least: the smallest difference between two moves that are not tied",
    ]
    return Table("Moves compared", columns, cells, notes)


def write_states(found: ExactSolution, file: Path, stage: Stage) -> None:
    """Write every state with its fraction and best moves: CSV if the name says so, else JSON.

    Moves of a roll are given by the steps that they start from, 0 being the pool: all best ones, or
    none for a pass.

    Raises
    ------
    UrcxError
        If the file cannot be written; nothing is left behind.
    """
    update = stage(f"writing {file.name}", found.states, "states")
    with atomic_file(file) as stream:
        texts = _csv(found) if file.suffix.lower() == ".csv" else _json(found)
        for done, text in enumerate(texts):
            stream.write(text)
            update(min(done, found.states))


def _csv(found: ExactSolution) -> Iterator[str]:
    rolls = found.rules.dice.rolls
    yield ",".join(["position", "value", *(f"roll_{roll}" for roll in rolls)]) + "\n"
    for state in found.policy():
        # Positions have commas; moves and fractions have none.
        moves = (" ".join(map(str, state.starts[roll])) for roll in rolls)
        yield ",".join([f'"{state.position}"', fraction_text(state.value), *moves]) + "\n"


def _json(found: ExactSolution) -> Iterator[str]:
    head = {
        "schema": "urcx.fractions-states/1",
        "version": __version__,
        "rules": describe_rules(found.rules),
        "pieces_left": found.left,
        "exactness": "exact",
    }
    yield json.dumps(head)[:-1] + ', "states": ['
    for k, state in enumerate(found.policy()):
        record = {
            "position": str(state.position),
            "value": fraction_text(state.value),
            "moves": {str(roll): list(starts) for roll, starts in state.starts.items()},
        }
        yield ("," if k else "") + "\n" + json.dumps(record)
    yield "\n]}\n"
