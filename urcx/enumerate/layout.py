"""A path as arrays for the kernels, and the limits of what they can hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from urcx.errors import TooLargeError
from urcx.rules.catalogue import whole
from urcx.rules.model import MAX_PIECES, Path

# Masks of steps and tiles are int64; the enumerator's keys hold the pieces home above the steps.
MAX_STEPS = 54

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """A path as arrays for the kernels; tiles are numbered as in ``path.tiles``.

    ``light_steps[light_first[t]:light_first[t + 1]]`` are light's steps on tile t, from 1, and
    likewise for dark. ``shared``, ``light_only`` and ``dark_all`` are masks of tiles.
    """

    path: Path
    light_first: IntArray
    light_steps: IntArray
    dark_first: IntArray
    dark_steps: IntArray
    shared: int
    light_only: int
    dark_all: int


def _ways(path: Path, way: tuple[str, ...]) -> tuple[IntArray, IntArray]:
    first, steps = [0], []
    for tile in path.tiles:
        steps += [step for step, at in enumerate(way, start=1) if at == tile]
        first.append(len(steps))
    arrays = np.array(first, np.int64), np.array(steps, np.int64)
    for array in arrays:
        array.setflags(write=False)
    return arrays


@lru_cache(maxsize=64)
def layout(path: Path) -> Layout:
    """Return the arrays of a path.

    Raises
    ------
    TooLargeError
        If a side has more than `MAX_STEPS` steps or the path more than `MAX_STEPS` tiles.
    """
    if max(path.length, len(path.tiles)) > MAX_STEPS:
        raise TooLargeError(
            f"the path {path.name} has {path.length} steps on {len(path.tiles)} tiles; "
            f"enumeration and ranking hold at most {MAX_STEPS} (the closed forms have no limit)"
        )
    shared = light_only = dark_all = 0
    for tile, (a, b) in enumerate(path.crossings):
        shared |= (a > 0 and b > 0) << tile
        light_only |= (a > 0 and b == 0) << tile
        dark_all |= (b > 0) << tile
    ways = (*_ways(path, path.light), *_ways(path, path.dark))
    return Layout(path, *ways, shared, light_only, dark_all)


def placements_alone(way: tuple[str, ...], pieces: int) -> int:
    """Return the number of placements of one side alone, start pool and home included."""
    ways = [1] + [0] * min(pieces, len(way))  # indexed by pieces on the board
    for crossings in Counter(way).values():
        for k in range(len(ways) - 1, 0, -1):
            ways[k] += crossings * ways[k - 1]
    return sum(n * (pieces - k + 1) for k, n in enumerate(ways))


def check_pieces(pieces: int, dark_pieces: int | None) -> tuple[int, int]:
    """Validate both numbers of pieces and return them.

    Raises
    ------
    TooLargeError
        If one is not from 1 to `MAX_PIECES`.
    UsageError
        If one is not a whole number.
    """
    light = whole("pieces", pieces)
    both = light, light if dark_pieces is None else whole("dark_pieces", dark_pieces)
    for number in both:
        if not 1 <= number <= MAX_PIECES:
            raise TooLargeError(
                f"{number} pieces: enumeration and ranking take from 1 to {MAX_PIECES} "
                "(the closed forms have no limit)"
            )
    return both
