# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of what agents choose in all states of a layer.

An agent's moves are found once: for every roll its equally good best moves, as a mask over the
legal moves from the least advanced piece on. Agents that consider only the shared tiles and their
own pieces have one mask per row, others one per state.
"""

from __future__ import annotations

import numpy as np

from urcx.agents.agent_kernels import FIRST, LAST, candidates
from urcx.engine.bit_kernels import highest, popcount
from urcx.engine.jit import njit
from urcx.engine.move_kernels import PIECES, legal_starts
from urcx.engine.vector_kernels import (
    all_equal,
    load,
    plus_times,
    store_first,
    where_greater,
)
from urcx.engine.vector_types import LANES


@njit
def chosen_moves(policy, ways, side, legal, roll, own, own_home, other, other_home):
    """Return the moves an agent plays, with equal probability, as a mask over the legal moves."""
    best = candidates(policy, ways, side, legal, roll, own, own_home, other, other_home)
    if policy.ties == FIRST:
        best &= -best
    elif policy.ties == LAST:
        best = np.int64(1) << highest(best)
    found = np.int64(0)
    bit = np.int64(1)
    while legal:
        if best & legal & -legal:
            found |= bit
        bit <<= 1
        legal &= legal - 1
    return found


@njit
def choose_pair(
    policy, ways, table, rolls, order, width, masks, homes, here, first_row, by_row, first, last,
    picks,
):  # fmt: skip
    """Write an agent's moves in some of a layer's patterns, ``order[first:last]``.

    ``homes`` are the mover's and the other's pieces home. Writes ``picks[roll, row]`` if
    ``by_row``, else ``picks[roll, state]``; entries with fewer than two legal moves are not
    written.
    """
    pieces = ways[0, PIECES]
    for t in range(first, last):
        pattern = order[t]
        light = table.lane[0, pattern]
        dark = table.lane[1, pattern]
        rows = width[pieces - homes[0] - popcount(light)]
        columns = width[pieces - homes[1] - popcount(dark)]
        for a in range(rows):
            own = light | table.own_steps[0, masks[rows - 1 - a]]
            pool = pieces - popcount(own) - homes[0]
            at = here[pattern] + a * columns
            for r in range(rolls.shape[0]):
                legal = legal_starts(ways, 0, pool, own, dark, rolls[r])
                if legal & (legal - 1) == 0:
                    continue
                if by_row:
                    picks[r, first_row[t] + a] = chosen_moves(
                        policy, ways, 0, legal, rolls[r], own, homes[0], dark, homes[1]
                    )
                    continue
                for c in range(columns):
                    other = dark | table.own_steps[1, masks[columns - 1 - c]]
                    picks[r, at + c] = chosen_moves(
                        policy, ways, 0, legal, rolls[r], own, homes[0], other, homes[1]
                    )


@njit
def choose_by_values(
    values, rows, columns, begin, first_row, first_op, ops, rolls, ties, stride, first, last, picks,
):  # fmt: skip
    """Write the moves with the greatest values in some of a layer's patterns.

    ``values`` have the layout of `urcx.solving.layered.kernels`, to which ``ops`` refer. The masks
    of roll r begin at ``r * stride`` of ``picks``; entries with fewer than two legal moves are not
    written.
    """
    nothing = all_equal(0.0)
    for t in range(first, last):
        height = np.int64(rows[t])
        width = np.int64(columns[t])
        for a in range(height):
            k = np.uint64(first_op[first_row[t] + a])
            for r in range(rolls):
                count = np.uint64(ops[k])
                if count > np.uint64(1):
                    place = np.uint64(r * stride + begin[t] + a * width)
                    for column in range(0, width, LANES):
                        c = np.uint64(column)
                        best = all_equal(-np.inf)
                        found = nothing
                        for m in range(count):
                            move = count - np.uint64(1) - m if ties == LAST else m
                            bit = all_equal(np.float64(np.int64(1) << np.int64(move)))
                            value = load(values, np.uint64(ops[k + np.uint64(1) + move]) + c)
                            if ties in (FIRST, LAST):
                                found = where_greater(value, best, bit, found)
                            else:
                                more = plus_times(found, 1.0, bit)
                                equal = where_greater(best, value, found, more)
                                found = where_greater(value, best, bit, equal)
                            best = where_greater(value, best, value, best)
                        store_first(picks, place + c, found, width - column)
                k += np.uint64(1) + count


@njit
def all_chosen(rows, columns, begin, first_row, rolls, stride, picks, first, last, out):
    """Write the moves chosen in any state of a row, as a mask, to ``out[roll, row]``."""
    for t in range(first, last):
        for a in range(rows[t]):
            for r in range(rolls):
                at = r * stride + begin[t] + a * columns[t]
                found = np.int64(0)
                for c in range(columns[t]):
                    found |= np.int64(picks[at + c])
                out[r, first_row[t] + a] = found
