# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the search for reachable states: a breadth-first search over ranks.

Every state has a byte, indexed by its rank: 0 before it is reached, `DONE`, or the code of a
frontier. Threads write single bytes. Two threads that write the same byte at the same time write
the same value.

A view is a row of five numbers: the mover's steps, the other side's steps, the pieces home of both,
and the side to move, which is 0 for canonical views. Kernels are compiled for each order of the
states. The table of the order by shared pattern is a named tuple, the table of the order by tiles
an array.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from urcx.engine.jit import njit
from urcx.engine.move_kernels import (
    GRANTING,
    PIECES,
    legal_starts,
    lowest,
    popcount,
    successor,
)
from urcx.enumerate.rankings import tile_kernels
from urcx.enumerate.rankings.pattern_kernels import diagram_of, pattern_of, rank_of

# Codes of states. A reached state is `DONE` or in one of two frontiers, which alternate.
DONE = 1
FRONTIERS = (2, 4)
LED = 8  # not reached, but a successor of an unreached state
UNUSED = 128  # no state has this bit, so flipping and testing it selects every state
BATCH = 512  # states that pass through the stages of a search together
FIELDS = 5
EXAMPLES = 3


class Searched(NamedTuple):
    """The states to search: the order's table, the moves, and the codes by rank.

    ``turned`` is True for canonical views. ``words`` are the codes in groups of eight.
    """

    table: Any
    turned: bool
    ways: NDArray[np.int64]
    rolls: NDArray[np.int64]
    codes: NDArray[np.uint8]
    words: NDArray[np.uint64]


class Selected(NamedTuple):
    """States whose code, xor ``flip``, has one of ``bits``.

    ``done`` is their next code. With 0 the code is unchanged.
    """

    flip: int
    bits: int
    done: int


@njit
def choose_states(codes, words, at, last, selected, ranks):
    """Collect at most a batch of `Selected` states, from rank ``at`` on, a multiple of 8.

    Return the rank to continue from, and the number of states collected.
    """
    flip, bits, done = selected
    ones = np.uint64(0x0101010101010101)
    flips, tests = ones * np.uint64(flip), ones * np.uint64(bits)
    n = 0
    while at < last and n + 8 <= BATCH:
        if (words[at >> 3] ^ flips) & tests:
            for rank in range(at, min(at + 8, last)):
                if (codes[rank] ^ flip) & bits:
                    ranks[n] = rank
                    n += 1
                    if done:
                        codes[rank] = done
        at += 8
    return min(at, last), n


@njit
def _successors(ways, rolls, turned, views, n, after, result):
    """Write the successors of n states to ``after``. Finished states have no successors.

    Add the numbers of unfinished and finished states to ``result``. Return the number of
    successors.
    """
    m = 0
    for k in range(n):
        own, other = views[k, 0], views[k, 1]
        own_home, other_home = views[k, 2], views[k, 3]
        side = views[k, 4]
        if own_home == ways[side, PIECES] or other_home == ways[1 - side, PIECES]:
            result[1] += 1
            continue
        result[0] += 1
        next_side = side if turned else 1 - side
        pool = ways[side, PIECES] - popcount(own) - own_home
        passes = False
        for r in range(rolls.shape[0]):
            left = legal_starts(ways, side, pool, own, other, rolls[r])
            passes |= left == 0
            while left:
                start = lowest(left)
                left &= left - 1
                after[m, 0], after[m, 2], after[m, 1], after[m, 3], again = successor(
                    ways, side, own, own_home, other, other_home, start, rolls[r]
                )
                after[m, 4] = side if again else next_side
                m += 1
        if passes:
            after[m, 0], after[m, 1], after[m, 2] = other, own, other_home
            after[m, 3], after[m, 4] = own_home, next_side
            m += 1
    return m


@njit
def mark(codes, ranks, n, code):
    """Give a code to the states among n that have no code."""
    for k in range(n):
        if codes[ranks[k]] == 0:
            codes[ranks[k]] = code


@njit
def keep(ways, views, ranks, n, count, examples):
    """Store the first unfinished states as examples, after ``count`` earlier examples."""
    for k in range(n):
        if count >= EXAMPLES:
            return
        side = views[k, 4]
        if views[k, 2] < ways[side, PIECES] and views[k, 3] < ways[1 - side, PIECES]:
            examples[count] = ranks[k]
            count += 1


def _unrank_patterns(table, ranks, n, views):
    if n == 0:
        return
    patterns = table.offset.shape[0]
    pattern = pattern_of(table, ranks[0])
    for k in range(n):
        while pattern + 1 < patterns and table.offset[pattern + 1] <= ranks[k]:
            pattern += 1
        own, own_home, other, other_home = diagram_of(table, pattern, ranks[k])
        views[k, 0], views[k, 1], views[k, 2] = own, other, own_home
        views[k, 3], views[k, 4] = other_home, 0


