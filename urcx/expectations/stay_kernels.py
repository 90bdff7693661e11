# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of how many plies games stay in a pair of layers: v = plies + Pv, by sweeps in place.

``values`` have the layout of `urcx.solving.layered.kernels`, once for each side to move, in its
view; what leads out of the pair has the value 0.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import njit
from urcx.engine.mask_kernels import having, shared_out
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
)
from urcx.engine.vector_types import LANES


@njit
def stay(values, parts, states, sites, picks, row_op, ops, chance, plies, tile, first, last):
    """Renew the values of some sites once, the last sites first; return the largest change.

    ``parts`` is where each side's values begin, ``states`` the number of states of both layers.
    The reads of row ``g`` begin at ``row_op[g]`` of ``ops``; ``sites`` and ``picks`` are those of
    `urcx.expectations.visit_kernels`. ``tile`` is scratch space as in
    `urcx.solving.layered.kernels.turn`.
    """
    nothing = all_equal(0.0)
    moved = nothing
    for t in range(last - 1, first - 1, -1):
        mirror = parts[0] + sites.begin[0, t] == parts[1] + sites.begin[1, t]
        for side in range(1 if mirror else 2):
            height = np.int64(sites.columns[t] if side else sites.rows[t])
            width = np.int64(sites.rows[t] if side else sites.columns[t])
            padded = (width + LANES - 1) // LANES * LANES
            for a in range(height):
                row = sites.own[side, t] + a
                begin = sites.begin[side, t] + a * width
                for column in range(0, width, LANES):
                    total = all_equal(plies)
                    k = row_op[row]
                    at = np.uint64(picks.at_masks[side] + LANES + begin + column)
                    for r in range(chance.shape[0]):
                        count = np.int64(ops[k])
                        left = np.int64(picks.any_of[side, r, row]) if count > 1 else np.int64(1)
                        alike = picks.by_row[side] or left & (left - 1) == 0
                        part = chance[r] / popcount(left) if alike else chance[r]
                        place = at + np.uint64(r * picks.stride)
                        while left:
                            move = lowest(left)
                            left &= left - 1
                            to = parts[side] + np.int64(ops[k + 1 + move]) + column
                            found = load(values, np.uint64(to))
                            if not alike:
                                if picks.shared[side]:
                                    found = shared_out(found, picks.masks, place)
                                found = having(found, picks.masks, place, np.int64(1) << move)
                            total = plus_times(total, part, found)
                        k += 1 + count
                    here = np.uint64(parts[side] + begin + column)
                    by = first_lanes(minus(total, load(values, here)), width - column)
                    moved = greater(moved, greater(by, minus(nothing, by)))
                    store(tile, np.uint64(a * padded + column), minus(nothing, total))
                    store_first(values, here, total, width - column)
            turned = parts[1 - side] + states + sites.begin[1 - side, t]
            for column in range(0, width, LANES):
                for a in range(0, height, LANES):
                    turn_block(
                        tile, np.uint64(a * padded + column), padded,
                        values, np.uint64(turned + column * height + a), height,
                        height - a, width - column,
                    )  # fmt: skip
    return greatest(moved)
