# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The one move generator's kernels, on masks of steps (bit s - 1 for step s) as int64.

A rule set is an array ``ways`` with a row for each side, 0 for light and 1 for dark, made by
`urcx.engine.moves.tables`. It is a single array because numba counts references to every array
passed in a tuple, which costs more than a move. Nothing is checked here.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest
from urcx.engine.jit import inlined

# A row of ``ways`` holds L; the number of pieces; whether the path crosses no tile twice; masks of
# the steps on rosettes, on rosettes that grant a roll, on those where an enemy piece is safe, and
# on the other side's path; whether a capture grants a roll; the step on the centre rosette, 0
# without one. From SAME on it holds, for each step s, a mask of the side's own steps on that tile
# (s included), and from ENEMY on a mask of the other side's.
LENGTH, PIECES, ONCE, ROSETTES, GRANTING, GUARDS, SHARED, CAPTURE_GRANTS, CENTRE = range(9)
SAME = CENTRE + 1
ENEMY = SAME + 55  # step 0 and at most `urcx.engine.moves.MAX_STEPS` others
ROW = ENEMY + 55
PASS = -1  # instead of the step that a move starts from


@inlined
def legal_starts(ways, side, pool, own, other, roll):
    """Return which pieces may move by a roll: bit s for the piece on step s, bit 0 for the pool."""
    length = ways[side, LENGTH]
    if roll == 0 or roll > length + 1:
        return np.int64(0)
    pieces = (own << 1) | (pool > 0)
    # Bearing off needs the exact roll: no piece may go beyond step L + 1.
    ends = (pieces & ((np.int64(1) << (length + 2 - roll)) - 1)) << roll
    if ways[side, ONCE]:
        ends &= ~(own << 1)
    else:
        left = ends & ((np.int64(1) << (length + 1)) - 1)
        while left:
            end = lowest(left)
            left &= left - 1
            # A piece does not block itself where its path returns to the tile it stands on.
            others = (own << 1) & ~(np.int64(1) << (end - roll))
            ends &= ~(np.int64(((others >> 1) & ways[side, SAME + end]) != 0) << end)
    guards = ways[side, GUARDS]
    while guards:
        end = lowest(guards) + 1
        guards &= guards - 1
        # Branch-free, because occupancy cannot be predicted.
        ends &= ~(np.int64((other & ways[side, ENEMY + end]) != 0) << end)
    return ends >> roll


@inlined
def make_move(ways, side, own, other, home, start, end):
    """Return (own, other, home, again) after a legal move; ``again`` if it grants an extra roll."""
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
    """Return the state after a move or a `PASS`, as the player then to move sees it.

    That is (own, own_home, other, other_home, again); ``again`` if it is the same player. In a game
    that the move wins, the other side has all pieces home.
    """
    mine, theirs, home, again = own, other, own_home, False
    if start != PASS:
        mine, theirs, home, again = make_move(ways, side, own, other, own_home, start, start + roll)
    if again:
        return mine, home, theirs, other_home, True
    return theirs, other_home, mine, home, False


@inlined
def capturing(ways, side, landing, other):
    """Return those of the steps ``landing`` that an enemy piece stands on."""
    found = np.int64(0)
    while landing:
        place = lowest(landing)
        landing &= landing - 1
        if other & ways[side, ENEMY + place + 1]:
            found |= np.int64(1) << place
    return found
