# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the leaves: the static evaluation of positions, and bounds on it.

A leaf value is an integer, seen from one of the players (see `urcx.agents.search`). These kernels
compute it for a position, update it with a move, bound it for all positions within some plies, and
average it over the last ply. `urcx.agents.search_kernels` searches the plies above.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import inlined
from urcx.engine.move_kernels import (
    CENTRE,
    ENEMY,
    LENGTH,
    PIECES,
    SAME,
    highest,
    legal_starts,
    lowest,
    popcount,
    sum_of_steps,
)


class Terms(NamedTuple):
    """The numbers of a `SearchPlan`.

    ``home``, ``won``, ``centre`` and ``bound`` come from the look-ahead. Apart from captures and
    the centre, a move gains at most its roll and ``extra``, or ``most`` with the highest roll.
    ``exposed[side]`` is a mask of that side's steps from which a piece can still be captured, there
    or on a later step. ``turned`` is 1 if both sides have the same rules. If ``prune`` is 0, the
    full tree is searched. ``stored`` and ``probed`` are the fewest plies to go at which nodes are
    stored in the transposition table and probed (Star2). They affect only the speed.
    """

    home: int
    won: int
    centre: int
    bound: int
    extra: int
    most: int
    exposed: tuple[int, int]
    turned: int
    prune: int
    stored: int
    probed: int


class SearchPlan(NamedTuple):
    """The arrays of a look-ahead for kernels, for a rule set and `urcx.agents.search.Lookahead`.

    ``rolls`` with their ``weights[k - 1]`` may be in any order, and likeliest first is fastest.
    Apart from captures and the centre, ``rise[k]`` is the greatest mean gain of all k plies, and
    ``fall[k]`` the greatest mean gain of all plies except the first. Both are times ``scales[k]``.
    """

    terms: Terms
    rolls: NDArray[np.int64]
    weights: NDArray[np.int64]
    scales: NDArray[np.int64]
    rise: NDArray[np.int64]
    fall: NDArray[np.int64]


@inlined
def centre_term(ways, side, terms, own, other):
    """Return the static evaluation's term for the centre rosette."""
    if own & ways[side, SAME + ways[side, CENTRE]]:
        return terms.centre
    return -terms.centre if other & ways[side, ENEMY + ways[side, CENTRE]] else 0


@inlined
def leaf_of(ways, side, terms, own, other, own_home, other_home):
    """Return the leaf value of an unfinished game to the player to move."""
    value = terms.home * (own_home - other_home) + sum_of_steps(own) - sum_of_steps(other)
    return value + centre_term(ways, side, terms, own, other)


@inlined
def moved(ways, side, terms, other, own_home, leaf, start, end):
    """Return the leaf value to the mover after a legal move, from ``leaf``, the value before it."""
    if end > ways[side, LENGTH]:
        if own_home + 1 == ways[side, PIECES]:
            return np.int64(terms.won)
        leaf += terms.home - start
        end = 0
    else:
        leaf += end - start
        captured = other & ways[side, ENEMY + end]
        if captured:
            leaf += lowest(captured) + 1
            if captured & ways[side, ENEMY + ways[side, CENTRE]]:
                leaf += terms.centre
    if terms.centre:
        centre = ways[side, SAME + ways[side, CENTRE]] << 1
        leaf += terms.centre * ((centre >> end & 1) - (centre >> start & 1))
    return leaf


@inlined
def steps_met(ways, foe, other):
    """Return the mover's steps that the other side's pieces hold: bit s for step s."""
    steps = np.int64(0)
    while other:
        steps |= ways[foe, ENEMY + lowest(other) + 1]
        other &= other - 1
    return steps << 1


@inlined
def ends_within(ways, side, terms, home, advance, k):
    """Return whether a side could bear off all its pieces within its next k plies."""
    return ways[side, PIECES] - home <= k and terms.won - advance <= k * terms.most


@inlined
def most_of(mask, n):
    """Return the sum of the n highest steps in a mask, or of all steps if there are fewer."""
    if n >= popcount(mask):
        return sum_of_steps(mask)
    total = np.int64(0)
    for _ in range(n):
        step = highest(mask) + 1
        total += step
        mask &= ~(np.int64(1) << (step - 1))
    return total


@inlined
def leaf_range(ways, terms, own, other, own_home, other_home, side, leaf, k):
    """Return two leaf values: V_k is at most ``fall`` below the first, ``rise`` above the second.

    ``fall`` and ``rise`` bound a side's gain by moving. A side also gains by capturing. Steps that
    the other side gains in these plies count against it, or are captured in turn, so captures yield
    at most the steps of the pieces that are on the board now. The centre may change hands, and a
    finished game counts as the maximum. The mover has the first ply.
    """
    even = leaf - centre_term(ways, side, terms, own, other)
    mine = terms.home * own_home + sum_of_steps(own)
    yours = mine - even
    taken = most_of(other & terms.exposed[1 - side], k)
    lost = most_of(own & terms.exposed[side], k - 1)
    low = even - lost - terms.centre
    high = even + taken + terms.centre
    if ends_within(ways, side, terms, own_home, mine, k):
        high = np.int64(terms.bound)
    if ends_within(ways, 1 - side, terms, other_home, yours, k - 1):
        low = -np.int64(terms.bound)
    return low, high


@inlined
def last_ply(ways, side, plan, own, other, own_home, leaf, alpha, beta):
    """Return V_1 times ``scales[1]``, the mean over rolls of the best leaf, or a bound of it."""
    terms, rolls = plan.terms, plan.rolls
    pool = ways[side, PIECES] - popcount(own) - own_home
    takes = steps_met(ways, 1 - side, other)
    centre = ways[side, SAME + ways[side, CENTRE]] << 1 if terms.centre else np.int64(0)
    low, high = -np.int64(terms.bound), np.int64(terms.bound)
    if terms.prune and own_home + 1 < ways[side, PIECES]:
        pieces = own << 1 | (pool > 0)
        ends = np.int64(0)
        for r in range(rolls.shape[0]):
            ends |= pieces << rolls[r]
        low = leaf - terms.centre if pieces & centre else leaf
        high = leaf + 2 * terms.centre if ends & centre else leaf
        ends &= takes
        taken = np.int64(0)
        while ends:
            taken = max(taken, lowest(other & ways[side, ENEMY + lowest(ends)]) + 1)
            ends &= ends - 1
        high += taken
    low_sum = low * plan.scales[1]
    high_sum = high * plan.scales[1] + plan.rise[1]
    # Any other move that does not leave the centre gains just its roll.
    special = takes | centre | (np.int64(1) << (ways[side, LENGTH] + 1))
    r = 0
    while low_sum < beta and high_sum > alpha and r < rolls.shape[0]:
        weight = plan.weights[0, r]
        roll = rolls[r]
        r += 1
        ends = legal_starts(ways, side, pool, own, other, roll) << roll
        left = ends & (special | (centre << roll))
        best = leaf
        if left != ends:
            best = leaf + roll
        elif left:
            best = -np.int64(terms.bound) - 1
        while left:
            end = lowest(left)
            left &= left - 1
            best = max(best, moved(ways, side, terms, other, own_home, leaf, end - roll, end))
        low_sum += weight * (best - low)
        high_sum += weight * (best - high - (roll + terms.extra if roll else 0))
    return high_sum if high_sum <= alpha else low_sum
