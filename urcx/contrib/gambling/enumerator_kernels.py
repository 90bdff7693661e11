# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernel of the enumerator for labelled pieces: depth-first search over the pieces' places."""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit


@njit
def _visit(places, numbers, first, taken, chosen, stack):
    """Return the number of ways to place the pieces from ``first`` on, at most one per tile.

    ``places[k, :numbers[k]]`` are the bits of the tiles where piece k may be, 0 for places without
    a limit (pool and home). ``taken`` is a mask of the tiles of the pieces before ``first``.
    ``chosen`` and ``stack`` are scratch space with an entry for each piece: the next place to try,
    and the tiles taken before it.
    """
    last = numbers.shape[0] - 1
    total = np.int64(0)
    depth = first
    chosen[depth] = 0
    stack[depth] = taken
    while True:
        before = stack[depth]
        if depth == last:
            for k in range(numbers[depth]):
                # Every configuration is visited, and counts if the tile of its last piece is free.
                total += np.int64((before & places[depth, k]) == 0)
        elif chosen[depth] < numbers[depth]:
            bit = places[depth, chosen[depth]]
            chosen[depth] += 1
            if before & bit == 0:
                depth += 1
                chosen[depth] = 0
                stack[depth] = before | bit
            continue
        if depth == first:
            return total
        depth -= 1


@njit
def visit_all(places, numbers, first, starts, chosen, stack):
    """Return the sum of `_visit` over masks of the tiles taken by the pieces before ``first``."""
    total = np.int64(0)
    for taken in starts:
        total += _visit(places, numbers, first, taken, chosen, stack)
    return total
