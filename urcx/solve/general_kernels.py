"""Kernels of the solver for every path, on the order by tiles: a state at a time.

A state's index is its rank among diagrams where both sides are alike, light being the player to
move; elsewhere it is twice the rank, plus one if dark is to move. What a state leads to is found
once: for each roll the number of moves and, for each, twice the index of the state after it, plus
one if the turn has passed, so that its value counts with the other sign. `WON` stands for a won
game.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import njit
from urcx.engine.move_kernels import PIECES, legal_starts, make_move

WON = -1


@njit
def rank_of(ways_left, first, steps, light, light_home, dark, dark_home):
    """Return a diagram's rank in the order by tiles (see `urcx.enumerate.ranking`).

    ``ways_left[t, i, j]`` counts how tiles t.. and the pools take i light and j dark pieces;
    ``steps[side, first[side, t] : first[side, t + 1]]`` are a side's steps on tile t.
    """
    i = ways_left.shape[1] - 1
    j = ways_left.shape[2] - 1
    rank = np.int64(0)
    for t in range(ways_left.shape[0] - 1):
        skipped = ways_left[t + 1, i, j]
        found = 0
        for k in range(first[0, t], first[0, t + 1]):
            if (light >> (steps[0, k] - 1)) & 1:
                found = 1
                break
            if i > 0:
                skipped += ways_left[t + 1, i - 1, j]
        if found == 0:
            for k in range(first[1, t], first[1, t + 1]):
                if (dark >> (steps[1, k] - 1)) & 1:
                    found = 2
                    break
                if j > 0:
                    skipped += ways_left[t + 1, i, j - 1]
        if found == 1:
            i -= 1
            rank += skipped
        elif found == 2:
            j -= 1
            rank += skipped
    return rank + light_home * ways_left[ways_left.shape[0] - 1, 0, j] + dark_home


@njit
def diagram_of(ways_left, first, steps, rank):
    """Return (light, light's pieces home, dark, dark's pieces home) of a rank."""
    i = ways_left.shape[1] - 1
    j = ways_left.shape[2] - 1
    light = np.int64(0)
    dark = np.int64(0)
    for t in range(ways_left.shape[0] - 1):
        if rank < ways_left[t + 1, i, j]:
            continue
        rank -= ways_left[t + 1, i, j]
        own = first[0, t + 1] - first[0, t]
        many = ways_left[t + 1, i - 1, j] if i > 0 and own > 0 else np.int64(0)
        if rank < many * own:
            light |= np.int64(1) << (steps[0, first[0, t] + rank // many] - 1)
            rank %= many
            i -= 1
        else:
            rank -= many * own
            many = ways_left[t + 1, i, j - 1]
            dark |= np.int64(1) << (steps[1, first[1, t] + rank // many] - 1)
            rank %= many
            j -= 1
    across = ways_left[ways_left.shape[0] - 1, 0, j]
    return light, rank // across, dark, rank % across


@njit
def describe(ways_left, first, steps, first_rank, last_rank, homes, progress):
    """Write both sides' pieces home, and the steps of all pieces, for some diagrams."""
    for rank in range(first_rank, last_rank):
        light, light_home, dark, dark_home = diagram_of(ways_left, first, steps, rank)
        homes[rank, 0] = light_home
        homes[rank, 1] = dark_home
        total = 0
        while light:
            total += lowest(light) + 1
            light &= light - 1
        while dark:
            total += lowest(dark) + 1
            dark &= dark - 1
        progress[rank] = total


@njit
def successors(ways_left, first, steps, ways, rolls, alike, states, first_op, ops):
    """Write what each of ``states`` leads to; return how much. With no room it is only counted."""
    n = np.int64(0)
    room = ops.shape[0]
    for s in range(states.shape[0]):
        state = states[s]
        side = 0 if alike else state & 1
        rank = state if alike else state >> 1
        light, light_home, dark, dark_home = diagram_of(ways_left, first, steps, rank)
        if side == 0:
            own, home, other, other_home = light, light_home, dark, dark_home
        else:
            own, home, other, other_home = dark, dark_home, light, light_home
        if room:
            first_op[s] = n
        pool = ways[side, PIECES] - popcount(own) - home
        for r in range(rolls.shape[0]):
            left = legal_starts(ways, side, pool, own, other, rolls[r])
            count = max(popcount(left), 1)
            if not room:
                n += 1 + count
                continue
            ops[n] = count
            n += 1
            passes = left == 0
            while left or passes:
                mine, theirs, home_after, again = own, other, home, False
                if not passes:
                    start = lowest(left)
                    left &= left - 1
                    mine, theirs, home_after, again = make_move(
                        ways, side, own, other, home, start, start + rolls[r]
                    )
                passes = False
                if home_after == ways[side, PIECES]:
                    ops[n] = WON
                    n += 1
                    continue
                # The diagram after the move, from whoever is to move where sides are alike.
                swap = (side == 1) != (alike and not again)
                if swap:
                    to = rank_of(ways_left, first, steps, theirs, other_home, mine, home_after)
                else:
                    to = rank_of(ways_left, first, steps, mine, home_after, theirs, other_home)
                if not alike:
                    to = 2 * to + (side if again else 1 - side)
                ops[n] = 2 * to + (0 if again else 1)
                n += 1
    return n


@njit
def sweep(values, mirror, states, first_op, ops, chance, shift):
    """Renew the values of states in their order; return the largest rise and the largest fall.

    What the turn passes to is read in ``mirror`` and counts with the other sign; ``shift`` is added
    to every value.
    """
    rise = 0.0
    fall = 0.0
    for s in range(states.shape[0]):
        k = first_op[s]
        total = shift
        for r in range(chance.shape[0]):
            count = ops[k]
            best = -2.0
            for m in range(k + 1, k + 1 + count):
                op = ops[m]
                if op == WON:
                    x = 1.0
                elif op & 1:
                    x = -mirror[op >> 1]
                else:
                    x = values[op >> 1]
                best = max(best, x)
            total += chance[r] * best
            k += 1 + count
        by = total - values[states[s]]
        rise = max(rise, by)
        fall = max(fall, -by)
        values[states[s]] = total
    return rise, fall
