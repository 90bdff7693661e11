# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that follow all games of a policy against optimal play, and compute its losses.

The number of a state is twice the rank of its configuration in the order by tiles, plus 1 if dark
is to move. Successors are written as by `urcx.solving.general.kernels.next_states`. ``chances`` are
the win probabilities of the player to move in all states.
"""

from __future__ import annotations

from urcx.agents.agent_kernels import chance_by_solution
from urcx.contrib.envs.observation_kernels import write_observation
from urcx.engine.jit import njit
from urcx.engine.move_kernels import PIECES, legal_starts, lowest, popcount
from urcx.enumerate.rankings.tile_kernels import view_of
from urcx.solving.general.kernels import WON

# A decision from the player's viewpoint, with the moves as starts, and the sums in a state.
OWN, OWN_HOME, OTHER, OTHER_HOME, SIDE, ROLL, LEGAL, N_FIELDS = range(8)
LOSS, DECISIONS, MISTAKES, N_SUMS = range(4)


@njit
def write_chances(solution, table, pieces, chances):
    """Write the win probability of the player to move in every state, from a solution."""
    for state in range(chances.shape[0]):
        own, own_home, other, other_home, side = view_of(table, state)
        if pieces in (own_home, other_home):
            chances[state] = own_home == pieces
        else:
            chance = chance_by_solution(solution, side, own, own_home, other, other_home)
            chances[state] = chance / solution.certain


@njit
def play_perfectly(states, first_op, ops, rolled, chances, equal, side, weights, lost, requested):
    """Write the probabilities of moves, except for the decisions of ``side``.

    The other side plays the first of its best moves, which lose at most ``equal``. The loss of each
    move is written to ``lost``. Where ``side`` decides, ``requested`` gets the indices of the
    state, the roll, and the first move. Returns the number of these decisions.
    """
    number = 0
    for s in range(states.shape[0]):
        k = first_op[s]
        for r in range(rolled.shape[0]):
            count = ops[k]
            k += 1
            most = -1.0
            for m in range(k, k + count):
                op = ops[m]
                if op == WON:
                    value = 1.0
                elif op & 1:
                    value = 1.0 - chances[op >> 1]
                else:
                    value = chances[op >> 1]
                lost[m] = value
                most = max(most, value)
            for m in range(k, k + count):
                lost[m] = most - lost[m]
            if count > 1 and states[s] & 1 == side:
                requested[number, 0] = s
                requested[number, 1] = r
                requested[number, 2] = k
                number += 1
            else:
                best = k
                while lost[best] > equal:
                    best += 1
                weights[best] = rolled[r]
            k += count
    return number


@njit
def view_decisions(table, ways, rolls, states, requested, views):
    """Write decisions of `play_perfectly` from the viewpoint of the player who decides."""
    for n in range(requested.shape[0]):
        own, own_home, other, other_home, side = view_of(table, states[requested[n, 0]])
        roll = rolls[requested[n, 1]]
        view = views[n]
        view[OWN], view[OWN_HOME] = own, own_home
        view[OTHER], view[OTHER_HOME] = other, other_home
        view[SIDE], view[ROLL] = side, roll
        pool = ways[side, PIECES] - popcount(own) - own_home
        view[LEGAL] = legal_starts(ways, side, pool, own, other, roll)


@njit
def observe_decisions(ways, rolls, views, observations, masks):
    """Write the observation and the mask of legal actions of each decision."""
    for n in range(views.shape[0]):
        view = views[n]
        boards, homes = (view[OWN], view[OTHER]), (view[OWN_HOME], view[OTHER_HOME])
        write_observation(
            ways, rolls, boards, homes, view[ROLL], True, view[SIDE] == 0, observations[n]
        )
        for action in range(masks.shape[1]):
            masks[n, action] = (view[LEGAL] >> action) & 1


@njit
def take_shares(rolled, requested, views, shares, lost, equal, weights, sums):
    """Write the probabilities of the moves of decisions, and add up the losses in each state.

    ``shares[n]`` are the probabilities of all actions. A move that loses at most ``equal`` is not a
    mistake.
    """
    for n in range(requested.shape[0]):
        s, chance, m = requested[n, 0], rolled[requested[n, 1]], requested[n, 2]
        sums[s, DECISIONS] += chance
        left = views[n, LEGAL]
        while left:
            share = chance * shares[n, lowest(left)]
            left &= left - 1
            weights[m] = share
            sums[s, LOSS] += share * lost[m]
            if lost[m] > equal:
                sums[s, MISTAKES] += share
            m += 1


@njit
def pass_on(states, begins, ends, to, weights, waiting, visits, wins):
    """Pass on the probability that waits in states, in this order, and return the sum of it.

    The successors of state s are ``to[begins[s]:ends[s]]``.
    """
    total = 0.0
    for s in range(states.shape[0]):
        state = states[s]
        share = waiting[state]
        if share == 0.0:
            continue
        waiting[state] = 0.0
        visits[s] += share
        total += share
        for k in range(begins[s], ends[s]):
            if to[k] == WON:
                wins[state & 1] += share * weights[k]
            else:
                waiting[to[k] >> 1] += share * weights[k]
    return total
