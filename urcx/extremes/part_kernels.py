# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for a part of a pair of layers: what it holds, and what is read.

A part holds of each pattern a rectangle: the rows whose masks have just these pieces of the mover's
on the last private tiles, and the columns with just those of the other side's. It is described by
entries, one for each pattern and rectangle, in the order of updates; ``lists[k, width]`` are the
``counts[k, width]`` columns (or rows) of a pattern with ``width`` of them that belong to the k-th
mask of last tiles. The states of a part are numbered one entry after the other, a row at a time. As
the last columns of a pattern are those of any other, what a move leads to is contiguous for the
columns of a part as it is for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import njit
from urcx.sweeps.layout_kernels import IntArray
from urcx.sweeps.sweep_kernels import LEAVES


class Entries(NamedTuple):
    """The rectangles of a part, as they are in the pair.

    ``heights`` and ``widths`` are the numbers of rows and columns of each entry's pattern,
    ``rows_of`` and ``columns_of`` the kinds of its rows and columns. ``begin`` and ``turned`` are
    where the pattern's states begin in the pair, and the same with the sides exchanged;
    ``first_row`` is the number of its first row. ``lists`` and ``counts`` are described above.
    """

    heights: IntArray
    widths: IntArray
    rows_of: IntArray
    columns_of: IntArray
    begin: IntArray
    turned: IntArray
    first_row: IntArray
    lists: NDArray[np.int64]
    counts: NDArray[np.int64]


class Reads(NamedTuple):
    """The reads of a pair of layers, and which of its states a part has.

    From ``first_op[row]`` on, ``ops`` has the reads of a row, as
    `urcx.solving.layered.kernels.program` writes them. ``numbers[state]`` is the number in the part
    of each of the pair's ``states``, -1 if it is not of the part, which has ``size``.
    """

    first_op: IntArray
    ops: NDArray[np.uint32]
    states: int
    numbers: NDArray[np.int32]
    size: int


@njit
def number_states(entries, first, out):
    """Write the number in the part of each of its states to ``out``, at its place in the pair.

    ``first`` is where the states of each entry begin in the part.
    """
    lists, counts = entries.lists, entries.counts
    for t in range(first.shape[0]):
        number = first[t]
        width = entries.widths[t]
        of_rows = lists[entries.rows_of[t], entries.heights[t]]
        of_columns = lists[entries.columns_of[t], width]
        for a in range(counts[entries.rows_of[t], entries.heights[t]]):
            row = entries.begin[t] + of_rows[a] * width
            for c in range(counts[entries.columns_of[t], width]):
                out[row + of_columns[c]] = number
                number += 1


@njit
def within(place, reads):
    """Return the index in a part's values of a place in a pair's, -1 if it is not of the part."""
    states = reads.states
    if place >= 2 * states:
        return np.int64(-1)
    found = np.int64(reads.numbers[place - states if place >= states else place])
    return found + reads.size if found >= 0 and place >= states else found


@njit
def measure_part(entries, reads, rolls, lengths, leaving, first, last):
    """Write how many words the reads of some entries take, and how many values of moves that leave.

    There is a word for each of so many rolls as well.
    """
    lists, counts, ops = entries.lists, entries.counts, reads.ops
    for t in range(first, last):
        words = np.int64(0)
        values = np.int64(0)
        of_rows = lists[entries.rows_of[t], entries.heights[t]]
        columns = counts[entries.columns_of[t], entries.widths[t]]
        column = lists[entries.columns_of[t], entries.widths[t], 0]
        for a in range(counts[entries.rows_of[t], entries.heights[t]]):
            at = reads.first_op[entries.first_row[t] + of_rows[a]]
            for _ in range(rolls):
                words += 1
                leaves = False
                count = np.int64(ops[at])
                for m in range(1, count + 1):
                    place = np.int64(ops[at + m]) + column
                    if within(place, reads) >= 0:
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
def collect(entries, reads, part, values, exits_at, exits, moving, first, last):
    """Write the reads of some entries, and the greatest values of the moves that leave the part.

    ``moving`` gets the chance that a row of ``part`` has a legal move.

    For each roll, ``part.ops`` gets the number of moves that stay, plus `LEAVES` if others do not,
    the index of each in the part's values, and that in ``exits``, where moves that leave have the
    greatest of ``values``, the pair's. The exits of each entry begin at ``exits_at``.
    """
    counts, ops, into = entries.counts, reads.ops, part.ops
    for t in range(first, last):
        word = part.first_op[t]
        free = exits_at[t]
        width = entries.widths[t]
        of_rows = entries.lists[entries.rows_of[t], entries.heights[t]]
        of_columns = entries.lists[entries.columns_of[t], width]
        columns = counts[entries.columns_of[t], width]
        for a in range(counts[entries.rows_of[t], entries.heights[t]]):
            at = reads.first_op[entries.first_row[t] + of_rows[a]]
            able = 0.0
            for r in range(part.chance.shape[0]):
                # A pass leads to the same diagram with the other side to move.
                same = reads.states + entries.begin[t] + of_rows[a] * width
                if np.int64(ops[at + 1]) != same:
                    able += part.chance[r]
                head = word
                word += 1
                leaves = False
                stay = np.int64(0)
                count = np.int64(ops[at])
                for m in range(1, count + 1):
                    place = np.int64(ops[at + m])
                    inside = within(place + of_columns[0], reads)
                    if inside >= 0:
                        into[word] = inside
                        word += 1
                        stay += 1
                        continue
                    for c in range(columns):
                        value = values[place + of_columns[c]]
                        if not leaves or value > exits[free + c]:
                            exits[free + c] = value
                    leaves = True
                into[head] = stay
                if leaves:
                    into[head] = stay + LEAVES
                    into[word] = free
                    word += 1
                    free += columns
                at += 1 + count
            moving[part.first_row[t] + a] = able


@njit
def hand_back(numbers, found, size, height, states, values):
    """Write a part's values, ``height`` more, to their two places in the pair's."""
    for place in range(states):
        number = numbers[place]
        if number >= 0:
            values[place] = height + found[number]
            values[states + place] = height + found[size + number]
