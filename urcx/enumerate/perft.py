"""perft: the game tree counted exactly, ply by ply.

A ply is one roll, a 0 included, with each legal move, or the pass if there is none, as one branch.
The tree is not walked: positions that are equal are counted together with their multiplicity, in
integers of any size. Finished games have no branches. Where both sides are alike, a position is
seen from the player to move (``mover-view``), finished ones included.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urcx.engine.memory import check_memory
from urcx.engine.moves import Move, Tables, after_pass, check_open, legal_moves, masks, tables
from urcx.enumerate import perft_kernels
from urcx.errors import TooLargeError, UsageError
from urcx.results import Rows
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, as_position

MAX_POSITIONS = 40_000_000  # of one ply; about 6 GB with their counts and tables
MAX_DEPTH = 200
POSITION_BYTES = 48  # its words, and two to four places in the table
PLACED = 1e-6  # seconds that a position of a ply takes, for estimates

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Level:
    """What perft found at one depth.

    ``nodes`` of the tree at just this depth; ``distinct`` positions among them; ``positions``
    distinct after at most this many plies, the first position included.
    """

    depth: int
    nodes: int
    distinct: int
    positions: int


class Levels(Rows[Level], function="perft"):
    """The levels of a tree, with the ``rules`` and the ``position`` at its root."""

    rules: RuleSet
    position: Position


def perft(
    rules: str | RuleSet,
    depth: int,
    position: Position | str | None = None,
    *,
    progress: Callable[[int], None] | None = None,
) -> Levels:
    """Return the levels 1 to ``depth`` of the tree under a position (by default, the start).

    Parameters
    ----------
    rules
        A rule set or its name.
    depth
        Plies to count, from 1 to `MAX_DEPTH`.
    position
        A position or its notation; the start by default.
    progress
        Called after each ply with its number.

    Returns
    -------
    Levels
        A tuple of `Level`, one for each depth.

    Raises
    ------
    UsageError
        If the depth is not from 1 to `MAX_DEPTH`.
    PositionError
        If the position breaks a rule, or the game is over.
    TooLargeError
        If one ply has more than `MAX_POSITIONS` positions, or memory does not suffice; the message
        says which depth works.

    Examples
    --------
    >>> import urcx
    >>> levels = urcx.perft("finkel", 3)
    >>> [level.nodes for level in levels]
    [5, 28, 192]
    >>> levels  # doctest: +ELLIPSIS
    perft of finkel from -/-/0-0/L: nodes of the tree, exactly
    <BLANKLINE>
    depth  nodes  growth  distinct  positions (mover-view)
    -----  -----  ------  --------  ----------------------
        1      5  5.0000         5                       5
        2     28  5.6000        28                      28
        3    192  6.8571       104                     104
    <BLANKLINE>
    * growth: ...
    """
    check_depth(depth)
    rules = catalogue.ruleset(rules)
    first = Position() if position is None else as_position(position)
    check_open(first, rules)
    arrays = tables(rules)
    turned = rules.path.symmetric
    keys = _words(first, turned=turned)
    counts = np.zeros((1, _limbs(rules, depth)), np.uint64)
    counts[0, 0] = 1
    seen = _Seen()
    seen.add(keys)
    levels = []
    for level in range(1, depth + 1):
        keys, counts = _ply(arrays, keys, counts, turned=turned, level=level)
        limbs = counts.sum(axis=0, dtype=object)
        nodes = sum(int(limb) << (32 * k) for k, limb in enumerate(limbs))
        levels.append(Level(level, nodes, len(keys), seen.add(keys)))
        if progress:
            progress(level)
    return Levels(levels, rules=rules, position=first)


def check_depth(depth: int) -> None:
    """Raise `UsageError` if a depth is not from 1 to `MAX_DEPTH`."""
    if not 1 <= catalogue.whole("depth", depth) <= MAX_DEPTH:
        raise UsageError(f"depth {depth} is not from 1 to {MAX_DEPTH}")


def _limbs(rules: RuleSet, depth: int) -> int:
    """Return enough limbs for the most branches a position can have, to the power of the depth."""
    most = len(rules.dice.rolls) * (rules.pieces + 1)
    return math.ceil(depth * math.log2(most) / 32) + 1


def bytes_a_position(rules: RuleSet, depth: int) -> int:
    """Return the bytes that a position of the last ply takes, its count included."""
    return POSITION_BYTES + 8 * _limbs(rules, depth)


def divide(
    rules: RuleSet, depth: int, position: Position | None = None
) -> tuple[tuple[int, Move | None, int], ...]:
    """Return (roll, move or None for a pass, nodes under it) for each first branch.

    Raises
    ------
    UsageError, PositionError, TooLargeError
        As `perft` does.
    """
    check_depth(depth)
    first = Position() if position is None else position
    found: list[tuple[int, Move | None, int]] = []
    for roll in rules.dice.rolls:
        for move in legal_moves(first, roll, rules) or (None,):
            after = move.position if move else after_pass(first)
            if depth == 1:
                nodes = 1
            elif rules.pieces in after.home:
                nodes = 0
            else:
                nodes = perft(rules, depth - 1, after)[-1].nodes
            found.append((roll, move, nodes))
    return tuple(found)


def _words(position: Position, *, turned: bool) -> IntArray:
    """Return the position's two words, the player to move first."""
    words = [
        mask | home << perft_kernels.HOME_SHIFT
        for mask, home in zip(masks(position), position.home, strict=True)
    ]
    if not position.light_to_move:
        words.reverse()
        if not turned:
            words[0] |= 1 << perft_kernels.TURN_SHIFT
    return np.array([words], np.int64)


