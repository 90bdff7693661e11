"""Layers on disk while a rule set is being solved, so that an interrupted run can go on.

A directory beside the file that is to be: one file for each layer, which appears when the layer is
complete, and one that says for which rules and tolerance they are.
"""

from __future__ import annotations

import json
import shutil
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from urcx.errors import TablebaseError
from urcx.solve.layer_pair import Values
from urcx.solve.order import Layer, LayerOrder
from urcx.solve.tablebase import describe_rules

FORMAT = 3
HEAD = struct.Struct("<dI")  # gap, checksum


class WorkStore:
    """Solved layers in a directory; what belongs to other rules or tolerances is removed."""

    def __init__(self, directory: Path, order: LayerOrder, tolerance: float) -> None:
        self.directory, self.order = directory, order
        meaning = {
            "format": FORMAT,
            "rules": describe_rules(order.rules),
            "tolerance": tolerance,
        }
        try:
            if directory.exists() and self._meaning() != json.loads(json.dumps(meaning)):
                shutil.rmtree(directory)
            directory.mkdir(exist_ok=True)
            (directory / "rules.json").write_text(json.dumps(meaning), encoding="utf-8")
        except OSError as error:
            raise TablebaseError(f"cannot write {directory}: {error.strerror or error}") from None
        self.resumed = sum(self._file(layer).exists() for layer in order.layers)

    def _meaning(self) -> Any:
        try:
            return json.loads((self.directory / "rules.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def _file(self, layer: Layer) -> Path:
        return self.directory / f"{layer[0]}-{layer[1]}.layer"

    def get(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values and gap, None if it is not there or damaged."""
        try:
            with self._file(layer).open("rb") as stream:
                gap, crc = HEAD.unpack(stream.read(HEAD.size))
                values = np.fromfile(stream, np.float64)
        except (OSError, struct.error):
            return None
        if len(values) != self.order.size(layer) or zlib.crc32(values.view(np.uint8).data) != crc:
            return None
        return values, gap

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Keep a layer's values and gap.

        Raises
        ------
        TablebaseError
            If it cannot be written; layers written before stay.
        """
        temporary = self._file(layer).with_suffix(".part")
        try:
            with temporary.open("wb") as stream:
                stream.write(HEAD.pack(gap, zlib.crc32(values.view(np.uint8).data)))
                values.tofile(stream)
            temporary.replace(self._file(layer))
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise TablebaseError(
                f"cannot write {self._file(layer)}: {error.strerror or error}; layers solved so "
                "far are kept, run again to go on"
            ) from None

    def remove(self) -> None:
        """Remove the directory."""
        shutil.rmtree(self.directory, ignore_errors=True)


def check_disk(file: Path, order: LayerOrder, item: int) -> None:
    """Raise `TablebaseError` if the disk has no room for the layers and the finished file."""
    states = sum(order.size(layer) for layer in order.layers)
    check_room(file, order.rules.name, states * (8 + item))


def check_room(file: Path, name: str, needed: int) -> None:
    """Raise `TablebaseError` if the disk has not so many bytes for the solution of a rule set."""
    try:
        free = shutil.disk_usage(file.parent).free
    except OSError as error:
        raise TablebaseError(f"cannot write {file}: {error.strerror or error}") from None
    if needed > free:
        raise TablebaseError(
            f"{name} needs {needed / 1e9:.1f} GB beside {file} while it is solved, and "
            f"{free / 1e9:.1f} GB are free"
        )


def kept(file: Path) -> tuple[int, int]:
    """Return how many layers are kept for ``file``, and how many bytes they have."""
    sizes = [layer.stat().st_size for layer in work_directory(file).glob("*.layer")]
    return len(sizes), sum(sizes)


def work_directory(file: Path) -> Path:
    """Return where layers are kept while ``file`` is being made."""
    return file.with_name(f"{file.name}.work")
