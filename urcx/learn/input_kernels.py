# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that write the inputs of networks in training, as `urcx.agents.networks` orders them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.network_kernels import UNIT, chances_of_capture
from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import inlined
from urcx.engine.move_kernels import LENGTH, PIECES, make_move

KEPT, PASSED, WON = 1, -1, 0  # what a move does to the turn; a move that wins ends the game
SMALL = np.float32(2.0**-UNIT)


class Ahead(NamedTuple):
    """What inputs that look one roll ahead need: see `urcx.agents.network_kernels`.

    ``rolls`` are those by which pieces move, with their ``chances`` in units of 2^-12; ``hits`` is
    room for a number for each open step, for none if the network does not look ahead.
    """

    steps: int
    is_direct: bool
    rolls: NDArray[np.int64]
    chances: NDArray[np.int32]
    hits: NDArray[np.int32]


@inlined
def write_inputs(length, men, own, own_home, other, other_home, active):
    """Write which inputs of a position before the roll are 1, and return how many.

    See `urcx.agents.networks` for their order; ``own`` are the pieces of the player to move.
    """
    base = 2 * length
    active[0] = base + own_home
    active[1] = base + men + 1 + other_home
    active[2] = base + 2 * (men + 1) + men - own_home - popcount(own)
    active[3] = base + 3 * (men + 1) + men - other_home - popcount(other)
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
def write_ahead(ways, ahead, own, own_home, other, other_home, dense):
    """Write the inputs of a position that look one roll ahead."""
    number = ahead.hits.shape[0]
    men = ways[0, PIECES]
    pool, other_pool = men - own_home - popcount(own), men - other_home - popcount(other)
    for side in range(2):
        if side == 0:
            a, b, left = other, own, other_pool
        else:
            a, b, left = own, other, pool
        chances_of_capture(
            ways, ahead.is_direct, ahead.rolls, ahead.chances, ahead.steps, left, a, b, ahead.hits
        )
        for k in range(number):
            dense[side * number + k] = np.float32(ahead.hits[k]) * SMALL


@inlined
def write_sample(ways, ahead, own, own_home, other, other_home, samples, n):
    """Write the inputs of a position, seen by the player to move, as sample n."""
    samples.number[n] = write_inputs(
        ways[0, LENGTH], ways[0, PIECES], own, own_home, other, other_home, samples.active[n]
    )
    if samples.dense.shape[1]:
        write_ahead(ways, ahead, own, own_home, other, other_home, samples.dense[n])


@inlined
def write_after(ways, ahead, own, own_home, other, other_home, start, roll, samples, n):
    """Write the inputs of the position after a move as sample n, none if the move wins.

    Returns what the move does to the turn, and the position seen by the player then to move.
    """
    own, other, own_home, again = make_move(ways, 0, own, other, own_home, start, start + roll)
    if own_home == ways[0, PIECES]:
        samples.number[n] = 0
        return WON, own, own_home, other, other_home
    turn = KEPT
    if not again:
        turn = PASSED
        own, own_home, other, other_home = other, other_home, own, own_home
    write_sample(ways, ahead, own, own_home, other, other_home, samples, n)
    return turn, own, own_home, other, other_home


@inlined
def for_mover(turn, chance):
    """Return the mover's chance of winning, from that of the player to move after the move."""
    if turn == WON:
        return 1.0
    return chance if turn == KEPT else 1.0 - chance
