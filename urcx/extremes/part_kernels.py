# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for a part of a pair of layers: what it holds, what is read, and sweeps over it.

A part holds of each pattern a rectangle: the rows whose masks have just these pieces of the mover's
on the last private tiles, and the columns with just those of the other side's. It is described by
entries, one for each pattern and rectangle, in the order of updates; ``lists[k, width]`` are the
``counts[k, width]`` columns (or rows) of a pattern with ``width`` of them that belong to the k-th
mask of last tiles. The states of a part are numbered one entry after the other, a row at a time. As
the last columns of a pattern are those of any other, what a move leads to is contiguous for the
columns of a part as it is for all.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest
from urcx.engine.jit import njit
from urcx.engine.mask_kernels import any_of, having
from urcx.engine.vector_kernels import (
    all_equal,
    first_lanes,
    greater,
    greatest,
    load,
    minus,
    plus_times,
    store,
    store_first,
    turn_block,
    where_greater,
)
from urcx.engine.vector_types import LANES

LEAVES = 1 << 16  # in the head of a roll's reads: some moves leave the part


@njit
def number_states(heights, widths, rows_of, columns_of, begin, lists, counts, first, out):
    """Write the number in the part of each of its states to ``out``, at its place in the pair.

    ``heights`` and ``widths`` are the numbers of rows and columns of each entry's pattern,
    ``rows_of`` and ``columns_of`` the kinds of its rows and columns, ``begin`` where the pattern's
    states begin in the pair, ``first`` where those of the entry begin in the part.
    """
    for t in range(begin.shape[0]):
        number = first[t]
        width = widths[t]
        for a in range(counts[rows_of[t], heights[t]]):
            row = begin[t] + lists[rows_of[t], heights[t], a] * width
            for c in range(counts[columns_of[t], width]):
                out[row + lists[columns_of[t], width, c]] = number
                number += 1


@njit
def within(place, states, numbers, size):
    """Return the index in a part's values of a place in a pair's, -1 if it is not of the part."""
    if place >= 2 * states:
        return np.int64(-1)
    found = np.int64(numbers[place - states if place >= states else place])
    return found + size if found >= 0 and place >= states else found


@njit
def measure_part(
    heights, widths, rows_of, columns_of, first_row, lists, counts, first_op, ops, rolls, states,
    numbers, size, lengths, leaving, first, last,
):  # fmt: skip
    """Write how many words the reads of some entries take, and how many values of moves that leave.

    ``first_op[first_row[t] + a]`` is where the reads of a row begin in ``ops``, as
    `urcx.solving.layered.kernels.program` writes them; ``states`` are those of the pair.
    """
    for t in range(first, last):
        words = np.int64(0)
        values = np.int64(0)
        columns = counts[columns_of[t], widths[t]]
        column = lists[columns_of[t], widths[t], 0]
        for a in range(counts[rows_of[t], heights[t]]):
            at = first_op[first_row[t] + lists[rows_of[t], heights[t], a]]
            for _ in range(rolls):
                words += 1
                leaves = False
                count = np.int64(ops[at])
                for m in range(1, count + 1):
                    place = np.int64(ops[at + m]) + column
                    if within(place, states, numbers, size) >= 0:
                        words += 1
                    else:
                        leaves = True
                if leaves:
                    words += 1
                    values += columns
                at += 1 + count
        lengths[t] = words
        leaving[t] = values


