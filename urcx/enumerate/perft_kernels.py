# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of perft: one ply from many positions at once, equal results merged with their counts.

A position is two int64 words, for the player to move and the other: a mask of steps, and pieces
home from bit 54 on; if the sides differ, bit 62 of the first says that dark is to move. Counts are
rows of uint64 limbs of 32 bits, the lowest first, so that they add without carrying until the end
of a ply.
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
    position_hash,
    successor,
)

HOME_SHIFT = 54
HOME_MASK = 255
TURN_SHIFT = 62


@njit
def slot_of(table, own, other, keys):
    """Return the slot in ``table`` with the position's index, or the empty one where it belongs."""
    size = table.shape[0]
    slot = np.int64(position_hash(own, other) & np.uint64(size - 1))
    while table[slot] >= 0:
        k = table[slot]
        if keys[k, 0] == own and keys[k, 1] == other:
            return slot
        slot = (slot + 1) & (size - 1)
    return slot


@njit
def insert(table, keys, stored, new):
    """Add the positions of ``new`` that are not yet in ``keys``; return the number stored.

    ``table`` must have more than ``stored + len(new)`` slots, ``keys`` as many rows.
    """
    for k in range(new.shape[0]):
        slot = slot_of(table, new[k, 0], new[k, 1], keys)
        if table[slot] < 0:
            table[slot] = stored
            keys[stored, 0] = new[k, 0]
            keys[stored, 1] = new[k, 1]
            stored += 1
    return stored


@njit
def carry(counts, n):
    """Propagate carries, so that every limb of the first n counts is below 2^32."""
    low = np.uint64(0xFFFFFFFF)
    for k in range(n):
        over = np.uint64(0)
        for limb in range(counts.shape[1]):
            value = counts[k, limb] + over
            counts[k, limb] = value & low
            over = value >> np.uint64(32)


@njit
def ply(ways, rolls, turned, keys, counts, table, out, total):
    """Play one ply from every position: each roll with each move, or a pass, is a branch.

    ``turned``: positions are seen from the player to move, who is always side 0. The positions
    reached go to ``out`` with their counts in ``total``; equal ones are merged through ``table``
    (all -1 at first). Returns how many there are, or -1 if ``out`` is too small for them. Finished
    games have no branches.
    """
    n_out = 0
    room = out.shape[0]
    low = (np.int64(1) << HOME_SHIFT) - 1
    for k in range(keys.shape[0]):
        side = 0 if turned else (keys[k, 0] >> TURN_SHIFT) & 1
        own = keys[k, 0] & low
        other = keys[k, 1] & low
        own_home = (keys[k, 0] >> HOME_SHIFT) & HOME_MASK
        other_home = (keys[k, 1] >> HOME_SHIFT) & HOME_MASK
        if own_home == ways[side, PIECES] or other_home == ways[1 - side, PIECES]:
            continue
        pool = ways[side, PIECES] - popcount(own) - own_home
        for r in range(rolls.shape[0]):
            left = legal_starts(ways, side, pool, own, other, rolls[r])
            passes = left == 0
            while left or passes:
                start = np.int64(PASS) if passes else lowest(left)
                left &= left - 1
                passes = False
                a, a_home, b, b_home, again = successor(
                    ways, side, own, own_home, other, other_home, start, rolls[r]
                )
                mine = a | (a_home << HOME_SHIFT)
                theirs = b | (b_home << HOME_SHIFT)
                if not turned:
                    mine |= np.int64(side if again else 1 - side) << TURN_SHIFT
                slot = slot_of(table, mine, theirs, out)
                index = table[slot]
                if index < 0:
                    if n_out == room:
                        return -1
                    index = n_out
                    table[slot] = index
                    out[index, 0] = mine
                    out[index, 1] = theirs
                    n_out += 1
                for limb in range(counts.shape[1]):
                    total[index, limb] += counts[k, limb]
    carry(total, n_out)
    return n_out
