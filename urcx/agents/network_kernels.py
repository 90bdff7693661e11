# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of networks that play: the value of a position, in integers throughout.

Weights are fixed-point numbers, so a network plays the same moves on every machine and for every
order of summation. It evaluates one position at a time (`evaluate_network`), all positions row by
row (`fill_values`), or the leaves of a tree (`network_tree_kernels`).

Networks see a position before the roll, from the player to move: both sides' pieces by step, and
the numbers of pieces home and in the pool. Each input is 0 or 1. So the first layer is a sum of
rows: one part depends only on the mover's pieces, the other part only on the other side's pieces.
Networks that look one roll ahead also see the probability that the next roll captures a piece.
These inputs depend on both sides and are multiples of 2^-12.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import inlined, lean, njit
from urcx.engine.move_kernels import ENEMY, LENGTH, PIECES, legal_starts, lowest, popcount

UNIT = 12  # activations are in units of 2^-UNIT, and at most 1
ONE = 1 << UNIT
LOGIT = 16  # the output is in units of 2^-LOGIT
STEPS = 8  # the logistic function is tabulated at steps of 2^-STEPS and linear in between
MOST_LOGIT = 16  # for larger logits the function is constant
VALUE = 24  # values are 2 p - 1 for a win probability p, in units of 2^-VALUE
WON = 1 << VALUE
# Entries of `NetworkArrays.numbers`.
PATH, MEN, SQUARED, SECOND_SHIFT, LAST_SHIFT, LAST_BIAS, OPEN, DIRECT, NUMBERS = range(9)


class NetworkArrays(NamedTuple):
    """A network for kernels and for one thread, because it holds working memory of both layers.

    ``numbers`` has these entries:

    - the path's steps, and the pieces of a side
    - whether activations are squared
    - the units of the weights of the later layers, as powers of 1/2, and the last bias
    - the open steps, on which a piece can be captured (0 for a network that does not look ahead)
    - whether pieces on open steps are captured `by_steps`

    ``first[input]`` are the weights of an input, in units of 2^-12. ``second[unit]`` are the
    weights of a unit of the second layer, in 16 bits if they fit, which multiplies faster. Without
    a second layer, ``last`` belongs to the units of the first layer. ``logistic[k]`` is the value
    of the logit k / 256. ``ways`` belongs to the rule set. ``rolls`` are the rolls that move
    pieces, with ``chances`` in units of 2^-12. ``hits`` has room for one number per open step, and
    ``units`` for the activations of the first layer.
    """

    numbers: NDArray[np.int64]
    first: NDArray[np.int32]
    first_bias: NDArray[np.int32]
    second: NDArray[np.int16] | NDArray[np.int32]
    second_bias: NDArray[np.int32]
    last: NDArray[np.int32]
    logistic: NDArray[np.int64]
    ways: NDArray[np.int64]
    rolls: NDArray[np.int64]
    chances: NDArray[np.int32]
    hits: NDArray[np.int32]
    sums: NDArray[np.int32]
    units: NDArray[np.int16]
    later: NDArray[np.int32]


SCRATCH = ("hits", "sums", "units", "later")  # of `NetworkArrays`, which only kernels write


@inlined
def add_side(net, other, steps, home, sums):
    """Add the rows of the mover's inputs (``other`` 0) or the other side's (1) to ``sums``."""
    length, men = net.numbers[PATH], net.numbers[MEN]
    units = sums.shape[0]
    base = 2 * length + other * (men + 1)
    at = base + home
    for unit in range(units):
        sums[unit] += net.first[at, unit]
    at = base + 2 * (men + 1) + men - home - popcount(steps)
    for unit in range(units):
        sums[unit] += net.first[at, unit]
    while steps:
        at = other * length + lowest(steps)
        steps &= steps - 1
        for unit in range(units):
            sums[unit] += net.first[at, unit]


@inlined
def captured_by(ways, is_direct, pool, own, other, roll):
    """Return a mask of the other side's pieces on open steps that the mover may capture by a roll.

    The mask may have more bits, on steps that are not open.
    """
    if is_direct:
        # An enemy piece stops a move only on a rosette that protects, which is not an open step.
        # No own piece is on an enemy piece's tile.
        return ((((own << 1) | (pool > 0)) << roll) >> 1) & other
    result = np.int64(0)
    board = (np.int64(1) << ways[0, LENGTH]) - 1
    ends = ((legal_starts(ways, 0, pool, own, other, roll) << roll) >> 1) & board
    while ends:
        result |= other & ways[0, ENEMY + lowest(ends) + 1]
        ends &= ends - 1
    return result


@inlined
def chances_of_capture(ways, is_direct, rolls, chances, steps, pool, own, other, out):
    """Write the probability that the mover's roll can capture, for each of the open ``steps``.

    It is the sum of ``chances`` of the rolls that can capture an enemy piece on the step. Return a
    mask of the steps with a probability above 0, numbered among ``steps``.
    """
    some = np.int64(0)
    for k in range(out.shape[0]):
        out[k] = 0
    for r in range(rolls.shape[0]):
        hit = captured_by(ways, is_direct, pool, own, other, rolls[r]) & steps
        while hit:
            k = popcount(steps & ((hit & -hit) - 1))
            hit &= hit - 1
            out[k] += chances[r]
            some |= np.int64(1) << k
    return some


