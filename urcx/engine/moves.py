"""Legal moves of one position at a time, and the positions to which they lead.

This is the public interface of the move generator. All players, searches and solvers use its
kernels in `urcx.engine.move_kernels`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from urcx.engine import move_kernels
from urcx.errors import PositionError, TooLargeError, UsageError
from urcx.results.fields import TEXT, Field, Fields, Format, column, fields_of
from urcx.results.numbers import count_text
from urcx.results.result import Rows
from urcx.results.tables import ColouredText, Column, Table, secondary
from urcx.rules import catalogue
from urcx.rules.drawing import BoardView
from urcx.rules.model import GameRules, Path, RuleSet
from urcx.rules.position import GameLike, Position, check

__all__ = ["Move", "legal_moves"]

MAX_STEPS = 54  # one int64 holds a side's steps and its pieces home

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Tables:
    """A rule set as arrays for the kernels.

    ``ways`` has a row for each side, light's first (see `urcx.engine.move_kernels`). ``rolls`` are
    the possible rolls, ascending, and ``chance`` their probabilities.
    """

    rules: RuleSet
    ways: IntArray
    rolls: IntArray
    chance: NDArray[np.float64]


@lru_cache(maxsize=32)
def tables(rules: RuleSet) -> Tables:
    """Return the read-only arrays of a rule set.

    Raises
    ------
    TooLargeError
        If a side has more than `MAX_STEPS` steps.
    """
    path = rules.path
    if path.length > MAX_STEPS:
        raise TooLargeError(
            f"the path {path.name} has {path.length} steps, more than the move generator's "
            f"{MAX_STEPS}"
        )
    ways = np.array([_way(rules, side) for side in (0, 1)], np.int64)
    rolls = np.array(rules.dice.rolls, np.int64)
    chance = np.array([float(p) for p in rules.dice.probabilities], np.float64)
    for array in (ways, rolls, chance):
        array.setflags(write=False)
    return Tables(rules, ways, rolls, chance)


def _way(rules: RuleSet, side: int) -> list[int]:
    """Return a side's row of ``ways``."""
    both = rules.path.light, rules.path.dark
    own, enemy = both[side], both[1 - side]
    rosettes, granting, shared = (
        sum(1 << k for k, tile in enumerate(own) if tile in tiles)
        for tiles in (rules.path.board.rosettes, rules.granting, enemy)
    )
    row = [0] * move_kernels.ROW
    row[move_kernels.LENGTH] = len(own)
    row[move_kernels.PIECES] = rules.pieces
    row[move_kernels.PLAIN] = int(len(set(own)) == len(own) and not rules.rosette_disarms)
    row[move_kernels.ROSETTES] = rosettes
    row[move_kernels.GRANTING] = granting
    row[move_kernels.GUARDS] = rosettes & shared if rules.rosette_protects else 0
    if rules.captures_blocked:
        row[move_kernels.GUARDS] = shared
    row[move_kernels.HARMLESS] = rosettes & shared if rules.rosette_disarms else 0
    row[move_kernels.SHARED] = shared
    row[move_kernels.CAPTURE_GRANTS] = int(rules.capture_grants_roll)
    row[move_kernels.CENTRE] = centre_step(rules.path)
    for step, tile in enumerate(own, start=1):
        row[move_kernels.SAME + step] = _mask(own, tile)
        row[move_kernels.ENEMY + step] = _mask(enemy, tile)
    return row


def centre_step(path: Path) -> int:
    """Return the step of the centre rosette (B4), or 0 without one.

    The centre rosette is the first that both players reach on the same step.
    """
    pairs = enumerate(zip(path.light, path.dark, strict=False), start=1)
    return next((s for s, (a, b) in pairs if a == b and a in path.board.rosettes), 0)


def _mask(way: tuple[str, ...], tile: str) -> int:
    return sum(1 << k for k, at in enumerate(way) if at == tile)


