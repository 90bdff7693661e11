# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The kernel of `urcx.solving.layered.certificate`: it raises values to bounds."""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit
from urcx.engine.vector_kernels import (
    all_equal,
    first_lanes,
    greater,
    greatest,
    in_single,
    load,
    minus,
    plus_times,
    store_first,
)
from urcx.engine.vector_types import LANES
from urcx.solving.layered.kernels import TO_GRID


@njit
def raise_to(values, excess, change, factor, by, more, least, first, last):
    """Update the excess by which values are raised. Return the greatest absolute excess.

    Excess e becomes more + factor * e + by * change, but at least ``least``, rounded to multiples
    of `GRID` in single precision. ``change`` may be empty.
    """
    to_grid = all_equal(TO_GRID)
    bottom = all_equal(least)
    offset = all_equal(more)
    nothing = all_equal(0.0)
    greatest_yet = nothing
    for k in range(first, last, LANES):
        at = np.uint64(k)
        old = load(excess, at)
        wanted = plus_times(offset, factor, old)
        if change.shape[0] > 0:
            wanted = plus_times(wanted, by, load(change, at))
        wanted = greater(wanted, bottom)
        wanted = in_single(minus(plus_times(to_grid, 1.0, wanted), to_grid))
        total = plus_times(load(values, at), 1.0, minus(wanted, old))
        store_first(values, at, total, last - k)
        store_first(excess, at, wanted, last - k)
        wanted = first_lanes(wanted, last - k)
        greatest_yet = greater(greatest_yet, greater(wanted, minus(nothing, wanted)))
    return greatest(greatest_yet)
