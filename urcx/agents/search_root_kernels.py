# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the tree search at its root: the best moves of a roll, and the values of all moves.

`urcx.agents.search_kernels` searches the positions after a move.
"""

from __future__ import annotations

import numpy as np

from urcx.agents.leaf_kernels import leaf_of, steps_met
from urcx.agents.search_kernels import first_to_try, make, search
from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import GRANTING, PIECES, legal_starts, lowest, popcount


@inlined
def root_of(ways, plan, place, roll):
    """Return the legal starts for a roll, and the position with its leaf value.

    The side is 0 if both have the same rules.
    """
    own, other, own_home, other_home, side = place
    side = 0 if plan.terms.turned else side
    pool = ways[side, PIECES] - popcount(own) - own_home
    starts = legal_starts(ways, side, pool, own, other, roll)
    leaf = leaf_of(ways, side, plan.terms, own, other, own_home, other_home)
    return starts, (own, other, own_home, other_home, side, leaf)


@lean
def _after_move(ways, plan, memory, root, start, roll, alpha, beta):
    """Return the value of a move to the mover, or a bound of it, like `search`."""
    own, other, own_home, other_home, side, leaf = root
    k = plan.scales.shape[0] - 1
    own, other, home, again, leaf = make(
        ways, side, plan.terms, own, other, own_home, leaf, start, start + roll
    )
    if home == ways[0, PIECES]:
        return plan.terms.won * plan.scales[k]
    if k == 0:
        return np.int64(leaf)
    if again:
        place = (own, other, home, other_home, side, leaf)
        return search(ways, plan, memory, place, k, alpha, beta)
    turn = side if plan.terms.turned else 1 - side
    place = (other, own, other_home, home, turn, -leaf)
    return -search(ways, plan, memory, place, k, -beta, -alpha)


@lean
def best(ways, plan, memory, place, roll):
    """Return all best moves for a roll: bit s for start s.

    A single legal move is returned without a search, and 0 if there is none. A ``place`` is (own,
    other, own_home, other_home, side). ``own`` holds the pieces of the player to move, whose path
    is ``ways[side]``.
    """
    result, root = root_of(ways, plan, place, roll)
    other = root[1]
    if result & (result - 1) == 0:
        return result
    turn = root[4]
    takes, grants = steps_met(ways, 1 - turn, other), np.int64(ways[turn, GRANTING]) << 1
    edge = plan.terms.bound * plan.scales[-1] + 1
    most = -edge
    chosen = np.int64(0)
    ends = result << roll
    while ends:
        end = first_to_try(ends, takes, grants)
        ends &= ~(np.int64(1) << end)
        start = end - roll
        # The window does not cut off a move as good as the best, so no tie is missed.
        value = _after_move(ways, plan, memory, root, start, roll, most - 1, edge)
        if value > most:
            most = value
            chosen = np.int64(0)
        if value == most:
            chosen |= np.int64(1) << start
    return chosen


@lean
def values(ways, plan, memory, place, roll, out):
    """Return a mask of the legal moves for a roll, and write each value to the mover to ``out``.

    Bit s and ``out[s]`` belong to start s. Values are multiplied by the last of ``scales``. ``out``
    has an entry for each step and the pool.
    """
    result, root = root_of(ways, plan, place, roll)
    edge = plan.terms.bound * plan.scales[-1] + 1
    left = result
    while left:
        start = lowest(left)
        left &= left - 1
        out[start] = _after_move(ways, plan, memory, root, start, roll, -edge, edge)
    return result
