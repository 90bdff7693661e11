# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the agents: the best legal moves for an agent.

Kernels take an agent as a policy, a named tuple with ``ties`` and one of two methods. Any package
may define a policy, and numba compiles its method.

- ``choose`` returns all moves that are equally good to the agent, as a mask of starts.
- ``value`` returns the value of a legal move to the mover. The moves of the highest value are
  chosen.

`candidates` is compiled for each type of policy. The tie-breaking rule, ``ties``, picks the least
advanced piece, the most advanced piece, or any of them with equal probability.

Policies that need working memory per thread also have ``for_one_thread``, which returns a copy.
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
    """A policy to which all legal moves are equally good: the agents random, first and last."""

    ties: int

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return all legal moves."""
        return legal


class Greedy(NamedTuple):
    """A policy that prefers captures to rosettes, and rosettes to other moves."""

    ties: int

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return the captures, else the moves to rosettes, else all legal moves."""
        board = (np.int64(1) << ways[side, LENGTH]) - 1
        landing = ((legal << roll) >> 1) & board  # steps, bit s - 1
        hits = capturing(ways, side, landing, other)
        if hits == 0:
            hits = landing & ways[side, ROSETTES]
        return (hits << 1) >> roll if hits else legal


class LevelPolicy(NamedTuple):
    """A policy that looks up the values of successors in ``values`` (see `level_kernels`)."""

    ties: int
    values: NDArray[np.int32] | NDArray[np.int64]
    table: PatternTables

    def value(self, ways, side, own, own_home, other, other_home, start, roll):
        """Return the value of a legal move."""
        return value_by_level(self, ways, side, own, own_home, other, other_home, start, roll)


class SearchPolicy(NamedTuple):
    """A policy that searches for the best move (see `search_kernels`). For one thread only."""

    ties: int
    ways: NDArray[np.int64]
    plan: SearchPlan
    memory: Memory

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return the best moves. A single legal move is returned without a search."""
        if legal & (legal - 1) == 0:
            return legal
        return best_by_search(
            self.ways, self.plan, self.memory, (own, other, own_home, other_home, side), roll
        )

    def for_one_thread(self) -> SearchPolicy:
        """Return the policy with a copy of its memory."""
        return self._replace(memory=Memory._make(part.copy() for part in self.memory))


class TablePolicy(NamedTuple):
    """A policy that looks up the win probabilities of successors in a solution.

    ``values`` holds the values of all layers, and ``certain`` is the value of a certain win. Moves
    within ``tie_width`` of the best are equally good (`urcx.solving.ties`). ``first[i, j]`` is the
    offset of the layer with i of the mover's and j of the other side's pieces home, and
    ``offsets[i, j, pattern]`` is the offset of a pattern in the layer. ``width`` and ``number``
    come from `urcx.solving.layered.order.LayerOrder`.
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
        """Return the mover's win probability after a legal move."""
        return value_by_solution(self, ways, side, own, own_home, other, other_home, start, roll)

    def chance(self, side, own, own_home, other, other_home):
        """Return the win probability of the side to move, which owns ``own``."""
        return pick_chance(self, side, own, own_home, other, other_home)


class RankPolicy(NamedTuple):
    """A `TablePolicy` for any path, with the values of all states in the order by tiles.

    ``table`` numbers the states of ``values[state]`` (`urcx.enumerate.rankings.tile_kernels`).
    """

    ties: int
    values: NDArray[np.float64]
    certain: float
    tie_width: float
    table: NDArray[np.int64]

    def value(self, ways, side, own, own_home, other, other_home, start, roll):
        """Return the mover's win probability after a legal move."""
        return value_by_solution(self, ways, side, own, own_home, other, other_home, start, roll)

    def chance(self, side, own, own_home, other, other_home):
        """Return the win probability of the side to move, which owns ``own``."""
        return chance_by_rank(self, side, own, own_home, other, other_home)


