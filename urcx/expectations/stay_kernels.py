# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The kernel of how many plies games stay in a pair of layers: v = plies + Pv, swept in place."""

from __future__ import annotations

from urcx.engine.jit import lean
from urcx.engine.vector_kernels import all_equal, greater, greatest
from urcx.sweeps.sweep_kernels import sweep_pattern


@lean
def stay(values, rows, operators, alike, tile, first, last):
    """Renew the values of some sites once, the last sites first; return the largest change.

    ``values``, ``rows`` and `urcx.sweeps.sweep_kernels.PolicyMean` are those of each side, in its
    view; a site has a pattern of either. If both sides play ``alike``, their values are the same,
    and so are a pattern that is its own mirror and its site. ``tile`` is that of `sweep_rows`.
    """
    moved = (all_equal(0.0), all_equal(0.0))
    no_change = values[0][:0]
    for t in range(last - 1, first - 1, -1):
        mirror = alike and rows[0].begin[t] == rows[1].begin[t]
        for side in range(1 if mirror else 2):
            moved = sweep_pattern(
                values[side], values[1 - side], rows[side], operators[side], tile, no_change, True,
                t, moved,
            )  # fmt: skip
    return greatest(greater(moved[0], moved[1]))
