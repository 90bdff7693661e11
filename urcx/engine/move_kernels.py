# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The kernels of the move generator, on masks of steps (bit s - 1 for step s) as int64.

The first functions are operations on the bits of a mask, most of them one or two machine
instructions.

A rule set is an array ``ways`` with a row for each side, 0 for light and 1 for dark, made by
`urcx.engine.moves.tables`. It is a single array because numba counts references to every array in a
tuple, which costs more than a move. Kernels check nothing.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from urcx.engine.jit import inlined, njit

# A row of ``ways`` contains L, the number of pieces, whether the path crosses no tile twice and
# pieces may capture from every step, four masks, whether a capture grants a roll, the step on the
# centre rosette (0 without one), and a mask. The four are of the steps on rosettes, on rosettes
# that grant a roll, on tiles where an enemy piece is safe, and on the other side's path. The last
# is of the steps from which no piece captures. From SAME on a row contains, for each step s, a mask
# of the side's own steps on that tile (s included), and from ENEMY on a mask of the other side's
# steps there.
LENGTH, PIECES, PLAIN, ROSETTES, GRANTING, GUARDS, SHARED, CAPTURE_GRANTS, CENTRE, HARMLESS = range(
    10
)
SAME = HARMLESS + 1
ENEMY = SAME + 55  # step 0 and at most `urcx.engine.moves.MAX_STEPS` others
ROW = ENEMY + 55
PASS = -1  # instead of the step that a move starts from


if numba.config.DISABLE_JIT:

    def popcount(mask: Any) -> int:
        """Return the number of bits set in a mask."""
        return int(mask).bit_count()

else:

    @intrinsic
    def popcount(_typing_context, _mask):
        """Return the number of bits set in a mask."""

        def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.int64), code


@njit
def lowest(mask):
    """Return the index of the lowest set bit of a mask that is not 0."""
    return popcount((mask & -mask) - 1)


@njit
def highest(mask):
    """Return the index of the highest set bit of a mask that is above 0."""
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    mask |= mask >> 32
    return popcount(mask) - 1


@inlined
def sum_of_steps(mask):
    """Return the sum of the steps in a mask (bit s - 1 for step s) of at most 54 steps."""
    total = popcount(mask)
    total += popcount(mask & 0x2AAAAAAAAAAAAA)
    total += popcount(mask & 0x0CCCCCCCCCCCCC) << 1
    total += popcount(mask & 0x30F0F0F0F0F0F0) << 2
    total += popcount(mask & 0x00FF00FF00FF00) << 3
    total += popcount(mask & 0x3F0000FFFF0000) << 4
    return total + (popcount(mask & 0x3FFFFF00000000) << 5)


@inlined
def position_hash(own, other):
    """Return a hash of two words of a position, of 64 bits. Hash tables take its lowest bits."""
    h = np.uint64(own) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(other) * np.uint64(
        0xC2B2AE3D27D4EB4F
    )
    h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(32))


@inlined
def legal_starts(ways, side, pool, own, other, roll):
    """Return the pieces that a roll may move: bit s for a piece on step s, bit 0 for the pool."""
    length = ways[side, LENGTH]
    if roll == 0 or roll > length + 1:
        return np.int64(0)
    pieces = (own << 1) | (pool > 0)
    # Bearing off needs the exact roll: no piece may go beyond step L + 1.
    ends = (pieces & ((np.int64(1) << (length + 2 - roll)) - 1)) << roll
    if ways[side, PLAIN]:
        ends &= ~(own << 1)
    else:
        left = ends & ((np.int64(1) << (length + 1)) - 1)
        while left:
            end = lowest(left)
            left &= left - 1
            # A piece does not block itself if its path returns to the tile that it leaves.
            start = np.int64(1) << (end - roll)
            others = (own << 1) & ~start
            blocked = np.int64(((others >> 1) & ways[side, SAME + end]) != 0)
            if start & (ways[side, HARMLESS] << 1):
                blocked |= np.int64((other & ways[side, ENEMY + end]) != 0)
            ends &= ~(blocked << end)
    guards = ways[side, GUARDS]
    while guards:
        end = lowest(guards) + 1
        guards &= guards - 1
        # Branch-free, because occupancy cannot be predicted.
        ends &= ~(np.int64((other & ways[side, ENEMY + end]) != 0) << end)
    return ends >> roll


@inlined
def make_move(ways, side, own, other, home, start, end):
    """Return (own, other, home, again) after a legal move, ``again`` if it grants a roll."""
    own &= ~((np.int64(1) << start) >> 1)  # a piece from the pool has no bit to clear
    if end > ways[side, LENGTH]:
        return own, other, home + 1, False  # bearing off never grants an extra roll
    place = np.int64(1) << (end - 1)
    captured = other & ways[side, ENEMY + end]
    again = (ways[side, GRANTING] & place) != 0 or (
        captured != 0 and ways[side, CAPTURE_GRANTS] != 0
    )
    return own | place, other & ~captured, home, again


@inlined
def successor(ways, side, own, own_home, other, other_home, start, roll):
    """Return the state after a move or a `PASS`, from the view of the player then to move.

    The state is (own, own_home, other, other_home, again). ``again`` is True for the same player.
    If the move wins the game, the other side of this state has all pieces home.
    """
    mine, theirs, home, again = own, other, own_home, False
    if start != PASS:
        mine, theirs, home, again = make_move(ways, side, own, other, own_home, start, start + roll)
    if again:
        return mine, home, theirs, other_home, True
    return theirs, other_home, mine, home, False


@inlined
def capturing(ways, side, landing, other):
    """Return the steps among ``landing`` with an enemy piece."""
    result = np.int64(0)
    while landing:
        place = lowest(landing)
        landing &= landing - 1
        if other & ways[side, ENEMY + place + 1]:
            result |= np.int64(1) << place
    return result
