"""Probing a solution: looking up the value of a position, and of its moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path as FilePath
from typing import Annotated, Any, ClassVar, Protocol

from urcx.engine.moves import after_pass, marked, move_in_words
from urcx.errors import PositionError, printable
from urcx.results.fields import TEXT, Field, Fields, Format, column, fields_of
from urcx.results.numbers import bound_text, count_text, percent_text
from urcx.results.result import Result, Rows
from urcx.results.tables import MOVE_LOSS, Column, Table, key
from urcx.rules.drawing import BoardView, win_bar
from urcx.rules.model import Path, RuleSet
from urcx.rules.position import GameLike, Position, as_position
from urcx.solving.files.tablebase import MoveValue
from urcx.solving.ties import note_of_ties, width_of


def points_text(loss: float, digits: int = 2) -> str:
    """Return a difference of win probabilities in points, with at least two digits above 0."""
    points = 100 * loss
    return f"{points:.{digits}f}" if not points or abs(points) >= 0.1**digits else f"{points:.1e}"


PERCENT, POINTS = Format(percent_text), Format(points_text)
WIDE = {  # the same with ten decimals, for --wide
    PERCENT: Format(partial(percent_text, digits=10)),
    POINTS: Format(partial(points_text, digits=10)),
}


def wide(fields: Fields) -> Fields:
    """Return fields whose probabilities and losses have ten decimals, for ``--wide``."""
    return Fields(lambda: (replace(item, kind=WIDE.get(item.kind, item.kind)) for item in fields))


class WinningChances(Protocol):
    """An object with the win probability of every position.

    ``bound`` is the error bound of the probabilities, None if nothing is proven.
    """

    rules: RuleSet
    bound: float | None

    def probe(self, position: Position | str | GameLike) -> float:
        """Return the win probability of the player to move, 0 or 1 if the game is over."""


class OpenSolution(WinningChances, Protocol):
    """A solution to probe: a `urcx.Tablebase`, or a game solved in memory, which has no file.

    ``store`` is the type of its values. ``gap`` is their error bound before they were stored, None
    if nothing is proven.
    """

    store: str
    gap: float | None

    @property
    def file(self) -> FilePath | None:
        """Return the file, or None for a game solved in memory."""

    def best_moves(
        self, position: Position | str | GameLike, roll: int
    ) -> tuple[MoveValue[float], ...]:
        """Return the legal moves for a roll with their values, best first, or none for a pass."""


class ValuesMoves(Protocol):
    """An object with the values of moves, as floats or as fractions."""

    def best_moves(
        self, position: Position | str | GameLike, roll: int
    ) -> tuple[MoveValue[Any], ...]:
        """Return the legal moves for a roll with their values, best first, or none for a pass."""


@dataclass(frozen=True)
class RolledMove:
    """A roll with one of its legal moves and the move's value, or None for a pass."""

    roll: Annotated[int, Field("roll", about="the roll")]
    best: MoveValue[Any] | None
    only: Annotated[bool, "whether there is no other move for this roll"]
    passed: Annotated[Any, "the value of a pass"] = None

    @property
    @Field(about="whether no piece can move", key="pass", after="roll")
    def passes(self) -> bool:
        """Return whether no piece can move."""
        return self.best is None

    @property
    def value(self) -> Any:
        """Return the mover's win probability after the move or the pass."""
        return self.passed if self.best is None else self.best.value

    def words(self, path: Path, position: Position) -> str:
        """Return the move in words, with the names of tiles."""
        move = None if self.best is None else self.best.move
        return move_in_words(move, path, light=position.light_to_move)

    @property
    def choice(self) -> str:
        """Return the mark of the only or a best move, for a table."""
        return "" if self.best is None else marked(only=self.only, best=self.best.regret == 0)


def rolled_moves(
    solution: ValuesMoves,
    value: Callable[[Position], Any],
    position: Position,
    rolls: Iterable[int],
) -> tuple[RolledMove, ...]:
    """Return the moves for several rolls, the best move of each roll first.

    ``value`` returns the value of a position.
    """
    result: list[RolledMove] = []
    for roll in rolls:
        items = solution.best_moves(position, roll)
        result += [RolledMove(roll, item, len(items) == 1) for item in items]
        if not items:
            result.append(
                RolledMove(roll, None, only=False, passed=1 - value(after_pass(position)))
            )
    return tuple(result)


