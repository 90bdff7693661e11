# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the agent ``gain``: the known-roll gain of a move, in integers.

`urcx.strategy.gain` (`move_gains`) and `urcx.strategy.capture` define it. Probabilities are
multiplied by the sum of the dice's ``weights`` for each roll.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import njit
from urcx.engine.move_kernels import (
    ENEMY,
    PIECES,
    SHARED,
    legal_starts,
    lowest,
    make_move,
    popcount,
)

REPLIES = 3  # as `urcx.strategy.capture.MOST_ROLLS`
UNITS = REPLIES + 1  # values have one more power, for the player's second roll


class GainPolicy(NamedTuple):
    """A policy by the known-roll gain. ``powers[k]`` is the sum of ``weights`` to the power k."""

    ties: int
    rolls: NDArray[np.int64]
    weights: NDArray[np.int64]
    powers: NDArray[np.int64]

    def value(self, ways, side, own, own_home, other, other_home, start, roll):
        """Return the known-roll gain of a legal move, times powers[UNITS]."""
        return worth_of_move(self, ways, side, own, own_home, other, other_home, start, roll)


# A recursive kernel cannot be cached on disk, so each number of rolls has a kernel.
@njit
def taken_1(policy, ways, side, own, own_home, other, step):
    """Return the probability that ``own`` captures the other side's piece on ``step`` in one roll.

    The result is multiplied by ``powers[1]``.
    """
    spots = ways[1 - side, ENEMY + step]  # the attacker's steps on that tile
    pool = ways[side, PIECES] - popcount(own) - own_home
    total = np.int64(0)
    for k in range(policy.rolls.shape[0]):
        roll = policy.rolls[k]
        legal = legal_starts(ways, side, pool, own, other, roll)
        if ((legal << roll) >> 1) & spots:
            total += policy.weights[k]
    return total


@njit
def taken_2(policy, ways, side, own, own_home, other, step):
    """Return the probability of a capture within two rolls, times ``powers[2]``."""
    spots = ways[1 - side, ENEMY + step]
    pool = ways[side, PIECES] - popcount(own) - own_home
    total = np.int64(0)
    for k in range(policy.rolls.shape[0]):
        roll = policy.rolls[k]
        legal = legal_starts(ways, side, pool, own, other, roll)
        best = np.int64(0)
        if ((legal << roll) >> 1) & spots:
            best = policy.powers[1]
            legal = np.int64(0)
        while legal:
            start = lowest(legal)
            legal &= legal - 1
            mine, theirs, home, again = make_move(
                ways, side, own, other, own_home, start, start + roll
            )
            if again:
                best = max(best, taken_1(policy, ways, side, mine, home, theirs, step))
        total += policy.weights[k] * best
    return total


@njit
def taken(policy, ways, side, own, own_home, other, step):
    """Return the probability of a capture within `REPLIES` rolls, times ``powers[REPLIES]``."""
    spots = ways[1 - side, ENEMY + step]
    pool = ways[side, PIECES] - popcount(own) - own_home
    total = np.int64(0)
    for k in range(policy.rolls.shape[0]):
        roll = policy.rolls[k]
        legal = legal_starts(ways, side, pool, own, other, roll)
        best = np.int64(0)
        if ((legal << roll) >> 1) & spots:
            best = policy.powers[REPLIES - 1]
            legal = np.int64(0)
        while legal:
            start = lowest(legal)
            legal &= legal - 1
            mine, theirs, home, again = make_move(
                ways, side, own, other, own_home, start, start + roll
            )
            if again:
                best = max(best, taken_2(policy, ways, side, mine, home, theirs, step))
        total += policy.weights[k] * best
    return total


@njit
def loss(policy, ways, side, own, other, other_home):
    """Return the term C for ``own`` with the other side to move, times powers[REPLIES]."""
    total = np.int64(0)
    left = own & ways[side, SHARED]
    while left:
        step = lowest(left) + 1
        left &= left - 1
        total -= step * taken(policy, ways, 1 - side, other, other_home, own, step)
    return total


@njit
def won_steps(before, after):
    """Return the tiles that a captured piece had walked, from the enemy's old and new masks."""
    return lowest(before & ~after) + 1 if before != after else np.int64(0)


@njit
def _worth_of(policy, ways, side, own, own_home, other, other_home, start, roll):
    """Return a move's gain times powers[REPLIES], if the enemy moves next, and ``again``."""
    mine, theirs, home, again = make_move(ways, side, own, other, own_home, start, start + roll)
    worth = policy.powers[REPLIES] * (roll + won_steps(other, theirs))
    if home < ways[side, PIECES]:
        worth += loss(policy, ways, side, mine, theirs, other_home)
    return worth, again


@njit
def worth_with_second(policy, ways, side, own, own_home, other, other_home, start, roll):
    """Return the gain of a move with an extra roll (best second piece), times powers[UNITS]."""
    mine, theirs, home, _ = make_move(ways, side, own, other, own_home, start, start + roll)
    pool = ways[side, PIECES] - popcount(mine) - home
    movable = np.int64(0)
    for k in range(policy.rolls.shape[0]):
        movable |= legal_starts(ways, side, pool, mine, theirs, policy.rolls[k])
    stays = loss(policy, ways, side, mine, theirs, other_home)
    best = stays * policy.powers[1]  # if no piece may move
    first = True
    while movable:
        second = lowest(movable)
        movable &= movable - 1
        total = np.int64(0)
        for k in range(policy.rolls.shape[0]):
            more = policy.rolls[k]
            worth = stays
            if (legal_starts(ways, side, pool, mine, theirs, more) >> second) & 1:
                worth = _worth_of(
                    policy, ways, side, mine, home, theirs, other_home, second, more
                )[0]  # fmt: skip
            total += policy.weights[k] * worth
        if first or total > best:
            best = total
            first = False
    return best + policy.powers[UNITS] * (roll + won_steps(other, theirs))


@njit
def worth_of_move(policy, ways, side, own, own_home, other, other_home, start, roll):
    """Return the known-roll gain of a legal move, times powers[UNITS]."""
    worth, again = _worth_of(policy, ways, side, own, own_home, other, other_home, start, roll)
    if again:
        return worth_with_second(
            policy, ways, side, own, own_home, other, other_home, start, roll
        )  # fmt: skip
    return worth * policy.powers[1]
