"""Kernels of exact expectations: expected visit counts of states, and sums weighted by them.

Probability is propagated forward from the start. Two arrays with the layout of
`urcx.solving.layered.kernels` hold, for each side, the pending probability of the states with that
side to move, from that side's view; `push` passes it on to the successors, which are row by row in
the same columns. Columns are therefore independent, and threads can each take some of them.

An agent's moves are computed once: for every roll its equally good best moves, as a mask over the
legal moves from the least advanced piece on. Agents that consider only the shared tiles and their
own pieces have one mask per row, others one per state.
"""

from __future__ import annotations

import numpy as np

from urcx.agents.agent_kernels import FIRST, LAST, candidates
from urcx.engine.bit_kernels import highest, lowest, popcount
from urcx.engine.jit import inlined, njit
from urcx.engine.move_kernels import LENGTH, PIECES, ROSETTES, legal_starts, make_move
from urcx.engine.vector_kernels import (
    LANES,
    all_equal,
    any_of,
    first_lanes,
    greatest,
    having,
    load,
    plus_times,
    shared_out,
    store_first,
)
from urcx.enumerate.rankings.pattern_kernels import pattern_part, spread_of

# The sums of a side, besides plies by roll and number of legal moves.
AGAIN, CAPTURES, LANDED, LOG_PICKS, LOSS, MISTAKES, N_SUMS = range(7)


