# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of own static evaluations: the weights of `urcx.agents.evaluations`, in integers.

Both sides have the same path, so every view is light's. A role is 0 for the agent and 1 for its
enemy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import inlined, lean, njit
from urcx.engine.move_kernels import (
    ENEMY,
    LENGTH,
    PIECES,
    capturing,
    legal_starts,
    lowest,
    popcount,
)


class LeafWeights(NamedTuple):
    """The weights of an evaluation for kernels, times ``unit``.

    ``steps[role, s]`` is the worth of a piece on step s, ``home[role]`` of a piece home, and
    ``won`` of a won game. ``opposed[role]`` is a mask, 0 if a piece on a step on which the other
    side has a piece counts nothing, and else -1. ``exposed[role, s]`` is added for a piece on step
    s times the probability of its capture. ``chances`` are the integer weights of the ``rolls``,
    all 0 if no piece's exposure counts, and ``exposed`` times their sum is in units of ``unit``.
    ``alike`` means that both roles have the same weights.
    """

    steps: NDArray[np.int64]
    exposed: NDArray[np.int64]
    home: NDArray[np.int64]
    opposed: NDArray[np.int64]
    chances: NDArray[np.int64]
    rolls: NDArray[np.int64]
    won: int
    unit: int
    alike: bool


@inlined
def _side_worth(leaves, role, own, own_home, other):
    """Return the worth of a side's pieces, apart from their exposure."""
    total = leaves.home[role] * own_home
    own &= leaves.opposed[role] | ~other
    while own:
        total += leaves.steps[role, lowest(own) + 1]
        own &= own - 1
    return total


@lean
def _exposure(leaves, ways, role, own, other, other_home):
    """Return the sum of ``exposed`` of a side's pieces that the other side's next roll captures."""
    total = np.int64(0)
    pool = ways[0, PIECES] - popcount(other) - other_home
    board = (np.int64(1) << ways[0, LENGTH]) - 1
    for r in range(leaves.rolls.shape[0]):
        if leaves.chances[r] == 0:
            continue
        roll = leaves.rolls[r]
        ends = ((legal_starts(ways, 0, pool, other, own, roll) << roll) >> 1) & board
        hits = capturing(ways, 0, ends, own)
        struck = np.int64(0)  # a tile that is crossed twice may be reached in two ways
        while hits:
            struck |= own & ways[0, ENEMY + lowest(hits) + 1]
            hits &= hits - 1
        while struck:
            total += leaves.chances[r] * leaves.exposed[role, lowest(struck) + 1]
            struck &= struck - 1
    return total


@lean
def weighed(leaves, ways, role, own, own_home, other, other_home):
    """Return the value of an unfinished game to the player to move, whose role is ``role``."""
    value = _side_worth(leaves, role, own, own_home, other)
    value -= _side_worth(leaves, 1 - role, other, other_home, own)
    value += _exposure(leaves, ways, role, own, other, other_home)
    return value - _exposure(leaves, ways, 1 - role, other, own, own_home)


@njit
def fill_weighed(ways, table, leaves, first, last, out):
    """Write level 0 for the patterns from ``first`` to ``last``, as `level_kernels.fill_leaves`.

    Both roles have the same weights.
    """
    pieces = ways[0, PIECES]
    for pattern in range(first, last):
        light = table.lane[0, pattern]
        dark = table.lane[1, pattern]
        if popcount(light) > pieces or popcount(dark) > pieces:
            continue
        rows = table.width[pieces - popcount(light)]
        columns = table.width[pieces - popcount(dark)]
        at = table.offset[pattern]
        for a in range(rows):
            own = light | table.own_steps[0, table.mask[a]]
            row = out[at + a * columns : at + (a + 1) * columns]
            if table.home[a] == pieces:
                row[:] = leaves.won
                continue
            for c in range(columns):
                if table.home[c] == pieces:
                    row[c] = -leaves.won
                    continue
                other = dark | table.own_steps[1, table.mask[c]]
                row[c] = -weighed(leaves, ways, 0, other, table.home[c], own, table.home[a])
