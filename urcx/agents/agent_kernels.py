# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the agents: which of the legal moves are best to an agent.

To the kernels an agent is a policy, a named tuple whose type determines how it chooses;
`candidates` is compiled for each type. It returns all moves that are equally good to the agent; its
tie rule, ``ties``, picks the least advanced piece, the most advanced, or any with equal
probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from urcx.agents.gain_kernels import ByGain, worth_of_move
from urcx.agents.leaf_kernels import SearchPlan
from urcx.agents.network_tree_kernels import ByNetwork, value_by_network
from urcx.agents.play_files.look_up_kernels import ByPlay, by_play
from urcx.agents.search_kernels import Memory
from urcx.agents.search_root_kernels import best as best_by_search
from urcx.engine.bit_kernels import highest, lowest
from urcx.engine.jit import INLINED, inlined, lean, njit
from urcx.engine.move_kernels import LENGTH, PIECES, ROSETTES, capturing, make_move
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
    """All legal moves are equally good: the agents random, first and last, by their tie rules."""

    ties: int


class Greedy(NamedTuple):
    """Prefers captures to rosettes, and rosettes to other moves."""

    ties: int


class ByLevel(NamedTuple):
    """Plays the best move by looking up successors in ``values`` (see `level_kernels`)."""

    ties: int
    values: NDArray[np.int32] | NDArray[np.int64]
    table: PatternTables


class ByTree(NamedTuple):
    """Plays the best move by tree search (see `search_kernels`); for one thread only."""

    ties: int
    ways: NDArray[np.int64]
    plan: SearchPlan
    memory: Memory


class ByTable(NamedTuple):
    """Plays the best move by looking up the winning probabilities of successors in a solution.

    ``values`` are those of all layers, ``certain`` is the value of a certain win, and moves
    within ``tie_width`` of the best are equally good (`urcx.solving.ties`); ``first[i,
    j]`` is the offset of the layer with i of the mover's and j of the other's pieces home,
    ``offsets[i, j, pattern]`` that of a pattern in the layer; ``width`` and ``number`` are those of
    `urcx.solving.layered.order.LayerOrder`.
    """

    ties: int
    values: NDArray[Any]
    certain: float
    tie_width: float
    first: NDArray[np.int64]
    offsets: NDArray[np.uint32]
    width: NDArray[np.int64]
    number: NDArray[np.int64]
    table: PatternTables


class ByRank(NamedTuple):
    """As `ByTable`, for every path: in the order by tiles, with the probabilities of all states.

    ``table`` numbers the states of ``values[state]``; see `urcx.enumerate.rankings.tile_kernels`.
    """

    ties: int
    values: NDArray[np.float64]
    certain: float
    tie_width: float
    table: NDArray[np.int64]


class Erring(NamedTuple):
    """Plays as the policy ``play``, but in a ``share`` of its decisions any legal move.

    Then each has equal chance. What it plays by ``play`` alone is what `candidates` returns.
    """

    ties: int
    share: float
    play: Any


# All take the same arguments, used or not.
def _any_move(policy, ways, side, legal, roll, own, own_home, other, other_home):
    return legal


def _greedy(policy, ways, side, legal, roll, own, own_home, other, other_home):
    board = (np.int64(1) << ways[side, LENGTH]) - 1
    landing = ((legal << roll) >> 1) & board  # steps, bit s - 1
    hits = capturing(ways, side, landing, other)
    if hits == 0:
        hits = landing & ways[side, ROSETTES]
    return (hits << 1) >> roll if hits else legal


@inlined
def _no_width(_):
    return 0


@inlined
def _own_width(policy):
    return policy.tie_width


def _highest(value: Any, least: float, width_of: Any = _no_width) -> Callable[..., Any]:
    """Return the choice of the moves whose ``value`` is the highest, or within a width of it.

    Values are above ``least``, by more than the width.
    """

    def best_of(policy, ways, side, legal, roll, own, own_home, other, other_home):
        if legal & (legal - 1) == 0:
            return legal
        width = width_of(policy)
        best = least
        found = np.int64(0)
        rose = True
        while rose:  # by so little that moves before may be equally good, or may not
            found = np.int64(0)
            rose = False
            left = legal
            while left:
                bit = left & -left
                left &= left - 1
                after = value(
                    policy, ways, side, own, own_home, other, other_home, lowest(bit), roll
                )  # fmt: skip
                if after > best:
                    rose = after <= best + width
                    found = found | bit if rose else bit
                    best = after
                elif after >= best - width:
                    found |= bit
        return found

    return best_of