def _table(entries: int) -> IntArray:
    """Return an empty hash table that stays at most half full with so many entries."""
    return np.full(1 << max(4, (2 * entries - 1).bit_length()), -1, np.int64)


def _ply(
    arrays: Tables, keys: IntArray, counts: NDArray[np.uint64], *, turned: bool, level: int
) -> tuple[IntArray, NDArray[np.uint64]]:
    room = 4 * len(keys) + 64
    while True:
        room = min(room, MAX_POSITIONS)
        check_memory(
            room * (POSITION_BYTES + 8 * counts.shape[1]),
            f"depth {level} with {len(keys):,} positions before it",
            f"take a depth of {level - 1} or less",
        )
        out = np.empty((room, 2), np.int64)
        total = np.zeros((room, counts.shape[1]), np.uint64)
        with np.errstate(over="ignore"):  # the hash wraps; compiled code does not warn
            n = perft_kernels.ply(
                arrays.ways,
                arrays.rolls,
                turned,
                keys,
                counts,
                _table(room),
                out,
                total,
            )
        if n >= 0:
            return out[:n].copy(), total[:n].copy()
        if room == MAX_POSITIONS:
            raise TooLargeError(
                f"depth {level} has more than {MAX_POSITIONS:,} positions; take a depth "
                f"of {level - 1} or less"
            )
        room *= 2


class _Seen:
    """The set of positions met so far."""

    def __init__(self) -> None:
        self.keys = np.empty((1024, 2), np.int64)
        self.table = _table(len(self.keys))
        self.stored = 0

    def add(self, keys: IntArray) -> int:
        """Add positions; return how many distinct ones there are."""
        needed = self.stored + len(keys)
        with np.errstate(over="ignore"):
            if needed > len(self.keys):
                old = self.keys[: self.stored]
                self.keys = np.empty((2 * needed, 2), np.int64)
                self.table = _table(len(self.keys))
                self.stored = perft_kernels.insert(self.table, self.keys, 0, old)
            self.stored = perft_kernels.insert(self.table, self.keys, self.stored, keys)
        return self.stored
