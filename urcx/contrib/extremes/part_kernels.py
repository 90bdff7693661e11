# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for a part of a pair of layers: its states, and the values that they read.

A part has a rectangle of each pattern: the rows whose masks have certain pieces of the mover on the
last private tiles, and the columns whose masks have certain pieces of the other side there. Entries
describe a part, one for each pattern and rectangle, in the order of updates. For the k-th mask of
last tiles, ``lists[k, width]`` has the ``counts[k, width]`` columns (or rows) of a pattern with
``width`` of them. The states of a part are numbered entry by entry, and in an entry row by row. All
patterns have the same last columns, so the successors of contiguous columns are contiguous, in a
part as well as in the pair.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import njit
from urcx.sweeps.layout_kernels import IntArray, StateRows
from urcx.sweeps.sweep_kernels import LEAVES


class Entries(NamedTuple):
    """The rectangles of a part, with places in the pair.

    ``rows`` are the rows of each entry's pattern. ``of_rows`` and ``of_columns`` are the kinds of
    rows and columns in the rectangle. ``lists`` and ``counts`` are described above.
    """

    rows: StateRows
    of_rows: IntArray
    of_columns: IntArray
    lists: NDArray[np.int64]
    counts: NDArray[np.int64]


class Reads(NamedTuple):
    """The places of a pair's operations by row, and the numbers of its states in a part.

    ``numbers[state]`` is the number in the part of each of the pair's ``states``, or -1 if the
    state is not in the part. The part has ``size`` states.
    """

    first_op: IntArray
    states: int
    numbers: NDArray[np.int32]
    size: int


@njit
def rectangle(entries, t):
    """Return the numbers of rows and columns of an entry, and lists that begin with them."""
    rows, columns = entries.of_rows[t], entries.of_columns[t]
    height, width = entries.rows.rows[t], entries.rows.columns[t]
    return (
        entries.counts[rows, height], entries.lists[rows, height],
        entries.counts[columns, width], entries.lists[columns, width],
    )  # fmt: skip


@njit
def number_states(entries, first, out):
    """Write the numbers of the states of a part to ``out``, at their places in the pair.

    ``first`` is the number of the first state of each entry.
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
    """Return the index in a part's values of a place in a pair's values, -1 if outside the part."""
    states = reads.states
    if place >= 2 * states:
        return np.int64(-1)
    index = np.int64(reads.numbers[place - states if place >= states else place])
    return index + reads.size if index >= 0 and place >= states else index


@njit
def collect(entries, reads, part, values, exits_at, exits, moving, first, last):
    """Write the operations of entries, and the greatest values of the moves that leave the part.

    For each roll, ``part.ops`` receives the number of moves that stay in the part, plus `LEAVES` if
    others leave it. The index of each successor in the part's values follows, and then the index in
    ``exits``, which receives the greatest of the pair's ``values`` after moves that leave. The
    operations of each entry begin at ``part.first_op``, its exits at ``exits_at``. If ``part.ops``
    is empty, both receive the numbers of operations and of exits instead. ``moving`` receives the
    probability that a row of ``part`` has a legal move.
    """
    ops, into = entries.rows.ops, part.ops
    writing = into.shape[0] > 0
    for t in range(first, last):
        word = part.first_op[t]
        free = exits_at[t]
        height, of_rows, columns, of_columns = rectangle(entries, t)
        for a in range(height):
            at = reads.first_op[entries.rows.first_row[t] + of_rows[a]]
            # A pass leads to the same configuration with the other side to move.
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
