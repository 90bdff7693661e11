# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for values of a part as pairs of floats, which have 106 bits.

As those of `urcx.extremes.part_kernels`, for values that are ``values`` and ``lows`` together
(`urcx.engine.float_pair_kernels`). They are V itself, without a height.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest
from urcx.engine.float_pair_kernels import difference, pair_plus_times, sum_of
from urcx.engine.jit import inlined, njit
from urcx.engine.mask_kernels import any_of, having
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
from urcx.extremes.part_kernels import LEAVES


@njit
def choose_fine(values, lows, rows, way, picks, stride, first, last):
    """Write the best moves to ``picks``, as `urcx.extremes.part_kernels.choose_part` does."""
    gains, exits, reads, chance = way.gains, way.exits, rows.ops, rows.chance
    nothing = all_equal(0.0)
    rises = nothing
    falls = nothing
    for t in range(first, last):
        width = np.int64(rows.columns[t])
        start = np.uint64(rows.first_op[t])
        place = np.uint64(rows.begin[t])
        end = start
        for a in range(rows.rows[t]):
            gained = gains[rows.first_row[t] + a]
            for column in range(0, width, LANES):
                c = np.uint64(column)
                n = width - column
                end = start
                total = all_equal(gained)
                low = nothing
                for r in range(chance.shape[0]):
                    head = np.uint64(reads[end])
                    count = head & np.uint64(LEAVES - 1)
                    if head >= np.uint64(LEAVES):
                        at = np.uint64(reads[end + np.uint64(1) + count]) + c
                        best = load(exits, at)
                        best_low = nothing
                        found = all_equal(1.0)
                        other = np.uint64(1)
                        after = end + np.uint64(2) + count
                    else:
                        at = np.uint64(reads[end + np.uint64(1)]) + c
                        best = load(values, at)
                        best_low = load(lows, at)
                        found = all_equal(2.0)
                        other = np.uint64(2)
                        after = end + np.uint64(1) + count
                    for m in range(other, count + np.uint64(1)):
                        at = np.uint64(reads[end + m]) + c
                        value = load(values, at)
                        value_low = load(lows, at)
                        by = difference(value, value_low, best, best_low)
                        bit = np.float64(np.int64(1) << np.int64(m))
                        found = where_greater(by, nothing, all_equal(bit), found)
                        best = where_greater(by, nothing, value, best)
                        best_low = where_greater(by, nothing, value_low, best_low)
                    end = after
                    store_first(picks, np.uint64(r * stride) + place + c, found, n)
                    total, low = pair_plus_times(total, low, chance[r], best, best_low)
                total, low = sum_of(total, low)
                by = difference(total, low, load(values, place + c), load(lows, place + c))
                by = first_lanes(by, n)
                rises = greater(rises, by)
                falls = greater(falls, minus(nothing, by))
            start = end
            place += np.uint64(width)
    return greatest(rises), greatest(falls)