@dataclass(frozen=True, repr=False)
class Move:
    """A legal move: from a step (0 is the pool) to a step (L + 1 is home), with its effects."""

    start: Annotated[int, Field(about="the step that the piece leaves, 0 in the pool", key="from")]
    end: Annotated[
        int, Field(about="the step that the piece reaches, one beyond the last at home", key="to")
    ]
    captures: Annotated[bool, Field(about="whether it captures")]
    rosette: Annotated[bool, Field(about="whether it lands on a rosette")]
    rolls_again: Annotated[bool, Field(about="whether it grants a roll")]
    position: Annotated[Position, "the position after the move"]

    def __repr__(self) -> str:
        extras = ("captures", "rosette", "rolls_again")
        names = [name.replace("_", " ") for name in extras if getattr(self, name)]
        return f"<Move {', '.join([f'{self.start}-{self.end}', *names])}>"

    def describe(self, path: Path, *, light: bool) -> str:
        """Return the move in words, by the tiles of the board, such as ``A2 to B1, captures``."""
        way = path.light if light else path.dark
        places = ("start", *way, "home")
        start, end = places[self.start], places[self.end]
        extras = [
            text
            for text, holds in (
                ("captures", self.captures),
                ("rosette", self.rosette),
                ("rolls again", self.rolls_again),
            )
            if holds
        ]
        return ", ".join([f"{start} to {end}", *extras])


def move_in_words(move: Move | None, path: Path, *, light: bool) -> str:
    """Return a move in words, such as ``A2 to B1, captures``, or ``pass`` for None."""
    return "pass" if move is None else move.describe(path, light=light)


def marked(*, only: bool, best: bool) -> str:
    """Return a mark for a table: ``only`` for the only move, ``best`` for the best, or ""."""
    mark = "only" if only else "best" if best else ""
    return ColouredText(mark, "best") if mark else ""


# The answer to a roll, for any item with a ``move``, which is None for a pass.
PASS = Field(about="whether there is no legal move", of=lambda item: item.move is None, key="pass")
MOVE = fields_of(Move).inside("move")


@dataclass(frozen=True)
class Advice:
    """A legal move with its value to the mover (None if the agent has none) and whether it is best.

    Several moves are best if their values are equal, or if the agent chooses at random. ``chance``
    is the probability that the agent plays the move. Its tie-breaking rule decides between equally
    good moves.
    """

    move: Move
    value: Annotated[
        Fraction | None,
        Field(
            "value",
            Format(lambda value: f"{float(value):.4f}", (("", float),)),
            "the agent's value of the move, null if the agent has no values",
        ),
    ]
    best: Annotated[bool, Field(about="whether it is a best move for the agent")]
    chance: Annotated[
        Fraction,
        Field(
            "plays",
            Format(lambda chance: str(chance) if chance else "", (("", str),)),
            "the probability that the agent plays it",
            key="plays",
        ),
    ] = Fraction(0)


@dataclass(frozen=True)
class Choice:
    """A move for a roll, or the pass (``move`` is None), and the position after it.

    ``only`` is True if the roll has no other move. ``advice`` is an agent's advice on the move, and
    None for a pass or without an agent.
    """

    roll: Annotated[int, Field(Column("roll", key=True), about="a roll")]
    chance: Annotated[Fraction, Field(secondary("chance"), TEXT, "its probability")]
    move: Move | None
    after: Annotated[
        Position,
        Field(
            Column("leads to", text=True, secondary=True),
            TEXT,
            "the position after it",
            key="position",
        ),
    ]
    only: bool
    advice: Advice | None = None

    @property
    def mark(self) -> str:
        """Return a mark if the move is best for the agent, or the only one."""
        return "" if self.advice is None else marked(only=self.only, best=self.advice.best)


CHOICE, ADVICE = fields_of(Choice), fields_of(Advice).inside("advice")
ROLL, AFTER = CHOICE.pick("roll", "chance") + Fields(PASS), CHOICE.pick("position")


