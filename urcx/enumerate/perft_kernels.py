# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of perft: one ply from many positions at once, with equal results merged.

A position is two int64 words, one for the player to move and one for the other player. Each word is
a mask of steps, with the pieces home from bit 54 on. If the sides differ, bit 62 of the first word
is 1 if dark is to move. Counts are rows of uint64 limbs of 32 bits, the lowest first, so additions
need no carry until the end of a ply.
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
    """Return the slot of a position in ``table``: the slot with its index, or an empty slot."""
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
    """Add the positions of ``new`` that are not yet in ``keys``. Return the number stored.

    ``table`` must have more than ``stored + len(new)`` slots, and ``keys`` at least as many rows.
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
    """Propagate carries: make every limb of the first n counts less than 2^32."""
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

    With ``turned``, positions are canonical views: the player to move is always side 0. The kernel
    writes the positions reached to ``out`` and their counts to ``total``, and merges equal
    positions through ``table`` (initially all -1). Return the number of positions, or -1 if ``out``
    is too small. Finished games have no branches.
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
