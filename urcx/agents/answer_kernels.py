# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of users' agents in exact questions: the decisions to ask about, and the answers.

`urcx.agents.answers` asks a user's agent once about each decision, and stores its answers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from urcx.engine.jit import lean, njit
from urcx.engine.move_kernels import PIECES, legal_starts, popcount
from urcx.enumerate.rankings.tile_kernels import TURNED, state_of, view_of

# Columns of the states that `list_decisions` writes.
OWN, OWN_HOME, OTHER, OTHER_HOME, SIDE, FIELDS = range(6)


@njit
def list_decisions(table, ways, rolls, first, last, views, counts):
    """Write the states from ``first`` up to ``last``, and the legal moves for each roll.

    ``views[k]`` has the fields of the k-th state, and ``counts[k, r]`` its legal moves for the r-th
    roll, 0 in a finished game.
    """
    for k in range(last - first):
        own, home, other, other_home, side = view_of(table, first + k)
        views[k, OWN], views[k, OWN_HOME] = own, home
        views[k, OTHER], views[k, OTHER_HOME] = other, other_home
        views[k, SIDE] = side
        counts[k] = 0
        if home == ways[side, PIECES] or other_home == ways[1 - side, PIECES]:
            continue
        pool = ways[side, PIECES] - popcount(own) - home
        for r in range(rolls.shape[0]):
            counts[k, r] = popcount(legal_starts(ways, side, pool, own, other, rolls[r]))


class AnswerPolicy(NamedTuple):
    """A policy that looks up the answers of a user's agent in all states.

    States have the numbers of ``table`` (`urcx.enumerate.rankings.tile_kernels`). The answer to a
    roll in state s has the number ``kinds[s, order[roll]]``. For the answer k, ``masks[k]`` has the
    moves played, as a mask over the legal moves from the least advanced piece on, and ``shares[k,
    m]`` is the probability of the m-th. If ``even``, all moves played have equal probability.
    """

    ties: int
    table: NDArray[np.int64]
    order: NDArray[np.int64]
    kinds: NDArray[np.uint32]
    masks: NDArray[np.int64]
    shares: NDArray[np.float64]
    even: bool

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return the moves that the agent plays. A single legal move is returned unasked."""
        if legal & (legal - 1) == 0:
            return legal
        mask = self.masks[kind_of_answer(self, side, roll, own, own_home, other, other_home)]
        chosen = np.int64(0)
        while legal:
            if mask & 1:
                chosen |= legal & -legal
            mask >>= 1
            legal &= legal - 1
        return chosen


@lean
def kind_of_answer(policy, side, roll, own, own_home, other, other_home):
    """Return the number of a user's agent's answer in a state with a roll."""
    turn = 0 if policy.table[TURNED] else side
    state = state_of(policy.table, own, own_home, other, other_home, turn)
    return np.int64(policy.kinds[state, policy.order[roll]])


def write_shares(
    policy: Any, side: Any, roll: Any, own: Any, own_home: Any, other: Any, other_home: Any,
    out: Any,
) -> None:  # fmt: skip
    """Write the probability of each move of an `AnswerPolicy`, else nothing."""
    if isinstance(policy, AnswerPolicy):
        _write_shares(policy, side, roll, own, own_home, other, other_home, out)


def _write_shares(policy, side, roll, own, own_home, other, other_home, out):
    kind = kind_of_answer(policy, side, roll, own, own_home, other, other_home)
    for m in range(min(policy.shares.shape[1], out.shape[0])):
        out[m] = policy.shares[kind, m]


def _no_shares(policy, side, roll, own, own_home, other, other_home, out):
    pass


@overload(write_shares, strict=False)
def _shares_compiled(policy, side, roll, own, own_home, other, other_home, out):
    return _write_shares if policy.instance_class is AnswerPolicy else _no_shares
