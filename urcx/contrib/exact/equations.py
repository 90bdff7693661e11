"""A rule set's states and moves as equations for `urcx.contrib.exact.lifting`.

States are numbered in descending order of progress, the sum of the steps of all pieces with home as
step L + 1; `urcx.contrib.exact.rational` says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.exact.lifting import Fractions, System, loops
from urcx.rules.model import RuleSet
from urcx.solving.general import kernels as general_kernels
from urcx.solving.general.solver import GeneralOrder

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class StateGraph:
    """The unfinished states, numbered for the equations, with their successors.

    ``states[k]`` is the index of state k in ``order``, ``local`` the inverse, and ``partner[k]``
    the state with the other side to move. The moves of state k for the r-th roll are
    ``options[first[k * R + r] : first[k * R + r + 1]]``: `general_kernels.WON`, or twice the state
    after the move, plus 1 if the turn passes. ``chances`` are the probabilities of the rolls times
    ``scale``.
    """

    order: GeneralOrder
    states: IntArray
    local: IntArray
    partner: IntArray
    first: IntArray
    options: IntArray
    chances: IntArray
    scale: int

    def loops(self) -> IntArray:
        """Return the states that are successors of a state numbered before them."""
        rows = np.repeat(np.arange(len(self.first) - 1) // len(self.chances), np.diff(self.first))
        goes_on = self.options != general_kernels.WON
        return loops(rows[goes_on], self.options[goes_on] >> 1, self.partner)

    def worth(self, k: int, r: int, fractions: Fractions) -> list[int]:
        """Return the values of a state's moves for a roll, times the common denominator."""
        at = k * len(self.chances) + r
        return [
            worth_of_unknown(int(o), fractions)
            for o in self.options[self.first[at] : self.first[at + 1]]
        ]


def worth_of_unknown(option: int, fractions: Fractions) -> int:
    """Return the value of one of `StateGraph.options`, times the common denominator."""
    if option == general_kernels.WON:
        return fractions.denominator
    after = fractions.numerators[option >> 1]
    return fractions.denominator - after if option & 1 else after


def common_scale(rules: RuleSet) -> int:
    """Return the common denominator of the probabilities of the rolls."""
    return lcm(*(p.denominator for p in rules.dice.probabilities))


def state_graph(rules: RuleSet, order: GeneralOrder) -> StateGraph:
    """Return the states of a rule set, numbered for the equations."""
    homes, steps = order.described()
    gone = steps + homes @ np.array([len(rules.path.light) + 1, len(rules.path.dark) + 1])
    unfinished = np.flatnonzero((homes < rules.pieces).all(1))
    if order.alike:
        states = unfinished
        turned = np.array(
            [order.ranking.rank(order.ranking.unrank(int(k)).turned()) for k in unfinished]
        )
    else:
        states = np.repeat(2 * unfinished, 2) + np.tile([0, 1], len(unfinished))
        turned = states ^ 1
        gone = np.repeat(gone, 2)
    # A state and its partner have equal progress; sorted by the smaller index of the two, they are
    # neighbours.
    sort = np.lexsort((np.minimum(states, turned), -gone[states]))
    states, turned = states[sort].astype(np.int64), turned[sort]
    local = np.full(order.size, -1)
    local[states] = np.arange(len(states))
    first, moves = order.moves(states)
    won = moves == general_kernels.WON
    after = 2 * local[np.where(won, 0, moves) >> 1] + (moves & 1)
    options = np.where(won, general_kernels.WON, after)
    scale = common_scale(rules)
    chances = np.array([int(p * scale) for p in rules.dice.probabilities], np.int64)
    return StateGraph(order, states, local, local[turned], first, options, chances, scale)


def ends(graph: StateGraph) -> bool:
    """Return whether the game ends with probability 1 however both sides play."""
    won = graph.options == general_kernels.WON
    after = np.where(won, 0, graph.options) >> 1
    over: NDArray[np.bool_] = np.zeros(len(graph.states), np.bool_)
    while not over.all():
        forced = np.logical_and.reduceat(won | over[after], graph.first[:-1])
        now = np.any(forced.reshape(len(over), -1), axis=1)
        if (now == over).all():
            return False
        over = now
    return True


def best_by(graph: StateGraph, values: NDArray[np.float64]) -> IntArray:
    """Return for each state and roll the best of `StateGraph.options` by winning probability."""
    won = graph.options == general_kernels.WON
    after = values[graph.states][np.where(won, 0, graph.options) >> 1]
    worth = np.where(won, 1.0, np.where(graph.options & 1, 1.0 - after, after))
    best = np.maximum.reduceat(worth, graph.first[:-1])
    found = np.flatnonzero(worth == np.repeat(best, np.diff(graph.first)))
    return found[np.searchsorted(found, graph.first[:-1])]


def equations(graph: StateGraph, choice: IntArray) -> System:
    """Return the equations for the winning probabilities under a choice of moves."""
    n = len(graph.states)
    options = graph.options[choice].reshape(n, -1)
    rows = np.broadcast_to(np.arange(n)[:, None], options.shape)
    won = options == general_kernels.WON
    passes = ~won & (options & 1 == 1)
    weights = np.where(won, 0, np.where(passes, -graph.chances, graph.chances))
    constants = np.where(won | passes, graph.chances, 0).sum(1)
    return System(graph.scale, np.where(won, rows, options >> 1), weights, constants, graph.partner)