def move_records(fields: Fields, items: Iterable[RolledMove]) -> list[dict[str, Any]]:
    """Return a row for each move, for JSON. The row of a pass has only the roll and the value."""
    passes = fields.pick("roll", "pass", "value")
    return [(passes if item.passes else fields).record(item) for item in items]


def move_fields(value: Format, regret: Format) -> Fields:
    """Return the fields of a move with its value and loss, whose numbers have these formats."""
    loss: str | Column = MOVE_LOSS if regret is POINTS else "loss"
    of_a_move = Fields(
        Field(about="step that the piece leaves, 0 in the start pool", of="move.start", key="from"),
        Field(about="step that it reaches", of="move.end", key="to"),
        Field(loss, regret, "loss of the move against a best move", key="regret"),
    ).inside("best")
    wins = Field("wins", value, "the mover's win probability after the move or pass", key="value")
    return fields_of(RolledMove) + of_a_move.pick("from", "to") + Fields(wins, of_a_move["regret"])


def _start(item: RolledMove) -> int | None:
    return None if item.best is None else item.best.move.start


def _end(item: RolledMove) -> int | None:
    return None if item.best is None else item.best.move.end


def _side(position: Position) -> str:
    return "light" if position.light_to_move else "dark"


@dataclass(frozen=True)
class Probed(Result):
    """The result of probing a position in a solution: its value, and the values of its moves."""

    schema = "urcx.probe/1"
    base: Annotated[
        OpenSolution,
        Field("", TEXT, "name of the file, null if it was solved in memory", key="file", of="file"),
        Field(about="name of its rule set", key="rules", of="rules.name"),
        Field(about="pieces per side", key="pieces", of="rules.pieces"),
        Field(about="error bound of the values before they were stored", key="gap", of="gap"),
        Field(about="type of the stored values", key="store", of="store"),
    ]
    position: Annotated[
        Position,
        Field("", TEXT, "the position"),
        Field(about="light or dark", key="to_move", of=_side),
    ]
    value: Annotated[float, Field(about="win probability of the player to move")]
    bound: Annotated[float | None, Field(about="error bound of the value, null if unknown")]
    winner: Annotated[str | None, Field(about="the winner, if the game is over")]
    moves: Annotated[
        tuple[RolledMove, ...], "the moves of the requested rolls, the best of each roll first"
    ]
    roll: Annotated[int | None, Field(about="the roll, if a single roll was requested")] = None

    @property
    @Field(about="step that a best move for the roll leaves", key="best_from", of=_start)
    @Field(about="step that it reaches", key="best_to", of=_end)
    @Field(about="win probability after it, or after the pass", key="best_value", of="value")
    def best(self) -> RolledMove | None:
        """Return a best move for the roll, or the pass, or None without a single roll."""
        return self.moves[0] if self.roll is not None and self.moves else None

    @classmethod
    def members(cls) -> dict[str, Fields]:
        """Return the fields of the JSON object, and of its moves."""
        return {"": POSITION + WINNER, "rows": MOVES}

    def document(self) -> dict[str, Any]:
        """Return the fields of the JSON object, the winner only if the game is over."""
        if self.winner is not None:
            return POSITION.record(self) | WINNER.record(self) | {"rows": []}
        return POSITION.record(self) | {"rows": move_records(MOVES, self.moves)}

    @property
    @Field(about="lower bound of the value (bound)")
    def lower(self) -> float | None:
        """Return the lower bound of the value."""
        return None if self.bound is None else max(0.0, self.value - self.bound)

    @property
    @Field(about="upper bound of the value (bound)")
    def upper(self) -> float | None:
        """Return the upper bound of the value."""
        return None if self.bound is None else min(1.0, self.value + self.bound)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each move, or if the game is over, a row for the position."""
        if self.winner is None:
            return move_records(MOVES, self.moves)
        blank = dict.fromkeys(("roll", "pass", "from", "to"))
        return [{**blank, "value": self.value, "regret": None}]

    @property
    def body(self) -> str:
        """Return the board, unless the game is over."""
        if self.winner:
            return ""
        light = self.value if self.position.light_to_move else 1 - self.value
        return BoardView(self.base.rules, self.position).body + win_bar(light)

    def tables(self) -> list[Table]:
        """Return the values of the moves, in percent and points with two decimals."""
        return self._tables(MOVES)

    def wide_tables(self) -> list[Table]:
        """Return the values of the moves with more decimals."""
        return self._tables(wide(MOVES))

    def _tables(self, fields: Fields) -> list[Table]:
        if self.winner is not None:
            return []
        rules = self.base.rules
        columns = Fields(
            fields["roll"],
            column("<move", lambda item: item.words(rules.path, self.position)),
            *fields.pick("value", "regret"),
            Field("<choice", of="choice"),
        )
        notes = ["loss: compared with the best move for this roll, in points", self._precision()]
        best = [item.roll for item in self.moves if item.best and item.best.regret == 0]
        if len(best) > len(set(best)):
            notes.append(note_of_ties(width_of(self.base)))
        return [columns.table("", self.moves, notes)]

    @property
    def answer(self) -> str:
        """Return the value of the position with its error bound, or the winner."""
        rules, precision = self.base.rules, "precision unknown"
        place = self.position.on(rules.path)
        if self.winner is not None:
            return f"{rules.with_pieces}, {place}: the game is over, {self.winner} has won"
        if self.bound is not None:
            precision = f"proven, ± {bound_text(self.bound)}"
        return (
            f"{rules.with_pieces}, {place}: {_side(self.position)}, to move, wins "
            f"{percent_text(self.value)} of games under optimal play ({precision})"
        )

    def _precision(self) -> str:
        """Return the note on the error bound of a solution's values."""
        if self.base.bound is None:
            name = printable(str(self.base.file))
            return (
                "unproven and of unknown precision: the file has neither checksums nor error "
                f"bounds. urcx check {name} computes an error bound"
            )
        return (
            f"win probabilities are proven, ± {bound_text(self.base.bound)}, stored as "
            f"{self.base.store}"
        )


