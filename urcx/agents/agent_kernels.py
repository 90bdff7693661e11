"""Kernels of the agents: which of the legal moves an agent thinks best.

An agent is a policy, a named tuple whose type says how it chooses; `candidates` is compiled for
each. It returns all moves that are equally good to the agent, and its tie rule, ``ties``, picks
one of them: the least advanced piece, the most advanced, or any with equal chance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from urcx.agents.gain_kernels import Gain, by_gain
from urcx.agents.search_kernels import Memory, Plan
from urcx.agents.search_kernels import best as best_by_search
from urcx.engine.bit_kernels import lowest
from urcx.engine.jit import inlined, lean, njit
from urcx.engine.move_kernels import ENEMY, LENGTH, PIECES, ROSETTES, make_move
from urcx.enumerate.rankings.pattern_kernels import (
    PatternTables,
    count_part,
    own_part,
    pattern_part,
    rank_of,
    spread_of,
)
from urcx.enumerate.rankings.tile_kernels import TURNED, state_of

TIES = ("first", "last", "random")
FIRST, LAST, RANDOM = range(3)


class AnyMove(NamedTuple):
    """All legal moves are as good: with its ties, the agents random, first and last."""

    ties: int


class Greedy(NamedTuple):
    """Captures before rosettes before anything else."""

    ties: int


class ByLevel(NamedTuple):
    """What is best after looking up each position in ``values`` (see `level_kernels`)."""

    ties: int
    values: NDArray[np.int32] | NDArray[np.int64]
    table: PatternTables


class ByTree(NamedTuple):
    """What is best after searching each position (see `search_kernels`); for one thread."""

    ties: int
    ways: NDArray[np.int64]
    plan: Plan
    memory: Memory


class ByTable(NamedTuple):
    """What is best after looking up each position's chance of winning in a solution.

    ``values`` of all layers, ``certain`` for a certain win; ``first[i, j]`` is where the layer with
    i of the mover's and j of the other's pieces home begins, ``offsets[i, j, pattern]`` where a
    pattern does in it; ``width`` and ``number`` are those of
    `urcx.solving.layered.order.LayerOrder`.
    """

    ties: int
    values: NDArray[Any]
    certain: float
    first: NDArray[np.int64]
    offsets: NDArray[np.uint32]
    width: NDArray[np.int64]
    number: NDArray[np.int64]
    table: PatternTables


class ByRank(NamedTuple):
    """As `ByTable`, for every path: on the order by tiles, with the chances of all states.

    ``values[state]`` are numbered by ``table``, see `urcx.enumerate.rankings.tile_kernels`.
    """

    ties: int
    values: NDArray[np.float64]
    certain: float
    table: NDArray[np.int64]


# All take the same, whatever they use of it.
# ruff: noqa: ARG001
def _any_move(policy, ways, side, legal, roll, own, own_home, other, other_home):
    return legal


def _greedy(policy, ways, side, legal, roll, own, own_home, other, other_home):
    board = (np.int64(1) << ways[side, LENGTH]) - 1
    landing = ((legal << roll) >> 1) & board  # steps, bit s - 1
    hits = np.int64(0)
    left = landing
    while left:
        place = lowest(left)
        left &= left - 1
        if other & ways[side, ENEMY + place + 1]:
            hits |= np.int64(1) << place
    if hits == 0:
        hits = landing & ways[side, ROSETTES]
    return (hits << 1) >> roll if hits else legal


def _by_level(policy, ways, side, legal, roll, own, own_home, other, other_home):
    if legal & (legal - 1) == 0:
        return legal
    best = np.int64(0)
    found = np.int64(0)
    left = legal
    while left:
        bit = left & -left
        left &= left - 1
        start = lowest(bit)
        mine, theirs, home, again = make_move(ways, side, own, other, own_home, start, start + roll)
        if again:
            # Still to move: the same diagram with the sides exchanged.
            value = -np.int64(policy.values[rank_of(policy.table, theirs, other_home, mine, home)])
        else:
            value = np.int64(policy.values[rank_of(policy.table, mine, home, theirs, other_home)])
        if found == 0 or value > best:
            best = value
            found = bit
        elif value == best:
            found |= bit
    return found


def _by_tree(policy, ways, side, legal, roll, own, own_home, other, other_home):
    if legal & (legal - 1) == 0:
        return legal
    return best_by_search(
        policy.ways, policy.plan, policy.memory, own, other, own_home, other_home, side, roll
    )


@njit
def chance_of(policy, side, own, own_home, other, other_home):
    """Return the chance of winning of the side that owns ``own`` and is to move."""
    a = spread_of(policy.table, 0, own)
    b = spread_of(policy.table, 1, other)
    pieces = policy.width.shape[0] - 1
    rows = policy.width[pieces - own_home - count_part(a)]
    columns = policy.width[pieces - other_home - count_part(b)]
    place = (
        policy.first[own_home, other_home]
        + np.int64(policy.offsets[own_home, other_home, pattern_part(a) + pattern_part(b)])
        + (rows - 1 - policy.number[own_part(a)]) * columns
        + columns - 1 - policy.number[own_part(b)]
    )  # fmt: skip
    return np.float64(policy.values[place])


@lean
def chance_by_rank(policy, side, own, own_home, other, other_home):
    """Return the chance of winning of the side that owns ``own`` and is to move."""
    turn = 0 if policy.table[TURNED] else side
    return policy.values[state_of(policy.table, own, own_home, other, other_home, turn)]


def _by_chance(chance: Any) -> Callable[..., Any]:
    """Return the choice of what wins most often, as a function of a policy and a state says."""

    def best_of(policy, ways, side, legal, roll, own, own_home, other, other_home):
        if legal & (legal - 1) == 0:
            return legal
        best = -1.0
        found = np.int64(0)
        left = legal
        while left:
            bit = left & -left
            left &= left - 1
            start = lowest(bit)
            mine, theirs, home, again = make_move(
                ways, side, own, other, own_home, start, start + roll
            )
            if home == ways[side, PIECES]:
                value = policy.certain
            elif again:
                value = chance(policy, side, mine, home, theirs, other_home)
            else:
                value = policy.certain - chance(policy, 1 - side, theirs, other_home, mine, home)
            if value > best:
                best = value
                found = bit
            elif value == best:
                found |= bit
        return found

    return best_of


# What is compiled for each type of policy.
CHOICES: dict[type, Callable[..., Any]] = {
    AnyMove: _any_move,
    Greedy: _greedy,
    ByLevel: _by_level,
    ByTree: _by_tree,
    ByTable: _by_chance(chance_of),
    ByRank: _by_chance(chance_by_rank),
    Gain: by_gain,
}


def candidates(
    policy: Any, ways: Any, side: Any, legal: Any, roll: Any,
    own: Any, own_home: Any, other: Any, other_home: Any,
) -> Any:  # fmt: skip
    """Return the moves that a policy thinks best, as a mask of starts."""
    return CHOICES[type(policy)](policy, ways, side, legal, roll, own, own_home, other, other_home)


@overload(candidates)
def _compiled(policy, ways, side, legal, roll, own, own_home, other, other_home):
    return CHOICES[policy.instance_class]


UNROLLED = 4  # six or more equal moves are rare


@inlined
def nth(mask, n):
    """Return the index of the n-th lowest bit set, n from 0."""
    # Always as many steps: a loop of n would be mispredicted every other time.
    for k in range(UNROLLED):
        mask = mask & (mask - 1) if k < n else mask
    for _ in range(n - UNROLLED):
        mask &= mask - 1
    return lowest(mask)
