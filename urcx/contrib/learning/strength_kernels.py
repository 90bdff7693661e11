# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that judge decisions by optimal play, and quantise its values to a few bits per state.

A decision is a roll with two or more legal moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import TablePolicy, break_ties, value_by_solution
from urcx.engine.jit import lean, njit
from urcx.engine.move_kernels import lowest, popcount

# The counts of each game.
LOSS, DECISIONS, MISTAKES, WON, N_COUNTS = range(5)


@lean
def chances_after(perfect, ways, ply, chances):
    """Write the mover's win probability after each legal move, the least advanced piece first.

    ``ply`` is a `urcx.games.game_kernels.Rolled`. Returns the number of moves.
    """
    moves = 0
    left = ply.legal
    while left:
        value = value_by_solution(
            perfect, ways, ply.side, ply.own, ply.own_home, ply.other, ply.other_home,
            lowest(left), ply.roll,
        )  # fmt: skip
        chances[moves] = value / perfect.certain
        left &= left - 1
        moves += 1
    return moves


class DecisionJudge(NamedTuple):
    """Judges light's decisions by the win probabilities of optimal play, in ``counts[game]``.

    A move that loses at most ``equal`` is not a mistake. ``chances`` is working memory.
    """

    perfect: TablePolicy
    equal: float
    counts: NDArray[np.float64]
    chances: NDArray[np.float64]

    def move(self, ways, ply, move):
        """Judge a decision of light."""
        legal = ply.legal
        if ply.side != 0 or legal & (legal - 1) == 0:
            return
        count = self.counts[ply.game]
        moves = chances_after(self.perfect, ways, ply, self.chances)
        most = 0.0
        for k in range(moves):
            most = max(most, self.chances[k])
        count[DECISIONS] += 1
        # All moves that the policy might choose are judged, not only the move played.
        chosen = break_ties(move.best, move.ties)
        good, worse = (1.0 - move.share) / popcount(chosen), move.share / moves
        for k in range(moves):
            share = worse + good if chosen & legal & -legal else worse
            if share > 0.0:
                loss = most - self.chances[k]
                count[LOSS] += share * loss
                if loss > self.equal:
                    count[MISTAKES] += share
            legal &= legal - 1

    def end(self, game, ended):
        """Write whether light won."""
        self.counts[game, WON] = ended.side == 0


@njit
def quantise(values, certain, bounds, begin, first, last, codes, counts):
    """Write the codes of the states ``first`` up to ``last``, from 1 for the lowest cell.

    A cell begins at its lower bound. ``begin[b]`` is the number of ``bounds`` up to ``b`` /
    ``len(begin)``, where ``len(begin)`` is a power of 2. ``counts[code]`` counts the codes.
    """
    grid = len(begin)
    for k in range(first, last):
        value = np.float64(values[k]) / certain
        code = begin[min(np.int64(value * grid), grid - 1)]
        while code < len(bounds) and bounds[code] <= value:
            code += 1
        codes[k] = code + 1
        counts[code + 1] += 1
