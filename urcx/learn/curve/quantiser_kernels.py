"""Kernels of quantised tables: the code of every state, and what confusing moves would cost."""

from __future__ import annotations

import numpy as np

from urcx.agents.agent_kernels import candidates
from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import njit
from urcx.engine.move_kernels import PIECES, legal_starts, make_move
from urcx.games.game_kernels import draw, first_side, pick, stream
from urcx.learn.strength_kernels import chance_after


@njit
def encode(values, certain, bounds, begin, first, last, codes, counts):
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


@njit
def weigh_decisions(
    ways, rolls, perfect, slots, seed, first, last, longest, narrow, values, jumps, near
):
    """Play the games ``first`` up to ``last`` of perfect play against itself, and weigh decisions.

    A cell of a quantiser costs what a move drawn from those in the cell of the best one loses. As
    its lower bound goes down, that changes whenever another move comes in: ``jumps[best, other]``
    adds up the changes, both moves' values given by their places in a grid on 0..1. ``near[best]``
    adds up the cost of a cell of the width ``narrow`` that lies anywhere around the best move,
    divided by ``narrow`` squared. ``values`` is working memory. A winning move is not confused
    with others. Returns the number of a game with more than ``longest`` plies, or -1.
    """
    pieces = ways[0, PIECES]
    grid = len(near)
    for game in range(first, last):
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
                if legal & (legal - 1):
                    moves = 0
                    left = legal
                    while left:
                        start = lowest(left)
                        left &= left - 1
                        value = chance_after(
                            perfect, ways, side, own, own_home, other, other_home, start, roll
                        )
                        place = moves
                        while place > 0 and values[place - 1] < value:
                            values[place] = values[place - 1]
                            place -= 1
                        values[place] = value
                        moves += 1
                    if values[0] < 1.0:
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
                chosen = candidates(
                    perfect, ways, side, legal, roll, own, own_home, other, other_home
                )
                state, start = pick(state, half, chosen, perfect.ties)
                own, other, own_home, again = make_move(
                    ways, side, own, other, own_home, start, start + roll
                )
            if own_home == pieces:
                break
            if not again:
                own, other = other, own
                own_home, other_home = other_home, own_home
                side = 1 - side
    return -1