@njit
def collect(
    heights, widths, rows_of, columns_of, first_row, lists, counts, first_op, ops, rolls, states,
    numbers, size, begin, chance, values, starts, exits_at, row_at, reads, exits, moving, first,
    last,
):  # fmt: skip
    """Write the reads of some entries, and the greatest values of the moves that leave the part.

    ``moving`` gets the chance that a row has a legal move; those of an entry begin at ``row_at``,
    and the states of its pattern at ``begin`` in the pair.

    For each roll, ``reads`` gets the number of moves that stay, plus `LEAVES` if others do not, the
    index of each in the part's values, and that in ``exits``, where moves that leave have the
    greatest of ``values``, the pair's. Entries begin at ``starts`` and ``exits_at``.
    """
    for t in range(first, last):
        word = starts[t]
        free = exits_at[t]
        width = widths[t]
        kind = columns_of[t]
        columns = counts[kind, width]
        column = lists[kind, width, 0]
        for a in range(counts[rows_of[t], heights[t]]):
            row = lists[rows_of[t], heights[t], a]
            at = first_op[first_row[t] + row]
            able = 0.0
            for r in range(rolls):
                # A pass leads to the same diagram with the other side to move.
                if np.int64(ops[at + 1]) != states + begin[t] + row * width:
                    able += chance[r]
                head = word
                word += 1
                leaves = False
                stay = np.int64(0)
                count = np.int64(ops[at])
                for m in range(1, count + 1):
                    place = np.int64(ops[at + m])
                    inside = within(place + column, states, numbers, size)
                    if inside >= 0:
                        reads[word] = inside
                        word += 1
                        stay += 1
                        continue
                    for c in range(columns):
                        value = values[place + lists[kind, width, c]]
                        if not leaves or value > exits[free + c]:
                            exits[free + c] = value
                    leaves = True
                reads[head] = stay
                if leaves:
                    reads[head] = stay + LEAVES
                    reads[word] = free
                    word += 1
                    free += columns
                at += 1 + count
            moving[row_at[t] + a] = able


@njit
def renew_part(
    values, rows, columns, begin, turned, starts, row_at, reads, exits, gains, chance, height, tile,
    first, last,
):  # fmt: skip
    """Compute the values of some entries in place.

    Values are y = V - ``height``, where V is what is still to come: y is ``gains`` of the row, plus
    the mean over the rolls of the greatest y that a move leads to; ``exits`` have V. ``rows`` and
    ``columns`` are those of the entries in the part, ``begin`` where their values begin, and
    ``turned`` those of the same states seen with the sides exchanged.
    """
    nothing = all_equal(0.0)
    above = all_equal(height)
    for t in range(first, last):
        lines = np.int64(rows[t])
        width = np.int64(columns[t])
        across = (width + LANES - 1) // LANES * LANES
        start = np.uint64(starts[t])
        place = np.uint64(begin[t])
        out = np.uint64(0)
        end = start
        for a in range(lines):
            gained = gains[row_at[t] + a]
            for column in range(0, width, LANES):
                c = np.uint64(column)
                end = start
                total = all_equal(gained)
                for r in range(chance.shape[0]):
                    head = np.uint64(reads[end])
                    count = head & np.uint64(LEAVES - 1)
                    if head >= np.uint64(LEAVES):
                        at = np.uint64(reads[end + np.uint64(1) + count]) + c
                        best = minus(load(exits, at), above)
                        for m in range(np.uint64(1), count + np.uint64(1)):
                            best = greater(best, load(values, np.uint64(reads[end + m]) + c))
                        end = end + np.uint64(2) + count
                    else:
                        best = load(values, np.uint64(reads[end + np.uint64(1)]) + c)
                        for m in range(np.uint64(2), count + np.uint64(1)):
                            best = greater(best, load(values, np.uint64(reads[end + m]) + c))
                        end = end + np.uint64(1) + count
                    total = plus_times(total, chance[r], best)
                store(tile, out + c, minus(nothing, total))  # turning negates
                # Not read by any state of the row.
                store_first(values, place + c, total, width - column)
            start = end
            place += np.uint64(width)
            out += np.uint64(across)
        for column in range(0, width, LANES):
            for a in range(0, lines, LANES):
                turn_block(
                    tile, np.uint64(a * across + column), across,
                    values, np.uint64(turned[t] + column * lines + a), lines,
                    lines - a, width - column,
                )  # fmt: skip


