# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the solver for every path, one state at a time, in the order by tiles.

States are numbered as in `urcx.enumerate.rankings.tile_kernels`. A state's successors are computed
once: for each roll the number of moves and, for each move, twice the index of its successor. If the
turn has passed, 1 is added, and the successor's value counts with the opposite sign. `WON`
represents a won game.
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
    sum_of_steps,
)
from urcx.enumerate.rankings.tile_kernels import TURNED, diagram_of, state_of, view_of

WON = -1


@njit
def describe_states(table, homes, progress):
    """Write both sides' pieces home, and the sum of all pieces' steps, for every configuration."""
    for rank in range(progress.shape[0]):
        light, light_home, dark, dark_home = diagram_of(table, rank)
        homes[rank, 0] = light_home
        homes[rank, 1] = dark_home
        progress[rank] = sum_of_steps(light) + sum_of_steps(dark)


@njit
def write_masks(table, states, masks):
    """Write both sides' masks of steps for every state, the mover's mask first."""
    for k in range(states.shape[0]):
        own, _, other, _, _ = view_of(table, states[k])
        masks[0, k] = own
        masks[1, k] = other


@njit
def next_states(table, ways, rolls, states, first_op, ops):
    """Write the successors of ``states``, or count them if ``ops`` is empty. Return the length."""
    n = np.int64(0)
    room = ops.shape[0]
    for s in range(states.shape[0]):
        own, home, other, other_home, side = view_of(table, states[s])
        next_side = side if table[TURNED] else 1 - side
        if room:
            first_op[s] = n
        pool = ways[side, PIECES] - popcount(own) - home
        for r in range(rolls.shape[0]):
            left = legal_starts(ways, side, pool, own, other, rolls[r])
            count = max(popcount(left), 1)
            if not room:
                n += 1 + count
                continue
            ops[n] = count
            n += 1
            for _ in range(count):
                start = lowest(left) if left else np.int64(PASS)
                left &= left - 1
                a, a_home, b, b_home, again = successor(
                    ways, side, own, home, other, other_home, start, rolls[r]
                )
                if start != PASS and not again and b_home == ways[side, PIECES]:
                    ops[n] = WON
                elif again:
                    ops[n] = 2 * state_of(table, a, a_home, b, b_home, side)
                else:
                    ops[n] = 2 * state_of(table, a, a_home, b, b_home, next_side) + 1
                n += 1
    return n


@njit
def sweep_states(values, mirror, states, first_op, ops, chance, shift):
    """Update values in place, in order. Return the largest increase and the largest decrease.

    Successors with the other side to move are read from ``mirror``, with the opposite sign.
    ``shift`` is added to every value.
    """
    rise = 0.0
    fall = 0.0
    for s in range(states.shape[0]):
        k = first_op[s]
        total = shift
        for r in range(chance.shape[0]):
            count = ops[k]
            best = -2.0
            for m in range(k + 1, k + 1 + count):
                op = ops[m]
                if op == WON:
                    x = 1.0
                elif op & 1:
                    x = -mirror[op >> 1]
                else:
                    x = values[op >> 1]
                best = max(best, x)
            total += chance[r] * best
            k += 1 + count
        by = total - values[states[s]]
        rise = max(rise, by)
        fall = max(fall, -by)
        values[states[s]] = total
    return rise, fall