class Choices(Rows[Choice]):
    """The moves that are possible in a position, with the advice of an agent if one is named.

    ``agent`` is its name, or "". ``prefers`` is True if the agent can prefer some moves to others.
    """

    schema = "urcx.moves/1"
    parts: ClassVar = {"rows": ROLL + MOVE + AFTER + ADVICE}
    rules: GameRules
    position: Annotated[Position, Field("", TEXT, "the position")]
    agent: Annotated[str, Field(about="name of the agent, if there is one")]
    prefers: bool

    def document(self) -> dict[str, Any]:
        """Return the fields of the JSON object, with the agent if there is one."""
        own = fields_of(Choices).without(*([] if self.agent else ["agent"]))
        return own.record(self) | {"rows": self.records()}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each move, with the fields that it has."""
        rows = []
        for choice in self:
            move = MOVE if choice.move else Fields()
            rows.append(
                (ROLL + move + AFTER + (ADVICE if choice.advice else Fields())).record(choice)
            )
        return rows

    @property
    def body(self) -> str:
        """Return the board."""
        return BoardView(self.rules, self.position).body

    def tables(self) -> list[Table]:
        """Return the moves, with the advice of the agent."""
        rules, agent, light = self.rules, self.agent, self.position.light_to_move
        # There is no column for advice that the agent cannot give: values if it has none, and the
        # best move if all moves are equally good to it.
        moves = column(
            Column("move", text=True, key=True, least=24),
            lambda choice: move_in_words(choice.move, rules.path, light=light),
        )
        after = column(
            Column("leads to", text=True, secondary=bool(agent)),
            lambda choice: choice.after.on(rules.path),
        )
        fields = Fields(*ROLL, moves, after)
        notes = []
        if agent and any(item.advice and item.advice.value is not None for item in self):
            fields += ADVICE.pick("value")
            notes.append(f"value: for the mover, in the agent's own units ({agent})")
        if self.prefers:
            fields += Fields(column("<choice", lambda choice: choice.mark))
            notes.append(
                "choice: best for the agent (all moves with the greatest value), or the only move"
            )
        if agent:
            fields += ADVICE.pick("plays")
            notes.append(f"plays: probability that {agent} plays the move")
        return [fields.table("Moves", self, notes)]

    @property
    def answer(self) -> str:
        """Return the number of legal moves, and the probability that there is none."""
        side = "light" if self.position.light_to_move else "dark"
        rolls = {item.roll: item.chance for item in self}
        passes = {item.roll: item.chance for item in self if item.move is None}
        legal = count_text(sum(item.move is not None for item in self), "legal move")
        if len(rolls) == 1:
            (roll,) = rolls
            can = f"must pass with roll {roll}" if passes else f"has {legal} with roll {roll}"
        else:
            can = f"has {legal} over {len(rolls)} rolls, and must pass with probability "
            can += str(sum(passes.values(), Fraction(0)))
        place = self.position.on(self.rules.path)
        return f"{self.rules.with_pieces}, {place}: {side}, to move, {can}"


class Moves(Rows[Move], function="legal_moves"):
    """Legal moves, with their ``rules``, ``position`` and ``roll``."""

    rules: RuleSet
    position: Position
    roll: int

    @property
    def shown(self) -> Choices:
        """Return the result that shows the moves, or the pass."""
        return Choices(
            choices_of(self), rules=self.rules, position=self.position, agent="", prefers=False
        )


def choices_of(moves: Moves, advice: Sequence[Advice | None] = ()) -> list[Choice]:
    """Return legal moves, or the pass, with an agent's advice on each if there is an agent."""
    dice = moves.rules.dice
    by = moves.roll, dict(dice.items())[moves.roll]
    if not moves:
        return [Choice(*by, None, after_pass(moves.position), only=True)]
    return [
        Choice(*by, move, move.position, len(moves) == 1, remark)
        for move, remark in zip(moves, advice or (None,) * len(moves), strict=True)
    ]


