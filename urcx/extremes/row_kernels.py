# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for what is to come in a game, a row of states at a time.

The layout is that of `urcx.solving.layered.kernels`, but plies to come are nobody's gain: turned,
they keep their sign. V is a state's value with light to move and U with dark to move, so that U of
the layer (j, i) is V of the layer (i, j), transposed.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import njit
from urcx.engine.mask_kernels import having, shared_out
from urcx.engine.vector_kernels import (
    all_equal,
    first_lanes,
    greater,
    greatest,
    load,
    minus,
    plus_times,
    store,
    store_first,
    turn_block,
    where_greater,
)
from urcx.engine.vector_types import LANES


@njit
def renew_rows(source, mirror, rows, picks, tile, change, first, last):
    """Compute V of some patterns in place, and with it U of the layer turned.

    U is written to ``mirror``, which is ``source`` if both sides play alike. The new value is
    1 plus the mean over the rolls of the greatest value that a move leads to, or, unless ``picks``
    has no moves, of the mean over those that it chooses. ``rows`` and ``picks`` are those of
    `urcx.sweeps.layout_kernels`. Unless empty, ``change`` receives the change of each value.
    Returns the largest increase and the largest decrease.
    """
    ops, chance, masks = rows.ops, rows.chance, picks.masks
    nothing = all_equal(0.0)
    rises = nothing
    falls = nothing
    kept = change.shape[0] > 0
    free = picks.stride == 0
    for t in range(first, last):
        height = np.int64(rows.rows[t])
        width = np.int64(rows.columns[t])
        across = (width + LANES - 1) // LANES * LANES
        # Unsigned, so that numba does not test for negative indices.
        start = np.uint64(rows.first_op[t])
        place = np.uint64(rows.begin[t])
        out = np.uint64(0)
        end = start
        for a in range(height):
            for column in range(0, width, LANES):
                c = np.uint64(column)
                end = start
                total = all_equal(1.0)
                for r in range(chance.shape[0]):
                    count = np.uint64(ops[end])
                    if free or count == np.uint64(1):
                        best = load(source, np.uint64(ops[end + np.uint64(1)]) + c)
                        for m in range(np.uint64(2), count + np.uint64(1)):
                            best = greater(best, load(source, np.uint64(ops[end + m]) + c))
                        total = plus_times(total, chance[r], best)
                    elif picks.by_row:
                        left = np.int64(picks.any_of[r, rows.first_row[t] + a])
                        part = chance[r] / popcount(left)
                        while left:
                            way = np.uint64(1 + lowest(left))
                            left &= left - 1
                            total = plus_times(
                                total, part, load(source, np.uint64(ops[end + way]) + c)
                            )
                    else:
                        at = np.uint64(r * picks.stride + LANES) + place + c
                        mean = nothing
                        for m in range(np.uint64(0), count):
                            found = load(source, np.uint64(ops[end + np.uint64(1) + m]) + c)
                            bit = np.int64(1) << np.int64(m)
                            mean = plus_times(mean, 1.0, having(found, masks, at, bit))
                        if picks.shared:
                            mean = shared_out(mean, masks, at)
                        total = plus_times(total, chance[r], mean)
                    end = end + np.uint64(1) + count
                n = width - column
                store(tile, out + c, minus(nothing, total))  # turning negates
                by = first_lanes(minus(total, load(source, place + c)), n)
                rises = greater(rises, by)
                falls = greater(falls, minus(nothing, by))
                if kept:
                    store_first(change, place + c, by, n)
                store_first(source, place + c, total, n)  # not read by any state of the row
            start = end
            place += np.uint64(width)
            out += np.uint64(across)
        for column in range(0, width, LANES):
            for a in range(0, height, LANES):
                turn_block(
                    tile, np.uint64(a * across + column), across,
                    mirror, np.uint64(rows.turned[t] + column * height + a), height,
                    height - a, width - column,
                )  # fmt: skip
    return greatest(rises), greatest(falls)


@njit
def improve(values, rows, kept, picks, first, last):
    """Find the moves with the greatest values in some patterns, the first of equal ones.

    ``kept``, in the form of ``rows.ops``, receives the moves that are best in some state of a row,
    and ``picks`` a mask over these for each state, with one bit.
    """
    ops, masks = rows.ops, picks.masks
    for t in range(first, last):
        width = np.int64(rows.columns[t])
        start = np.uint64(rows.first_op[t])
        into = start
        for a in range(rows.rows[t]):
            for r in range(rows.chance.shape[0]):
                count = np.uint64(ops[start])
                place = np.uint64(r * picks.stride + LANES + rows.begin[t] + a * width)
                used = np.int64(0)
                for column in range(0, width, LANES):
                    c = np.uint64(column)
                    best = load(values, np.uint64(ops[start + np.uint64(1)]) + c)
                    found = all_equal(1.0)
                    for m in range(np.uint64(2), count + np.uint64(1)):
                        value = load(values, np.uint64(ops[start + m]) + c)
                        mark = all_equal(np.float64(np.int64(1) << np.int64(m - np.uint64(1))))
                        found = where_greater(value, best, mark, found)
                        best = greater(value, best)
                    store_first(masks, place + c, found, width - column)
                for n in range(width):
                    used |= np.int64(masks[place + np.uint64(n)])
                head = into
                into += np.uint64(1)
                number = np.int64(0)
                for m in range(count):
                    bit = np.int64(1) << np.int64(m)
                    if used & bit:
                        kept[into] = ops[start + np.uint64(1) + np.uint64(m)]
                        into += np.uint64(1)
                        if bit != np.int64(1) << number:
                            for n in range(width):
                                if np.int64(masks[place + np.uint64(n)]) == bit:
                                    masks[place + np.uint64(n)] = np.int64(1) << number
                        number += 1
                kept[head] = number
                start += np.uint64(1) + count