@njit
def chosen(policy, ways, side, legal, roll, own, own_home, other, other_home):
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
def choose(
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
                    picks[r, first_row[t] + a] = chosen(
                        policy, ways, 0, legal, rolls[r], own, homes[0], dark, homes[1]
                    )
                    continue
                for c in range(columns):
                    other = dark | table.own_steps[1, masks[columns - 1 - c]]
                    picks[r, at + c] = chosen(
                        policy, ways, 0, legal, rolls[r], own, homes[0], other, homes[1]
                    )


@inlined
def taken(flow, visits, here, n, least):
    """Take the pending probability of ``n`` adjacent states, if any has more than ``least``.

    Returns it, and whether there is anything to pass on.
    """
    waiting = first_lanes(load(flow, here), n)
    if greatest(waiting) <= least:
        return waiting, False
    store_first(flow, here, all_equal(0.0), n)
    store_first(visits, here, plus_times(waiting, 1.0, load(visits, here)), n)
    return waiting, True


@inlined
def send(flow, waiting, column, n, k, ops, chance, share, picks, row):
    """Pass on the probability of ``n`` columns of a row from ``column`` on, with common moves."""
    for r in range(chance.shape[0]):
        count = np.uint64(ops[k])
        k += np.uint64(1)
        left = np.int64(picks[r, row]) if count > np.uint64(1) else np.int64(1)
        weight = chance[r] * share[popcount(left)]
        while left:
            to = np.uint64(ops[k + np.uint64(lowest(left))]) + np.uint64(column)
            left &= left - 1
            store_first(flow, to, plus_times(load(flow, to), weight, waiting), n)
        k += count


@inlined
def send_each(flow, waiting, column, n, k, ops, chance, picks, state):
    """As `send`, but each state has its own moves; ``state`` is the first of them.

    ``waiting`` is 0 past ``n``.
    """
    for r in range(chance.shape[0]):
        count = np.uint64(ops[k])
        k += np.uint64(1)
        part = plus_times(all_equal(0.0), chance[r], waiting)
        if count == np.uint64(1):
            to = np.uint64(ops[k]) + np.uint64(column)
            store_first(flow, to, plus_times(load(flow, to), 1.0, part), n)
            k += count
            continue
        masks = picks[r]
        part = shared_out(part, masks, state)
        # States beyond the end of the row may have more moves.
        left = any_of(masks, state) & ((np.int64(1) << np.int64(count)) - 1)
        while left:
            bit = left & -left
            left ^= bit
            to = np.uint64(ops[k + np.uint64(lowest(bit))]) + np.uint64(column)
            mine = having(part, masks, state, bit)
            store_first(flow, to, plus_times(load(flow, to), 1.0, mine), n)
        k += count


@njit
def push(
    table, order, width, frees, here, first_row, first_op, ops, chance, share, picks, by_row,
    least, at, first_column, last_column, flow, visits,
):  # fmt: skip
    """Pass on the pending probability of a layer's states in some columns.

    Columns ``first_column`` to ``last_column`` are counted from the last: then a move, capture or
    not, leads to a state of the same column, and threads with different columns do not interfere.
    ``frees`` are the mover's and the other's pieces not home; ``at`` is the offset of the layer's V
    in ``flow``, to which the program's ``ops`` refer; ``share[n]`` is 1 / n. Probabilities up to
    ``least`` stay pending. What is passed on is added to ``visits``. Patterns are in descending
    order in ``order`` and are taken from the end, as are their rows: the states after extra rolls
    come later, and are passed on in the same call. ``flow`` and ``visits``, and ``picks`` if not
    ``by_row``, need `LANES` values more at their end.
    """
    for t in range(order.shape[0] - 1, -1, -1):
        pattern = order[t]
        rows = width[frees[0] - popcount(table.lane[0, pattern])]
        columns = width[frees[1] - popcount(table.lane[1, pattern])]
        begin = max(columns - last_column, 0)
        end = columns - first_column
        for a in range(rows - 1, -1, -1):
            state = here[pattern] + a * columns
            row = np.uint64(first_row[t] + a)
            k = np.uint64(first_op[row])
            for column in range(begin, end, LANES):
                n = min(end - column, LANES)
                waiting, some = taken(flow, visits, np.uint64(at + state + column), n, least)
                if some and by_row:
                    send(flow, waiting, column, n, k, ops, chance, share, picks, row)
                elif some:
                    place = np.uint64(state + column)
                    send_each(flow, waiting, column, n, k, ops, chance, picks, place)


@njit
def hand_over(table, width, frees, here, there, order, first, last, source, out):
    """Hand pending probability over to the other side, which is to move: U becomes its V.

    ``source`` is U of a layer (i, j), whose offsets are ``here`` and whose mover and other have
    ``frees`` pieces not home; ``out`` is V of the layer (j, i), with the offsets ``there``.
    """
    for t in range(first, last):
        pattern = order[t]
        light = table.lane[0, pattern]
        dark = table.lane[1, pattern]
        rows = width[frees[0] - popcount(light)]
        columns = width[frees[1] - popcount(dark)]
        at = here[pattern]
        turned = there[
            pattern_part(spread_of(table, 0, dark)) + pattern_part(spread_of(table, 1, light))
        ]
        for a in range(rows):
            for c in range(columns):
                out[turned + c * rows + a] += source[at + a * columns + c]
                source[at + a * columns + c] = 0.0


@njit
def account(
    ways, table, rolls, order, width, masks, homes, here, first_row, chance, picks, by_row, logs,
    at, visits, first, last, by_choices, sums,
):  # fmt: skip
    """Add up the counts of some of a layer's patterns, weighted by expected visit counts.

    ``by_choices[roll, k]`` receives the plies with k legal moves, ``sums`` the sums named by the
    constants; ``logs[k]`` is log10 k.
    """
    pieces = ways[0, PIECES]
    weights = np.empty(ways[0, LENGTH] + 1)
    for t in range(first, last):
        pattern = order[t]
        light = table.lane[0, pattern]
        dark = table.lane[1, pattern]
        rows = width[pieces - homes[0] - popcount(light)]
        columns = width[pieces - homes[1] - popcount(dark)]
        for a in range(rows):
            state = here[pattern] + a * columns
            total = 0.0
            for c in range(columns):
                total += visits[at + state + c]
            if total == 0.0:
                continue
            own = light | table.own_steps[0, masks[rows - 1 - a]]
            pool = pieces - popcount(own) - homes[0]
            for r in range(rolls.shape[0]):
                legal = legal_starts(ways, 0, pool, own, dark, rolls[r])
                count = popcount(legal)
                by_choices[r, count] += chance[r] * total
                weights[:count] = 0.0
                if count == 1:
                    weights[0] = total
                elif count > 1 and by_row:
                    left = np.int64(picks[r, first_row[t] + a])
                    sums[LOG_PICKS] += chance[r] * total * logs[popcount(left)]
                    share = total / popcount(left)
                    while left:
                        weights[lowest(left)] += share
                        left &= left - 1
                elif count > 1:
                    for c in range(columns):
                        left = np.int64(picks[r, state + c])
                        visited = visits[at + state + c]
                        sums[LOG_PICKS] += chance[r] * visited * logs[popcount(left)]
                        share = visited / popcount(left)
                        while left:
                            weights[lowest(left)] += share
                            left &= left - 1
                k = 0
                while legal:
                    start = lowest(legal)
                    legal &= legal - 1
                    weigh(
                        ways, 0, own, dark, homes[0], start, start + rolls[r],
                        chance[r] * weights[k], sums,
                    )  # fmt: skip
                    k += 1


@inlined
def weigh(ways, side, own, other, home, start, end, weight, sums):
    """Add a move's weight to its effects: extra roll, capture, landing on a rosette."""
    _, theirs, _, again = make_move(ways, side, own, other, home, start, end)
    if again:
        sums[AGAIN] += weight
    if theirs != other:
        sums[CAPTURES] += weight
    if end <= ways[side, LENGTH] and (ways[side, ROSETTES] >> (end - 1)) & 1:
        sums[LANDED] += weight


@njit
def regret(
    table, order, width, frees, here, first_row, first_op, ops, chance, picks, by_row, equal, at,
    values, visits, first, last, sums,
):  # fmt: skip
    """Add up the regret of the moves in some of a layer's patterns.

    ``values`` have the layout to which ``ops`` refer, on the scale from -1 to 1. A move whose value
    is within ``equal`` of the best is not a mistake.
    """
    for t in range(first, last):
        pattern = order[t]
        rows = width[frees[0] - popcount(table.lane[0, pattern])]
        columns = width[frees[1] - popcount(table.lane[1, pattern])]
        for a in range(rows):
            state = here[pattern] + a * columns
            k = first_op[first_row[t] + a]
            for r in range(chance.shape[0]):
                count = np.int64(ops[k])
                k += 1
                if count > 1:
                    for c in range(columns):
                        visited = visits[at + state + c]
                        if visited == 0.0:
                            continue
                        best = values[np.int64(ops[k]) + c]
                        for m in range(1, count):
                            best = max(best, values[np.int64(ops[k + m]) + c])
                        if by_row:
                            left = np.int64(picks[r, first_row[t] + a])
                        else:
                            left = np.int64(picks[r, state + c])
                        weight = chance[r] * visited / popcount(left)
                        while left:
                            loss = best - values[np.int64(ops[k + lowest(left)]) + c]
                            sums[LOSS] += weight * loss
                            if loss > equal:
                                sums[MISTAKES] += weight
                            left &= left - 1
                k += count
