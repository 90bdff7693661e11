# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that judge an agent's decisions in games against perfect play."""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import njit
from urcx.engine.move_kernels import PIECES
from urcx.games.decision_kernels import ENDLESS, N_BOARD, OVER, SIDE, begin_game, next_decision

# What is counted of each game.
LOSS, DECISIONS, MISTAKES, WON, N_COUNTS = range(5)


@njit
def judge_games(ways, rolls, policy, perfect, slots, seed, first, last, longest, equal, counts):
    """Play the games ``first`` up to ``last`` between a policy, light, and perfect play.

    They begin alternately. A move that loses at most ``equal`` is no mistake. Writes
    ``counts[game - first]``; returns the number of a game with more than ``longest`` plies, or -1.
    """
    board = np.zeros(N_BOARD, np.int64)
    chances = np.zeros(ways[0, PIECES])
    for game in range(first, last):
        count = counts[game - first]
        state = begin_game(seed, game, board)
        while True:
            state, moves, chosen = next_decision(
                ways, rolls, policy, perfect, perfect, slots, longest, True, state, board, chances
            )
            if moves == ENDLESS:
                return game
            if moves == OVER:
                break
            most = chances[:moves].max()
            count[DECISIONS] += 1
            # All moves that the tie rule may pick are judged, not only the one played.
            share = 1.0 / popcount(chosen)
            while chosen:
                loss = most - chances[lowest(chosen)]
                chosen &= chosen - 1
                count[LOSS] += share * loss
                if loss > equal:
                    count[MISTAKES] += share
        count[WON] = board[SIDE] == 0
    return -1
