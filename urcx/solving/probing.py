"""Probing a solution: the value of a position, and its moves with their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Annotated, Any, ClassVar, Protocol

from urcx.engine.moves import after_pass, marked, move_in_words
from urcx.errors import PositionError, printable
from urcx.results.fields import TEXT, Field, Fields, Format, column, decimals, fields_of
from urcx.results.numbers import bound_text, count_text
from urcx.results.result import Result, Rows
from urcx.results.tables import Table, key
from urcx.rules.drawing import BoardView
from urcx.rules.model import Path, RuleSet
from urcx.rules.position import GameLike, Position, as_position
from urcx.solving.files.tablebase import MoveValue
from urcx.solving.ties import note_of_ties, width_of


class WinningChances(Protocol):
    """What knows every position's chance of winning.

    ``bound`` is how far a chance is off at most, None if nothing is proven.
    """

    rules: RuleSet
    bound: float | None

    def probe(self, position: Position | str | GameLike) -> float:
        """Return the chance that the player to move wins; 0 or 1 where the game is over."""


class OpenSolution(WinningChances, Protocol):
    """What is probed: a `urcx.Tablebase`, or a game that was solved in memory, which has no file.

    ``store`` is the type of its values, ``gap`` how far they were off before they were stored, None
    where nothing is proven.
    """

    store: str
    gap: float | None

    @property
    def file(self) -> FilePath | None:
        """Return the file; None without one."""

    def best_moves(
        self, position: Position | str | GameLike, roll: int
    ) -> tuple[MoveValue[float], ...]:
        """Return the legal moves for a roll with their values, best first; none for a pass."""


class ValuesMoves(Protocol):
    """What knows the values of moves, as floats or as fractions."""

    def best_moves(
        self, position: Position | str | GameLike, roll: int
    ) -> tuple[MoveValue[Any], ...]:
        """Return the legal moves for a roll with their values, best first; none for a pass."""


@dataclass(frozen=True)
class RolledMove:
    """A roll with one of its legal moves and what it is worth, or None for a pass."""

    roll: Annotated[int, Field("roll", about="the roll")]
    best: MoveValue[Any] | None
    only: Annotated[bool, "whether there is no other move for this roll"]
    passed: Annotated[Any, "of a pass, what it is worth"] = None

    @property
    @Field(about="whether nothing can move", key="pass", after="roll")
    def passes(self) -> bool:
        """Return whether nothing can move."""
        return self.best is None

    @property
    def value(self) -> Any:
        """Return the chance of winning of who moves, after the move or the pass."""
        return self.passed if self.best is None else self.best.value

    def words(self, path: Path, position: Position) -> str:
        """Return the move in words of the board, from a position."""
        move = None if self.best is None else self.best.move
        return move_in_words(move, path, light=position.light_to_move)

    @property
    def choice(self) -> str:
        """Return whether the move is the only one or the best, for a table."""
        return "" if self.best is None else marked(only=self.only, best=self.best.regret == 0)


def rolled_moves(
    known: ValuesMoves, value: Callable[[Position], Any], position: Position, rolls: Iterable[int]
) -> tuple[RolledMove, ...]:
    """Return the moves for some rolls, the best of each first; ``value`` is that of a position."""
    result: list[RolledMove] = []
    for roll in rolls:
        items = known.best_moves(position, roll)
        result += [RolledMove(roll, item, len(items) == 1) for item in items]
        if not items:
            result.append(
                RolledMove(roll, None, only=False, passed=1 - value(after_pass(position)))
            )
    return tuple(result)


def move_records(fields: Fields, items: Iterable[RolledMove]) -> list[dict[str, Any]]:
    """Return a row for each move, for JSON; a pass has only the roll and its value."""
    passes = fields.pick("roll", "pass", "value")
    return [(passes if item.passes else fields).record(item) for item in items]


def move_fields(value: Format, regret: Format) -> Fields:
    """Return what is shown of a valued move, its numbers being of these kinds."""
    of_a_move = Fields(
        Field(about="the step that the piece leaves, 0 in the pool", of="move.start", key="from"),
        Field(about="the step that it reaches", of="move.end", key="to"),
        Field("regret", regret, "how much less than after the best", key="regret"),
    ).inside("best")
    wins = Field("wins", value, "chance of winning of who moves, after it or the pass", key="value")
    return fields_of(RolledMove) + of_a_move.pick("from", "to") + Fields(wins, of_a_move["regret"])


def _start(item: RolledMove) -> int | None:
    return None if item.best is None else item.best.move.start


def _end(item: RolledMove) -> int | None:
    return None if item.best is None else item.best.move.end


def _side(position: Position) -> str:
    return "light" if position.light_to_move else "dark"


@dataclass(frozen=True)
class Probed(Result):
    """The result of probing a position in a solution: its value, and those of its moves."""

    schema = "urcx.probe/1"
    base: Annotated[
        OpenSolution,
        Field("", TEXT, "name of the file, null if it was solved in memory", key="file", of="file"),
        Field(about="name of its rule set", key="rules", of="rules.name"),
        Field(about="pieces a side", key="pieces", of="rules.pieces"),
        Field(about="how far values were off before they were stored", key="gap", of="gap"),
        Field(about="how values are stored", key="store", of="store"),
    ]
    position: Annotated[
        Position,
        Field("", TEXT, "the position"),
        Field(about="light or dark", key="to_move", of=_side),
    ]
    value: Annotated[float, Field(about="chance that the player to move wins")]
    bound: Annotated[float | None, Field(about="how far the value is off at most, null if unknown")]
    winner: Annotated[str | None, Field(about="where the game is over, who has won")]
    moves: Annotated[tuple[RolledMove, ...], "those of the rolls asked for, the best of each first"]
    roll: Annotated[int | None, Field(about="the only roll that was asked for")] = None

    @property
    @Field(about="from where a best move by the roll", key="best_from", of=_start)
    @Field(about="to where it moves", key="best_to", of=_end)
    @Field(about="chance of winning after it, or after the pass", key="best_value", of="value")
    def best(self) -> RolledMove | None:
        """Return a best move by the roll, or the pass; None if no roll was asked for."""
        return self.moves[0] if self.roll is not None and self.moves else None

    @classmethod
    def members(cls) -> dict[str, Fields]:
        """Return the members of the JSON object, with those of moves."""
        return {"": POSITION + WINNER, "rows": MOVES}

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object, the winner only where the game is over."""
        if self.winner is not None:
            return POSITION.record(self) | WINNER.record(self) | {"rows": []}
        return POSITION.record(self) | {"rows": move_records(MOVES, self.moves)}

    @property
    @Field(about="the least that it can be (bound)")
    def lower(self) -> float | None:
        """Return the lower bound of the value."""
        return None if self.bound is None else max(0.0, self.value - self.bound)

    @property
    @Field(about="the most that it can be (bound)")
    def upper(self) -> float | None:
        """Return the upper bound of the value."""
        return None if self.bound is None else min(1.0, self.value + self.bound)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each move; where the game is over, one for the position."""
        if self.winner is None:
            return move_records(MOVES, self.moves)
        blank = dict.fromkeys(("roll", "pass", "from", "to"))
        return [{**blank, "value": self.value, "regret": None}]

    @property
    def body(self) -> str:
        """Return the board, unless the game is over."""
        return "" if self.winner else BoardView(self.base.rules, self.position).body

    def tables(self) -> list[Table]:
        """Return the values of the moves."""
        if self.winner is not None:
            return []
        rules = self.base.rules
        shown = Fields(
            MOVES["roll"],
            column("<move", lambda item: item.words(rules.path, self.position)),
            *MOVES.pick("value", "regret"),
            Field("<choice", of="choice"),
        )
        notes = ["regret: how much less than the best move for this roll", self._precision()]
        best = [item.roll for item in self.moves if item.best and item.best.regret == 0]
        if len(best) > len(set(best)):
            notes.append(note_of_ties(width_of(self.base)))
        return [shown.table("", self.moves, notes)]

    @property
    def answer(self) -> str:
        """Return the value of the position, and by how much it is off, or who has won."""
        rules, off = self.base.rules, "its precision unknown"
        place = self.position.on(rules.path)
        if self.winner is not None:
            return f"{rules.with_pieces}, {place}: the game is over, {self.winner} has won"
        if self.bound is not None:
            off = f"off by at most {bound_text(self.bound)}"
        return (
            f"{rules.with_pieces}, {place}: {_side(self.position)}, to move, wins with "
            f"{self.value:.6f} ({off})"
        )

    def _precision(self) -> str:
        """Return the note on the error bound of a solution's values."""
        if self.base.bound is None:
            name = printable(str(self.base.file))
            return (
                "unproven, and of unknown precision: the file has neither checksums nor bounds; "
                f"urcx check {name} finds bounds and writes both down"
            )
        return (
            f"chances are off by at most {bound_text(self.base.bound)}, kept as {self.base.store}"
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
MOVES = move_fields(decimals(6), decimals(6))


class Probings(Rows[Probed]):
    """Many positions' values, a row each, with the best move where a roll was asked for."""

    schema = Probed.schema
    parts: ClassVar = {"rows": MANY}
    base: OpenSolution

    def tables(self) -> list[Table]:
        """Return the values of the positions."""
        path = self.base.rules.path

        def wins(one: Probed) -> str:
            return f"{one.value:.6f}" if one.winner is None else f"{one.winner} has won"

        def best(one: Probed) -> str:
            return "" if one.best is None else one.best.words(path, one.position)

        shown = Fields(
            column(key("position"), lambda item: item.position.on(path)),
            column("<to move", lambda item: _side(item.position)),
            column("wins", wins),
        )
        if any(item.roll is not None for item in self):
            shown += Fields(
                column("roll", lambda item: "" if item.roll is None else str(item.roll)),
                column("<best move", best),
            )
        return [shown.table("", self, ["wins: how often whoever is to move wins"])]

    @property
    def answer(self) -> str:
        """Return how many positions there are, and by how much their values are off."""
        off = "their values of unknown precision"
        if self.base.bound is not None:
            off = f"their values off by at most {bound_text(self.base.bound)}"
        return f"{count_text(len(self), 'position')} of {self.base.rules.with_pieces}, {off}"


def probe(base: OpenSolution, position: Position | str, roll: int | None = None) -> Probed:
    """Return a position's value, and its moves with their values, for a roll or for all.

    Raises
    ------
    PositionError
        If the position breaks a rule, or all pieces of both sides are home.
    UsageError
        If the dice cannot give the roll.
    TablebaseError
        If the file is damaged where it has the position, or closed.
    """
    rules = base.rules
    position = as_position(position, rules)
    if position.home == (rules.pieces, rules.pieces):
        raise PositionError("home: all pieces of both players are home, which no game reaches")
    value = base.probe(position)
    if rules.pieces in position.home:
        winner = "light" if position.home[0] == rules.pieces else "dark"
        return Probed(base, position, value, 0.0, winner, ())
    moves = rolled_moves(base, base.probe, position, rules.dice.rolls if roll is None else (roll,))
    return Probed(base, position, value, base.bound, None, moves, roll)
