"""Kernels of self-play that compares moves: decisions, each move with its backup by a network.

What decides play is how the moves of a decision compare. Here a network of before (the teacher)
looks one roll further than the network that learns: a move's chance of winning is the backup of the
position after it. The decisions of a part of a batch come from games of its own.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import lean
from urcx.engine.move_kernels import LENGTH, PIECES, legal_starts, make_move
from urcx.games.game_kernels import GAMMA, LOW, draw, mixed, one_of
from urcx.learn.distil_kernels import KEPT, PASSED, WON
from urcx.learn.game_kernels import OTHER, OTHER_HOME, OWN, OWN_HOME, one_ply
from urcx.learn.gradient_kernels import write_inputs


@lean
def decide_on(
    ways, dice, net, squared, bench, explore, first, last, positions, streams, ended, number, out,
):  # fmt: skip
    """Play the games ``first`` to ``last`` on, in turn, and write ``number`` decisions to ``out``.

    ``out`` is as in `urcx.learn.distil_kernels`. The best move is played, or one drawn at random,
    ``explore`` times of 2^32.
    """
    length, men = ways[0, LENGTH], ways[0, PIECES]
    out.start[0] = 0
    d = 0
    while d < number:
        for game in range(first, last):
            if d == number:
                break
            own, other = positions[game, OWN], positions[game, OTHER]
            own_home, other_home = positions[game, OWN_HOME], positions[game, OTHER_HOME]
            state, r, half = draw(streams[game], dice.slots)
            roll = dice.rolls[r]
            pool = men - own_home - popcount(own)
            legal = legal_starts(ways, 0, pool, own, other, roll)
            best = lowest(legal) if legal else np.int64(-1)
            if legal & (legal - 1):
                k = out.start[d]
                most = -1.0
                left = legal
                while left:
                    start = lowest(left)
                    left &= left - 1
                    a, b, home, again = make_move(
                        ways, 0, own, other, own_home, start, start + roll
                    )
                    b_home = other_home
                    out.samples.number[k] = 0
                    out.turns[k] = WON
                    chance = 1.0
                    if home < men:
                        out.turns[k] = KEPT if again else PASSED
                        if not again:
                            a, home, b, b_home = b, b_home, a, home
                        chance = one_ply(ways, dice, net, squared, bench, 0, a, home, b, b_home)
                        chance = chance if again else 1.0 - chance
                        out.samples.number[k] = write_inputs(
                            length, men, a, home, b, b_home, out.samples.active[k]
                        )
                    out.chances[k] = chance
                    if chance > most:
                        most = chance
                        best = start
                    k += 1
                d += 1
                out.start[d] = k
                if explore:
                    state += GAMMA
                    bits = mixed(state)
                    if np.int64(bits & LOW) < explore:
                        state, best = one_of(state, half, legal)
            again = False
            if best >= 0:
                own, other, own_home, again = make_move(
                    ways, 0, own, other, own_home, best, best + roll
                )
            if own_home == men:
                own = other = own_home = other_home = np.int64(0)
                ended[game] += 1
            elif not again:
                own, own_home, other, other_home = other, other_home, own, own_home
            positions[game, OWN], positions[game, OTHER] = own, other
            positions[game, OWN_HOME], positions[game, OTHER_HOME] = own_home, other_home
            streams[game] = state
