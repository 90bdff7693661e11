"""Kernels of the solver for paths crossed once: one layer at a time, a row of states at once.

A layer (i, j) holds the diagrams with i of light's and j of dark's pieces home:
``offset[pattern] + row * columns + column``, where row and column number light's and dark's private
masks, those with the most pieces first, and of as many, those further on. Patterns with the
greatest sum of steps lie first. So moves that leave the pattern as it is lead to states before, and
what rolls again has been renewed already in the same sweep. Of each diagram two values are kept,
from light's side between -1 and 1: V with light to move, U with dark to move. Exchanging the sides
turns one into the other: U of layer (j, i) is -V of layer (i, j), transposed.

What light may do depends on pattern and row alone, and the values after a move lie next to each
other for all columns. `program` finds for every row and roll where they begin; `sweep` then only
reads, takes the greatest, and adds. All that is read lies in one array, since choosing between
arrays would cost more than reading.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import inlined, njit
from urcx.engine.move_kernels import PIECES, legal_starts, make_move
from urcx.engine.vector_kernels import (
    LANES,
    all_equal,
    first_lanes,
    greater,
    greatest,
    load,
    minus,
    plus_product,
    plus_times,
    store,
    store_first,
    turn_block,
)
from urcx.enumerate.rankings.pattern_kernels import count_part, own_part, pattern_part, spread_of

SAME = 2.0**-50  # values that differ by no more are one stored value, seen from both sides
NEAR = 2048  # values of a row of changes: five rows of them fit a core's first cache


@njit
def offsets(lane, width, order, light_free, dark_free, out):
    """Write the offset of each pattern to ``out``, -1 where it has no room; return the size.

    ``order`` is the order in which the patterns lie.
    """
    total = np.int64(0)
    for pattern in order:
        rows_left = light_free - popcount(lane[0, pattern])
        columns_left = dark_free - popcount(lane[1, pattern])
        if rows_left < 0 or columns_left < 0:
            out[pattern] = -1
            continue
        out[pattern] = total
        total += width[rows_left] * width[columns_left]
    return total


@njit
def program(
    ways, table, rolls, order, width, number, masks, light_home, light_free, dark_free,
    here, at_v, at_u, beyond, at_beyond, at_won, most, first_row, first_op, ops, first, last,
):  # fmt: skip
    """Write what each row of some of a layer's patterns reads, in the order of patterns given.

    ``here`` are the offsets of the layer, ``at_v`` and ``at_u`` where its V and U begin; ``beyond``
    and ``at_beyond`` the offsets and U of the layer with one more of light's pieces home, unless
    that wins: then ``at_won`` has ones. For every row, from ``first_op[row]`` on, ``ops`` gets for
    each roll how many values are compared and where each begins; ``most`` is how much a row can
    take, so that parts of a layer can be written side by side. All moves, wins and captures too,
    lead to as many columns before the end as they come from.
    """
    n = first_row[first] * most
    for t in range(first, last):
        pattern = order[t]
        light = table.lane[0, pattern]
        dark = table.lane[1, pattern]
        rows = width[light_free - popcount(light)]
        columns = width[dark_free - popcount(dark)]
        for a in range(rows):
            first_op[first_row[t] + a] = n
            own = light | table.own_steps[0, masks[rows - 1 - a]]
            pool = ways[0, PIECES] - popcount(own) - light_home
            for r in range(rolls.shape[0]):
                left = legal_starts(ways, 0, pool, own, dark, rolls[r])
                ops[n] = max(popcount(left), 1)
                n += 1
                if left == 0:  # a pass: dark is to move in the same diagram
                    ops[n] = at_u + here[pattern] + a * columns
                    n += 1
                while left:
                    start = lowest(left)
                    left &= left - 1
                    mine, theirs, home, again = make_move(
                        ways, 0, own, dark, light_home, start, start + rolls[r]
                    )
                    if home == ways[0, PIECES]:
                        ops[n] = at_won + width[dark_free] - columns
                        n += 1
                        continue
                    spread = spread_of(table, 0, mine)
                    dark_spread = spread_of(table, 1, theirs)
                    to = pattern_part(spread) + pattern_part(dark_spread)
                    across = width[dark_free - count_part(dark_spread)]
                    deep = width[light_free - (home - light_home) - count_part(spread)]
                    # A capture makes room for more of dark's masks, which lie before the others.
                    place = (deep - 1 - number[own_part(spread)]) * across + across - columns
                    if home > light_home:
                        ops[n] = at_beyond + beyond[to] + place
                    elif again:
                        ops[n] = at_v + here[to] + place
                    else:
                        ops[n] = at_u + here[to] + place
                    n += 1


@inlined
def larger(x, y):
    """Return the greater of two numbers, in one instruction: `max` would look for NaN."""
    return x if x > y else y  # noqa: FURB136


@njit
def sweep(
    values, mirror, rows, columns, begin, turned, first_op, ops, chance, shift, tile, change, base,
    first, last,
):  # fmt: skip
    """Renew V of some patterns, and with it U of the layer with the sides exchanged.

    V is read and written in ``values``, U written in ``mirror``, which is ``values`` itself unless
    bounds are computed: an upper bound of V is a lower bound of U. ``rows`` and ``columns`` are
    those of each pattern, ``begin`` where its V begins, ``turned`` where U does of the pattern with
    the sides exchanged, ``first_op`` where its part of ``ops`` does. Patterns are taken from
    ``first`` to ``last``. ``shift`` is added to every value. ``tile`` is scratch for the rows of a
    pattern, each up to a multiple of `LANES`, and `LANES` rows more. What is read may go `LANES`
    values beyond a row, so ``values`` and ``base`` must have as many at their end. If it has room,
    ``change`` gets what each value changes by. If ``base`` has values, what V exceeds them by is
    added to U too, not taken from it. Returns the largest rise and the largest fall of a value.
    """
    nothing = all_equal(0.0)
    rises = nothing
    falls = nothing
    kept = change.shape[0] > 0
    for t in range(first, last):
        height = np.int64(rows[t])
        width = np.int64(columns[t])
        stride = (width + LANES - 1) // LANES * LANES
        # Unsigned, as numba need not look whether an index is meant from the end.
        start = np.uint64(first_op[t])
        place = np.uint64(begin[t])
        into = np.uint64(0)
        end = start
        for _ in range(height):
            for column in range(0, width, LANES):
                c = np.uint64(column)
                end = start
                total = all_equal(shift)
                for r in range(chance.shape[0]):
                    count = np.uint64(ops[end])
                    best = load(values, np.uint64(ops[end + np.uint64(1)]) + c)
                    for m in range(np.uint64(2), count + np.uint64(1)):
                        best = greater(best, load(values, np.uint64(ops[end + m]) + c))
                    total = plus_times(total, chance[r], best)
                    end = end + np.uint64(1) + count
                n = width - column
                store(tile, into + c, total)
                by = first_lanes(minus(total, load(values, place + c)), n)
                rises = greater(rises, by)
                falls = greater(falls, minus(nothing, by))
                if kept:
                    store_first(change, place + c, by, n)
                store_first(values, place + c, total, n)  # no state of the row reads it
            start = end
            place += np.uint64(width)
            into += np.uint64(stride)
        if base.shape[0] > 0:
            for a in range(height):
                for column in range(0, width, LANES):
                    at = np.uint64(a * stride + column)
                    known = load(base, np.uint64(begin[t]) + np.uint64(a * width + column))
                    store(tile, at, minus(plus_times(known, 1.0, known), load(tile, at)))
        for column in range(0, width, LANES):
            for a in range(0, height, LANES):
                turn_block(
                    tile, np.uint64(a * stride + column), stride,
                    mirror, np.uint64(turned[t] + column * height + a), height,
                    height - a, width - column,
                )  # fmt: skip
    return greatest(rises), greatest(falls)


@njit
def narrow(values, rows, columns, first_op, ops, rolls, within, kept, first, last):
    """Write what `sweep` reads of some patterns, without the moves that are not worth comparing.

    Of each roll only those moves are kept whose value, in a state of the row or more, is less than
    ``within`` below the best; all of them where that is too little to tell. ``kept`` gets them from
    ``first_op`` on, in the form of ``ops``.
    """
    for t in range(first, last):
        start = np.uint64(first_op[t])
        into = start
        for _ in range(rows[t]):
            for _ in range(rolls):
                count = np.uint64(ops[start])
                near = np.uint64(0)  # a bit for each move
                for column in range(0, columns[t], LANES):
                    c = np.uint64(column)
                    best = load(values, np.uint64(ops[start + np.uint64(1)]) + c)
                    for m in range(np.uint64(2), count + np.uint64(1)):
                        best = greater(best, load(values, np.uint64(ops[start + m]) + c))
                    least = minus(best, all_equal(within))
                    for m in range(np.uint64(1), count + np.uint64(1)):
                        if not near >> m & np.uint64(1):
                            above = minus(load(values, np.uint64(ops[start + m]) + c), least)
                            if greatest(first_lanes(above, columns[t] - column)) > 0.0:
                                near |= np.uint64(1) << m
                if near == np.uint64(0):
                    near = ~near
                head = into
                into += np.uint64(1)
                for m in range(np.uint64(1), count + np.uint64(1)):
                    if near >> m & np.uint64(1):
                        kept[into] = ops[start + m]
                        into += np.uint64(1)
                kept[head] = into - head - np.uint64(1)
                start += np.uint64(1) + count


@njit
def turn(rows, columns, begin, turned, source, out):
    """Write U of the layer (j, i) from V of the layer (i, j), for some patterns.

    ``rows`` and ``columns`` are those of each pattern, ``begin`` and ``turned`` where it begins in
    ``source`` and in ``out``.
    """
    for t in range(rows.shape[0]):
        height = np.int64(rows[t])
        width = np.int64(columns[t])
        if begin[t] + (height + LANES) * width + LANES > source.shape[0]:
            for c in range(width):
                for a in range(height):
                    out[turned[t] + c * height + a] = -source[begin[t] + a * width + c]
            continue
        for c in range(0, width, LANES):
            for a in range(0, height, LANES):
                turn_block(
                    source, np.uint64(begin[t] + a * width + c), width,
                    out, np.uint64(turned[t] + c * height + a), height,
                    height - a, width - c,
                )  # fmt: skip


@njit
def gram(changes, first, last, out):
    """Write the products of each two rows of ``changes``, summed over some columns, to ``out``."""
    sums = np.zeros((changes.shape[0] ** 2, LANES))
    for begin in range(first, last, NEAR):
        end = min(begin + NEAR, last)
        rest = end - (end - begin) % LANES
        for i in range(changes.shape[0]):
            x = changes[i]
            for j in range(i, changes.shape[0]):
                y = changes[j]
                into = sums[i * changes.shape[0] + j]
                some = load(into, np.uint64(0))
                for k in range(begin, rest, LANES):
                    some = plus_product(some, load(x, np.uint64(k)), load(y, np.uint64(k)))
                store(into, np.uint64(0), some)
                for k in range(rest, end):
                    into[0] += np.float64(x[k]) * np.float64(y[k])
    for i in range(changes.shape[0]):
        for j in range(i, changes.shape[0]):
            out[i, j] = sums[i * changes.shape[0] + j].sum()
            out[j, i] = out[i, j]


@njit
def combine(changes, factors, largest, first, last, values):
    """Add the rows of ``changes``, each times its factor, to values; cut off at ``largest``."""
    least = all_equal(-largest)
    nothing = all_equal(0.0)
    rest = last - (last - first) % LANES
    for row in range(factors.shape[0]):
        x = changes[row]
        for k in range(first, rest, LANES):
            found = load(values, np.uint64(k))
            store(values, np.uint64(k), plus_times(found, factors[row], load(x, np.uint64(k))))
        for k in range(rest, last):
            values[k] += factors[row] * np.float64(x[k])
    for k in range(first, rest, LANES):
        found = greater(least, minus(nothing, load(values, np.uint64(k))))
        store(values, np.uint64(k), greater(least, minus(nothing, found)))
    for k in range(rest, last):
        values[k] = larger(-largest, -larger(-largest, -values[k]))


@njit
def nearest(
    table, order, width, light_free, dark_free, here, first_row, first_op, ops, rolls, values,
    within, first, last, counts, closest,
):  # fmt: skip
    """Compare the best move with the next best in some of a layer's patterns, roll by roll.

    ``counts[0]`` gets how many states and rolls have a choice, ``counts[1]`` in how many of them
    the two are the `SAME`, ``counts[2 + k]`` in how many they differ by less than ``within[k]``,
    which falls. ``closest`` gets (difference, state, roll's index) of the two that are nearest
    without being equal, if they are nearer than what it holds.
    """
    for t in range(first, last):
        pattern = order[t]
        rows = width[light_free - popcount(table.lane[0, pattern])]
        columns = width[dark_free - popcount(table.lane[1, pattern])]
        for a in range(rows):
            k = first_op[first_row[t] + a]
            for r in range(rolls):
                count = np.int64(ops[k])
                k += 1
                if count > 1:
                    counts[0] += columns
                    for c in range(columns):
                        best = -2.0
                        second = -2.0
                        for m in range(k, k + count):
                            value = values[np.int64(ops[m]) + c]
                            second = larger(second, -larger(-best, -value))
                            best = larger(best, value)
                        by = best - second
                        if by <= SAME:
                            counts[1] += 1
                        elif by < closest[0]:
                            closest[0] = by
                            closest[1] = here[pattern] + a * columns + c
                            closest[2] = r
                        n = 0
                        while n < within.shape[0] and by < within[n]:
                            counts[2 + n] += 1
                            n += 1
                k += count
