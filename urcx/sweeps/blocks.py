"""Blocks of states that are swept together, and their parts for threads.

Values do not depend on the division of patterns into parts. Results do not depend on it if no part
reads or writes entries that another part writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import Phase, for_chunks
from urcx.sweeps.layout_kernels import IntArray, StateRows
from urcx.sweeps.sweep_kernels import sweep_rows, turn

PARTS = 16  # for each thread, into which patterns are divided
LEAST_PART = 25_000  # states (with fewer, a call costs more than its work)
MOST_ALONE = 60_000  # states of a wave, or of small waves together, for a single thread
SMALL = 100_000  # states (with fewer, more threads do not help)

Values = NDArray[np.float64]
Changes = NDArray[np.float32]
NO_CHANGE = np.empty(0, np.float32)
NO_TILE = np.empty(0)
Work = Callable[[int, int, int], None]  # called with a thread, and the first and the last number


def cuts_of(ends: IntArray, parts: int) -> list[int]:
    """Return indices that divide the cumulative sums ``ends`` into about equal parts."""
    total = int(ends[-1]) if len(ends) else 0
    inner = np.searchsorted(ends, np.linspace(0, total, parts + 1)[1:-1])
    return sorted({0, *(int(cut) for cut in inner), len(ends)})


def shares_of(ends: IntArray, states: int, threads: int) -> list[int]:
    """Return indices that divide the cumulative sums of state numbers into parts for threads."""
    return cuts_of(ends, min(PARTS * threads, 1 + states // LEAST_PART))


def waves_of(states: IntArray, new: list[Any], threads: int) -> list[list[int]]:
    """Return the indices that divide patterns into waves, and each wave into parts.

    ``states`` are the numbers of states of the patterns. ``new`` tells for each pattern except the
    first whether it starts a group, a wave, and a half of the sweep. Consecutive small waves of a
    half become one wave with a single part.
    """
    total = np.concatenate([[0], np.cumsum(states)])
    group_ends = np.append(np.flatnonzero(new[0]) + 1, len(states))
    halves = {0, *(np.flatnonzero(new[2]) + 1).tolist()}
    waves: list[list[int]] = []
    for first, last in pairwise([0, *(np.flatnonzero(new[1]) + 1).tolist(), len(states)]):
        size = int(total[last] - total[first])
        if size > MOST_ALONE:
            low, high = np.searchsorted(group_ends, [first, last], side="right")
            ends = group_ends[low:high]
            parts = min(PARTS * threads, size // LEAST_PART)
            cuts = cuts_of(total[ends] - total[first], parts)
            waves.append([first, *(int(ends[cut - 1]) for cut in cuts[1:])])
        elif (
            first in halves or len(waves[-1]) > 2 or total[last] - total[waves[-1][0]] > MOST_ALONE
        ):
            waves.append([first, last])
        else:
            waves[-1][1] = last
    return waves


def phase_of(cuts: list[int], part: Work) -> Phase:
    """Return the parts of a wave as a phase."""
    return len(cuts) - 1, lambda thread, k: part(thread, cuts[k], cuts[k + 1])


def in_parts(states: int, cuts: Sequence[int], part: Work, threads: int) -> None:
    """Run ``part(thread, first, last)`` on the parts between cuts, in parallel if it pays off."""
    if states < SMALL:
        part(0, cuts[0], cuts[-1])
    else:
        for_chunks(len(cuts) - 1, 1, lambda n, i, j: part(n, cuts[i], cuts[j]), threads)


class Block:
    """Patterns of a pair of layers, or rectangles of them, in the order of their updates.

    Arrays contain the values of its ``states``, then of the same states with the sides exchanged,
    and then other values that are read. ``cuts`` divide the patterns into parts with about equal
    numbers of states. ``tiles`` are scratch space of each thread, with two floats for a value.
    """

    def __init__(self, rows: StateRows, threads: int, tiles: list[Values]) -> None:
        self.rows, self.threads, self.tiles = rows, threads, tiles
        ends = np.cumsum(rows.rows * rows.columns)
        self.states = int(ends[-1]) if len(ends) else 0
        self.cuts = shares_of(ends, self.states, threads)

    def in_parts(self, part: Work) -> None:
        """Process all patterns, in parallel if there are enough states."""
        in_parts(self.states, self.cuts, part, self.threads)

    def renew(
        self, values: Any, mirror: Any, operator: Any, change: Changes = NO_CHANGE,
        *, kept: bool = True, alone: bool = False,
    ) -> float:  # fmt: skip
        """Update all values once by an operator of sweeps, and return the largest change.

        Values are floats, or double-doubles in two arrays. The values with the sides exchanged are
        written to ``mirror``, which is ``values`` if both sides have the same rules. Unless empty,
        ``change`` receives the change of each value. Unless ``kept``, no value is written. If
        ``alone``, one thread does all the work.
        """
        changes = [0.0]
        pairs = isinstance(values, tuple)

        def part(thread: int, first: int, last: int) -> None:
            high, low = self.tiles[thread]
            tile = (high, low) if pairs else high
            rise_and_fall = sweep_rows(
                values, mirror, self.rows, operator, tile, change, kept, first, last
            )
            changes.append(max(rise_and_fall))

        if alone:
            part(0, 0, len(self.rows.rows))
        else:
            self.in_parts(part)
        return max(changes)

    def turn(self, values: Values, mirror: Values) -> None:
        """Set the values with the sides exchanged in ``mirror`` from the others in ``values``."""

        def part(_: int, first: int, last: int) -> None:
            turn(*self.rows[:4], values, NO_CHANGE, NO_TILE, mirror, first, last)

        self.in_parts(part)
        other = mirror[self.states : 2 * self.states]
        np.negative(other, out=other)  # turning negates
