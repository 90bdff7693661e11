# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for how likely games go on (`urcx.extremes.lengths`), a row of states at a time.

All layers are in one array, from the start of the game to its end: for each pair V of both, with
the mover of the layer to move, then U, the same states turned, with the other side to move. A
pair's reads count from where it begins, so later ones are at higher indices.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import njit
from urcx.engine.mask_kernels import any_of, having, shared_out
from urcx.engine.vector_kernels import (
    all_equal,
    load,
    minus,
    plus_times,
    store_first,
    turn_block,
)
from urcx.engine.vector_types import LANES


@njit
def relocate(ops, starts, rolls, ends, shifts, first, last):
    """Move what the reads of some rows refer to: below ``ends[k]`` by ``shifts[k]``."""
    for row in range(first, last):
        at = starts[row]
        for _ in range(rolls):
            count = np.int64(ops[at])
            for m in range(at + 1, at + 1 + count):
                k = 0
                while np.int64(ops[m]) >= ends[k]:
                    k += 1
                ops[m] = np.int64(ops[m]) + shifts[k]
            at += 1 + count


@njit
def go_on(values, rows, picks, out, first, last):
    """Write minus the probability that games go on for one more ply, from V of some patterns.

    It is the mean of ``values`` over the rolls and the moves that ``picks`` has, both as in
    `urcx.sweeps.layout_kernels`; ``out`` has the places of the pair. Four vectors of a row are
    computed together, so that masks and moves are decoded once for them.
    """
    ops, chance, of_states = rows.ops, rows.chance, picks.masks
    by_row, shared = picks.by_row, picks.shared
    nothing = all_equal(0.0)
    more = np.uint64(LANES)
    for t in range(first, last):
        width = np.int64(rows.columns[t])
        # Unsigned, so that numba does not test for negative indices.
        start = np.uint64(rows.first_op[t])
        place = np.uint64(rows.begin[t])
        end = start
        for a in range(rows.rows[t]):
            column = np.int64(0)
            while column < width:
                c = np.uint64(column)
                end = start
                four = width - column > 3 * LANES
                total = nothing
                second = nothing
                third = nothing
                fourth = nothing
                for r in range(chance.shape[0]):
                    count = np.int64(ops[end])
                    reads = end + np.uint64(1)
                    part = chance[r]
                    masks = np.uint64(r * picks.stride + LANES) + place + c
                    alone = True
                    left = np.int64(1)
                    if count > 1 and by_row:
                        left = np.int64(picks.any_of[r, rows.first_row[t] + a])
                        part /= popcount(left)
                    elif count > 1:
                        left = any_of(of_states, masks)
                        if four:
                            left |= any_of(of_states, masks + more)
                            left |= any_of(of_states, masks + more + more)
                            left |= any_of(of_states, masks + more + more + more)
                        # Lanes after the row's last are of another row, which may have more moves.
                        left &= (np.int64(1) << count) - 1
                        alone = left & (left - 1) == 0
                    mean = nothing
                    mean_2 = nothing
                    mean_3 = nothing
                    mean_4 = nothing
                    while left:
                        move = lowest(left)
                        left &= left - 1
                        at = np.uint64(ops[reads + np.uint64(move)]) + c
                        one = load(values, at)
                        if four:
                            two = load(values, at + more)
                            three = load(values, at + more + more)
                            last_one = load(values, at + more + more + more)
                            if not (alone or by_row):
                                bit = np.int64(1) << move
                                two = having(two, of_states, masks + more, bit)
                                three = having(three, of_states, masks + more + more, bit)
                                last_one = having(
                                    last_one, of_states, masks + more + more + more, bit
                                )
                            mean_2 = plus_times(mean_2, 1.0, two)
                            mean_3 = plus_times(mean_3, 1.0, three)
                            mean_4 = plus_times(mean_4, 1.0, last_one)
                        if not (alone or by_row):
                            one = having(one, of_states, masks, np.int64(1) << move)
                        mean = plus_times(mean, 1.0, one)
                    if shared and not (alone or by_row):
                        mean = shared_out(mean, of_states, masks)
                        if four:
                            mean_2 = shared_out(mean_2, of_states, masks + more)
                            mean_3 = shared_out(mean_3, of_states, masks + more + more)
                            mean_4 = shared_out(mean_4, of_states, masks + more + more + more)
                    total = plus_times(total, part, mean)
                    if four:
                        second = plus_times(second, part, mean_2)
                        third = plus_times(third, part, mean_3)
                        fourth = plus_times(fourth, part, mean_4)
                    end = reads + np.uint64(count)
                for _ in range(4 if four else 1):
                    store_first(
                        out, place + np.uint64(column), minus(nothing, total), width - column
                    )
                    column += LANES
                    total = second
                    second = third
                    third = fourth
            start = end
            place += np.uint64(width)


@njit
def hand_over(found, rows, values, mirror, first, last):
    """Write what `go_on` found for some patterns to V of their pair, and U to ``mirror``.

    ``found`` has room for `LANES` rows more.
    """
    for t in range(first, last):
        height = np.int64(rows.rows[t])
        width = np.int64(rows.columns[t])
        begin = rows.begin[t]
        for k in range(begin, begin + height * width):
            values[k] = -found[k]
        for c in range(0, width, LANES):
            for a in range(0, height, LANES):
                turn_block(  # it negates
                    found, np.uint64(begin + a * width + c), width,
                    mirror, np.uint64(rows.turned[t] + c * height + a), height,
                    height - a, width - c,
                )  # fmt: skip
