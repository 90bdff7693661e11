# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The observer that judges an agent's decisions in games against perfect play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import ByTable, after_ties
from urcx.engine.bit_kernels import popcount
from urcx.games.decision_kernels import chances_after
from urcx.games.game_kernels import OBSERVERS, Observer

# What is counted of each game.
LOSS, DECISIONS, MISTAKES, WON, N_COUNTS = range(5)


class DecisionJudge(NamedTuple):
    """Judges light's decisions by the chances of winning of perfect play: ``counts[game]``.

    A move that loses at most ``equal`` is no mistake. ``chances`` is working memory.
    """

    perfect: ByTable
    equal: float
    counts: NDArray[np.float64]
    chances: NDArray[np.float64]


def _judge_move(observer, ways, ply, move):
    legal = ply.legal
    if ply.side != 0 or legal & (legal - 1) == 0:
        return
    count = observer.counts[ply.game]
    moves = chances_after(observer.perfect, ways, ply, observer.chances)
    most = 0.0
    for k in range(moves):
        most = max(most, observer.chances[k])
    count[DECISIONS] += 1
    # All moves that might be played are judged, not only the one that was.
    chosen = after_ties(move.best, move.ties)
    good, worse = (1.0 - move.share) / popcount(chosen), move.share / moves
    for k in range(moves):
        share = worse + good if chosen & legal & -legal else worse
        if share > 0.0:
            loss = most - observer.chances[k]
            count[LOSS] += share * loss
            if loss > observer.equal:
                count[MISTAKES] += share
        legal &= legal - 1


def _judge_end(observer, game, side, plies):
    observer.counts[game, WON] = side == 0


OBSERVERS[DecisionJudge] = Observer(move=_judge_move, end=_judge_end)
