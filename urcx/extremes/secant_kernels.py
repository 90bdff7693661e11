"""A kernel for secants (`urcx.extremes.secants`): inner products with the two that are new."""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit
from urcx.engine.vector_kernels import load, plus_product, store
from urcx.engine.vector_types import LANES

NEAR = 1 << 9  # columns at a time, so that the two stay in the nearest cache


@njit
def products(rows, one, first, last, sums):
    """Add inner products over some columns to ``sums``.

    That of the rows ``one`` and j is the sum of ``sums[0, j]``, which has `LANES` columns, that of
    the last row and j of ``sums[1, j]``.
    """
    x = rows[one]
    z = rows[rows.shape[0] - 1]
    for begin in range(first, last, NEAR):
        end = min(begin + NEAR, last)
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
