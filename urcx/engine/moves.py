"""Moves: which are legal, and what each leads to, for one position at a time.

The public face of the one move generator, whose kernels are in `urcx.engine.move_kernels`; all
that plays, searches or solves uses those.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from urcx.engine import move_kernels
from urcx.errors import PositionError, TooLargeError, UsageError
from urcx.rules.model import Path, RuleSet
from urcx.rules.position import Position, check

MAX_STEPS = 54  # a side is packed with its pieces home into one int64

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Tables:
    """A rule set as arrays for the kernels; index 0 is light, 1 is dark.

    ``length[side]`` is L. ``same[side, s]`` is the mask of the side's own steps on the tile of its
    step s (s itself included), ``enemy[side, s]`` that of the other side's steps there; masks have
    bit s - 1 for step s. ``rosette[side, s]`` is 1 on a rosette. ``pieces[side]`` are the pieces,
    ``flags`` whether a rosette grants a roll, a rosette protects, a capture grants a roll.
    ``rolls`` are the possible rolls, ``chance`` their probabilities.
    """

    rules: RuleSet
    length: IntArray
    same: IntArray
    enemy: IntArray
    rosette: IntArray
    pieces: IntArray
    flags: IntArray
    rolls: IntArray
    chance: NDArray[np.float64]


@lru_cache(maxsize=32)
def tables(rules: RuleSet) -> Tables:
    """Return the arrays of a rule set.

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
    ways = (path.light, path.dark)
    shape = (2, path.length + 1)
    same, enemy, rosette = (np.zeros(shape, np.int64) for _ in range(3))
    for side, way in enumerate(ways):
        for step, tile in enumerate(way, start=1):
            same[side, step] = _mask(way, tile)
            enemy[side, step] = _mask(ways[1 - side], tile)
            rosette[side, step] = tile in path.board.rosettes
    arrays = (
        np.array([len(way) for way in ways], np.int64),
        same,
        enemy,
        rosette,
        np.array([rules.pieces, rules.pieces], np.int64),
        np.array(
            [rules.rosette_grants_roll, rules.rosette_protects, rules.capture_grants_roll], np.int64
        ),
        np.array(rules.dice.rolls, np.int64),
    )
    chance = np.array([float(p) for p in rules.dice.probabilities], np.float64)
    for array in (*arrays, chance):
        array.setflags(write=False)
    return Tables(rules, *arrays, chance)


def _mask(way: tuple[str, ...], tile: str) -> int:
    return sum(1 << k for k, at in enumerate(way) if at == tile)


@dataclass(frozen=True)
class Move:
    """A legal move: from a step (0 is the pool) to a step (L + 1 is home), and what it does."""

    start: int
    end: int
    captures: bool
    rosette: bool
    rolls_again: bool
    position: Position

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


def check_open(position: Position, rules: RuleSet) -> None:
    """Raise `PositionError` if a position breaks a rule of the board or the game is over."""
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


def legal_moves(position: Position, roll: int, rules: RuleSet) -> tuple[Move, ...]:
    """Return the legal moves for a roll, least advanced piece first; none means a pass.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    UsageError
        If the dice cannot give the roll.
    """
    check_open(position, rules)
    if roll not in rules.dice.rolls:
        known = ", ".join(map(str, rules.dice.rolls))
        raise UsageError(f"roll {roll}: the dice {rules.dice.name} give {known}")
    arrays = tables(rules)
    side = 0 if position.light_to_move else 1
    board = masks(position)
    own, other = board[side], board[1 - side]
    starts = np.empty(rules.pieces + 1, np.int64)
    number = move_kernels.moves(
        arrays.length[side],
        arrays.same[side],
        arrays.enemy[side],
        arrays.rosette[side],
        arrays.flags,
        rules.pieces - own.bit_count() - position.home[side],
        own,
        other,
        roll,
        starts,
    )
    return tuple(_move(position, int(start), roll, arrays) for start in starts[:number])


def _move(position: Position, start: int, roll: int, arrays: Tables) -> Move:
    side = 0 if position.light_to_move else 1
    board = masks(position)
    end = start + roll
    own, other, home, again = move_kernels.play(
        arrays.length[side],
        arrays.enemy[side],
        arrays.rosette[side],
        arrays.flags,
        board[side],
        board[1 - side],
        position.home[side],
        start,
        end,
    )
    homes = [position.home[0], position.home[1]]
    homes[side] = int(home)
    steps = [_steps(int(own)), _steps(int(other))]
    if side == 1:
        steps.reverse()
    turn = position.light_to_move if again else not position.light_to_move
    after = Position(steps[0], steps[1], (homes[0], homes[1]), turn)
    on_board = end <= int(arrays.length[side])
    return Move(
        start,
        end,
        int(other) != board[1 - side],
        bool(on_board and arrays.rosette[side, end]),
        bool(again),
        after,
    )


def _steps(mask: int) -> tuple[int, ...]:
    return tuple(k + 1 for k in range(mask.bit_length()) if mask >> k & 1)


def after_pass(position: Position) -> Position:
    """Return the position after a pass: the other player is to move."""
    return Position(position.light, position.dark, position.home, not position.light_to_move)
