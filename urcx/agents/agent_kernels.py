# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the agents: which of the legal moves are best to an agent.

To the kernels an agent is a policy, a named tuple with ``ties`` and with one of two methods, which
any package may define and numba compiles: ``choose`` returns all moves that are equally good to the
agent, as a mask of starts, and ``value`` returns what a legal move is worth to the mover, of which
the highest are chosen. `candidates` is compiled for each type of policy. The tie rule, ``ties``,
picks the least advanced piece, the most advanced, or any with equal probability.

Policies that need working memory for each thread also have ``for_one_thread``, which returns a
copy.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from urcx.agents.leaf_kernels import SearchPlan
from urcx.agents.search_kernels import Memory
from urcx.agents.search_root_kernels import best as best_by_search
from urcx.engine.jit import INLINED, inlined, lean, njit
from urcx.engine.move_kernels import (
    LENGTH,
    PIECES,
    ROSETTES,
    capturing,
    highest,
    lowest,
    successor,
)
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


class RandomPolicy(NamedTuple):
    """All legal moves are equally good: the agents random, first and last, by their tie rules."""

    ties: int

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return all legal moves."""
        return legal


class Greedy(NamedTuple):
    """Prefers captures to rosettes, and rosettes to other moves."""

    ties: int

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return the captures, or the moves to rosettes, or all legal moves."""
        board = (np.int64(1) << ways[side, LENGTH]) - 1
        landing = ((legal << roll) >> 1) & board  # steps, bit s - 1
        hits = capturing(ways, side, landing, other)
        if hits == 0:
            hits = landing & ways[side, ROSETTES]
        return (hits << 1) >> roll if hits else legal


class LevelPolicy(NamedTuple):
    """Plays the best move by looking up successors in ``values`` (see `level_kernels`)."""

    ties: int
    values: NDArray[np.int32] | NDArray[np.int64]
    table: PatternTables

    def value(self, ways, side, own, own_home, other, other_home, start, roll):
        """Return the value of a legal move."""
        return value_by_level(self, ways, side, own, own_home, other, other_home, start, roll)


class SearchPolicy(NamedTuple):
    """Plays the best move by tree search (see `search_kernels`); for one thread only."""

    ties: int
    ways: NDArray[np.int64]
    plan: SearchPlan
    memory: Memory

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return the best moves; a single legal move is not searched."""
        if legal & (legal - 1) == 0:
            return legal
        return best_by_search(
            self.ways, self.plan, self.memory, (own, other, own_home, other_home, side), roll
        )

    def for_one_thread(self) -> SearchPolicy:
        """Return the policy with a memory of its own."""
        return self._replace(memory=Memory._make(part.copy() for part in self.memory))


class TablePolicy(NamedTuple):
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

    def value(self, ways, side, own, own_home, other, other_home, start, roll):
        """Return the mover's chance of winning after a legal move."""
        return value_by_solution(self, ways, side, own, own_home, other, other_home, start, roll)

    def chance(self, side, own, own_home, other, other_home):
        """Return the chance of winning of the side that owns ``own`` and is to move."""
        return pick_chance(self, side, own, own_home, other, other_home)


class RankPolicy(NamedTuple):
    """As `TablePolicy`, for every path: in the order by tiles, with probabilities of all states.

    ``table`` numbers the states of ``values[state]``; see `urcx.enumerate.rankings.tile_kernels`.
    """

    ties: int
    values: NDArray[np.float64]
    certain: float
    tie_width: float
    table: NDArray[np.int64]

    def value(self, ways, side, own, own_home, other, other_home, start, roll):
        """Return the mover's chance of winning after a legal move."""
        return value_by_solution(self, ways, side, own, own_home, other, other_home, start, roll)

    def chance(self, side, own, own_home, other, other_home):
        """Return the chance of winning of the side that owns ``own`` and is to move."""
        return chance_by_rank(self, side, own, own_home, other, other_home)


