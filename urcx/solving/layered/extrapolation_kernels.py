# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of extrapolation: inner products of rows of changes, and sums of rows times factors.

Reduced rank extrapolation (`urcx.solving.layered.extrapolation`) takes all inner products; secants
(`urcx.extremes.secants`) keep those of rows that stay, and take the ones with two new rows.
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
    plus_product,
    plus_times,
    store,
)
from urcx.engine.vector_types import LANES

NEAR = 2048  # values of a row of changes: five rows of them fit the L1 cache
NEAR_OF_NEW = 512  # the same in `products`, so that the two new rows stay there


@njit
def gram(changes, first, last, sums):
    """Add the inner products of all rows of ``changes``, over some columns, to ``sums``.

    That of rows i and j, j being at least i, is the sum of row i * (number of rows) + j of
    ``sums``, which has `LANES` columns.
    """
    for begin in range(first, last, NEAR):
        end = min(begin + NEAR, last)
        rest = end - (end - begin) % LANES
        for i in range(changes.shape[0]):
            x = changes[i]
            for j in range(i, changes.shape[0]):
                y = changes[j]
                into = sums[i * changes.shape[0] + j]
                some = load(into, np.uint64(0))
                for k in range(begin, rest, LANES):
                    some = plus_product(some, load(x, np.uint64(k)), load(y, np.uint64(k)))
                store(into, np.uint64(0), some)
                for k in range(rest, end):
                    into[0] += np.float64(x[k]) * np.float64(y[k])


@njit
def products(rows, one, first, last, sums):
    """Add inner products over some columns to ``sums``.

    That of the rows ``one`` and j is the sum of ``sums[0, j]``, which has `LANES` columns, that of
    the last row and j of ``sums[1, j]``.
    """
    x = rows[one]
    z = rows[rows.shape[0] - 1]
    for begin in range(first, last, NEAR_OF_NEW):
        end = min(begin + NEAR_OF_NEW, last)
        rest = end - (end - begin) % LANES
        for j in range(rows.shape[0]):
            y = rows[j]
            of_one = load(sums[0, j], np.uint64(0))
            of_last = load(sums[1, j], np.uint64(0))
            for k in range(begin, rest, LANES):
                c = np.uint64(k)
                found = load(y, c)
                of_one = plus_product(of_one, load(x, c), found)
                of_last = plus_product(of_last, load(z, c), found)
            store(sums[0, j], np.uint64(0), of_one)
            store(sums[1, j], np.uint64(0), of_last)
            for k in range(rest, end):
                sums[0, j, 0] += np.float64(x[k]) * np.float64(y[k])
                sums[1, j, 0] += np.float64(z[k]) * np.float64(y[k])


@njit
def combine(changes, factors, largest, first, last, values):
    """Add the rows of ``changes``, each times its factor, to values; clip at ``largest``."""
    least = all_equal(-largest)
    nothing = all_equal(0.0)
    rest = last - (last - first) % LANES
    for row in range(factors.shape[0]):
        x = changes[row]
        for k in range(first, rest, LANES):
            found = load(values, np.uint64(k))
            store(values, np.uint64(k), plus_times(found, factors[row], load(x, np.uint64(k))))
        for k in range(rest, last):
            values[k] += factors[row] * np.float64(x[k])
    for k in range(first, rest, LANES):
        found = greater(least, minus(nothing, load(values, np.uint64(k))))
        store(values, np.uint64(k), greater(least, minus(nothing, found)))
    for k in range(rest, last):
        values[k] = larger(-largest, -larger(-largest, -values[k]))
