"""Kernels of exact expectations: how often each state is visited, and what happens there.

Visits flow forward from the start. Two arrays, laid out as `urcx.solving.layered.kernels` has it,
hold for each side the probability that waits in each state with that side to move, from that side's
view; `push` sends what waits on to where the side's moves lead, which lies row by row at the same
columns. Columns therefore never meet, and threads can each take some of them.

What an agent would play is found once: for every roll the moves it is indifferent between, as a
mask over the legal moves from the least advanced piece on. Agents that look only at what stands on
shared tiles and at their own pieces have one mask a row, others one a state.
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

# What is added up for a side, besides plies by roll and number of legal moves.
AGAIN, CAPTURES, LANDED, LOG_PICKS, LOSS, MISTAKES, N_SUMS = range(7)


@njit
def chosen(policy, ways, side, legal, roll, own, own_home, other, other_home):
    """Return the moves that an agent would play, each as likely, as a mask over the legal moves."""
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
    """Write what an agent would play in some of a layer's patterns, ``order[first:last]``.

    ``homes`` are the mover's and the other's pieces home. ``picks[roll, row]`` is written if
    ``by_row``, else ``picks[roll, state]``; what has less than two legal moves is left as it is.
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
    """Take what waits in ``n`` states that lie side by side, if in one of them more than ``least``.

    Returns it, and whether there is anything to send on.
    """
    waiting = first_lanes(load(flow, here), n)
    if greatest(waiting) <= least:
        return waiting, False
    store_first(flow, here, all_equal(0.0), n)
    store_first(visits, here, plus_times(waiting, 1.0, load(visits, here)), n)
    return waiting, True


@inlined
def send(flow, waiting, column, n, k, ops, chance, share, picks, row):
    """Send on what waits in ``n`` columns of a row from ``column`` on, where they play alike."""
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
    """As `send`, where each state has moves of its own; ``state`` is the first of them.

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
        # States past the last of the row may have more moves than it.
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
    """Send on what waits in a layer's states of some columns.

    Columns count from the last, ``first_column`` to ``last_column``: so a move leads to a state of
    the same column, be it a capture or not, and threads with other columns do not meet.
    ``frees`` are the mover's and the other's pieces not home; ``at`` is where the layer's V begins
    in ``flow``, whose parts the program's ``ops`` mean; ``share[n]`` is 1 / n. Where no more than
    ``least`` waits it is left. What is sent on is added to ``visits``. Patterns come in falling
    order in ``order``, and are taken from the end, as are their rows: what rolls again waits
    further on, and is sent on at once. ``flow`` and ``visits``, and ``picks`` if not ``by_row``,
    must have `LANES` values more than are meant.
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
    """Let the other side take what waits in the states where it is to move: U becomes its V.

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
    """Add up what happens in some of a layer's patterns, by how often each state is visited.

    ``by_choices[roll, k]`` gets the plies with k legal moves, ``sums`` what its constants name;
    ``logs[k]`` is log10 k.
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
    """Add a move's weight to what it does: rolls again, captures, lands on a rosette."""
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
    """Add up by how much the moves of some of a layer's patterns fall short of the best.

    ``values`` are laid out as what ``ops`` mean, on the scale from -1 to 1. Moves whose values
    differ by no more than ``equal`` count as no mistake.
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
