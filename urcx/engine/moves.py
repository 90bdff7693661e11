"""Legal moves of one position at a time, and the positions they lead to.

This is the public face of the one move generator. Everything that plays, searches or solves uses
its kernels in `urcx.engine.move_kernels`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from urcx.engine import move_kernels
from urcx.errors import PositionError, TooLargeError, UsageError
from urcx.results.result import Rows
from urcx.rules import catalogue
from urcx.rules.model import Path, RuleSet
from urcx.rules.position import GameLike, Position, check

MAX_STEPS = 54  # one int64 holds a side's steps and its pieces home

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Tables:
    """A rule set as arrays for the kernels.

    ``ways`` has a row for each side, light's first (see `urcx.engine.move_kernels`), ``rolls`` are
    the possible rolls, ascending, and ``chance`` their probabilities.
    """

    rules: RuleSet
    ways: IntArray
    rolls: IntArray
    chance: NDArray[np.float64]


@lru_cache(maxsize=32)
def tables(rules: RuleSet) -> Tables:
    """Return the arrays of a rule set, read only.

    Raises
    ------
    TooLargeError
        If a side has more than `MAX_STEPS` steps.
    """
    path = rules.path
    if path.length > MAX_STEPS:
        raise TooLargeError(
            f"the path {path.name} has {path.length} steps; moves are made on at most {MAX_STEPS}"
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
        sum(1 << k for k, at in enumerate(own) if at in some)
        for some in (rules.path.board.rosettes, rules.granting, enemy)
    )
    row = [0] * move_kernels.ROW
    row[move_kernels.LENGTH] = len(own)
    row[move_kernels.PIECES] = rules.pieces
    row[move_kernels.ONCE] = int(len(set(own)) == len(own))
    row[move_kernels.ROSETTES] = rosettes
    row[move_kernels.GRANTING] = granting
    row[move_kernels.GUARDS] = rosettes & shared if rules.rosette_protects else 0
    row[move_kernels.SHARED] = shared
    row[move_kernels.CAPTURE_GRANTS] = int(rules.capture_grants_roll)
    row[move_kernels.CENTRE] = centre_step(rules.path)
    for step, tile in enumerate(own, start=1):
        row[move_kernels.SAME + step] = _mask(own, tile)
        row[move_kernels.ENEMY + step] = _mask(enemy, tile)
    return row


def centre_step(path: Path) -> int:
    """Return the step of the centre rosette (B4), 0 without one.

    It is the first rosette that both players reach at the same step.
    """
    pairs = enumerate(zip(path.light, path.dark, strict=False), start=1)
    return next((s for s, (a, b) in pairs if a == b and a in path.board.rosettes), 0)


def _mask(way: tuple[str, ...], tile: str) -> int:
    return sum(1 << k for k, at in enumerate(way) if at == tile)


@dataclass(frozen=True, repr=False)
class Move:
    """A legal move: from a step (0 is the pool) to a step (L + 1 is home), with its effects."""

    start: int
    end: int
    captures: bool
    rosette: bool
    rolls_again: bool
    position: Position

    def __repr__(self) -> str:
        extras = ("captures", "rosette", "rolls_again")
        said = [name.replace("_", " ") for name in extras if getattr(self, name)]
        return f"<Move {', '.join([f'{self.start}-{self.end}', *said])}>"

    def describe(self, path: Path, *, light: bool) -> str:
        """Return the move in words of the board, such as ``A2 to B1, captures``."""
        way = path.light if light else path.dark
        start = "start" if self.start == 0 else way[self.start - 1]
        end = "home" if self.end > len(way) else way[self.end - 1]
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


class Moves(Rows[Move], function="legal_moves"):
    """Legal moves, with the ``rules``, the ``position`` and the ``roll`` that they are for."""

    rules: RuleSet
    position: Position
    roll: int


def check_open(position: Position, rules: RuleSet) -> None:
    """Raise `PositionError` if a position is invalid or the game is over."""
    check(position, rules.path, rules.pieces)
    if rules.pieces in position.home:
        side = "light" if position.home[0] == rules.pieces else "dark"
        raise PositionError(f"home: the game is over, all of {side}'s pieces are home")


def masks(position: Position) -> tuple[int, int]:
    """Return the pieces on the board as masks of steps, light's and dark's."""
    light, dark = (
        sum(1 << (step - 1) for step in steps) for steps in (position.light, position.dark)
    )
    return light, dark


def legal_moves(
    position: Position | str | GameLike, roll: int, rules: str | RuleSet | None = None
) -> Moves:
    """Return the legal moves for a roll, least advanced piece first; none means a pass.

    Parameters
    ----------
    position
        A position or its notation, such as ``"2/3,6/5-5/L"``; or a game, which has its rules.
    roll
        What the dice give.
    rules
        A rule set or its name; ``finkel`` by default, or the game's.

    Returns
    -------
    Moves
        A tuple of `Move`, which shows itself as ``urcx moves`` does.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    UsageError
        If the dice cannot give the roll, there is no such rule set, or the game has other rules.

    Examples
    --------
    >>> import urcx
    >>> moves = urcx.legal_moves("2/3,6/5-5/L", 4, "finkel")
    >>> [(move.start, move.end, move.captures) for move in moves]
    [(0, 4, False), (2, 6, True)]
    >>> str(moves[1].position)
    '6/3/5-5/D'
    """
    position, rules = catalogue.placed(position, rules)
    roll = catalogue.whole("roll", roll)
    check_open(position, rules)
    if roll not in rules.dice.rolls:
        known = ", ".join(map(str, rules.dice.rolls))
        raise UsageError(f"roll {roll}: the dice {rules.dice.name} give {known}")
    arrays = tables(rules)
    side = 0 if position.light_to_move else 1
    board = masks(position)
    own, other = board[side], board[1 - side]
    pool = rules.pieces - own.bit_count() - position.home[side]
    found = int(move_kernels.legal_starts(arrays.ways, side, pool, own, other, roll))
    moves = (
        _move(position, start, roll, arrays)
        for start in range(found.bit_length())
        if found >> start & 1
    )
    return Moves(moves, rules=rules, position=position, roll=roll)


def move_from(position: Position, start: int, roll: int, rules: RuleSet) -> Move:
    """Return the legal move of the piece on a step, 0 for the pool; nothing is checked."""
    return _move(position, start, roll, tables(rules))


def _move(position: Position, start: int, roll: int, arrays: Tables) -> Move:
    side = 0 if position.light_to_move else 1
    board = masks(position)
    end = start + roll
    own, other, home, again = move_kernels.make_move(
        arrays.ways, side, board[side], board[1 - side], position.home[side], start, end
    )
    homes = [position.home[0], position.home[1]]
    homes[side] = int(home)
    steps = [_steps(int(own)), _steps(int(other))]
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


def _steps(mask: int) -> tuple[int, ...]:
    return tuple(k + 1 for k in range(mask.bit_length()) if mask >> k & 1)


def after_pass(position: Position) -> Position:
    """Return the position after a pass: the other player is to move."""
    return Position(position.light, position.dark, position.home, not position.light_to_move)