@njit
def follow_fine(values, lows, rows, way, picks, stride, tile, low_tile, change, first, last):
    """Compute values with the moves kept, as `urcx.extremes.part_kernels.follow_part` does."""
    gains, exits, reads, chance = way.gains, way.exits, rows.ops, rows.chance
    nothing = all_equal(0.0)
    rises = nothing
    falls = nothing
    told = change.shape[0] > 0
    for t in range(first, last):
        lines = np.int64(rows.rows[t])
        width = np.int64(rows.columns[t])
        across = (width + LANES - 1) // LANES * LANES
        start = np.uint64(rows.first_op[t])
        place = np.uint64(rows.begin[t])
        out = np.uint64(0)
        end = start
        for a in range(lines):
            gained = gains[rows.first_row[t] + a]
            for column in range(0, width, LANES):
                c = np.uint64(column)
                end = start
                total = all_equal(gained)
                low = nothing
                for r in range(chance.shape[0]):
                    head = np.uint64(reads[end])
                    leaves = head >= np.uint64(LEAVES)
                    count = head & np.uint64(LEAVES - 1)
                    at = np.uint64(r * stride) + place + c
                    # Lanes after the row's last are of another row, which may have more moves.
                    left = any_of(picks, at) & ((np.int64(2) << np.int64(count)) - 1)
                    if not leaves:
                        left &= ~np.int64(1)
                    alone = left & (left - 1) == 0
                    best = nothing
                    best_low = nothing
                    while left:
                        move = lowest(left)
                        left &= left - 1
                        if move:
                            k = np.uint64(reads[end + np.uint64(move)]) + c
                            value = load(values, k)
                            value_low = load(lows, k)
                        else:
                            k = np.uint64(reads[end + np.uint64(1) + count]) + c
                            value = load(exits, k)
                            value_low = nothing
                        if not alone:
                            value = having(value, picks, at, np.int64(1) << move)
                            value_low = having(value_low, picks, at, np.int64(1) << move)
                        best = plus_times(best, 1.0, value)
                        best_low = plus_times(best_low, 1.0, value_low)
                    end = end + count + np.uint64(2 if leaves else 1)
                    total, low = pair_plus_times(total, low, chance[r], best, best_low)
                total, low = sum_of(total, low)
                n = width - column
                by = difference(total, low, load(values, place + c), load(lows, place + c))
                by = first_lanes(by, n)
                rises = greater(rises, by)
                falls = greater(falls, minus(nothing, by))
                if told:
                    store_first(change, place + c, by, n)
                store(tile, out + c, minus(nothing, total))  # turning negates
                store(low_tile, out + c, minus(nothing, low))
                store_first(values, place + c, total, n)  # not read by any state of the row
                store_first(lows, place + c, low, n)
            start = end
            place += np.uint64(width)
            out += np.uint64(across)
        _turn(tile, lines, width, rows.turned[t], values)
        _turn(low_tile, lines, width, rows.turned[t], lows)
    return greatest(rises), greatest(falls)


@inlined
def _turn(tile, lines, width, to, values):
    """Write the negated transpose of a tile to the values with the sides exchanged."""
    across = (width + LANES - 1) // LANES * LANES
    for column in range(0, width, LANES):
        for a in range(0, lines, LANES):
            turn_block(
                tile, np.uint64(a * across + column), across,
                values, np.uint64(to + column * lines + a), lines, lines - a, width - column,
            )  # fmt: skip


@njit
def begin_with(values, height, lows):
    """Make values that are ``height`` less than they should be pairs of floats, in place."""
    above = all_equal(height)
    for k in range(0, values.shape[0], LANES):
        n = values.shape[0] - k
        total, low = sum_of(load(values, np.uint64(k)), above)
        store_first(values, np.uint64(k), total, n)
        store_first(lows, np.uint64(k), low, n)


@njit
def step_of(values, lows, before, before_lows, first, last, step, step_lows):
    """Write what values are more than they were to a step, and replace those before by them."""
    for k in range(first, last, LANES):
        c = np.uint64(k)
        n = last - k
        x = load(values, c)
        x_low = load(lows, c)
        total, low = sum_of(x, minus(all_equal(0.0), load(before, c)))
        low = plus_times(low, 1.0, minus(x_low, load(before_lows, c)))
        total, low = sum_of(total, low)
        store_first(step, c, total, n)
        store_first(step_lows, c, low, n)
        store_first(before, c, x, n)
        store_first(before_lows, c, x_low, n)


@njit
def combine_fine(steps, factors, largest, first, last, values, lows):
    """Add steps, each times its factor, to values; clip at ``largest``.

    ``steps`` have two rows each.
    """
    least = all_equal(-largest)
    nothing = all_equal(0.0)
    for row in range(factors.shape[0]):
        step = steps[row, 0]
        step_lows = steps[row, 1]
        for k in range(first, last, LANES):
            c = np.uint64(k)
            n = last - k
            total, low = pair_plus_times(
                load(values, c),
                load(lows, c),
                factors[row],
                load(step, c),
                load(step_lows, c),
            )
            total, low = sum_of(total, low)
            size = greater(total, minus(nothing, total))
            low = where_greater(size, all_equal(largest), nothing, low)
            total = greater(least, minus(nothing, greater(least, minus(nothing, total))))
            store_first(values, c, total, n)
            store_first(lows, c, low, n)
