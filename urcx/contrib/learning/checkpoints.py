"""Checkpoints: files from which a training resumes exactly.

A checkpoint is a sealed file (`urcx.engine.files.sealed`) of the kind ``urcx-tr`` and a line feed.
Its header has ``format``, ``settings`` (the settings at the start of the training), ``counters``
(numbers and strings) and ``arrays`` (the name, type and shape of each array). The arrays follow as
data, one after another.

Checksums detect damage, but not a forged file. So a session declares the range of the numbers in
every array (`Kept`), and `take_up` checks an array before any kernel uses it.
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
MOST_WEIGHT = 2.0**20  # with greater weights, a network cannot play in fixed point
MOST_SLOPE = 2.0**62  # its square is far below the largest float
ANY_NUMBER = 0, 2**64 - 1  # numbers of 64 bits, such as states of random streams


@dataclass(frozen=True)
class Kept:
    """An array of a checkpoint, with the range of its numbers.

    Attributes
    ----------
    array : ndarray
        The session's array, into which a checkpoint is read.
    least, most : float
        The bounds of its numbers, which are finite.
    fits : callable, optional
        A further check of the array, called when all arrays have been read.
    """

    array: NDArray[Any]
    least: float
    most: float
    fits: Callable[[], bool] | None = None

    def holds(self, array: NDArray[Any]) -> bool:
        """Return whether an array has the same shape and type, and its numbers are in range."""
        if array.shape != self.array.shape or array.dtype != self.array.dtype:
            return False
        # Not-a-number is not within any bounds.
        return not array.size or bool(self.least <= array.min() <= array.max() <= self.most)


def take_up(
    session_arrays: Mapping[str, Kept], arrays: Mapping[str, NDArray[Any]], where: str
) -> None:
    """Copy the arrays of a checkpoint into a session's. ``where`` is the file's name in errors.

    Raises
    ------
    TablebaseError
        If an array is missing, or has a wrong shape or type, or numbers out of range.
    """
    for name, expected in session_arrays.items():
        if name not in arrays or not expected.holds(arrays[name]):
            raise TablebaseError(f"{where} has no usable array {name}")
        expected.array[...] = arrays[name]
    for name, expected in session_arrays.items():
        if expected.fits is not None and not expected.fits():
            raise TablebaseError(f"{where} has no usable array {name}")


def are_positions(rules: RuleSet, rows: NDArray[np.int64], *, unfinished: bool = False) -> bool:
    """Return whether rows are positions from the mover's viewpoint, on a symmetric path.

    The columns are the mover's pieces on the board and at home, then the other player's. No side
    may have more than its number of pieces, or all of them home if ``unfinished``, and no tile may
    have more than one piece.
    """
    path = rules.path
    own, own_home, other, other_home = rows.T
    if unfinished and (rows[:, [1, 3]] >= rules.pieces).any():
        return False
    for steps, home in ((own, own_home), (other, other_home)):
        valid = (steps >= 0) & (steps >> path.length == 0) & (home >= 0)
        if not (valid & (np.bitwise_count(steps) + home <= rules.pieces)).all():
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
    """The state of a training.

    Attributes
    ----------
    settings : dict
        The settings at the start of the training, in JSON types.
    counters : dict
        Numbers and strings.
    arrays : dict of str to ndarray
        Weights, the optimiser's state, games in progress, and all other arrays of the session.
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
        If the file cannot be read, or is not a checkpoint.
    TablebaseError
        If the file is damaged, or has another version.
    """
    with SealedFile(file, KIND, FORMAT, "checkpoint of a training") as sealed:
        end = sealed.begin + sealed.size
        if not sealed.intact(sealed.begin, end):
            raise TablebaseError(f"{file} is damaged. Delete it to start the training again")
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
