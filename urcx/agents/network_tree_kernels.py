# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of look-ahead by a full search: the value of a position.

A network values the leaves (`urcx.agents.network_kernels`), or an own static evaluation
(`urcx.agents.evaluation_kernels`), in integers throughout.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from urcx.agents.evaluation_kernels import LeafWeights, weighed
from urcx.agents.network_kernels import SCRATCH, WON, NetworkArrays, evaluate_network
from urcx.engine.jit import INLINED, inlined, lean
from urcx.engine.move_kernels import PIECES, legal_starts, lowest, make_move, popcount, successor

# Columns of `TreePlan.frames`, which has a row for each number of plies to go.
OWN, OTHER, OWN_HOME, OTHER_HOME, ROLL, LEFT, BEST, TOTAL, AGAIN, ROLE, COLUMNS = range(11)
PASS = np.int64(1) << 62
LEAST = -np.int64(2**62)  # below every value


class TreePlan(NamedTuple):
    """A look-ahead by full search, for one thread.

    ``weights`` and ``scales`` come from `urcx.agents.search.Lookahead`. ``won`` is the value of a
    won game.
    """

    rolls: NDArray[np.int64]
    weights: NDArray[np.int64]
    scales: NDArray[np.int64]
    frames: NDArray[np.int64]
    won: int = WON


def leaf_value(
    net: Any, ways: Any, role: Any, own: Any, own_home: Any, other: Any, other_home: Any
) -> Any:
    """Return the value of a leaf to the player to move, whose ``role`` is 0 if it is the agent."""
    value = _by_weights if isinstance(net, LeafWeights) else _by_network
    return value(net, ways, role, own, own_home, other, other_home)


def _by_weights(net, ways, role, own, own_home, other, other_home):
    return weighed(net, ways, role, own, own_home, other, other_home)


def _by_network(net, ways, role, own, own_home, other, other_home):
    return evaluate_network(net, own, own_home, other, other_home)


@overload(leaf_value, strict=False, jit_options=INLINED)
def _leaf_compiled(net, ways, role, own, own_home, other, other_home):
    return _by_weights if net.instance_class is LeafWeights else _by_network


@inlined
def _enter(frames, k, own, own_home, other, other_home, role):
    """Write a position into the frame for k plies to go."""
    frames[k, ROLE] = role
    frames[k, OWN], frames[k, OWN_HOME] = own, own_home
    frames[k, OTHER], frames[k, OTHER_HOME] = other, other_home
    frames[k, ROLL], frames[k, LEFT], frames[k, TOTAL] = -1, 0, 0


@lean
def tree_value(ways, net, plan, role, own, own_home, other, other_home, plies):
    """Return V_k times ``scales[k]`` of an unfinished game to the player to move, k = ``plies``.

    The player to move is the agent if its ``role`` is 0, and else the enemy. The full tree is
    searched. Frames replace recursion, as in `urcx.agents.search_kernels`.
    """
    if plies == 0:
        return leaf_value(net, ways, role, own, own_home, other, other_home)
    frames = plan.frames
    k = plies
    _enter(frames, k, own, own_home, other, other_home, role)
    while True:
        own, own_home = frames[k, OWN], frames[k, OWN_HOME]
        other, other_home = frames[k, OTHER], frames[k, OTHER_HOME]
        r, role = frames[k, ROLL], frames[k, ROLE]
        if frames[k, LEFT] == 0:
            if r >= 0:
                frames[k, TOTAL] += plan.weights[k - 1, r] * frames[k, BEST]
            r += 1
            while r < plan.rolls.shape[0] and plan.weights[k - 1, r] == 0:
                r += 1
            if r == plan.rolls.shape[0]:
                value = frames[k, TOTAL]
                if k == plies:
                    return value
                k += 1
                value = value if frames[k, AGAIN] else -value
                frames[k, BEST] = max(frames[k, BEST], value)
                continue
            pool = ways[0, PIECES] - popcount(own) - own_home
            legal = legal_starts(ways, 0, pool, own, other, plan.rolls[r])
            frames[k, ROLL] = r
            frames[k, LEFT] = legal or PASS
            frames[k, BEST] = LEAST
        left = frames[k, LEFT]
        frames[k, LEFT] = left & (left - 1)
        again = False
        if left != PASS:
            start = lowest(left)
            own, other, own_home, again = make_move(
                ways, 0, own, other, own_home, start, start + plan.rolls[r]
            )
            if own_home == ways[0, PIECES]:
                frames[k, BEST] = max(frames[k, BEST], plan.won * plan.scales[k - 1])
                continue
        if not again:
            own, own_home, other, other_home = other, other_home, own, own_home
            role = 1 - role
        if k == 1:
            value = leaf_value(net, ways, role, own, own_home, other, other_home)
            frames[k, BEST] = max(frames[k, BEST], value if again else -value)
            continue
        frames[k, AGAIN] = again
        k -= 1
        _enter(frames, k, own, own_home, other, other_home, role)


class WeighedPolicy(NamedTuple):
    """A policy with an own static evaluation and a full search, as `NetworkPolicy`."""

    ties: int
    ways: NDArray[np.int64]
    net: LeafWeights
    plan: TreePlan

    def value(self, ways, side, own, own_home, other, other_home, start, roll):
        """Return the value of a legal move, times the last of ``scales``."""
        return value_by_network(self, ways, side, own, own_home, other, other_home, start, roll)

    def for_one_thread(self) -> WeighedPolicy:
        """Return the policy with a copy of its working memory."""
        return self._replace(plan=self.plan._replace(frames=self.plan.frames.copy()))


class NetworkPolicy(NamedTuple):
    """A policy with a network and a full search of the moves. For one thread only.

    Both sides must have the same path. ``ways`` belongs to the rule set.
    """

    ties: int
    ways: NDArray[np.int64]
    net: NetworkArrays
    plan: TreePlan

    def value(self, ways, side, own, own_home, other, other_home, start, roll):
        """Return the value of a legal move, times the last of ``scales``."""
        return value_by_network(self, ways, side, own, own_home, other, other_home, start, roll)

    def for_one_thread(self) -> NetworkPolicy:
        """Return the policy with a copy of its working memory."""
        return self._replace(
            net=self.net._replace(**{name: getattr(self.net, name).copy() for name in SCRATCH}),
            plan=self.plan._replace(frames=self.plan.frames.copy()),
        )


@lean
def value_by_network(policy, ways, side, own, own_home, other, other_home, start, roll):
    """Return the value of a legal move to the mover, times the last of ``scales``."""
    net, plan, plies = policy.net, policy.plan, policy.plan.scales.shape[0] - 1
    a, a_home, b, b_home, again = successor(
        policy.ways, 0, own, own_home, other, other_home, start, roll
    )
    if b_home == policy.ways[0, PIECES]:
        return plan.won * plan.scales[plies]
    role = 0 if again else 1
    value = tree_value(policy.ways, net, plan, role, a, a_home, b, b_home, plies)
    return value if again else -value