class MistakePolicy(NamedTuple):
    """A policy that plays as ``play`` does, except in a ``share`` of its decisions.

    In these it plays each legal move with equal probability. `candidates` returns the moves of
    ``play`` alone.
    """

    ties: int
    share: float
    play: Any

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return the best moves for the policy ``play``."""
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
    # Levels have values with dark to move: the same configuration with the sides exchanged.
    value = np.int64(policy.values[rank_of(policy.table, b, b_home, a, a_home)])
    return -value if again else value


@njit
def pick_chance(policy, side, own, own_home, other, other_home):
    """Return the win probability of the side to move, which owns ``own``."""
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
    """Return the win probability of the side to move, which owns ``own``."""
    turn = 0 if policy.table[TURNED] else side
    return policy.values[state_of(policy.table, own, own_home, other, other_home, turn)]


def chance_by_solution(
    policy: Any, side: Any, own: Any, own_home: Any, other: Any, other_home: Any
) -> Any:
    """Return the win probability of the side to move, which owns ``own``, by a solution."""
    return policy.chance(side, own, own_home, other, other_home)


@overload(chance_by_solution, strict=False, jit_options=INLINED)
def _chance_compiled(policy, side, own, own_home, other, other_home):
    return policy.instance_class.chance


@inlined
def value_by_solution(policy, ways, side, own, own_home, other, other_home, start, roll):
    """Return the mover's win probability after a legal move, by a solution."""
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
    """Return the value of a legal move, by a policy that values moves."""
    return policy.value(ways, side, own, own_home, other, other_home, start, roll)


@overload(value_of_move, strict=False, jit_options=INLINED)
def _value_compiled(policy, ways, side, own, own_home, other, other_home, start, roll):
    return policy.instance_class.value


def width_of_ties(policy: Any) -> Any:
    """Return the tie width: how far below the best value an equally good one may be."""
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
    """Return the moves within the tie width of the highest value.

    A single legal move is returned without its value.
    """
    if legal & (legal - 1) == 0:
        return legal
    width = width_of_ties(policy)
    best = LEAST
    best_moves = np.int64(0)
    rose = True
    while rose:  # by less than the tie width, so earlier moves may or may not be equally good
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
    """Return the best moves for a policy, as a mask of starts."""
    choose = getattr(type(policy), "choose", _choose_highest)
    return choose(policy, ways, side, legal, roll, own, own_home, other, other_home)


@overload(candidates, strict=False)
def _compiled(policy, ways, side, legal, roll, own, own_home, other, other_home):
    return getattr(policy.instance_class, "choose", _choose_highest)


def copy_for_thread(policy: Any) -> Any:
    """Return a policy for use by one thread."""
    return policy.for_one_thread() if hasattr(policy, "for_one_thread") else policy


def share_of(policy: Any) -> Any:
    """Return the share of its decisions in which a policy plays any legal move."""
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
    """Return the moves that a tie-breaking rule may pick from equally good ones."""
    if ties == FIRST:
        return best & -best
    if ties == LAST:
        return np.int64(1) << highest(best)
    return best


@inlined
def log_spread(logs, legal, best, share):
    """Return the entropy of a choice, in powers of ten: -sum p log10 p over the moves.

    The choice is one of ``best`` equally good moves, or in a ``share`` of choices one of all
    ``legal`` moves. Both are numbers of moves. ``logs[k]`` is log10 k.
    """
    if share == 0.0:
        return logs[best]
    worse = share / legal
    good = (1.0 - share) / best + worse
    return -(best * good * math.log10(good) + (legal - best) * worse * math.log10(worse))


@inlined
def entropy_of(shares):
    """Return the entropy of a choice, in powers of ten, from the probabilities of the moves."""
    total = 0.0
    for share in shares:
        if share > 0.0:
            total -= share * math.log10(share)
    return total


UNROLLED = 4  # six or more equal moves are rare


@inlined
def nth(mask, n):
    """Return the index of the n-th lowest set bit, n from 0."""
    # A fixed number of steps, because the end of a loop over n would often be mispredicted.
    for k in range(UNROLLED):
        mask = mask & (mask - 1) if k < n else mask
    for _ in range(n - UNROLLED):
        mask &= mask - 1
    return lowest(mask)
