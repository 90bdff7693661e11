# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the solver for paths crossed once: one layer at a time, a row of states at a time.

A layer (i, j) contains the configurations with i of light's and j of dark's pieces home. Their
number is ``offset[pattern] + row * columns + column``, where row and column number light's and
dark's private masks. Masks with most pieces come first, then the most advanced. In files, patterns
with the greatest sum of steps come first. In sweeps, patterns with the same steps of dark are
together. Each configuration has two values between -1 and 1, from light's point of view: V with
light to move, and U with dark to move. Exchanging the sides turns one into the other: U of layer
(j, i) is -V of layer (i, j), transposed.

Light's legal moves depend only on pattern and row, and the values after a move are contiguous for
all columns. `program` computes where they begin for every row and roll. `sweep` then only reads,
takes the greatest, and adds. All values are in one array, because choosing between arrays would
cost more than reading.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import inlined, njit
from urcx.engine.move_kernels import PIECES, legal_starts, lowest, make_move, popcount
from urcx.engine.vector_kernels import (
    equal_like,
    fetch,
    first_lanes,
    greater,
    greatest,
    in_single,
    lanes_like,
    load_like,
    load_own,
    minus,
    plus_times,
    store_first,
)
from urcx.enumerate.rankings.pattern_kernels import count_part, own_part, pattern_part, spread_of
from urcx.sweeps.sweep_kernels import turn_pattern

GRID = 2.0**-52  # sums below 2 of multiples of it are not rounded
AHEAD = 192  # vectors that the processor prefetches
TO_GRID = 1.5  # added and subtracted, it rounds numbers above -1/2 to multiples of `GRID`


class Targets(NamedTuple):
    """The places of the values to which moves from a pair of layers lead, by pattern.

    ``here`` has the places in V of each layer, and U is ``states`` later. ``beyond`` has the places
    in U of the layer with one more of light's pieces home. For winning moves the values at ``won``
    are ones.
    """

    here: NDArray[np.int64]
    states: int
    beyond: NDArray[np.int64]
    won: int


@njit
def program(diagrams, targets, room, first_row, first_op, ops, first, last):
    """Write the reads of every row of some patterns, ``diagrams.patterns``.

    For every row, ``ops`` receives from ``first_op[row]`` on, for each roll, the number of moves
    and the place at which the values of each move begin. From ``room[t]`` on there is room for the
    most reads of the t-th and later patterns, so parts can be written in parallel. No move changes
    the distance of a column from the end of its row, including wins and captures.
    """
    ways, table, rolls = diagrams.ways, diagrams.table, diagrams.rolls
    width, number = diagrams.width, diagrams.number
    n = room[first]
    for t in range(first, last):
        layer = diagrams.layer_of[t]
        here, beyond = targets.here[layer], targets.beyond[layer]
        light_home = diagrams.homes[layer, 0]
        light_free = ways[0, PIECES] - light_home
        dark_free = ways[0, PIECES] - diagrams.homes[layer, 1]
        pattern = diagrams.patterns[t]
        light = table.lane[0, pattern]
        dark = table.lane[1, pattern]
        rows = width[light_free - popcount(light)]
        columns = width[dark_free - popcount(dark)]
        for a in range(rows):
            first_op[first_row[t] + a] = n
            own = light | table.own_steps[0, diagrams.mask[rows - 1 - a]]
            pool = ways[0, PIECES] - popcount(own) - light_home
            for r in range(rolls.shape[0]):
                left = legal_starts(ways, 0, pool, own, dark, rolls[r])
                ops[n] = max(popcount(left), 1)
                n += 1
                if left == 0:  # a pass: dark is to move in the same configuration
                    ops[n] = targets.states + here[pattern] + a * columns
                    n += 1
                while left:
                    start = lowest(left)
                    left &= left - 1
                    mine, theirs, home, again = make_move(
                        ways, 0, own, dark, light_home, start, start + rolls[r]
                    )
                    if home == ways[0, PIECES]:
                        ops[n] = targets.won + width[dark_free] - columns
                        n += 1
                        continue
                    spread = spread_of(table, 0, mine)
                    dark_spread = spread_of(table, 1, theirs)
                    to = pattern_part(spread) + pattern_part(dark_spread)
                    across = width[dark_free - count_part(dark_spread)]
                    deep = width[light_free - (home - light_home) - count_part(spread)]
                    # A capture frees a dark piece for more masks, which come before the others.
                    place = (deep - 1 - number[own_part(spread)]) * across + across - columns
                    if home > light_home:
                        ops[n] = beyond[to] + place
                    elif again:
                        ops[n] = here[to] + place
                    else:
                        ops[n] = targets.states + here[to] + place
                    n += 1


