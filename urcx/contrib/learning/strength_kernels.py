# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The observer that judges an agent's decisions in games against perfect play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import TablePolicy, after_ties
from urcx.contrib.learning.decision_kernels import chances_after
from urcx.engine.move_kernels import popcount

# What is counted of each game.
LOSS, DECISIONS, MISTAKES, WON, N_COUNTS = range(5)


class DecisionJudge(NamedTuple):
    """Judges light's decisions by the chances of winning of perfect play: ``counts[game]``.

    A move that loses at most ``equal`` is no mistake. ``chances`` is working memory.
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
        # All moves that might be played are judged, not only the one that was.
        chosen = after_ties(move.best, move.ties)
        good, worse = (1.0 - move.share) / popcount(chosen), move.share / moves
        for k in range(moves):
            share = worse + good if chosen & legal & -legal else worse
            if share > 0.0:
                loss = most - self.chances[k]
                count[LOSS] += share * loss
                if loss > self.equal:
                    count[MISTAKES] += share
            legal &= legal - 1

    def end(self, game, side, plies):
        """Write whether light won."""
        self.counts[game, WON] = side == 0
