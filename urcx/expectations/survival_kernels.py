# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for the probability that games go on (`urcx.expectations.lengths`), row by row.

All layers are in one array, from the start of the game to its end. For each pair, the array has V
of both layers, with the layer's mover to move. U follows, the same states turned, with the other
side to move. A pair's reads count from the beginning of the pair, so later pairs are at higher
indices.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit
from urcx.engine.vector_kernels import all_equal, minus, store_first
from urcx.engine.vector_types import LANES
from urcx.sweeps.number_kernels import turn_floats
from urcx.sweeps.sweep_kernels import renewed


@njit
def relocate(ops, starts, rolls, ends, shifts, first, last):
    """Shift the reads of some rows: reads below ``ends[k]`` by ``shifts[k]``."""
    for row in range(first, last):
        at = starts[row]
        for _ in range(rolls):
            count = np.int64(ops[at])
            for m in range(at + 1, at + 1 + count):
                k = 0
                while np.int64(ops[m]) >= ends[k]:
                    k += 1
                ops[m] = np.int64(ops[m]) + shifts[k]
            at += 1 + count


@njit
def go_on(values, rows, operator, out, first, last):
    """Write minus the probability that games go on for one more ply, from V of some patterns.

    ``operator`` computes it from ``values``. ``out`` has the places of the pair.
    """
    for t in range(first, last):
        width = np.int64(rows.columns[t])
        start = np.uint64(rows.first_op[t])
        place = np.uint64(rows.begin[t])
        end = start
        for a in range(rows.rows[t]):
            for column in range(0, width, LANES):
                c = np.uint64(column)
                where = (rows.first_row[t] + a, place + c, c, width - column)
                total, end = renewed(operator, values, rows, where, start)
                store_first(out, place + c, minus(all_equal(0.0), total), width - column)
            start = end
            place += np.uint64(width)


@njit
def hand_over(result, rows, values, mirror, first, last):
    """Write the result of `go_on` for some patterns to V of their pair, and to U in ``mirror``.

    ``result`` has room for `LANES` rows more.
    """
    for t in range(first, last):
        height = np.int64(rows.rows[t])
        width = np.int64(rows.columns[t])
        begin = rows.begin[t]
        for k in range(begin, begin + height * width):
            values[k] = -result[k]
        turn_floats(result, begin, width, height, width, rows.turned[t], mirror)  # it negates
