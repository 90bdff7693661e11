# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the shortest game: its probability, from the last positions back to the start.

Positions are two words, as in `urcx.enumerate.perft_kernels`.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit
from urcx.engine.move_kernels import (
    PASS,
    PIECES,
    legal_starts,
    lowest,
    popcount,
    successor,
)
from urcx.enumerate.perft_kernels import HOME_MASK, HOME_SHIFT, TURN_SHIFT, slot_of


@njit
def step_back(ways, rolls, chance, keys, table, later_keys, later, out, way):
    """Write the values of the positions ``keys[k]`` to ``out[k]``, from the values one ply later.

    Arrays of keys, values, ``out`` and ``way`` have two columns and a row for each position.
    ``later[k]`` are the values of ``later_keys[k]``, which are in the table of slots. Column 0 is
    the probability of a shortest game if all choices serve it, column 1 the probability of the
    likeliest course. Other positions have the value 0. ``way[k]`` receives the roll and the start
    of the move in this course, -1 for a pass, -2 if no course continues.
    """
    low = (np.int64(1) << HOME_SHIFT) - 1
    for k in range(keys.shape[0]):
        side = (keys[k, 0] >> TURN_SHIFT) & 1
        own = keys[k, 0] & low
        enemy = keys[k, 1] & low
        own_home = (keys[k, 0] >> HOME_SHIFT) & HOME_MASK
        other_home = (keys[k, 1] >> HOME_SHIFT) & HOME_MASK
        if own_home == ways[side, PIECES] or other_home == ways[1 - side, PIECES]:
            continue  # finished: its value stays
        pool = ways[side, PIECES] - popcount(own) - own_home
        total = 0.0
        likeliest = 0.0
        way[k, 0] = -1
        way[k, 1] = -2
        for r in range(rolls.shape[0]):
            left = legal_starts(ways, side, pool, own, enemy, rolls[r])
            passes = left == 0
            best = 0.0
            while left or passes:
                start = np.int64(PASS) if passes else lowest(left)
                left &= left - 1
                passes = False
                a, a_home, b, b_home, again = successor(
                    ways, side, own, own_home, enemy, other_home, start, rolls[r]
                )
                turn = np.int64(side if again else 1 - side) << TURN_SHIFT
                mine = a | (a_home << HOME_SHIFT) | turn
                theirs = b | (b_home << HOME_SHIFT)
                slot = table[slot_of(table, mine, theirs, later_keys)]
                if slot < 0:
                    continue
                best = max(best, later[slot, 0])
                course = later[slot, 1]
                if chance[r] * course > likeliest:
                    likeliest = chance[r] * course
                    way[k, 0] = rolls[r]
                    way[k, 1] = start
            total += chance[r] * best
        out[k, 0] = total
        out[k, 1] = likeliest
