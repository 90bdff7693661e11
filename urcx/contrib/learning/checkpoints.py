"""Checkpoints: files from which a training goes on exactly where it was.

A checkpoint is a sealed file (`urcx.engine.files.sealed`) of the kind ``urcx-tr`` and a line feed.
Its header has ``format``; ``settings``, what the training was begun with; ``counters``, whole
numbers and texts; and ``arrays``: name, type and shape of each array. The arrays are its data, one
after the other.

Checksums find damage, not what somebody has made. So a session says for every array what its
numbers may be (`Kept`), and what is read is checked before any kernel sees it (`take_up`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.files.sealed import SealedFile, SealedWriter, write_sealed
from urcx.engine.files.writing import checked_writing
from urcx.errors import TablebaseError
from urcx.rules.model import RuleSet

KIND = b"urcx-tr\n"
FORMAT = 1
SUFFIX = ".checkpoint"
TYPES = ("<f4", "<f8", "<i2", "<i4", "<i8", "<u8", "|u1")
MOST_ARRAYS, MOST_AXES = 1000, 8
LARGEST = 1 << 40
MOST_COUNT = 1 << 40  # of games, positions or steps
MOST_WEIGHT = 2.0**20  # beyond, a network cannot play in fixed point
MOST_SLOPE = 2.0**62  # its square is far from the largest float
ANY_NUMBER = 0, 2**64 - 1  # of 64 bits, as random streams are


@dataclass(frozen=True)
class Kept:
    """An array that a checkpoint keeps, and what it may hold.

    Attributes
    ----------
    array : ndarray
        The session's own, into which a checkpoint is read.
    least, most : float
        The bounds of its numbers, which are finite.
    fits : callable, optional
        Whether what was read fits together, where bounds do not say it; called when all arrays have
        been read.
    """

    array: NDArray[Any]
    least: float
    most: float
    fits: Callable[[], bool] | None = None

    def holds(self, array: NDArray[Any]) -> bool:
        """Return whether an array has the shape and type of this one, and numbers within bounds."""
        if array.shape != self.array.shape or array.dtype != self.array.dtype:
            return False
        # Not-a-number is not within any bounds.
        return not array.size or bool(self.least <= array.min() <= array.max() <= self.most)


def take_up(own: Mapping[str, Kept], result: Mapping[str, NDArray[Any]], where: str) -> None:
    """Copy the arrays of a checkpoint, which errors call ``where``, into a session's own.

    Raises
    ------
    TablebaseError
        If one is missing, or holds what it may not.
    """
    for name, kept in own.items():
        if name not in result or not kept.holds(result[name]):
            raise TablebaseError(f"{where} has no usable array {name}")
        kept.array[...] = result[name]
    for name, kept in own.items():
        if kept.fits is not None and not kept.fits():
            raise TablebaseError(f"{where} has no usable array {name}")


def are_positions(rules: RuleSet, rows: NDArray[np.int64], *, unfinished: bool = False) -> bool:
    """Return whether rows are positions, seen by who is to move, on a path alike for both.

    Their columns are the own pieces, how many are home, and the same of the other's. No side has
    more than its pieces, nor all home if ``unfinished``, and no tile has more than one piece.
    """
    path = rules.path
    own, own_home, other, other_home = rows.T
    if unfinished and (rows[:, [1, 3]] >= rules.pieces).any():
        return False
    for steps, home in ((own, own_home), (other, other_home)):
        some = (steps >= 0) & (steps >> path.length == 0) & (home >= 0)
        if not (some & (np.bitwise_count(steps) + home <= rules.pieces)).all():
            return False
    for tile in path.tiles:
        pieces = np.zeros(own.shape, np.int64)
        for steps, way in ((own, path.light), (other, path.dark)):
            for step, here in enumerate(way):
                if here == tile:
                    pieces += steps >> step & 1
        if (pieces > 1).any():
            return False
    return True


@dataclass(frozen=True)
class Checkpoint:
    """A training at some moment.

    Attributes
    ----------
    settings : dict
        What the training was begun with, JSON types only.
    counters : dict
        Whole numbers, numbers and texts.
    arrays : dict of str to ndarray
        Weights, the optimiser's state, games in play and whatever else there is.
    """

    settings: dict[str, Any]
    counters: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def write_checkpoint(file: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint, which appears under its name only when it is complete.

    Raises
    ------
    TablebaseError
        If the file cannot be written.
    """
    arrays = {name: np.ascontiguousarray(array) for name, array in checkpoint.arrays.items()}
    header = {
        "format": FORMAT,
        "settings": checkpoint.settings,
        "counters": checkpoint.counters,
        "arrays": [
            {"name": name, "type": array.dtype.str, "shape": list(array.shape)}
            for name, array in arrays.items()
        ],
    }

    def fill(writer: SealedWriter) -> dict[str, Any]:
        for array in arrays.values():
            if array.size:
                writer.write(array)
        return header

    with checked_writing(file):
        write_sealed(file, KIND, len(json.dumps(header)), fill)


def read_checkpoint(file: Path) -> Checkpoint:
    """Return the checkpoint in a file.

    Raises
    ------
    UnusableFileError
        If the file cannot be read, or is no checkpoint.
    TablebaseError
        If it is damaged, or of another version.
    """
    with SealedFile(file, KIND, FORMAT, "checkpoint of a training") as sealed:
        end = sealed.begin + sealed.size
        if not sealed.intact(sealed.begin, end):
            raise TablebaseError(f"{file} is damaged; delete it to begin anew")
        header = sealed.header
        arrays: dict[str, NDArray[Any]] = {}
        at = sealed.begin
        for item in header.items("arrays", 0, MOST_ARRAYS):
            kind = np.dtype(item.choice("type", TYPES))
            shape = item.several("shape", 0, MOST_AXES)
            if any(type(size) is not int or not 0 <= size < LARGEST for size in shape):
                raise item.wrong("shape", "sizes")
            if math.prod(size or 1 for size in shape) > LARGEST:
                raise item.wrong("shape", "sizes of an array")
            size = math.prod(shape) * kind.itemsize
            if at + size > end:
                raise item.wrong("shape", "sizes within the file")
            data = np.frombuffer(sealed.map[at : at + size], kind)
            arrays[item.text("name")] = data.reshape(shape)
            at += size
        return Checkpoint(
            header.inside("settings").members, header.inside("counters").members, arrays
        )
