# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The kernel that keeps the best moves of what is to come in a game, a row of states at a time.

The layout is that of `urcx.solving.layered.kernels`.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit
from urcx.engine.vector_kernels import all_equal, greater, load, store_first, where_greater
from urcx.engine.vector_types import LANES


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