@inlined
def add_chances(net, base, pool, own, other, sums):
    """Add the rows of the inputs from ``base`` on: for each open step the chance of a capture.

    The player who owns ``own`` and has ``pool`` pieces in the pool captures.
    """
    some = chances_of_capture(
        net.ways,
        net.numbers[DIRECT],
        net.rolls,
        net.chances,
        net.numbers[OPEN],
        pool,
        own,
        other,
        net.hits,
    )
    while some:
        k = lowest(some)
        some &= some - 1
        x = net.hits[k]
        # Rounded row by row, so that the sum does not depend on the order.
        for unit in range(sums.shape[0]):
            sums[unit] += (x * net.first[base + k, unit]) >> UNIT


@inlined
def add_ahead(net, own, own_home, other, other_home, sums):
    """Add the inputs that look one roll ahead: the exposure of own pieces, then the threats."""
    steps = net.numbers[OPEN]
    if steps == 0:
        return
    men = net.numbers[MEN]
    base = 2 * net.numbers[PATH] + 4 * (men + 1)
    pool, other_pool = men - own_home - popcount(own), men - other_home - popcount(other)
    add_chances(net, base, other_pool, other, own, sums)
    add_chances(net, base + popcount(steps), pool, own, other, sums)


@inlined
def _active(x, squared):
    """Return a unit's activation, between 0 and 1, squared or not."""
    x = min(max(x, np.int64(0)), np.int64(ONE))
    return (x * x) >> UNIT if squared else x


@inlined
def output(net, sums):
    """Return the value from the sums of the first layer."""
    squared = net.numbers[SQUARED]
    total = net.numbers[LAST_BIAS]
    if net.second.shape[0] == 0:
        for unit in range(sums.shape[0]):
            total += _active(np.int64(sums[unit]), squared) * net.last[unit]
    else:
        units = net.units
        for unit in range(units.shape[0]):
            units[unit] = _active(np.int64(sums[unit]), squared)
        shift = net.numbers[SECOND_SHIFT]
        later = net.later
        for k in range(later.shape[0]):
            later[k] = net.second_bias[k]
            for unit in range(units.shape[0]):
                later[k] += np.int32(units[unit]) * net.second[k, unit]
        for k in range(later.shape[0]):
            total += _active(np.int64(later[k]) >> shift, squared) * net.last[k]
    return value_of(net, total >> (UNIT + net.numbers[LAST_SHIFT] - LOGIT))


@inlined
def value_of(net, logit):
    """Return the value of a logit. The values of x and -x are exactly opposite."""
    size = min(abs(logit), np.int64((MOST_LOGIT << LOGIT) - 1))
    k = size >> (LOGIT - STEPS)
    rest = size & ((1 << (LOGIT - STEPS)) - 1)
    low, high = net.logistic[k], net.logistic[k + 1]
    value = low + (((high - low) * rest) >> (LOGIT - STEPS))
    return value if logit >= 0 else -value


@lean
def evaluate_network(net, own, own_home, other, other_home):
    """Return the value of an unfinished game before the roll, to the player to move."""
    sums = net.sums
    for unit in range(sums.shape[0]):
        sums[unit] = net.first_bias[unit]
    add_side(net, 0, own, own_home, sums)
    add_side(net, 1, other, other_home, sums)
    add_ahead(net, own, own_home, other, other_home, sums)
    return output(net, sums)


@njit
def fill_values(ways, table, net, first, last, out):
    """Write the values of all configurations of the patterns from ``first`` up to ``last``.

    They are level 0 of `urcx.agents.level_kernels`: values to light, with dark to move.
    """
    pieces = ways[0, PIECES]
    units = net.sums.shape[0]
    most = table.width[pieces]
    ahead = net.numbers[OPEN] != 0
    # Then a side's captures depend on its own pieces and on the enemy's pieces on shared tiles.
    apart = ahead and net.numbers[DIRECT] != 0
    exposed = 2 * net.numbers[PATH] + 4 * (pieces + 1)
    threats = exposed + popcount(net.numbers[OPEN])
    by_row = np.empty((most, units), np.int32)
    by_column = np.empty((most, units), np.int32)
    for pattern in range(first, last):
        light = table.lane[0, pattern]
        dark = table.lane[1, pattern]
        if popcount(light) > pieces or popcount(dark) > pieces:
            continue
        rows = table.width[pieces - popcount(light)]
        columns = table.width[pieces - popcount(dark)]
        at = table.offset[pattern]
        for a in range(rows):
            for unit in range(units):
                by_row[a, unit] = net.first_bias[unit]
            own = light | table.own_steps[0, table.mask[a]]
            add_side(net, 1, own, table.home[a], by_row[a])
            if apart:
                pool = pieces - table.home[a] - popcount(own)
                add_chances(net, exposed, pool, own, dark, by_row[a])
        for c in range(columns):
            by_column[c] = 0
            own = dark | table.own_steps[1, table.mask[c]]
            add_side(net, 0, own, table.home[c], by_column[c])
            if apart:
                pool = pieces - table.home[c] - popcount(own)
                add_chances(net, threats, pool, own, light, by_column[c])
        for a in range(rows):
            if table.home[a] == pieces:
                out[at : at + columns] = WON
                at += columns
                continue
            for c in range(columns):
                if table.home[c] == pieces:
                    out[at + c] = -WON
                    continue
                for unit in range(units):
                    net.sums[unit] = by_row[a, unit] + by_column[c, unit]
                if ahead and not apart:
                    own = dark | table.own_steps[1, table.mask[c]]
                    other = light | table.own_steps[0, table.mask[a]]
                    add_ahead(net, own, table.home[c], other, table.home[a], net.sums)
                out[at + c] = -output(net, net.sums)
            at += columns
