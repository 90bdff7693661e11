# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that go from decision to decision of games, with what perfect play says of each move.

A decision is a roll with two or more legal moves.
"""

from __future__ import annotations

import numpy as np

from urcx.agents.agent_kernels import RANDOM, candidates, pick_chance
from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import PIECES, legal_starts, make_move
from urcx.games.game_kernels import draw, first_side, pick, stream

# A game under way: the pieces of the player to move and of the other, those home, the side to
# move, the plies played, and whether that side has won.
OWN, OTHER, OWN_HOME, OTHER_HOME, SIDE, PLIES, WON, N_BOARD = range(8)
OVER, ENDLESS = 0, -1  # instead of a number of moves


@inlined
def chance_after(perfect, ways, side, own, own_home, other, other_home, start, roll):
    """Return the mover's chance of winning after a move, under perfect play."""
    mine, theirs, home, again = make_move(ways, side, own, other, own_home, start, start + roll)
    if home == ways[side, PIECES]:
        return 1.0
    if again:
        return pick_chance(perfect, side, mine, home, theirs, other_home) / perfect.certain
    return 1.0 - pick_chance(perfect, 1 - side, theirs, other_home, mine, home) / perfect.certain


@lean
def begin_game(seed, game, board):
    """Set up a game, which the sides begin alternately; return its random stream."""
    board[:] = 0
    state, side = first_side(stream(seed, game), 2, game)
    board[SIDE] = side
    return state


@lean
def next_decision(
    ways, rolls, light, dark, perfect, slots, longest, only_light, state, board, chances
):
    """Play up to and including the next decision, of light if ``only_light``, else of either.

    Writes the chance of winning after each legal move, from the least advanced piece on, to
    ``chances``. Returns the random stream, the number of legal moves, and the moves that the tie
    rule may pick, as a mask over them. Without a further decision the number is `OVER`, or
    `ENDLESS` if the game has more than ``longest`` plies.
    """
    pieces = ways[0, PIECES]
    while board[WON] == 0:
        if board[PLIES] == longest:
            return state, np.int64(ENDLESS), np.int64(0)
        board[PLIES] += 1
        own, other, side = board[OWN], board[OTHER], board[SIDE]
        own_home, other_home = board[OWN_HOME], board[OTHER_HOME]
        state, r, half = draw(state, slots)
        roll = rolls[r]
        legal = legal_starts(ways, side, pieces - popcount(own) - own_home, own, other, roll)
        moves = np.int64(0)
        found = np.int64(0)
        again = False
        if legal:
            if side == 0:
                ties = light.ties
                best = candidates(light, ways, side, legal, roll, own, own_home, other, other_home)
            else:
                ties = dark.ties
                best = candidates(dark, ways, side, legal, roll, own, own_home, other, other_home)
            state, start = pick(state, half, best, ties)
            if legal & (legal - 1) and (side == 0 or not only_light):
                chosen = best if ties == RANDOM else np.int64(1) << start
                left = legal
                while left:
                    move = lowest(left)
                    left &= left - 1
                    chances[moves] = chance_after(
                        perfect, ways, side, own, own_home, other, other_home, move, roll
                    )
                    found |= (chosen >> move & 1) << moves
                    moves += 1
            own, other, own_home, again = make_move(
                ways, side, own, other, own_home, start, start + roll
            )
        if own_home == pieces:
            board[WON] = 1
        elif not again:
            own, other = other, own
            own_home, other_home = other_home, own_home
            board[SIDE] = 1 - side
        board[OWN], board[OTHER] = own, other
        board[OWN_HOME], board[OTHER_HOME] = own_home, other_home
        if moves:
            return state, moves, found
    return state, np.int64(OVER), np.int64(0)
