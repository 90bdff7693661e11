"""Kernels that judge an agent's decisions in games against perfect play."""

from __future__ import annotations

import numpy as np

from urcx.agents.agent_kernels import RANDOM, candidates, chance_of
from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import inlined, njit
from urcx.engine.move_kernels import PIECES, legal_starts, make_move
from urcx.games.game_kernels import draw, first_side, pick, stream

# What is counted of each game.
LOSS, DECISIONS, MISTAKES, WON, N_COUNTS = range(5)


@inlined
def chance_after(perfect, ways, side, own, own_home, other, other_home, start, roll):
    """Return the mover's chance of winning after a move, under perfect play."""
    mine, theirs, home, again = make_move(ways, side, own, other, own_home, start, start + roll)
    if home == ways[side, PIECES]:
        return 1.0
    if again:
        return chance_of(perfect, side, mine, home, theirs, other_home) / perfect.certain
    return 1.0 - chance_of(perfect, 1 - side, theirs, other_home, mine, home) / perfect.certain


@njit
def judge_games(ways, rolls, policy, perfect, slots, seed, first, last, longest, equal, counts):
    """Play the games ``first`` up to ``last`` between a policy, light, and perfect play.

    They begin alternately. A move that loses at most ``equal`` is no mistake. Writes
    ``counts[game - first]``; returns the number of a game with more than ``longest`` plies, or -1.
    """
    pieces = ways[0, PIECES]
    for game in range(first, last):
        count = counts[game - first]
        state, side = first_side(stream(seed, game), 2, game)
        own = np.int64(0)
        other = np.int64(0)
        own_home = np.int64(0)
        other_home = np.int64(0)
        plies = 0
        while True:
            if plies == longest:
                return game
            plies += 1
            state, r, half = draw(state, slots)
            roll = rolls[r]
            legal = legal_starts(ways, side, pieces - popcount(own) - own_home, own, other, roll)
            again = False
            if legal:
                if side == 0:
                    best = candidates(
                        policy, ways, side, legal, roll, own, own_home, other, other_home
                    )
                    ties = policy.ties
                else:
                    best = candidates(
                        perfect, ways, side, legal, roll, own, own_home, other, other_home
                    )
                    ties = perfect.ties
                if side == 0 and legal & (legal - 1):
                    # All moves that the tie rule may pick are judged, not only the one played.
                    chosen = (
                        best if ties == RANDOM else np.int64(1) << pick(state, half, best, ties)[1]
                    )
                    most = 0.0
                    left = legal
                    while left:
                        start = lowest(left)
                        left &= left - 1
                        value = chance_after(
                            perfect, ways, side, own, own_home, other, other_home, start, roll
                        )
                        most = max(most, value)
                    count[DECISIONS] += 1
                    share = 1.0 / popcount(chosen)
                    while chosen:
                        start = lowest(chosen)
                        chosen &= chosen - 1
                        loss = most - chance_after(
                            perfect, ways, side, own, own_home, other, other_home, start, roll
                        )
                        count[LOSS] += share * loss
                        if loss > equal:
                            count[MISTAKES] += share
                state, start = pick(state, half, best, ties)
                own, other, own_home, again = make_move(
                    ways, side, own, other, own_home, start, start + roll
                )
            if own_home == pieces:
                break
            if not again:
                own, other = other, own
                own_home, other_home = other_home, own_home
                side = 1 - side
        count[WON] = side == 0
    return -1