@njit
def choose_part(
    values, rows, columns, begin, starts, row_at, reads, exits, gains, chance, height, stride,
    first, last, picks,
):  # fmt: skip
    """Write what has the greatest value for each state and roll of some entries to ``picks``.

    ``picks[roll * stride + state]`` gets one bit: the lowest for the best move that leaves the
    part, the k-th after it for the k-th move that stays. The other arguments are those of
    `renew_part`. Returns by how much computing a value with the best moves would increase and
    decrease it most.
    """
    nothing = all_equal(0.0)
    above = all_equal(height)
    rises = nothing
    falls = nothing
    for t in range(first, last):
        width = np.int64(columns[t])
        start = np.uint64(starts[t])
        place = np.uint64(begin[t])
        end = start
        for a in range(rows[t]):
            gained = gains[row_at[t] + a]
            for column in range(0, width, LANES):
                c = np.uint64(column)
                n = width - column
                end = start
                total = all_equal(gained)
                for r in range(chance.shape[0]):
                    head = np.uint64(reads[end])
                    count = head & np.uint64(LEAVES - 1)
                    if head >= np.uint64(LEAVES):
                        at = np.uint64(reads[end + np.uint64(1) + count]) + c
                        best = minus(load(exits, at), above)
                        found = all_equal(1.0)
                        other = np.uint64(1)
                        after = end + np.uint64(2) + count
                    else:
                        best = load(values, np.uint64(reads[end + np.uint64(1)]) + c)
                        found = all_equal(2.0)
                        other = np.uint64(2)
                        after = end + np.uint64(1) + count
                    for m in range(other, count + np.uint64(1)):
                        value = load(values, np.uint64(reads[end + m]) + c)
                        bit = np.float64(np.int64(1) << np.int64(m))
                        found = where_greater(value, best, all_equal(bit), found)
                        best = greater(best, value)
                    end = after
                    store_first(picks, np.uint64(r * stride) + place + c, found, n)
                    total = plus_times(total, chance[r], best)
                by = first_lanes(minus(total, load(values, place + c)), n)
                rises = greater(rises, by)
                falls = greater(falls, minus(nothing, by))
            start = end
            place += np.uint64(width)
    return greatest(rises), greatest(falls)


@njit
def follow_part(
    values, rows, columns, begin, turned, starts, row_at, reads, exits, gains, chance, height, tile,
    change, picks, stride, first, last,
):  # fmt: skip
    """Compute the values of some entries in place, with the moves that `choose_part` wrote.

    The arguments are those of `renew_part`; unless empty, ``change`` receives the changes. Returns
    the largest increase and decrease.
    """
    nothing = all_equal(0.0)
    above = all_equal(height)
    rises = nothing
    falls = nothing
    told = change.shape[0] > 0
    for t in range(first, last):
        lines = np.int64(rows[t])
        width = np.int64(columns[t])
        across = (width + LANES - 1) // LANES * LANES
        start = np.uint64(starts[t])
        place = np.uint64(begin[t])
        out = np.uint64(0)
        end = start
        for a in range(lines):
            gained = gains[row_at[t] + a]
            for column in range(0, width, LANES):
                c = np.uint64(column)
                end = start
                total = all_equal(gained)
                for r in range(chance.shape[0]):
                    head = np.uint64(reads[end])
                    leaves = head >= np.uint64(LEAVES)
                    count = head & np.uint64(LEAVES - 1)
                    at = np.uint64(r * stride) + place + c
                    # Lanes after the row's last are of another row, which may have more moves.
                    left = any_of(picks, at) & ((np.int64(2) << np.int64(count)) - 1)
                    if not leaves:
                        left &= ~np.int64(1)
                    alone = left & (left - 1) == 0
                    best = nothing
                    while left:
                        move = lowest(left)
                        left &= left - 1
                        if move:
                            value = load(values, np.uint64(reads[end + np.uint64(move)]) + c)
                        else:
                            k = np.uint64(reads[end + np.uint64(1) + count]) + c
                            value = minus(load(exits, k), above)
                        if not alone:
                            value = having(value, picks, at, np.int64(1) << move)
                        best = plus_times(best, 1.0, value)
                    end = end + count + np.uint64(2 if leaves else 1)
                    total = plus_times(total, chance[r], best)
                n = width - column
                by = first_lanes(minus(total, load(values, place + c)), n)
                rises = greater(rises, by)
                falls = greater(falls, minus(nothing, by))
                if told:
                    store_first(change, place + c, by, n)
                store(tile, out + c, minus(nothing, total))  # turning negates
                store_first(values, place + c, total, n)  # not read by any state of the row
            start = end
            place += np.uint64(width)
            out += np.uint64(across)
        for column in range(0, width, LANES):
            for a in range(0, lines, LANES):
                turn_block(
                    tile, np.uint64(a * across + column), across,
                    values, np.uint64(turned[t] + column * lines + a), lines,
                    lines - a, width - column,
                )  # fmt: skip
    return greatest(rises), greatest(falls)


@njit
def hand_back(numbers, found, size, height, states, values):
    """Write a part's values, ``height`` more, to their two places in the pair's."""
    for place in range(states):
        number = numbers[place]
        if number >= 0:
            values[place] = height + found[number]
            values[states + place] = height + found[size + number]