@inlined
def _fetch_ahead(values, ops, at, c, vectors):
    """Have the processor prefetch a number of vectors of a later read in ``ops``.

    If the later word is not a read but a number of moves, the prefetch is useless but harmless.
    """
    place = np.uint64(ops[at + np.uint64(AHEAD // vectors)]) + c
    for n in range(vectors):
        fetch(values, place + np.uint64(n * lanes_like(values)))


@njit
def sweep(values, rows, shift, change, origin, excess, tile, kept, first, last):
    """Update V of some patterns, and return its largest increase and its largest decrease.

    ``rows`` are `urcx.sweeps.layout_kernels.StateRows`. Their patterns ``first`` to ``last`` are
    updated, one after the other. ``shift`` is added to every value. Unless empty, ``change``
    receives the change of each value, beginning with the value at ``origin``. Unless empty,
    ``excess`` is the amount by which each value is raised, and is updated with the value. Values
    and excess are multiples of `GRID`, so their difference, the original value, stays the same to
    the last bit while values are below 2. Unless ``kept``, nothing is written to ``values``. Then
    the increase and the decrease belong to an update of all values at once.

    Unless ``tile``, scratch space as for `urcx.sweeps.sweep_kernels.turn`, is empty, U is written
    after each pattern. While V is computed, the processor prefetches the place of U and the next
    reads, for which it would otherwise wait.

    Up to four vectors of a row are updated together. So the processor waits less for reads, and
    predicts the number of moves once for all of them. Vectors have the precision of values. Reads
    may go `MOST_LANES` values beyond a row, so ``values`` needs this number of values at its end,
    and ``rows.ops`` `AHEAD` words of any kind.
    """
    nothing = equal_like(values, 0.0)
    rises = nothing
    falls = nothing
    recording = change.shape[0] > 0
    raising = excess.shape[0] > 0
    turning = tile.shape[0] > 0
    to_grid = equal_like(values, TO_GRID)
    lanes = lanes_like(values)
    more = np.uint64(lanes)
    ops, chance = rows.ops, rows.chance
    for t in range(first, last):
        width = np.int64(rows.columns[t])
        # Unsigned, so that numba does not test for negative indices.
        start = np.uint64(rows.first_op[t])
        place = np.uint64(rows.begin[t])
        to = np.uint64(rows.turned[t])
        end = start
        for _ in range(rows.rows[t]):
            column = np.int64(0)
            while column < width:
                left = width - column
                c = np.uint64(column)
                end = start
                total = equal_like(values, shift)
                second = total
                third = total
                fourth = total
                if left > 3 * lanes:
                    for r in range(chance.shape[0]):
                        count = np.uint64(ops[end])
                        _fetch_ahead(values, ops, end + np.uint64(1), c, 4)
                        at = np.uint64(ops[end + np.uint64(1)]) + c
                        best = load_own(values, at)
                        best_2 = load_own(values, at + more)
                        best_3 = load_own(values, at + more + more)
                        best_4 = load_own(values, at + more + more + more)
                        for m in range(np.uint64(2), count + np.uint64(1)):
                            _fetch_ahead(values, ops, end + m, c, 4)
                            at = np.uint64(ops[end + m]) + c
                            best = greater(best, load_own(values, at))
                            best_2 = greater(best_2, load_own(values, at + more))
                            best_3 = greater(best_3, load_own(values, at + more + more))
                            best_4 = greater(best_4, load_own(values, at + more + more + more))
                        total = plus_times(total, chance[r], best)
                        second = plus_times(second, chance[r], best_2)
                        third = plus_times(third, chance[r], best_3)
                        fourth = plus_times(fourth, chance[r], best_4)
                        end = end + np.uint64(1) + count
                    vectors = 4
                elif left > lanes:
                    for r in range(chance.shape[0]):
                        count = np.uint64(ops[end])
                        _fetch_ahead(values, ops, end + np.uint64(1), c, 2)
                        at = np.uint64(ops[end + np.uint64(1)]) + c
                        best = load_own(values, at)
                        best_2 = load_own(values, at + more)
                        for m in range(np.uint64(2), count + np.uint64(1)):
                            _fetch_ahead(values, ops, end + m, c, 2)
                            at = np.uint64(ops[end + m]) + c
                            best = greater(best, load_own(values, at))
                            best_2 = greater(best_2, load_own(values, at + more))
                        total = plus_times(total, chance[r], best)
                        second = plus_times(second, chance[r], best_2)
                        end = end + np.uint64(1) + count
                    vectors = 2
                else:
                    for r in range(chance.shape[0]):
                        count = np.uint64(ops[end])
                        _fetch_ahead(values, ops, end + np.uint64(1), c, 1)
                        best = load_own(values, np.uint64(ops[end + np.uint64(1)]) + c)
                        for m in range(np.uint64(2), count + np.uint64(1)):
                            _fetch_ahead(values, ops, end + m, c, 1)
                            best = greater(best, load_own(values, np.uint64(ops[end + m]) + c))
                        total = plus_times(total, chance[r], best)
                        end = end + np.uint64(1) + count
                    vectors = 1
                for _ in range(vectors):  # no state of the row reads what is written here
                    left = width - column
                    at = place + np.uint64(column)
                    old = load_own(values, at)
                    by = first_lanes(minus(total, old), left)
                    if raising:
                        above = load_like(values, excess, at)
                        wanted = plus_times(plus_times(to_grid, 1.0, above), 1.0, by)
                        wanted = in_single(minus(wanted, to_grid))
                        by = first_lanes(minus(wanted, above), left)
                        store_first(excess, at, wanted, left)
                        total = plus_times(old, 1.0, by)
                    rises = greater(rises, by)
                    falls = greater(falls, minus(nothing, by))
                    if recording:
                        store_first(change, at - np.uint64(origin), by, left)
                    if kept:
                        store_first(values, at, total, left)
                    if turning:
                        fetch(values, to + np.uint64(column))
                    column += lanes
                    total = second
                    second = third
                    third = fourth
            start = end
            place += np.uint64(width)
            to += np.uint64(width)
        if turning:
            turn_pattern(
                np.int64(rows.rows[t]), width, np.int64(rows.begin[t]), rows.turned[t],
                values, excess, tile, values,
            )  # fmt: skip
    return greatest(rises), greatest(falls)


@njit
def rearrange(rows, columns, begin, to, source, out):
    """Copy the values of patterns from ``begin`` in ``source`` to ``to`` in ``out``."""
    for t in range(rows.shape[0]):
        for k in range(rows[t] * columns[t]):
            out[to[t] + k] = source[begin[t] + k]
