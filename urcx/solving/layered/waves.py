"""The waves of a sweep over a pair of layers, and the parts that threads take of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from urcx.engine.threads import Phase
from urcx.solving.layered.order import IntArray
from urcx.sweeps.layout_kernels import StateRows

PARTS = 16  # into which a layer is divided for each thread
LEAST_PART = 25_000  # states; with fewer, a call costs more than its work
MOST_ALONE = 60_000  # states of a wave, or of small waves together, that one thread renews alone


@dataclass(frozen=True)
class Sequence:
    """Patterns of both layers in the order of their updates.

    ``waves`` has for each wave the indices that divide its patterns into parts, of whole groups and
    with about equal numbers of states. If ``apart``, U is written once all V of a wave are.
    """

    rows: StateRows
    waves: list[list[int]]
    apart: bool


def cuts_of(ends: IntArray, parts: int) -> list[int]:
    """Return indices that divide the cumulative sums ``ends`` into about equal parts."""
    total = int(ends[-1]) if len(ends) else 0
    inner = np.searchsorted(ends, np.linspace(0, total, parts + 1)[1:-1])
    return sorted({0, *(int(cut) for cut in inner), len(ends)})


def shares_of(ends: IntArray, states: int, threads: int) -> list[int]:
    """Return indices that divide the cumulative sums of so many states into parts for threads."""
    return cuts_of(ends, min(PARTS * threads, 1 + states // LEAST_PART))


def waves_of(states: IntArray, new: list[Any], threads: int) -> list[list[int]]:
    """Return the indices that divide patterns with so many states into waves, and these into parts.

    ``new`` says of each pattern but the first whether a group begins with it, a wave, and a half of
    the sweep. Small waves of a half that follow each other become one with a single part.
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


def phase_of(cuts: list[int], part: Callable[[int, int, int], None]) -> Phase:
    """Return the parts of a wave as a phase."""
    return len(cuts) - 1, lambda thread, k: part(thread, cuts[k], cuts[k + 1])
