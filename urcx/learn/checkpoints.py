"""Checkpoints: files from which a training goes on exactly where it was.

A checkpoint is a sealed file (`urcx.engine.files.sealed`) of the kind ``urcx-tr`` and a line feed.
Its header has ``format``; ``settings``, what the training was begun with; ``counters``, whole
numbers and texts; and ``arrays``: name, type and shape of each array. The arrays are its data, one
after the other.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.files.sealed import SealedFile, SealedWriter, write_sealed
from urcx.errors import TablebaseError, UsageError

KIND = b"urcx-tr\n"
FORMAT = 1
SUFFIX = ".checkpoint"
TYPES = ("<f4", "<f8", "<i2", "<i4", "<i8", "<u8", "|u1")
MOST_ARRAYS, MOST_AXES = 1000, 8
LARGEST = 1 << 40


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
    UsageError
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

    try:
        write_sealed(file, KIND, len(json.dumps(header)), fill)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}") from None


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
            size = math.prod(shape) * kind.itemsize
            if at + size > end:
                raise item.wrong("shape", "sizes within the file")
            arrays[item.text("name")] = np.frombuffer(sealed.map[at : at + size], kind).reshape(
                shape
            )
            at += size
        return Checkpoint(
            header.inside("settings").members, header.inside("counters").members, arrays
        )
