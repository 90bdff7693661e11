# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the value tables: V_k of every state from V_(k-1), one sweep per level.

States are configurations in the order by shared pattern (`urcx.enumerate.rankings.ranking`): first
the pattern on the shared tiles, then light's row and dark's column, each a private mask with pieces
home. A level is one array over them, `U[d]`: the value of configuration d to light with *dark* to
move. Both sides have the same rules, so this is enough: with light to move, the value is -U of the
same configuration with the sides exchanged.

Light's legal moves depend only on the pattern and on light's row. So moves are generated once per
row, and each is then a loop over all columns, which are contiguous if the turn passes.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit
from urcx.engine.move_kernels import (
    CENTRE,
    PIECES,
    legal_starts,
    lowest,
    make_move,
    popcount,
    sum_of_steps,
)
from urcx.enumerate.rankings.pattern_kernels import count_part, own_part, pattern_part, spread_of


@njit
def side_of(ways, look, own, home):
    """Return one side's part of the static evaluation, which is the difference of both parts."""
    value = look.home * home + sum_of_steps(own)
    if own & ((np.int64(1) << ways[0, CENTRE]) >> 1):
        value += look.centre
    return value


@njit
def fill_leaves(ways, table, look, best, first, last, out):
    """Write level 0 for the patterns from ``first`` to ``last``. ``best`` is a scratch row."""
    pieces = ways[0, PIECES]
    for pattern in range(first, last):
        light = table.lane[0, pattern]
        dark = table.lane[1, pattern]
        if popcount(light) > pieces or popcount(dark) > pieces:
            continue
        rows = table.width[pieces - popcount(light)]
        columns = table.width[pieces - popcount(dark)]
        at = table.offset[pattern]
        for c in range(columns):
            own = dark | table.own_steps[1, table.mask[c]]
            best[c] = side_of(ways, look, own, table.home[c])
        for a in range(rows):
            own = light | table.own_steps[0, table.mask[a]]
            value = side_of(ways, look, own, table.home[a])
            row = out[at + a * columns : at + (a + 1) * columns]
            if table.home[a] == pieces:
                row[:] = look.won
                continue
            for c in range(columns):
                row[c] = value - best[c]
        if dark == 0:
            column = table.rank[0, pieces]
            for a in range(rows):
                out[at + a * columns + column] = -look.won


@njit
def raise_to_row(values, at, n, best):
    """Raise ``best[:n]`` to the maximum of itself and n contiguous values."""
    source = values[at : at + n]
    for c in range(n):
        best[c] = max(best[c], source[c])


@njit
def raise_to_column(values, at, stride, n, best):
    """Raise ``best[:n]`` to the maximum of itself and the negated values of a column."""
    for c in range(n):
        best[c] = max(best[c], -values[at + c * stride])


@njit
def add(best, weight, n, total):
    """Add ``weight`` times ``best`` to ``total``."""
    for c in range(n):
        total[c] += weight * best[c]


@njit
def sweep_level(ways, table, rolls, weights, won, before, least, best, tile, first, last, after):
    """Write level k for the patterns from ``first`` up to ``last`` from level k - 1, ``before``.

    ``won`` is the value of a won game at level k, and ``least`` is below every value of level k -
    1. ``best`` and ``tile`` are scratch space for a row and for the rows of a tile. Both have the
    type of ``before``. The computed values have light to move, so they go to ``after`` with the
    sides exchanged.
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
            total = tile[a * columns : (a + 1) * columns]
            own_home = table.home[a]
            if own_home == pieces:
                total[:] = won
                continue
            total[:] = 0
            own = light | table.own_steps[0, table.mask[a]]
            pool = pieces - popcount(own) - own_home
            for r in range(rolls.shape[0]):
                weight = weights[r]
                if weight == 0:
                    continue
                left = legal_starts(ways, 0, pool, own, dark, rolls[r])
                best[:columns] = least
                if left == 0:  # a pass
                    raise_to_row(before, at + a * columns, columns, best)
                while left:
                    start = lowest(left)
                    left &= left - 1
                    mine, theirs, home, again = make_move(
                        ways, 0, own, dark, own_home, start, start + rolls[r]
                    )
                    spread = spread_of(table, 0, mine)
                    row = table.rank[own_part(spread), home]
                    if again:
                        # Light is to move: the same configuration with the sides exchanged.
                        to = table.offset[
                            pattern_part(spread_of(table, 0, theirs))
                            + pattern_part(spread_of(table, 1, mine))
                        ]
                        width = table.width[pieces - count_part(spread)]
                        raise_to_column(before, to + row, width, columns, best)
                    else:
                        dark_spread = spread_of(table, 1, theirs)
                        to = table.offset[pattern_part(spread) + pattern_part(dark_spread)]
                        width = table.width[pieces - count_part(dark_spread)]
                        raise_to_row(before, to + row * width, columns, best)
                add(best, weight, columns, total)
        if dark == 0:
            # Skip the column in which dark has won.
            column = table.rank[0, pieces]
            for a in range(rows):
                tile[a * columns + column] = -won
        to = table.offset[
            pattern_part(spread_of(table, 0, dark)) + pattern_part(spread_of(table, 1, light))
        ]
        for c in range(columns):
            for a in range(rows):
                after[to + c * rows + a] = -tile[a * columns + c]


@njit
def write_layer(table, patterns, width, masks, here, homes, values, first, last, out):
    """Write the values of some of a layer's patterns, seen from the player to move.

    ``homes`` are the mover's and the other side's pieces home. States are in the order of
    `urcx.solving.layered.kernels`, with the offsets ``here``. The value of a won game is added, so
    every value is at least 0.
    """
    pieces = width.shape[0] - 1
    won = values[table.rank[0, pieces] * table.width[pieces] + table.rank[0, 0]]
    for t in range(first, last):
        pattern = patterns[t]
        light = table.lane[0, pattern]
        dark = table.lane[1, pattern]
        rows = width[pieces - homes[0] - popcount(light)]
        columns = width[pieces - homes[1] - popcount(dark)]
        stride = table.width[pieces - popcount(light)]
        # Values have dark to move: the same configuration with the sides exchanged.
        turned = pattern_part(spread_of(table, 0, dark)) + pattern_part(spread_of(table, 1, light))
        for c in range(columns):
            row = table.offset[turned] + table.rank[masks[columns - 1 - c], homes[1]] * stride
            for a in range(rows):
                value = values[row + table.rank[masks[rows - 1 - a], homes[0]]]
                out[here[pattern] + a * columns + c] = won - value
