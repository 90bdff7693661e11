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
from urcx.sweeps.layout_kernels import IntArray, StateRows
from urcx.sweeps.sweep_kernels import LEAVES


class Entries(NamedTuple):
    """The rectangles of a part, as they are in the pair.

    ``rows`` are the rows of each entry's pattern, ``of_rows`` and ``of_columns`` the kinds of those
    rows and columns that it has. ``lists`` and ``counts`` are described above.
    """

    rows: StateRows
    of_rows: IntArray
    of_columns: IntArray
    lists: NDArray[np.int64]
    counts: NDArray[np.int64]


class Reads(NamedTuple):
    """Where the reads of a pair's rows begin, and which of its states a part has.

    ``numbers[state]`` is the number in the part of each of the pair's ``states``, -1 if it is not
    of the part, which has ``size``.
    """

    first_op: IntArray
    states: int
    numbers: NDArray[np.int32]
    size: int


@njit
def rectangle(entries, t):
    """Return how many rows and columns an entry has, and lists that begin with them."""
    rows, columns = entries.of_rows[t], entries.of_columns[t]
    height, width = entries.rows.rows[t], entries.rows.columns[t]
    return (
        entries.counts[rows, height], entries.lists[rows, height],
        entries.counts[columns, width], entries.lists[columns, width],
    )  # fmt: skip


@njit
def number_states(entries, first, out):
    """Write the number in the part of each of its states to ``out``, at its place in the pair.

    ``first`` is where the states of each entry begin in the part.
    """
    for t in range(first.shape[0]):
        number = first[t]
        height, of_rows, width, of_columns = rectangle(entries, t)
        for a in range(height):
            row = entries.rows.begin[t] + of_rows[a] * entries.rows.columns[t]
            for c in range(width):
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
def collect(entries, reads, part, values, exits_at, exits, moving, first, last):
    """Write the reads of some entries, and the greatest values of the moves that leave the part.

    For each roll, ``part.ops`` gets the number of moves that stay, plus `LEAVES` if others do not,
    the index of each in the part's values, and that in ``exits``, where moves that leave have the
    greatest of ``values``, the pair's. The reads of each entry begin at ``part.first_op``, its
    exits at ``exits_at``; where ``part.ops`` is empty, these get how many there are of either.
    ``moving`` gets the chance that a row of ``part`` has a legal move.
    """
    ops, into = entries.rows.ops, part.ops
    writing = into.shape[0] > 0
    for t in range(first, last):
        word = part.first_op[t]
        free = exits_at[t]
        height, of_rows, columns, of_columns = rectangle(entries, t)
        for a in range(height):
            at = reads.first_op[entries.rows.first_row[t] + of_rows[a]]
            # A pass leads to the same diagram with the other side to move.
            passed = entries.rows.begin[t] + of_rows[a] * entries.rows.columns[t]
            passed += reads.states
            able = 0.0
            for r in range(part.chance.shape[0]):
                if np.int64(ops[at + 1]) != passed:
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
                        if writing:
                            into[word] = inside
                        word += 1
                        stay += 1
                        continue
                    for c in range(columns if writing else np.int64(0)):
                        value = values[place + of_columns[c]]
                        if not leaves or value > exits[free + c]:
                            exits[free + c] = value
                    leaves = True
                if writing:
                    into[head] = stay + LEAVES * leaves
                    if leaves:
                        into[word] = free
                if leaves:
                    word += 1
                    free += columns
                at += 1 + count
            moving[part.first_row[t] + a] = able
        if not writing:
            part.first_op[t] = word
            exits_at[t] = free
