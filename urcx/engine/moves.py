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
from urcx.engine.move_kernels import Way
from urcx.errors import PositionError, TooLargeError, UsageError
from urcx.rules.model import Path, RuleSet
from urcx.rules.position import Position, check

MAX_STEPS = 54  # a side is packed with its pieces home into one int64

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Tables:
    """A rule set for the kernels.

    ``ways`` are light's and dark's (see `urcx.engine.move_kernels.Way`), ``rolls`` the possible
    rolls, ascending, and ``chance`` their probabilities.
    """

    rules: RuleSet
    ways: tuple[Way, Way]
    rolls: IntArray
    chance: NDArray[np.float64]
    packed: IntArray


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
    rolls = np.array(rules.dice.rolls, np.int64)
    chance = np.array([float(p) for p in rules.dice.probabilities], np.float64)
    for array in (rolls, chance):
        array.setflags(write=False)
    both = (_way(rules, 0), _way(rules, 1))
    packed = np.zeros((2, move_kernels.ROW), np.int64)
    for row, way in zip(packed, both, strict=True):
        row[:9] = way[:9]
        row[move_kernels.SAME : move_kernels.SAME + len(way.same)] = way.same
        row[move_kernels.ENEMY : move_kernels.ENEMY + len(way.enemy)] = way.enemy
    packed.setflags(write=False)
    return Tables(rules, both, rolls, chance, packed)


def _way(rules: RuleSet, side: int) -> Way:
    ways = rules.path.light, rules.path.dark
    own, enemy = ways[side], ways[1 - side]
    masks = [np.array([0, *(_mask(way, tile) for tile in own)], np.int64) for way in (own, enemy)]
    for array in masks:
        array.setflags(write=False)
    rosettes = sum(1 << k for k, at in enumerate(own) if at in rules.path.board.rosettes)
    met = sum(1 << k for k, at in enumerate(own) if at in enemy)
    return Way(
        length=len(own),
        pieces=rules.pieces,
        once=int(len(set(own)) == len(own)),
        rosettes=rosettes,
        granting=rosettes if rules.rosette_grants_roll else 0,
        guards=rosettes & met if rules.rosette_protects else 0,
        shared=met,
        capture_grants=int(rules.capture_grants_roll),
        centre=centre_step(rules.path),
        same=masks[0],
        enemy=masks[1],
    )


def centre_step(path: Path) -> int:
    """Return the step of the centre rosette (B4), 0 without one.

    It is the first rosette that both players reach with the same step.
    """
    pairs = enumerate(zip(path.light, path.dark, strict=False), start=1)
    return next((s for s, (a, b) in pairs if a == b and a in path.board.rosettes), 0)


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
    pool = rules.pieces - own.bit_count() - position.home[side]
    found = int(move_kernels.starts(arrays.ways[side], pool, own, other, roll))
    return tuple(
        _move(position, start, roll, arrays)
        for start in range(found.bit_length())
        if found >> start & 1
    )


def _move(position: Position, start: int, roll: int, arrays: Tables) -> Move:
    side = 0 if position.light_to_move else 1
    board = masks(position)
    end = start + roll
    way = arrays.ways[side]
    own, other, home, again = move_kernels.play(
        way, board[side], board[1 - side], position.home[side], start, end
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
        bool(way.rosettes >> (end - 1) & 1),
        bool(again),
        after,
    )


def _steps(mask: int) -> tuple[int, ...]:
    return tuple(k + 1 for k in range(mask.bit_length()) if mask >> k & 1)


def after_pass(position: Position) -> Position:
    """Return the position after a pass: the other player is to move."""
    return Position(position.light, position.dark, position.home, not position.light_to_move)