FIELDS = fields_of(Probed)
POSITION = FIELDS.pick(
    *("file", "rules", "pieces", "position", "to_move", "value", "gap", "store", "bound"),
    *("lower", "upper"),
)
WINNER = FIELDS.pick("winner")
MANY = FIELDS.pick(
    *("position", "to_move", "value", "lower", "upper", "winner"),
    *("roll", "best_from", "best_to", "best_value"),
)
MOVES = move_fields(PERCENT, POINTS)


class Probings(Rows[Probed]):
    """The values of many positions, a row for each, with the best move for a single roll."""

    schema = Probed.schema
    parts: ClassVar = {"rows": MANY}
    base: OpenSolution

    def tables(self) -> list[Table]:
        """Return the values of the positions, in percent with two decimals."""
        return self._tables(PERCENT)

    def wide_tables(self) -> list[Table]:
        """Return the values of the positions with more decimals."""
        return self._tables(WIDE[PERCENT])

    def _tables(self, percent: Format) -> list[Table]:
        path = self.base.rules.path

        def wins(item: Probed) -> str:
            return percent.cell(item.value) if item.winner is None else f"{item.winner} has won"

        def best(item: Probed) -> str:
            return "" if item.best is None else item.best.words(path, item.position)

        columns = Fields(
            column(key("position"), lambda item: item.position.on(path)),
            column("<to move", lambda item: _side(item.position)),
            column("wins", wins),
        )
        if any(item.roll is not None for item in self):
            columns += Fields(
                column("roll", lambda item: "" if item.roll is None else str(item.roll)),
                column("<best move", best),
            )
        return [columns.table("", self, ["wins: win probability of the player to move"])]

    @property
    def answer(self) -> str:
        """Return the number of positions, and the error bound of their values."""
        precision = "precision unknown"
        if self.base.bound is not None:
            precision = f"values proven, ± {bound_text(self.base.bound)}"
        positions = count_text(len(self), "position")
        return f"{positions} of {self.base.rules.with_pieces} ({precision})"


def probe(base: OpenSolution, position: Position | str, roll: int | None = None) -> Probed:
    """Return a position's value, and its moves with their values, for a roll or for all rolls.

    Raises
    ------
    PositionError
        If the position breaks a rule, or all pieces of both sides are home.
    UsageError
        If the dice cannot give the roll.
    TablebaseError
        If the file is damaged at the position, or closed.
    """
    rules = base.rules
    position = as_position(position, rules)
    if position.home == (rules.pieces, rules.pieces):
        raise PositionError("home: all pieces of both sides are home, which no game reaches")
    value = base.probe(position)
    if rules.pieces in position.home:
        winner = "light" if position.home[0] == rules.pieces else "dark"
        return Probed(base, position, value, 0.0, winner, ())
    moves = rolled_moves(base, base.probe, position, rules.dice.rolls if roll is None else (roll,))
    return Probed(base, position, value, base.bound, None, moves, roll)
