# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the agent ``priority``, which narrows the legal moves wish by wish.

A wish that no move meets is skipped. Most wishes are masks of the steps where moves start and end.
The others look for captures. A capture needs only a piece at the right distance from the enemy
piece, because a tile with an enemy piece has no own piece, and so nothing else can block the move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import (
    CAPTURE_GRANTS,
    ENEMY,
    GRANTING,
    GUARDS,
    HARMLESS,
    LENGTH,
    PIECES,
    SHARED,
    highest,
    lowest,
    make_move,
    popcount,
)

# The kinds of wishes. Those from SAFE on depend on the enemy's private pieces and pool.
(
    STEPS,
    CAPTURE,
    AGAIN,
    FRONT,
    BACK,
    CAPTURE_ADVANCED,
    AGAIN_CAPTURE,
    SAFE,
    LEAST_RISK,
    FLEE,
) = range(10)
KIND, STARTS, ENDS = 0, 1, 3  # columns of ``wishes``
WORST = -(2**63)


class PriorityPolicy(NamedTuple):
    """A policy of wishes, the most important one first.

    ``wishes[k]`` has the kind of a wish, then for `STEPS` two masks of starts, for light and dark,
    and two masks of ends (bit s for step s, 0 for the pool, L + 1 for home). ``dice`` has the rolls
    that can capture, and their probabilities as integers. ``straight`` has for each side the mask
    of its shared steps (bit s - 1) that are the same steps of the other side's path.
    """

    ties: int
    wishes: NDArray[np.int64]
    dice: NDArray[np.int64]
    straight: NDArray[np.int64]

    @property
    def by_row(self) -> bool:
        """Return whether the enemy's pieces matter only on shared tiles."""
        return bool((self.wishes[:, KIND] < SAFE).all())

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return the moves that meet the wishes."""
        return by_wishes(self, ways, side, legal, roll, own, own_home, other, other_home)


@inlined
def on_other_path(policy, ways, side, mask):
    """Return the steps of the other side's path that a side's pieces occupy."""
    result = mask & policy.straight[side]
    left = mask & ways[side, SHARED] & ~policy.straight[side]
    while left:
        result |= ways[side, ENEMY + lowest(left) + 1]
        left &= left - 1
    return result


@inlined
def weight_of(policy, ways, side, own, own_home, targets):
    """Return the probability that a side's next roll captures a piece, as an integer.

    ``targets`` are the steps of the side's own path that the enemy's pieces occupy.
    """
    pool = np.int64(popcount(own) + own_home < ways[side, PIECES])
    starts = (own & ~ways[side, HARMLESS]) << 1 | pool
    spots = (targets & ~ways[side, GUARDS]) << 1
    total = np.int64(0)
    for k in range(policy.dice.shape[1]):
        total += policy.dice[1, k] * np.int64(((starts << policy.dice[0, k]) & spots) != 0)
    return total


@inlined
def worth(policy, kind, ways, side, start, roll, own, own_home, other, other_home):
    """Return the value of a move by a wish of which moves meet more or less."""
    end = start + roll
    mine, theirs, home, again = make_move(ways, side, own, other, own_home, start, end)
    if kind == CAPTURE_ADVANCED:
        value = other & ~theirs
    elif kind == AGAIN_CAPTURE:
        targets = on_other_path(policy, ways, 1 - side, theirs)
        value = weight_of(policy, ways, side, mine, home, targets) if again else np.int64(-1)
    elif kind == FLEE:
        targets = ways[side, ENEMY + start]  # none for a piece in the pool
        value = weight_of(policy, ways, 1 - side, other, other_home, targets)
    elif kind == SAFE:
        targets = ways[side, ENEMY + end] if end <= ways[side, LENGTH] else np.int64(0)
        value = -np.int64(weight_of(policy, ways, 1 - side, theirs, other_home, targets) > 0)
    else:
        targets = on_other_path(policy, ways, side, mine)
        value = -weight_of(policy, ways, 1 - side, theirs, other_home, targets)
    return value


@lean
def best_by_worth(policy, kind, ways, side, legal, roll, own, own_home, other, other_home):
    """Return the moves of the highest value by a wish."""
    best = WORST
    best_moves = np.int64(0)
    while legal:
        bit = legal & -legal
        legal &= legal - 1
        value = worth(
            policy, kind, ways, side, lowest(bit), roll, own, own_home, other, other_home
        )  # fmt: skip
        if value > best:
            best = value
            best_moves = bit
        elif value == best:
            best_moves |= bit
    return best_moves


@inlined
def by_wishes(policy, ways, side, legal, roll, own, own_home, other, other_home):
    """Return the moves that are left after all wishes, in their order."""
    left = legal
    captures = (on_other_path(policy, ways, 1 - side, other) << 1) >> roll
    for k in range(policy.wishes.shape[0]):
        kind = policy.wishes[k, KIND]
        if kind == STEPS:
            met = left & policy.wishes[k, STARTS + side] & (policy.wishes[k, ENDS + side] >> roll)
        elif kind <= AGAIN:
            met = left & captures
            if kind == AGAIN:
                met = left & (
                    (ways[side, GRANTING] << 1) >> roll | captures * ways[side, CAPTURE_GRANTS]
                )
        elif left & (left - 1) == 0:
            break
        elif kind == FRONT:
            met = np.int64(1) << highest(left)
        elif kind == BACK:
            met = left & -left
        else:
            met = best_by_worth(
                policy, kind, ways, side, left, roll, own, own_home, other, other_home
            )  # fmt: skip
        left = met or left
    return left