def _rank_patterns(table, views, n, ranks):
    for k in range(n):
        ranks[k] = rank_of(table, views[k, 0], views[k, 2], views[k, 1], views[k, 3])


def _unrank_tiles(table, ranks, n, views):
    for k in range(n):
        own, own_home, other, other_home, side = tile_kernels.view_of(table, ranks[k])
        views[k, 0], views[k, 1], views[k, 2] = own, other, own_home
        views[k, 3], views[k, 4] = other_home, side


def _rank_tiles(table, views, n, ranks):
    for k in range(n):
        ranks[k] = tile_kernels.state_of(
            table, views[k, 0], views[k, 2], views[k, 1], views[k, 3], views[k, 4]
        )


def unrank_views(table: Any, ranks: Any, n: Any, views: Any) -> None:
    """Write the views of n ascending ranks in the order of a table."""
    (_unrank_patterns if isinstance(table, tuple) else _unrank_tiles)(table, ranks, n, views)


@overload(unrank_views)
def _compiled_unranking(table, ranks, n, views):
    return _unrank_patterns if isinstance(table, types.BaseTuple) else _unrank_tiles


def rank_views(table: Any, views: Any, n: Any, ranks: Any) -> None:
    """Write the ranks of n states in the order of a table."""
    (_rank_patterns if isinstance(table, tuple) else _rank_tiles)(table, views, n, ranks)


@overload(rank_views)
def _compiled_ranking(table, views, n, ranks):
    return _rank_patterns if isinstance(table, types.BaseTuple) else _rank_tiles


@njit
def room_for_states(ways, rolls):
    """Return the greatest number of successors of a batch."""
    return BATCH * (rolls.shape[0] * (ways[0, PIECES] + 1) + 1)


@njit
def expand_states(search, selected, code, first, last, result, examples):
    """Give a code to the successors of the selected states from ``first`` to ``last``.

    ``result`` counts the unfinished and the finished states among the selected states, and
    ``examples`` are the first unfinished states.
    """
    ways, rolls, codes = search.ways, search.rolls, search.codes
    ranks = np.empty(BATCH, np.int64)
    views = np.empty((BATCH, FIELDS), np.int64)
    after = np.empty((room_for_states(ways, rolls), FIELDS), np.int64)
    targets = np.empty(after.shape[0], np.int64)
    at = first
    while at < last:
        at, n = choose_states(codes, search.words, at, last, selected, ranks)
        unrank_views(search.table, ranks, n, views)
        keep(ways, views, ranks, n, result[0], examples)
        m = _successors(ways, rolls, search.turned, views, n, after, result)
        rank_views(search.table, after, m, targets)
        mark(codes, targets, m, code)


@njit
def kind(ways, side, own, other):
    """Return the kind of a state, in the order of `urcx.enumerate.reach.KINDS`."""
    theirs = np.int64(other & ~ways[1 - side, GRANTING] == 0) + np.int64(other == 0)
    return theirs + 3 * np.int64(own & ways[side, GRANTING] != 0)


@njit
def _tally(ways, codes, views, ranks, n, by_home, by_kind, examples):
    """Count unfinished states: all, unreached states, and unreached states without predecessor."""
    for k in range(n):
        own, other, own_home, other_home = views[k, 0], views[k, 1], views[k, 2], views[k, 3]
        side = views[k, 4]
        if own_home == ways[side, PIECES] or other_home == ways[1 - side, PIECES]:
            continue
        code = codes[ranks[k]]
        which = kind(ways, side, own, other)
        missing = np.int64(code & DONE == 0)
        orphan = np.int64(code == 0)
        total = by_kind[:, 1].sum()
        if missing and total < EXAMPLES:
            examples[total] = ranks[k]
        by_kind[which, 0] += 1
        by_kind[which, 1] += missing
        by_kind[which, 2] += orphan
        by_home[own_home, other_home, 0] += 1
        by_home[own_home, other_home, 1] += missing
        by_home[own_home, other_home, 2] += orphan


@njit
def survey_states(search, first, last, by_home, by_kind, examples):
    """Count states from ``first`` to ``last`` as `_tally` does. Codes are 0, `DONE` or `LED`."""
    ranks = np.empty(BATCH, np.int64)
    views = np.empty((BATCH, FIELDS), np.int64)
    everything = Selected(UNUSED, UNUSED, 0)
    at = first
    while at < last:
        at, n = choose_states(search.codes, search.words, at, last, everything, ranks)
        unrank_views(search.table, ranks, n, views)
        _tally(search.ways, search.codes, views, ranks, n, by_home, by_kind, examples)