def check_open(position: Position, rules: RuleSet) -> None:
    """Raise `PositionError` if a position is invalid or the game is over."""
    check(position, rules.path, rules.pieces)
    if rules.pieces in position.home:
        side = "light" if position.home[0] == rules.pieces else "dark"
        raise PositionError(f"home: the game is over, all of {side}'s pieces are home")


def masks(position: Position) -> tuple[int, int]:
    """Return light's and dark's pieces on the board as masks of steps."""
    return mask_of(position.light), mask_of(position.dark)


def mask_of(steps: Iterable[int]) -> int:
    """Return the mask of some steps: bit s - 1 for step s."""
    mask = 0
    for step in steps:
        mask |= 1 << (step - 1)
    return mask


def steps_of(mask: int) -> tuple[int, ...]:
    """Return the steps of a mask, ascending."""
    steps = []
    while mask:
        rest = mask & (mask - 1)
        steps.append((mask ^ rest).bit_length())
        mask = rest
    return tuple(steps)


def legal_moves(
    position: Position | str | GameLike, roll: int, rules: str | RuleSet | None = None
) -> Moves:
    """Return the legal moves for a roll, least advanced piece first. No move means a pass.

    Parameters
    ----------
    position
        A position, its notation, such as ``"2/3,6/5-5/L"``, or a game, which has its rules.
    roll
        The roll of the dice.
    rules
        A rule set or its name. By default the game's rules, or ``finkel``.

    Returns
    -------
    Moves
        A tuple of `Move`, which prints like ``urcx moves``.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    UsageError
        If the dice cannot give the roll, no rule set has this name, or the game has other rules.

    Examples
    --------
    >>> import urcx
    >>> moves = urcx.legal_moves("2/3,6/5-5/L", 4, "finkel")
    >>> [(move.start, move.end, move.captures) for move in moves]
    [(0, 4, False), (2, 6, True)]
    >>> str(moves[1].position)
    '6/3/5-5/D'
    """
    position, rules = catalogue.resolve_position(position, rules)
    roll = catalogue.as_integer("roll", roll)
    check_open(position, rules)
    if roll not in rules.dice.rolls:
        rolls = ", ".join(map(str, rules.dice.rolls))
        raise UsageError(f"roll {roll}: the dice {rules.dice.name} give {rolls}")
    arrays = tables(rules)
    side = 0 if position.light_to_move else 1
    board = masks(position)
    own, other = board[side], board[1 - side]
    pool = rules.pieces - own.bit_count() - position.home[side]
    starts = int(move_kernels.legal_starts(arrays.ways, side, pool, own, other, roll))
    moves = (
        _move(position, board, start, roll, arrays)
        for start in range(starts.bit_length())
        if starts >> start & 1
    )
    return Moves(moves, rules=rules, position=position, roll=roll)


def move_from(position: Position, start: int, roll: int, rules: RuleSet) -> Move:
    """Return the legal move of the piece on a step, 0 for the pool, without any check."""
    return _move(position, masks(position), start, roll, tables(rules))


def _move(
    position: Position, board: tuple[int, int], start: int, roll: int, arrays: Tables
) -> Move:
    side = 0 if position.light_to_move else 1
    end = start + roll
    own, other, home, again = move_kernels.make_move(
        arrays.ways, side, board[side], board[1 - side], position.home[side], start, end
    )
    homes = [position.home[0], position.home[1]]
    homes[side] = int(home)
    steps = [steps_of(int(own)), steps_of(int(other))]
    if side == 1:
        steps.reverse()
    turn = position.light_to_move if again else not position.light_to_move
    after = Position(steps[0], steps[1], (homes[0], homes[1]), turn)
    return Move(
        start,
        end,
        int(other) != board[1 - side],
        bool(arrays.ways[side, move_kernels.ROSETTES] >> (end - 1) & 1),
        bool(again),
        after,
    )


def after_pass(position: Position) -> Position:
    """Return the position after a pass: the other player is to move."""
    return Position(position.light, position.dark, position.home, not position.light_to_move)
