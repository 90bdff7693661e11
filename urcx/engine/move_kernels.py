"""The one move generator's kernels, on masks of steps (bit s - 1 for step s) as int64.

They are told the mover's own `Way`, so that they serve both sides and the view of the player to
move alike. Nothing is checked here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.bit_kernels import lowest
from urcx.engine.jit import inlined, njit


class Way(NamedTuple):
    """One side's way over the board; masks have bit s - 1 for step s.

    ``same[s]`` are the side's own steps on the tile of its step s (s itself included), ``enemy[s]``
    the other side's steps there. ``once`` is 1 if the side crosses no tile twice. ``rosettes`` are
    the steps on rosettes, ``granting`` those that grant a roll, ``guards`` those where an enemy
    piece is safe, ``shared`` those on the other side's path; ``capture_grants`` is 1 if a capture
    grants a roll. ``centre`` is the step on the centre rosette, 0 without one.
    """

    length: int
    pieces: int
    once: int
    rosettes: int
    granting: int
    guards: int
    shared: int
    capture_grants: int
    centre: int
    same: NDArray[np.int64]
    enemy: NDArray[np.int64]


@njit
def starts(way, pool, own, other, roll):
    """Return which pieces may move by a roll: bit s for the one on step s, bit 0 for the pool."""
    if roll == 0 or roll > way.length + 1:
        return np.int64(0)
    pieces = (own << 1) | (pool > 0)
    # Bearing off is exact: nothing may go beyond step L + 1.
    ends = (pieces & ((np.int64(1) << (way.length + 2 - roll)) - 1)) << roll
    if way.once:
        ends &= ~(own << 1)
    else:
        left = ends & ((np.int64(1) << (way.length + 1)) - 1)
        while left:
            end = lowest(left)
            left &= left - 1
            # A piece does not block itself where its path comes back to its own tile.
            others = (own << 1) & ~(np.int64(1) << (end - roll))
            if (others >> 1) & way.same[end]:
                ends &= ~(np.int64(1) << end)
    guarded = ends & (way.guards << 1)
    while guarded:
        end = lowest(guarded)
        guarded &= guarded - 1
        if other & way.enemy[end]:
            ends &= ~(np.int64(1) << end)
    return ends >> roll


@njit
def play(way, own, other, home, start, end):
    """Return (own, other, home, again) after a legal move; ``again``: the mover rolls again."""
    own &= ~((np.int64(1) << start) >> 1)  # a piece from the pool leaves no bit
    if end > way.length:
        return own, other, home + 1, False  # bearing off never grants a roll
    place = np.int64(1) << (end - 1)
    captured = other & way.enemy[end]
    again = (way.granting & place) != 0 or (captured != 0 and way.capture_grants != 0)
    return own | place, other & ~captured, home, again


# A side's row of ``ways``: these, then from SAME and ENEMY on an entry for each step.
LENGTH, PIECES, ONCE, ROSETTES, GRANTING, GUARDS, SHARED, CAPTURE_GRANTS, CENTRE = range(9)
SAME = 16
ENEMY = 80
ROW = 144


@inlined
def legal_starts(ways, side, pool, own, other, roll):
    """Return which pieces may move by a roll: bit s for the one on step s, bit 0 for the pool."""
    length = ways[side, LENGTH]
    if roll == 0 or roll > length + 1:
        return np.int64(0)
    pieces = (own << 1) | (pool > 0)
    # Bearing off is exact: nothing may go beyond step L + 1.
    ends = (pieces & ((np.int64(1) << (length + 2 - roll)) - 1)) << roll
    if ways[side, ONCE]:
        ends &= ~(own << 1)
    else:
        left = ends & ((np.int64(1) << (length + 1)) - 1)
        while left:
            end = lowest(left)
            left &= left - 1
            # A piece does not block itself where its path comes back to its own tile.
            others = (own << 1) & ~(np.int64(1) << (end - roll))
            ends &= ~(np.int64(((others >> 1) & ways[side, SAME + end]) != 0) << end)
    guards = ways[side, GUARDS]
    while guards:
        end = lowest(guards) + 1
        guards &= guards - 1
        # No branch: whether somebody stands there cannot be predicted.
        ends &= ~(np.int64((other & ways[side, ENEMY + end]) != 0) << end)
    return ends >> roll


@inlined
def make_move(ways, side, own, other, home, start, end):
    """Return (own, other, home, again) after a legal move; ``again``: the mover rolls again."""
    own &= ~((np.int64(1) << start) >> 1)  # a piece from the pool leaves no bit
    if end > ways[side, LENGTH]:
        return own, other, home + 1, False  # bearing off never grants a roll
    place = np.int64(1) << (end - 1)
    captured = other & ways[side, ENEMY + end]
    again = (ways[side, GRANTING] & place) != 0 or (
        captured != 0 and ways[side, CAPTURE_GRANTS] != 0
    )
    return own | place, other & ~captured, home, again
