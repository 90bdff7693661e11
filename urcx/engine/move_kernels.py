"""The one move generator's kernels, on masks of steps (bit s - 1 for step s) as int64.

They are told the mover's own tables (see `urcx.engine.moves.Tables`), so that they serve both
sides and the view of the player to move alike. Nothing is checked here.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit


@njit
def can_move(length, same, enemy, rosette, flags, own, other, start, roll):
    """Return whether the piece on step ``start`` (0: one from the pool) may move by ``roll``."""
    end = start + roll
    if end > length:
        return end == length + 1  # bearing off is exact
    if start > 0:
        # A piece does not block itself where its path comes back to its own tile.
        own = own & ~(np.int64(1) << (start - 1))
    if own & same[end]:
        return False
    return not (flags[1] and rosette[end] and other & enemy[end])


@njit
def moves(length, same, enemy, rosette, flags, pool, own, other, roll, starts):
    """Write the start steps of the legal moves to ``starts``, ascending; return how many."""
    n = 0
    if roll == 0:
        return n
    if pool > 0 and can_move(length, same, enemy, rosette, flags, own, other, 0, roll):
        starts[n] = 0
        n += 1
    for step in range(1, length + 1):
        if (own >> (step - 1)) & 1 and can_move(
            length, same, enemy, rosette, flags, own, other, step, roll
        ):
            starts[n] = step
            n += 1
    return n


@njit
def play(length, enemy, rosette, flags, own, other, home, start, end):
    """Return (own, other, home, again) after a legal move; ``again``: the mover rolls again."""
    again = False
    if start > 0:
        own = own & ~(np.int64(1) << (start - 1))
    if end > length:
        return own, other, home + 1, again  # bearing off never grants a roll
    captured = other & enemy[end]
    other = other & ~captured
    own = own | (np.int64(1) << (end - 1))
    if rosette[end] and flags[0]:
        again = True
    if captured and flags[2]:
        again = True
    return own, other, home, again
