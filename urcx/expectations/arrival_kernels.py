# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the search for the states that agents' games can reach.

The search is the same as in `urcx.enumerate.reach_kernels`, but with the moves that the mover's
agent may play instead of all legal moves. States are canonical views in the order by shared
pattern.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit
from urcx.engine.move_kernels import PIECES, legal_starts, lowest, popcount, successor
from urcx.enumerate.reach_kernels import (
    BATCH,
    FIELDS,
    Selected,
    choose_states,
    mark,
    rank_views,
    room_for_states,
    unrank_views,
)
from urcx.expectations.choice_kernels import played


@njit
def replies(policy, ways, rolls, views, n, same, after, result):
    """Write the successors of n states: to ``same`` with the same mover, else to ``after``.

    Add the numbers of unfinished and finished states to ``result``. Return the numbers of both
    kinds of successors.
    """
    a = 0
    b = 0
    for k in range(n):
        own, other = views[k, 0], views[k, 1]
        own_home, other_home = views[k, 2], views[k, 3]
        if own_home == ways[0, PIECES] or other_home == ways[0, PIECES]:
            result[1] += 1
            continue
        result[0] += 1
        pool = ways[0, PIECES] - popcount(own) - own_home
        passes = False
        for r in range(rolls.shape[0]):
            legal = legal_starts(ways, 0, pool, own, other, rolls[r])
            passes |= legal == 0
            left = played(policy, ways, 0, legal, rolls[r], own, own_home, other, other_home)
            while left:
                start = lowest(left)
                left &= left - 1
                mine, mine_home, theirs, theirs_home, again = successor(
                    ways, 0, own, own_home, other, other_home, start, rolls[r]
                )
                if again:
                    to, at = same, a
                    a += 1
                else:
                    to, at = after, b
                    b += 1
                to[at, 0], to[at, 1], to[at, 2], to[at, 3] = mine, theirs, mine_home, theirs_home
        if passes:
            after[b, 0], after[b, 1], after[b, 2], after[b, 3] = other, own, other_home, own_home
            b += 1
    return a, b


@njit
def expand(policy, table, ways, rolls, both_codes, words, first, last, bits, done, code, result):
    """Mark the successors of the states from ``first`` to ``last`` by a policy's moves with a code.

    `choose_states` selects the states by ``bits``. ``both_codes`` are the codes of states with the
    policy's side to move, and of states with the other side to move. ``words`` are the former.
    """
    codes, next_codes = both_codes
    ranks = np.empty(BATCH, np.int64)
    views = np.empty((BATCH, FIELDS), np.int64)
    same = np.empty((room_for_states(ways, rolls), FIELDS), np.int64)
    after = np.empty_like(same)
    targets = np.empty(same.shape[0], np.int64)
    at = first
    while at < last:
        at, n = choose_states(codes, words, at, last, Selected(0, bits, done), ranks)
        unrank_views(table, ranks, n, views)
        again, passed = replies(policy, ways, rolls, views, n, same, after, result)
        rank_views(table, same, again, targets)
        mark(codes, targets, again, code)
        rank_views(table, after, passed, targets)
        mark(next_codes, targets, passed, code)