class MistakePolicy(NamedTuple):
    """Plays as the policy ``play``, but in a ``share`` of its decisions any legal move.

    Then each has equal chance. What it plays by ``play`` alone is what `candidates` returns.
    """

    ties: int
    share: float
    play: Any

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return the moves that are best to the policy ``play``."""
        return candidates(self.play, ways, side, legal, roll, own, own_home, other, other_home)

    def for_one_thread(self) -> MistakePolicy:
        """Return the policy with a copy of ``play``."""
        return self._replace(play=copy_for_thread(self.play))


@inlined
def value_by_level(policy, ways, side, own, own_home, other, other_home, start, roll):
    """Return the value of a legal move to the mover."""
    a, a_home, b, b_home, again = successor(
        ways, side, own, own_home, other, other_home, start, roll
    )
    # Levels have the values with dark to move: the same diagram with the sides exchanged.
    value = np.int64(policy.values[rank_of(policy.table, b, b_home, a, a_home)])
    return -value if again else value


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


def chance_by_solution(
    policy: Any, side: Any, own: Any, own_home: Any, other: Any, other_home: Any
) -> Any:
    """Return the chance of winning of the side that owns ``own`` and is to move, by a solution."""
    return policy.chance(side, own, own_home, other, other_home)


@overload(chance_by_solution, strict=False, jit_options=INLINED)
def _chance_compiled(policy, side, own, own_home, other, other_home):
    return policy.instance_class.chance


@inlined
def value_by_solution(policy, ways, side, own, own_home, other, other_home, start, roll):
    """Return the mover's chance of winning after a legal move, by a solution."""
    a, a_home, b, b_home, again = successor(
        ways, side, own, own_home, other, other_home, start, roll
    )
    if b_home == ways[side, PIECES]:
        return policy.certain
    chance = chance_by_solution(policy, side if again else 1 - side, a, a_home, b, b_home)
    return chance if again else policy.certain - chance


def value_of_move(
    policy: Any, ways: Any, side: Any, own: Any, own_home: Any, other: Any, other_home: Any,
    start: Any, roll: Any,
) -> Any:  # fmt: skip
    """Return what a legal move is worth to a policy that values moves."""
    return policy.value(ways, side, own, own_home, other, other_home, start, roll)


@overload(value_of_move, strict=False, jit_options=INLINED)
def _value_compiled(policy, ways, side, own, own_home, other, other_home, start, roll):
    return policy.instance_class.value


def width_of_ties(policy: Any) -> Any:
    """Return by how much a value may be below the best one and still count as equally good."""
    return getattr(policy, "tie_width", 0)


def _own_width(policy):
    return policy.tie_width


def _no_width(policy):
    return 0


@overload(width_of_ties, jit_options=INLINED)
def _width_compiled(policy):
    return _own_width if "tie_width" in policy.fields else _no_width


LEAST = -(2**63)  # below every value


def _choose_highest(policy, ways, side, legal, roll, own, own_home, other, other_home):
    """Return the moves of the highest value, or within a tie's width of it.

    A single legal move is not valued.
    """
    if legal & (legal - 1) == 0:
        return legal
    width = width_of_ties(policy)
    best = LEAST
    best_moves = np.int64(0)
    rose = True
    while rose:  # by so little that moves before may be equally good, or may not
        best_moves = np.int64(0)
        rose = False
        left = legal
        while left:
            bit = left & -left
            left &= left - 1
            value = value_of_move(
                policy, ways, side, own, own_home, other, other_home, lowest(bit), roll
            )  # fmt: skip
            if value > best:
                rose = value <= best + width
                best_moves = best_moves | bit if rose else bit
                best = value
            elif value >= best - width:
                best_moves |= bit
    return best_moves


def candidates(
    policy: Any, ways: Any, side: Any, legal: Any, roll: Any,
    own: Any, own_home: Any, other: Any, other_home: Any,
) -> Any:  # fmt: skip
    """Return the moves that are best to a policy, as a mask of starts."""
    choose = getattr(type(policy), "choose", _choose_highest)
    return choose(policy, ways, side, legal, roll, own, own_home, other, other_home)


@overload(candidates, strict=False)
def _compiled(policy, ways, side, legal, roll, own, own_home, other, other_home):
    return getattr(policy.instance_class, "choose", _choose_highest)


def copy_for_thread(policy: Any) -> Any:
    """Return a policy for use by one thread."""
    return policy.for_one_thread() if hasattr(policy, "for_one_thread") else policy


def share_of(policy: Any) -> Any:
    """Return in which share of its decisions a policy plays any legal move."""
    return policy.share if isinstance(policy, MistakePolicy) else 0.0


def _own_share(policy):
    return policy.share


def _no_share(policy):
    return 0.0


@overload(share_of)
def _share_compiled(policy):
    return _own_share if policy.instance_class is MistakePolicy else _no_share


@inlined
def break_ties(best, ties):
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
