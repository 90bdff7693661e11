# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of acceleration: inner products of rows of changes, and sums of rows times factors.

Values that are double-doubles have two rows (`urcx.engine.vector_kernels`).
"""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit
from urcx.engine.vector_kernels import (
    all_equal,
    greater,
    larger,
    load,
    minus,
    pair_plus_times,
    plus_product,
    plus_times,
    store,
    store_first,
    sum_of,
    where_greater,
)
from urcx.engine.vector_types import LANES

NEAR = 2048  # values of a row of changes: five such rows fit the L1 cache


@njit
def products(rows, these, upper, first, last, sums):
    """Add inner products over some columns to ``sums``.

    The inner product of the rows ``these[n]`` and j is the sum of ``sums[n, j]``, which has `LANES`
    columns. If ``upper``, only the upper half of the matrix is computed, with j at least n.
    """
    for begin in range(first, last, NEAR):
        end = min(begin + NEAR, last)
        rest = end - (end - begin) % LANES
        for n in range(these.shape[0]):
            x = rows[these[n]]
            for j in range(n if upper else 0, rows.shape[0]):
                y = rows[j]
                into = sums[n, j]
                partial_sums = load(into, np.uint64(0))
                for k in range(begin, rest, LANES):
                    partial_sums = plus_product(
                        partial_sums, load(x, np.uint64(k)), load(y, np.uint64(k))
                    )
                store(into, np.uint64(0), partial_sums)
                for k in range(rest, end):
                    into[0] += np.float64(x[k]) * np.float64(y[k])


@njit
def combine(changes, factors, largest, first, last, values):
    """Add the rows of ``changes``, each times its factor, to values. Clip at ``largest``."""
    least = all_equal(-largest)
    zeros = all_equal(0.0)
    rest = last - (last - first) % LANES
    for row in range(factors.shape[0]):
        x = changes[row]
        for k in range(first, rest, LANES):
            value = load(values, np.uint64(k))
            store(values, np.uint64(k), plus_times(value, factors[row], load(x, np.uint64(k))))
        for k in range(rest, last):
            values[k] += factors[row] * np.float64(x[k])
    for k in range(first, rest, LANES):
        negated = greater(least, minus(zeros, load(values, np.uint64(k))))
        store(values, np.uint64(k), greater(least, minus(zeros, negated)))
    for k in range(rest, last):
        values[k] = larger(-largest, -larger(-largest, -values[k]))


@njit
def step_of(values, lows, before, before_lows, first, last, step, step_lows):
    """Write values minus the previous ones to a step, and store them as the previous ones."""
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
def combine_pairs(steps, factors, largest, first, last, values, lows):
    """Add steps, each times its factor, to values, and clip at ``largest``.

    ``steps`` have two rows each.
    """
    least = all_equal(-largest)
    zeros = all_equal(0.0)
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
            size = greater(total, minus(zeros, total))
            low = where_greater(size, all_equal(largest), zeros, low)
            total = greater(least, minus(zeros, greater(least, minus(zeros, total))))
            store_first(values, c, total, n)
            store_first(lows, c, low, n)
