"""What ``urcx solve --exact-fractions`` shows, and the file with every state's fraction."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from urcx import __version__
from urcx.engine.compiling import COMPILED
from urcx.engine.files.atomic import atomic_file
from urcx.engine.threads import Stage
from urcx.reports.solving.probe import move_fields, move_records
from urcx.results.fields import (
    COUNT,
    RULES,
    TEXT,
    Field,
    Fields,
    Kind,
    Schema,
    always,
    column,
    decimals,
    shown_as,
)
from urcx.results.numbers import counted, number
from urcx.results.report import Report
from urcx.results.tables import Table
from urcx.rules.position import Position
from urcx.solving.exact.exact_solution import ExactMove, ExactSolution, Ties
from urcx.solving.files.header import describe_rules

DECIMALS = 30
PIECE = 4000  # digits, within Python's limit on converting integers to text


def fraction_digits(value: int) -> str:
    """Return a natural number as text, however long it is."""
    if value < 10**PIECE:
        return str(value)
    half = PIECE
    while 10 ** (2 * half) <= value:
        half *= 2
    high, low = divmod(value, 10**half)
    return fraction_digits(high) + fraction_digits(low).zfill(half)


def fraction_text(value: Fraction) -> str:
    """Return a fraction as text, ``4/7``; a whole number without a denominator."""
    top = fraction_digits(value.numerator)
    return top if value.denominator == 1 else f"{top}/{fraction_digits(value.denominator)}"


def rounded_fraction(value: Fraction) -> str:
    """Return a probability with `DECIMALS` decimals, rounded down."""
    whole, rest = divmod(value.numerator * 10**DECIMALS // value.denominator, 10**DECIMALS)
    return f"{whole}.{rest:0{DECIMALS}d}"


def _digits(value: int) -> int:
    return len(fraction_digits(value))


FRACTION = Kind(json=(("", fraction_text),))
DIGITS = Kind(
    lambda value: number(_digits(value)), (("", lambda value: str(_digits(value))),), whole=True
)
MOVES = move_fields(FRACTION)
MOVES_SHOWN = Fields(
    MOVES["roll"],
    column("<move", lambda item: _steps(item.best) if item.best else "pass"),
    column("wins", lambda item: f"{float(item.best.value):.15f}" if item.best else ""),
    column("regret", lambda item: _regret(item.best) if item.best else ""),
)


def _steps(item: ExactMove) -> str:
    return f"{item.move.start}-{item.move.end}"


def _regret(item: ExactMove) -> str:
    return f"{float(item.regret):.3e}" if item.regret else "0"


def _place(name: str, k: int) -> Callable[[Ties], Any]:
    """Return a function that gives a place's position (0) or roll (1), None without a place."""
    return lambda item: None if getattr(item, name) is None else getattr(item, name)[k]


LAYERS = Fields(
    Field(
        "left", "left", about="pieces not home, both sides'", of=lambda t: "{}-{}".format(*t.left)
    ),
    Field("states", "states", COUNT, "their states"),
    Field("digits", "digits", DIGITS, "digits of the common denominator", "denominator"),
    Field("decisions", "choices", COUNT, "states and rolls with two moves or more"),
    Field("tied", "tied", COUNT, "those with two moves worth exactly the same"),
    Field("best_tied", "best tied", COUNT, "those with two best ones"),
    Field(
        "smallest_difference",
        "least",
        Kind(lambda value: f"{float(value):.3e}", (("", float),)),
        "least difference between two moves that are not tied",
        "smallest",
    ),
    Field("smallest_at", kind=TEXT, about="where that is", of=_place("place", 0)),
    Field("smallest_roll", about="with which roll", of=_place("place", 1)),
    Field("tied_at", kind=TEXT, about="where moves are tied", of=_place("example", 0)),
    Field("tied_roll", about="with which roll", of=_place("example", 1)),
)
LAYERS_SHOWN = Fields(
    *LAYERS, Field("", "<at", shown_as(lambda place: "{}, roll {}".format(*place)), of="place")
)
POSITION = Fields(
    Field("position", kind=TEXT, about="the position"),
    Field("value", kind=FRACTION, about="exact chance of the player to move"),
    Field(
        "decimal",
        kind=Kind(json=(("", rounded_fraction),)),
        about=f"the same to {DECIMALS} decimals, rounded down",
        of="value",
    ),
    Field(
        "digits",
        "digits of the denominator",
        DIGITS,
        "digits of its denominator",
        "value.denominator",
    ),
)
SOLUTION = Fields(
    Field("states", "states (unfinished)", COUNT, "unfinished states"),
    Field("rounds", "rounds of policy iteration", shown_as(number), "rounds of policy iteration"),
    Field("tied_decisions", kind=COUNT, about="states and rolls with tied moves", of="tied"),
    Field("seconds", "seconds", decimals(1), "how long it took"),
    *COMPILED,
)
RULES_LEFT = RULES + Fields(
    Field("pieces_left", about="pieces not home of each side, at most", of="left"),
    always("exactness", "exact", "fractions, with a proof"),
)
SCHEMA = Schema(
    "urcx.fractions/1", {"": RULES_LEFT + POSITION + SOLUTION, "moves": MOVES, "rows": LAYERS}
)


def fractions_report(found: ExactSolution, position: Position | None = None) -> Report:
    """Return the report on an exact solution and one of its positions, by default the start."""
    where = found.start if position is None else position
    item = SimpleNamespace(position=where, value=found.value(where))
    moves = found.all_moves(where)
    data = RULES_LEFT.record(found) | POSITION.record(item) | SOLUTION.record(found)
    data["moves"] = move_records(MOVES, moves)
    data["rows"] = LAYERS.records(found.ties)
    tables = [_values_table(found, item)]
    if moves:
        tables.append(MOVES_SHOWN.table("Its moves", moves))
    of_position = POSITION.record(item) | SOLUTION.pick("seconds").record(found)
    records = [
        *({**row, "kind": "layer"} for row in data["rows"]),
        {**of_position, "kind": "position", "states": data["states"]},
        *({"kind": "move", **row, "position": str(where)} for row in data["moves"]),
    ]
    return Report(SCHEMA.name, data, records, [*tables, _ties_table(found.ties)])


def _values_table(found: ExactSolution, item: Any) -> Table:
    where, value = item.position, item.value
    lines = [
        [f"{'light' if where.light_to_move else 'dark'}, to move, wins", rounded_fraction(value)],
        ["numerator", number(value.numerator)],
        ["denominator", number(value.denominator)],
        *POSITION.lines(item),
        *SOLUTION.lines(found),
    ]
    left = f", at most {found.left} left" if found.left < found.rules.pieces else ""
    sides = f"{counted(found.rules.pieces, 'piece')} a side{left}"
    title = f"{where} ({found.rules.name}, {sides}), exactly"
    notes = ["proven: compared as fractions no move is better, and every game ends"]
    return Table(title, ["<", "<value"], lines, notes)


def _ties_table(ties: Sequence[Ties]) -> Table:
    notes = [
        "left: pieces not home of one side and the other; digits: of the common denominator",
        "choices: states and rolls with two moves or more; tied: two are worth exactly the same",
        "least: the smallest difference between two moves that are not tied",
    ]
    return LAYERS_SHOWN.table("Moves compared", ties, notes)


def write_states(found: ExactSolution, file: Path, stage: Stage) -> None:
    """Write every state with its fraction and best moves: CSV if the name says so, else JSON.

    The best moves for a roll are given by the steps that they start from, 0 being the pool; there
    are none for a pass.

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
