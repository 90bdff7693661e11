# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the order by shared pattern, which `urcx.enumerate.rankings.ranking` explains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import inlined, njit
from urcx.engine.move_kernels import popcount

# Masks of steps are looked up in two halves. Each half has one packed integer, and the sum of the
# two contains the pattern (base 3), the private mask, and the number of pieces on shared tiles.
HALF_BITS = 14
HALF = (1 << HALF_BITS) - 1
OWN_SHIFT = 24
COUNT_SHIFT = 40
PATTERN_MASK = (1 << OWN_SHIFT) - 1
OWN_MASK = (1 << (COUNT_SHIFT - OWN_SHIFT)) - 1


class PatternTables(NamedTuple):
    """The order by shared pattern for kernels. Side 0 is light, side 1 dark.

    - ``offset[pattern]`` is the first rank of a pattern.
    - ``width[k]`` is the number of private states that use at most k pieces.
    - ``rank[mask, home]`` is the number of a private state (-1: too many pieces), and ``mask[k]``
      and ``home[k]`` are the inverse.
    - ``spread[side, half, bits]`` is the packed form of half a mask of steps.
    - ``lane[side, pattern]`` is the mask of a side's steps on the shared tiles.
    - ``own_steps[side, mask]`` is the mask of the steps of a private mask.
    """

    offset: NDArray[np.int64]
    width: NDArray[np.int64]
    rank: NDArray[np.int64]
    mask: NDArray[np.int64]
    home: NDArray[np.int64]
    spread: NDArray[np.int64]
    lane: NDArray[np.int64]
    own_steps: NDArray[np.int64]


@inlined
def spread_of(table, side, steps):
    """Return the packed form of a side's mask of steps."""
    return table.spread[side, 0, steps & HALF] + table.spread[side, 1, steps >> HALF_BITS]


@inlined
def pattern_part(spread):
    """Return the side's part of the pattern."""
    return spread & PATTERN_MASK


@inlined
def own_part(spread):
    """Return the private mask."""
    return (spread >> OWN_SHIFT) & OWN_MASK


@inlined
def count_part(spread):
    """Return the number of pieces on shared tiles."""
    return spread >> COUNT_SHIFT


@inlined
def rank_of(table, light, light_home, dark, dark_home):
    """Return the rank of a configuration from its masks of steps and pieces home."""
    a = spread_of(table, 0, light)
    b = spread_of(table, 1, dark)
    width = table.width[table.width.shape[0] - 1 - count_part(b)]
    row = table.rank[own_part(a), light_home]
    column = table.rank[own_part(b), dark_home]
    return table.offset[pattern_part(a) + pattern_part(b)] + row * width + column


@inlined
def pattern_of(table, rank):
    """Return the pattern of a rank."""
    pattern = np.int64(0)
    end = table.offset.shape[0]
    while end - pattern > 1:  # take the last of equal offsets: some patterns have no ranks
        middle = (pattern + end) >> 1
        if table.offset[middle] <= rank:
            pattern = middle
        else:
            end = middle
    return pattern


@inlined
def diagram_of(table, pattern, rank):
    """Return (light, light_home, dark, dark_home) of a rank with a pattern."""
    light = table.lane[0, pattern]
    dark = table.lane[1, pattern]
    columns = table.width[table.width.shape[0] - 1 - popcount(dark)]
    rest = rank - table.offset[pattern]
    row = rest // columns
    column = rest - row * columns
    light |= table.own_steps[0, table.mask[row]]
    dark |= table.own_steps[1, table.mask[column]]
    return light, table.home[row], dark, table.home[column]


@njit
def rank_pattern(table, light, light_home, dark, dark_home, ranks):
    """Rank all pairs of a light and a dark placement, a row of ``ranks`` per light placement."""
    for a in range(light.shape[0]):
        for b in range(dark.shape[0]):
            ranks[a, b] = rank_of(table, light[a], light_home[a], dark[b], dark_home[b])
