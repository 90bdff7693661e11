"""Kernels for what is added up along a game, a row of states at a time.

The layout is that of `urcx.solving.layered.kernels`, but what is counted is nobody's gain: turned,
it keeps its sign. V is a state's value with light to move and U with dark to move, so that U of the
layer (j, i) is V of the layer (i, j), transposed.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import njit
from urcx.engine.mask_kernels import having, shared_out
from urcx.engine.vector_kernels import (
    LANES,
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


@njit
def renew(
    source, into, mirror, rows, columns, begin, turned, first_op, ops, chance, shift, gain, picks,
    stride, first_row, by_row, shared, tile, change, first, last,
):  # fmt: skip
    """Compute V of some patterns from ``source``, and with it U of the layer turned.

    V is written to ``into`` and U to ``mirror``; for sweeps in place, both are ``source``. The new
    value is ``shift``, plus ``gain`` of the state unless empty, plus the mean over the rolls of the
    greatest value that a move leads to, or, unless ``picks`` is empty, of the mean over the moves
    in a mask: ``picks[roll * stride + first_row[t] + row]`` if ``by_row``, else
    ``picks[roll * stride + LANES + place]``, where several bits mean equal probabilities. Other
    arguments are those of `urcx.solving.layered.kernels.sweep`. Unless empty, ``change`` receives
    the change of each value. Returns the largest increase and the largest decrease.
    """
    nothing = all_equal(0.0)
    rises = nothing
    falls = nothing
    kept = change.shape[0] > 0
    gains = gain.shape[0] > 0
    free = picks.shape[0] == 0
    for t in range(first, last):
        height = np.int64(rows[t])
        width = np.int64(columns[t])
        across = (width + LANES - 1) // LANES * LANES
        # Unsigned, so that numba does not test for negative indices.
        start = np.uint64(first_op[t])
        place = np.uint64(begin[t])
        out = np.uint64(0)
        end = start
        for a in range(height):
            for column in range(0, width, LANES):
                c = np.uint64(column)
                end = start
                total = all_equal(shift)
                if gains:
                    total = plus_times(total, 1.0, load(gain, place + c))
                for r in range(chance.shape[0]):
                    count = np.uint64(ops[end])
                    if free or count == np.uint64(1):
                        best = load(source, np.uint64(ops[end + np.uint64(1)]) + c)
                        for m in range(np.uint64(2), count + np.uint64(1)):
                            best = greater(best, load(source, np.uint64(ops[end + m]) + c))
                        total = plus_times(total, chance[r], best)
                    elif by_row:
                        left = np.int64(picks[r * stride + first_row[t] + a])
                        part = chance[r] / popcount(left)
                        while left:
                            way = np.uint64(1 + lowest(left))
                            left &= left - 1
                            total = plus_times(
                                total, part, load(source, np.uint64(ops[end + way]) + c)
                            )
                    else:
                        at = np.uint64(r * stride + LANES) + place + c
                        mean = nothing
                        for m in range(np.uint64(0), count):
                            found = load(source, np.uint64(ops[end + np.uint64(1) + m]) + c)
                            bit = np.int64(1) << np.int64(m)
                            mean = plus_times(mean, 1.0, having(found, picks, at, bit))
                        if shared:
                            mean = shared_out(mean, picks, at)
                        total = plus_times(total, chance[r], mean)
                    end = end + np.uint64(1) + count
                n = width - column
                store(tile, out + c, minus(nothing, total))  # turning negates
                by = first_lanes(minus(total, load(source, place + c)), n)
                rises = greater(rises, by)
                falls = greater(falls, minus(nothing, by))
                if kept:
                    store_first(change, place + c, by, n)
                store_first(into, place + c, total, n)  # not read by any state of the row
            start = end
            place += np.uint64(width)
            out += np.uint64(across)
        for column in range(0, width, LANES):
            for a in range(0, height, LANES):
                turn_block(
                    tile, np.uint64(a * across + column), across,
                    mirror, np.uint64(turned[t] + column * height + a), height,
                    height - a, width - column,
                )  # fmt: skip
    return greatest(rises), greatest(falls)


@njit
def improve(values, rows, columns, begin, first_op, ops, rolls, stride, kept, picks, first, last):
    """Find the moves with the greatest values in some patterns, the first of equal ones.

    ``kept``, in the form of ``ops``, receives the moves that are best in some state of a row, and
    ``picks[roll * stride + LANES + place]`` a mask over these, with one bit.
    """
    for t in range(first, last):
        width = np.int64(columns[t])
        start = np.uint64(first_op[t])
        into = start
        for a in range(rows[t]):
            for r in range(rolls):
                count = np.uint64(ops[start])
                place = np.uint64(r * stride + LANES + begin[t] + a * width)
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
                    store_first(picks, place + c, found, width - column)
                for n in range(width):
                    used |= np.int64(picks[place + np.uint64(n)])
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
                                if np.int64(picks[place + np.uint64(n)]) == bit:
                                    picks[place + np.uint64(n)] = np.int64(1) << number
                        number += 1
                kept[head] = number
                start += np.uint64(1) + count


@njit
def swings(
    values, rows, columns, begin, first_op, ops, chance, picks, stride, first_row, by_row, same,
    dice, squares, losses, first, last,
):  # fmt: skip
    """Write how far rolls and the moves in masks change the chance of winning in every state.

    ``values`` are a solution's, from -1 to 1 and seen from light, in the layout of
    `urcx.solving.layered.kernels`; masks are as in `renew`. ``dice`` receives the mean square of
    the rolls' changes, ``squares`` and ``losses`` the mean square and the mean of what the moves
    lose against the best, in chances from 0 to 1. Losses up to ``same`` are rounding.
    """
    for t in range(first, last):
        width = columns[t]
        start = first_op[t]
        for a in range(rows[t]):
            end = start
            for c in range(width):
                place = begin[t] + a * width + c
                end = start
                for r in range(chance.shape[0]):
                    count = np.int64(ops[end])
                    best = values[np.int64(ops[end + 1]) + c]
                    for m in range(2, count + 1):
                        best = max(best, values[np.int64(ops[end + m]) + c])
                    by = (best - values[place]) / 2.0
                    dice[place] += chance[r] * by * by
                    if count > 1:
                        at = r * stride + first_row[t] + a if by_row else r * stride + LANES + place
                        left = np.int64(picks[at])
                        part = chance[r] / popcount(left)
                        while left:
                            move = values[np.int64(ops[end + 1 + lowest(left)]) + c]
                            left &= left - 1
                            loss = best - move
                            if loss > same:
                                losses[place] += part * loss / 2.0
                                squares[place] += part * loss * loss / 4.0
                    end += 1 + count
            start = end
