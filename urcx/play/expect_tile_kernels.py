"""Kernels of exact expectations for every path, on the order by tiles: a state at a time.

A state is twice a diagram's rank, plus one if dark is to move. What it leads to is found once by
`urcx.solve.general_kernels.successors`, as are the moves that the agent to move would choose.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import njit
from urcx.engine.move_kernels import PIECES, legal_starts
from urcx.play.expect_kernels import LOG_PICKS, chosen, weigh
from urcx.solve.general_kernels import WON, diagram_of


@njit
def choose(policy, chooser, ways_left, first, steps, ways, rolls, states, picks):
    """Write to ``picks[roll, state]`` what one side's policy would play where it is to move."""
    for s in range(states.shape[0]):
        side = states[s] & 1
        if side != chooser:
            continue
        a, a_home, b, b_home = diagram_of(ways_left, first, steps, states[s] >> 1)
        if side == 0:
            own, home, other, other_home = a, a_home, b, b_home
        else:
            own, home, other, other_home = b, b_home, a, a_home
        pool = ways[side, PIECES] - popcount(own) - home
        for r in range(rolls.shape[0]):
            legal = legal_starts(ways, side, pool, own, other, rolls[r])
            if legal & (legal - 1):
                picks[r, s] = chosen(
                    policy, ways, side, legal, rolls[r], own, home, other, other_home
                )


@njit
def push(states, first_op, ops, chance, picks, waiting, visits, wins):
    """Send on what waits in states, in their order; return how much that was."""
    total = 0.0
    for s in range(states.shape[0]):
        state = states[s]
        share = waiting[state]
        if share == 0.0:
            continue
        waiting[state] = 0.0
        visits[state] += share
        total += share
        k = first_op[s]
        for r in range(chance.shape[0]):
            count = ops[k]
            k += 1
            left = np.int64(picks[r, s]) if count > 1 else np.int64(1)
            weight = chance[r] * share / popcount(left)
            while left:
                op = ops[k + lowest(left)]
                if op == WON:
                    wins[state & 1] += weight
                else:
                    waiting[op >> 1] += weight
                left &= left - 1
            k += count
    return total


@njit
def account(
    ways_left, first, steps, ways, rolls, chance, states, picks, logs, visits, by_choices, sums
):
    """Add up what happens in states, by how often each is visited, for the side to move."""
    for s in range(states.shape[0]):
        visited = visits[states[s]]
        if visited == 0.0:
            continue
        side = states[s] & 1
        a, a_home, b, b_home = diagram_of(ways_left, first, steps, states[s] >> 1)
        if side == 0:
            own, home, other = a, a_home, b
        else:
            own, home, other = b, b_home, a
        pool = ways[side, PIECES] - popcount(own) - home
        for r in range(rolls.shape[0]):
            legal = legal_starts(ways, side, pool, own, other, rolls[r])
            count = popcount(legal)
            weight = chance[r] * visited
            by_choices[side, r, count] += weight
            left = np.int64(picks[r, s]) if count > 1 else np.int64(1)
            sums[side, LOG_PICKS] += weight * logs[popcount(left)]
            weight /= popcount(left)
            while legal:
                start = lowest(legal)
                if left & 1:
                    weigh(ways, side, own, other, home, start, start + rolls[r], weight, sums[side])
                legal &= legal - 1
                left >>= 1
