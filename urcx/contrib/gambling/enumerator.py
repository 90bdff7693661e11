"""The enumerator for labelled pieces: visits every configuration once, by depth-first search.

It is independent of `urcx.contrib.gambling.closed_form`. Light's pieces are placed first. The
placements of the first few pieces are listed, and an executor or threads take ranges of that list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.gambling import enumerator_kernels as kernels
from urcx.engine.chunks import map_chunks, split_range
from urcx.engine.threads import chosen_threads
from urcx.errors import TooLargeError, UsageError
from urcx.rules.model import Path

MAX_TILES = 63  # one bit each
MAX_PIECES = 8  # per side, because more would take years
BEGINNINGS = 2000  # initial placements: enough to balance the load and to report progress


def count_labelled(
    path: Path,
    light: Sequence[int],
    dark: Sequence[int] | None = None,
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[float], None] | None = None,
) -> int:
    """Visit every configuration of labelled pieces once, and return their number.

    Parameters
    ----------
    path
        Any path of at most `MAX_TILES` tiles.
    light, dark
        The first step on which each piece may be, from 1 to the path's length. Dark's are the same
        as light's by default. A piece can also be in its pool or home.
    threads
        The number of threads, by default one per core. The count does not depend on it.
    executor
        Counts instead of threads of this process. The count does not depend on it.
    progress
        Called regularly with the share of the work done, from 0 to 1.

    Raises
    ------
    UsageError
        If there are no pieces, or an entry is not a step of the path.
    TooLargeError
        If the path has too many tiles, or there are too many pieces.
    """
    places, numbers = _places(path, tuple(light), tuple(light if dark is None else dark))
    first, starts = _beginnings(places, numbers)
    result = visited = 0

    def take(part: int, begin: int, end: int) -> None:
        nonlocal result, visited
        result += part
        visited += end - begin

    map_chunks(
        _Visits(places, numbers, first, starts),
        split_range(len(starts)),
        take,
        executor=executor,
        threads=chosen_threads(threads),
        total=len(starts),
        tick=lambda: progress and progress(visited / len(starts)),
    )
    return result


@dataclass(frozen=True)
class _Visits:
    """Visits all configurations of a range of initial placements, and returns their number."""

    places: NDArray[np.int64]
    numbers: NDArray[np.int64]
    first: int
    starts: NDArray[np.int64]

    def __call__(self, begin: int, end: int) -> int:
        scratch = np.zeros((2, len(self.numbers)), np.int64)
        return int(
            kernels.visit_all(
                self.places,
                self.numbers,
                self.first,
                self.starts[begin:end],
                scratch[0],
                scratch[1],
            )
        )


def _places(
    path: Path, light: tuple[int, ...], dark: tuple[int, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each piece's possible tiles as masks, and their number. Light's pieces come first."""
    if len(path.tiles) > MAX_TILES:
        raise TooLargeError(f"{len(path.tiles)} tiles: at most {MAX_TILES} can be enumerated")
    bits = {tile: 1 << k for k, tile in enumerate(path.tiles)}
    places_by_piece = []
    for way, entries in ((path.light, light), (path.dark, dark)):
        if not 1 <= len(entries) <= MAX_PIECES:
            raise TooLargeError(f"{len(entries)} pieces: from 1 to {MAX_PIECES} can be enumerated")
        for entry in entries:
            if not 1 <= entry <= len(way):
                raise UsageError(f"step {entry}: must be from 1 to {len(way)}")
            places_by_piece.append([0, 0, *(bits[tile] for tile in way[entry - 1 :])])
    numbers = np.array([len(row) for row in places_by_piece], np.int64)
    places = np.zeros((len(places_by_piece), numbers.max()), np.int64)
    for row, piece_places in zip(places, places_by_piece, strict=True):
        row[: len(piece_places)] = piece_places
    return places, numbers


def _beginnings(
    places: NDArray[np.int64], numbers: NDArray[np.int64]
) -> tuple[int, NDArray[np.int64]]:
    """Return the number of pieces that are placed first, and the tiles taken by each placement."""
    starts, first = [0], 0
    while first < len(numbers) - 1 and len(starts) < BEGINNINGS:
        bits = [int(bit) for bit in places[first, : numbers[first]]]
        starts = [taken | bit for taken in starts for bit in bits if not taken & bit]
        first += 1
    return first, np.array(starts, np.int64)
