# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that follow all games of a policy against perfect play, and say what its moves lose.

States are twice a diagram's rank in the order by tiles, plus 1 if dark is to move; their successors
are those of `urcx.solving.general.kernels.next_states`. ``chances`` are those of winning of the
player to move in all states.
"""

from __future__ import annotations

from urcx.agents.agent_kernels import chance_by_solution
from urcx.contrib.envs.observation_kernels import write_observation
from urcx.engine.jit import njit
from urcx.engine.move_kernels import PIECES, legal_starts, lowest, popcount
from urcx.enumerate.rankings.tile_kernels import view_of
from urcx.solving.general.kernels import WON

# A decision as the player sees it, with the moves as starts, and what is added up in a state.
OWN, OWN_HOME, OTHER, OTHER_HOME, SIDE, ROLL, LEGAL, N_FIELDS = range(8)
LOSS, DECISIONS, MISTAKES, N_SUMS = range(4)


@njit
def write_chances(known, table, pieces, chances):
    """Write the chance of winning of the player to move in every state, by a solution."""
    for state in range(chances.shape[0]):
        own, own_home, other, other_home, side = view_of(table, state)
        if pieces in (own_home, other_home):
            chances[state] = own_home == pieces
        else:
            found = chance_by_solution(known, side, own, own_home, other, other_home)
            chances[state] = found / known.certain


@njit
def play_perfectly(states, first_op, ops, rolled, chances, equal, side, weights, lost, requested):
    """Write how likely each move is, as far as ``side`` has nothing to decide: return the rest.

    The other side plays the first of its best moves, which lose at most ``equal``. ``lost`` gets
    the loss of each move. Where ``side`` decides, ``requested`` gets the indices of the state, the
    roll, and the first move. Returns the number of these decisions.
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
    """Write what the player who decides sees in each of some decisions of `play_perfectly`."""
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
    """Write what an environment shows of each decision, and which actions are legal."""
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
    """Write how likely the moves of some decisions are, and add up what is lost in each state.

    ``shares[n]`` are the probabilities of all actions. A move that loses at most ``equal`` is no
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
    """Pass on the probability that waits in some states, in this order; return how much it was.

    Those of state s lead to ``to[begins[s]:ends[s]]``, as successors are written.
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
