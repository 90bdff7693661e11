# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The kernel of action gaps (`urcx.solving.closeness`): the best value minus the second best.

Layers and reads are laid out as in `urcx.solving.layered.kernels`.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit
from urcx.engine.vector_kernels import larger


@njit
def nearest(rows, values, same, within, first, last, counts, closest):
    """Compute the action gap of every state and roll in some patterns.

    ``counts[0]`` receives the number of states and rolls with a choice, ``counts[1]`` the number of
    action gaps of at most ``same``, ``counts[2 + k]`` the number below ``within[k]``, which must be
    in descending order. ``closest`` receives (action gap, state, index of the roll) of the smallest
    gap above ``same``, if that is smaller than the gap already there.
    """
    ops = rows.ops
    for t in range(first, last):
        columns = rows.columns[t]
        k = rows.first_op[t]
        for a in range(rows.rows[t]):
            for r in range(rows.chance.shape[0]):
                count = np.int64(ops[k])
                k += 1
                if count > 1:
                    counts[0] += columns
                    for c in range(columns):
                        best = -2.0
                        second = -2.0
                        for m in range(k, k + count):
                            value = values[np.int64(ops[m]) + c]
                            second = larger(second, -larger(-best, -value))
                            best = larger(best, value)
                        by = best - second
                        if by <= same:
                            counts[1] += 1
                        elif by < closest[0]:
                            closest[0] = by
                            closest[1] = rows.begin[t] + a * columns + c
                            closest[2] = r
                        n = 0
                        while n < within.shape[0] and by < within[n]:
                            counts[2 + n] += 1
                            n += 1
                k += count
