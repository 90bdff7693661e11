# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for values of a part as pairs of floats, which have 106 bits.

Values are ``values`` and ``lows`` together (`urcx.engine.float_pair_kernels`).
"""

from __future__ import annotations

import numpy as np

from urcx.engine.float_pair_kernels import pair_plus_times, sum_of
from urcx.engine.jit import njit
from urcx.engine.vector_kernels import (
    all_equal,
    greater,
    load,
    minus,
    plus_times,
    store_first,
    where_greater,
)
from urcx.engine.vector_types import LANES


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
