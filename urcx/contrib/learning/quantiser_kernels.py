# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of quantised tables: the code of every state, and what confusing moves would cost."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import TablePolicy
from urcx.contrib.learning.decision_kernels import chances_after
from urcx.engine.jit import inlined, njit


@njit
def quantise(values, certain, bounds, begin, first, last, codes, counts):
    """Write the codes of the states ``first`` up to ``last``: 1 for the lowest cell, 2, ...

    A cell begins at its lower bound. ``begin[b]`` is the number of ``bounds`` up to ``b`` of
    ``len(begin)``, a power of 2. Adds to ``counts[code]``.
    """
    grid = len(begin)
    for k in range(first, last):
        value = np.float64(values[k]) / certain
        code = begin[min(np.int64(value * grid), grid - 1)]
        while code < len(bounds) and bounds[code] <= value:
            code += 1
        codes[k] = code + 1
        counts[code + 1] += 1


@inlined
def greatest_first(values, count):
    """Sort so many values."""
    for k in range(1, count):
        value = values[k]
        place = k
        while place > 0 and values[place - 1] < value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


class DecisionWeights(NamedTuple):
    """Weighs the decisions of perfect play against itself for a quantiser.

    A cell of a quantiser costs what a move drawn from those in the cell of the best one loses. As
    its lower bound goes down, that changes whenever another move comes in: ``jumps[best, other]``
    adds up the changes, both moves' values given by their places in a grid on 0..1. ``near[best]``
    adds up the cost of a cell of the width ``narrow`` that lies anywhere around the best move,
    divided by ``narrow`` squared. ``values`` is working memory. A winning move is not confused
    with others.
    """

    perfect: TablePolicy
    narrow: float
    values: NDArray[np.float64]
    jumps: NDArray[np.float64]
    near: NDArray[np.float64]

    def roll(self, ways, ply):
        """Weigh a decision."""
        if ply.legal & (ply.legal - 1) == 0:
            return
        values, narrow = self.values, self.narrow
        jumps: Any = self.jumps
        near: Any = self.near
        moves = chances_after(self.perfect, ways, ply, values)
        greatest_first(values, moves)
        if values[0] == 1.0:
            return
        grid = len(near)
        best = min(np.int64(values[0] * grid), grid - 1)
        total = values[0]
        before = 0.0
        for k in range(1, moves):
            total += values[k]
            cost = values[0] - total / (k + 1)
            jumps[best, min(np.int64(values[k] * grid), grid - 1)] += cost - before
            before = cost
        gap = values[0] - values[1]
        if gap < narrow:
            near[best] += (1.0 - gap / narrow) * gap / 2.0 / narrow**2
