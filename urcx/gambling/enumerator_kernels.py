"""Kernel of the enumerator of labelled pieces: a depth-first search over where each piece is."""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit


@njit
def visit(places, numbers, first, taken, chosen, stack):
    """Return how many ways there are to put the pieces ``first`` and after, one a tile.

    ``places[k, :numbers[k]]`` are the bits of the tiles where piece k may be, 0 for each place
    that takes any number (pool and home); ``taken`` are the tiles of the pieces before ``first``.
    ``chosen`` and ``stack`` are scratch of an entry a piece: the next place to try, and the tiles
    taken before that.
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
                # Each diagram is looked at, and counted if its last piece's tile is free.
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
    """Return the sum of `visit` over several sets of tiles taken by the pieces before ``first``."""
    total = np.int64(0)
    for taken in starts:
        total += visit(places, numbers, first, taken, chosen, stack)
    return total
