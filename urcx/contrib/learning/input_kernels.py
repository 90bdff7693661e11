# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for positions from the mover's viewpoint: successors, and inputs of networks.

The inputs of networks in training have the order of `urcx.agents.networks`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.network_kernels import UNIT, chances_of_capture
from urcx.engine.jit import inlined
from urcx.engine.move_kernels import (
    LENGTH,
    PASS,
    PIECES,
    legal_starts,
    lowest,
    popcount,
    successor,
)

KEPT, PASSED, WON = 1, -1, 0  # the effects of a move on the turn. A winning move ends the game
SMALL = np.float32(2.0**-UNIT)
NONE: Any = np.int64(0)  # no pieces
# Columns of positions in arrays.
OWN, OTHER, OWN_HOME, OTHER_HOME, COLUMNS = range(5)


class MoverView(NamedTuple):
    """A position from the mover's viewpoint: each side's pieces as a mask of steps, and at home."""

    own: int
    own_home: int
    other: int
    other_home: int


@inlined
def begin():
    """Return the initial position of a game."""
    return MoverView(NONE, NONE, NONE, NONE)


@inlined
def read_view(row):
    """Return the position in a row of an array."""
    return MoverView(row[OWN], row[OWN_HOME], row[OTHER], row[OTHER_HOME])


@inlined
def write_view(view, row):
    """Write a position to a row of an array."""
    row[OWN], row[OTHER] = view.own, view.other
    row[OWN_HOME], row[OTHER_HOME] = view.own_home, view.other_home


@inlined
def exchanged(view):
    """Return a position from the other player's viewpoint."""
    return MoverView(view.other, view.other_home, view.own, view.own_home)


@inlined
def moves_of(ways, view, roll):
    """Return the starts of the legal moves by a roll, as a mask."""
    pool = ways[0, PIECES] - view.own_home - popcount(view.own)
    return legal_starts(ways, 0, pool, view.own, view.other, roll)


@inlined
def view_after(ways, view, start, roll):
    """Return the effect of a move or `PASS` on the turn, and the next position.

    The viewpoint is that of the next player to move, or of the winner of a won game.
    """
    own, own_home, other, other_home, again = successor(
        ways, 0, view.own, view.own_home, view.other, view.other_home, start, roll
    )
    after = MoverView(own, own_home, other, other_home)
    if start != PASS and other_home == ways[0, PIECES]:
        return WON, exchanged(after)
    return KEPT if again else PASSED, after


class Ahead(NamedTuple):
    """The data for inputs that look one roll ahead: see `urcx.agents.network_kernels`.

    ``rolls`` are the rolls above 0, with their ``chances`` in units of 2^-12. ``hits`` is working
    memory with a number for each open step, or empty if the network does not look ahead.
    """

    steps: int
    is_direct: bool
    rolls: NDArray[np.int64]
    chances: NDArray[np.int32]
    hits: NDArray[np.int32]


@inlined
def write_inputs(ways, view, active):
    """Write the numbers of the inputs that are 1 in a position before the roll. Return the count.

    See `urcx.agents.networks` for their order.
    """
    length, men = ways[0, LENGTH], ways[0, PIECES]
    own, other = view.own, view.other
    base = 2 * length
    active[0] = base + view.own_home
    active[1] = base + men + 1 + view.other_home
    active[2] = base + 2 * (men + 1) + men - view.own_home - popcount(own)
    active[3] = base + 3 * (men + 1) + men - view.other_home - popcount(other)
    k = 4
    while own:
        active[k] = lowest(own)
        own &= own - 1
        k += 1
    while other:
        active[k] = length + lowest(other)
        other &= other - 1
        k += 1
    return k


@inlined
def write_ahead(ways, ahead, view, dense):
    """Write the inputs of a position that look one roll ahead."""
    number = ahead.hits.shape[0]
    for side in range(2):
        attacker = exchanged(view) if side == 0 else view
        pool = ways[0, PIECES] - attacker.own_home - popcount(attacker.own)
        chances_of_capture(
            ways, ahead.is_direct, ahead.rolls, ahead.chances, ahead.steps, pool, attacker.own,
            attacker.other, ahead.hits,
        )  # fmt: skip
        for k in range(number):
            dense[side * number + k] = np.float32(ahead.hits[k]) * SMALL


@inlined
def write_sample(ways, ahead, view, samples, n):
    """Write the inputs of a position as sample n."""
    samples.number[n] = write_inputs(ways, view, samples.active[n])
    if samples.dense.shape[1]:
        write_ahead(ways, ahead, view, samples.dense[n])


@inlined
def write_after(ways, ahead, view, start, roll, samples, n):
    """Write the inputs of the position after a move as sample n, or no inputs if the move wins.

    Returns the effect on the turn and the next position, as `view_after` does.
    """
    turn, after = view_after(ways, view, start, roll)
    if turn == WON:
        samples.number[n] = 0
    else:
        write_sample(ways, ahead, after, samples, n)
    return turn, after


@inlined
def for_mover(turn, chance):
    """Return the mover's win probability, from the win probability of the next player to move."""
    if turn == WON:
        return 1.0
    return chance if turn == KEPT else 1.0 - chance
