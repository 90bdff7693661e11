# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of exact expectations for every path, one state at a time, in the order by tiles.

A state is twice a configuration's rank, plus one if dark is to move. Its successors are computed
once by `urcx.solving.general.kernels.next_states`, and so are the moves that the agent to move
would choose. In a share ``astray`` of its decisions, the agent plays any legal move instead. Light
and dark have separate shares.
"""

from __future__ import annotations

import numpy as np

from urcx.agents.agent_kernels import entropy_of, log_spread
from urcx.agents.answer_kernels import write_shares
from urcx.engine.jit import inlined, njit
from urcx.engine.move_kernels import PIECES, legal_starts, lowest, popcount
from urcx.enumerate.rankings.tile_kernels import view_of
from urcx.expectations.choice_kernels import chosen_moves
from urcx.expectations.tally_kernels import LOG_PICKS, weigh_standing, weigh_visits
from urcx.solving.general.kernels import WON


@njit
def choose_tiles(policy, chooser, table, ways, rolls, states, picks, errs, shares):
    """Write a side's moves in the states with this side to move to ``picks[roll, state]``.

    Unless ``shares`` is empty, write their probabilities to ``shares[move, roll, state]``. ``errs``
    is the share of decisions in which the side plays any move.
    """
    for s in range(states.shape[0]):
        if states[s] & 1 != chooser:
            continue
        own, home, other, other_home, side = view_of(table, states[s])
        pool = ways[side, PIECES] - popcount(own) - home
        for r in range(rolls.shape[0]):
            legal = legal_starts(ways, side, pool, own, other, rolls[r])
            if legal & (legal - 1):
                picks[r, s] = chosen_moves(
                    policy, ways, side, legal, rolls[r], own, home, other, other_home
                )
                if shares.shape[0] > 0:
                    count, chosen = popcount(legal), np.int64(picks[r, s])
                    for m in range(count):
                        good = (1.0 - errs) / popcount(chosen) if (chosen >> m) & 1 else 0.0
                        shares[m, r, s] = good + errs / count
                    write_shares(
                        policy, side, rolls[r], own, home, other, other_home, shares[:, r, s]
                    )


@inlined
def _played(left, count, errs, weight):
    """Return the moves played as a mask, the weight added to good moves, and the weight of all.

    ``left`` are the good moves of ``count``. In a share ``errs`` of decisions any move is played.
    """
    good = weight * (1.0 - errs) / popcount(left)
    if errs == 0.0:
        return left, good, 0.0
    return (np.int64(1) << count) - 1, good, weight * errs / count


@inlined
def _part(shares, m, r, s, count, part, weight):
    """Return the weight of a move: ``part``, or the move's share of ``weight`` if there are any."""
    return weight * shares[m, r, s] if count > 1 and shares.shape[0] > 0 else part


@njit
def push(states, first_op, ops, chance, picks, astray, shares, waiting, visits, wins):
    """Pass on the pending probability of states, in order, and return its sum."""
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
            errs = astray[state & 1] if count > 1 else 0.0
            played, good, worse = _played(left, count, errs, chance[r] * share)
            while played:
                m = lowest(played)
                played &= played - 1
                weight = worse + good if (left >> m) & 1 else worse
                weight = _part(shares, m, r, s, count, weight, chance[r] * share)
                op = ops[k + m]
                if op == WON:
                    wins[state & 1] += weight
                else:
                    waiting[op >> 1] += weight
            k += count
    return total


@njit
def stay_tiles(states, first_op, ops, chance, picks, astray, shares, values, plies):
    """Update values = plies + P values of states, the last first. Return the largest change.

    The values of all other states must be 0.
    """
    moved = 0.0
    for s in range(states.shape[0] - 1, -1, -1):
        total = plies
        k = first_op[s]
        for r in range(chance.shape[0]):
            count = ops[k]
            k += 1
            left = np.int64(picks[r, s]) if count > 1 else np.int64(1)
            errs = astray[states[s] & 1] if count > 1 else 0.0
            played, good, worse = _played(left, count, errs, chance[r])
            while played:
                m = lowest(played)
                played &= played - 1
                part = worse + good if (left >> m) & 1 else worse
                part = _part(shares, m, r, s, count, part, chance[r])
                op = ops[k + m]
                if op != WON:
                    total += part * values[op >> 1]
            k += count
        moved = max(moved, abs(total - values[states[s]]))
        values[states[s]] = total
    return moved


@njit
def account_tiles(
    table, ways, rolls, chance, states, picks, astray, shares, logs, visits, by_choices, sums,
    by_step,
):  # fmt: skip
    """Add up the counts of states for the side to move, weighted by expected visit counts."""
    for s in range(states.shape[0]):
        visited = visits[states[s]]
        if visited == 0.0:
            continue
        own, home, other, _, side = view_of(table, states[s])
        weigh_standing(own, visited, by_step[side])
        pool = ways[side, PIECES] - popcount(own) - home
        for r in range(rolls.shape[0]):
            legal = legal_starts(ways, side, pool, own, other, rolls[r])
            count = popcount(legal)
            weight = chance[r] * visited
            by_choices[side, r, count] += weight
            left = np.int64(picks[r, s]) if count > 1 else np.int64(1)
            errs = astray[side] if count > 1 else 0.0
            spread = log_spread(logs, count, popcount(left), errs)
            if count > 1 and shares.shape[0] > 0:
                spread = entropy_of(shares[:count, r, s])
            sums[side, LOG_PICKS] += weight * spread
            every = weight
            good = weight * (1.0 - errs) / popcount(left)
            worse = weight * errs / max(count, 1)
            m = 0
            while legal:
                start = lowest(legal)
                weight = worse + good if left & 1 else worse
                weight = _part(shares, m, r, s, count, weight, every)
                m += 1
                if weight > 0.0:
                    weigh_visits(
                        ways, side, own, other, home, start, start + rolls[r], weight, sums[side],
                        by_step[side],
                    )  # fmt: skip
                legal &= legal - 1
                left >>= 1