@inlined
def value_by_level(policy, ways, side, own, own_home, other, other_home, start, roll):
    """Return the value of a legal move to the mover."""
    mine, theirs, home, again = make_move(ways, side, own, other, own_home, start, start + roll)
    if again:
        # The mover rolls again: the same diagram with the sides exchanged.
        return -np.int64(policy.values[rank_of(policy.table, theirs, other_home, mine, home)])
    return np.int64(policy.values[rank_of(policy.table, mine, home, theirs, other_home)])


def _by_tree(policy, ways, side, legal, roll, own, own_home, other, other_home):
    if legal & (legal - 1) == 0:
        return legal
    return best_by_search(
        policy.ways, policy.plan, policy.memory, (own, other, own_home, other_home, side), roll
    )


@njit
def pick_chance(policy, side, own, own_home, other, other_home):
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


_CHANCES: dict[type, Any] = {ByTable: pick_chance, ByRank: chance_by_rank}


def chance_by_solution(
    policy: Any, side: Any, own: Any, own_home: Any, other: Any, other_home: Any
) -> Any:
    """Return the chance of winning of the side that owns ``own`` and is to move, by a solution."""
    return _CHANCES[type(policy)](policy, side, own, own_home, other, other_home)


@overload(chance_by_solution, jit_options=INLINED)
def _chance_compiled(policy, side, own, own_home, other, other_home):
    by = _CHANCES[policy.instance_class]

    def chance(policy, side, own, own_home, other, other_home):
        return by(policy, side, own, own_home, other, other_home)

    return chance


@inlined
def value_by_solution(policy, ways, side, own, own_home, other, other_home, start, roll):
    """Return the mover's chance of winning after a legal move, by a solution."""
    mine, theirs, home, again = make_move(ways, side, own, other, own_home, start, start + roll)
    if home == ways[side, PIECES]:
        return policy.certain
    if again:
        return chance_by_solution(policy, side, mine, home, theirs, other_home)
    return policy.certain - chance_by_solution(policy, 1 - side, theirs, other_home, mine, home)


def _erring(policy, ways, side, legal, roll, own, own_home, other, other_home):
    return candidates(policy.play, ways, side, legal, roll, own, own_home, other, other_home)


LEAST = -(2**63)  # below every value in integers
# The choice kernel of each type of policy.
CHOICES: dict[type, Callable[..., Any]] = {
    AnyMove: _any_move,
    Greedy: _greedy,
    ByLevel: _highest(value_by_level, LEAST),
    ByTree: _by_tree,
    ByTable: _highest(value_by_solution, -2.0, _own_width),
    ByRank: _highest(value_by_solution, -2.0, _own_width),
    ByGain: _highest(worth_of_move, LEAST),
    ByNetwork: _highest(value_by_network, LEAST),
    ByPlay: by_play,
    Erring: _erring,
}


def candidates(
    policy: Any, ways: Any, side: Any, legal: Any, roll: Any,
    own: Any, own_home: Any, other: Any, other_home: Any,
) -> Any:  # fmt: skip
    """Return the moves that are best to a policy, as a mask of starts."""
    return CHOICES[type(policy)](policy, ways, side, legal, roll, own, own_home, other, other_home)


@overload(candidates)
def _compiled(policy, ways, side, legal, roll, own, own_home, other, other_home):
    return CHOICES[policy.instance_class]


def share_of(policy: Any) -> Any:
    """Return in which share of its decisions a policy plays any legal move."""
    return policy.share if isinstance(policy, Erring) else 0.0


def _own_share(policy):
    return policy.share


def _no_share(policy):
    return 0.0


@overload(share_of)
def _share_compiled(policy):
    return _own_share if policy.instance_class is Erring else _no_share


@inlined
def after_ties(best, ties):
    """Return which of several equally good moves a tie rule may pick."""
    if ties == FIRST:
        return best & -best
    if ties == LAST:
        return np.int64(1) << highest(best)
    return best


@inlined
def log_spread(logs, legal, best, share):
    """Return the entropy of a choice, in powers of ten: -sum p log10 p over the moves.

    It is one of ``best`` equally good ones, or in a ``share`` of choices any of all ``legal`` ones;
    both are numbers of moves. ``logs[k]`` is log10 k.
    """
    if share == 0.0:
        return logs[best]
    worse = share / legal
    good = (1.0 - share) / best + worse
    return -(best * good * math.log10(good) + (legal - best) * worse * math.log10(worse))


UNROLLED = 4  # six or more equal moves are rare


@inlined
def nth(mask, n):
    """Return the index of the n-th lowest set bit, n from 0."""
    # A fixed number of steps: the end of a loop over n would often be mispredicted.
    for k in range(UNROLLED):
        mask = mask & (mask - 1) if k < n else mask
    for _ in range(n - UNROLLED):
        mask &= mask - 1
    return lowest(mask)
