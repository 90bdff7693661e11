"""Solved layers on disk while a rule set is being solved, so that an interrupted run can resume.

They are kept in a directory beside the future tablebase, with one sealed file
(`urcx.engine.files.sealed`) for each layer, which appears when the layer is complete. Its header
has ``format``, ``light``, ``dark``, ``gap``, and as ``work`` a hash of the rules and the tolerance;
its data are the values.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
from pathlib import Path

import numpy as np

from urcx.engine.files.sealed import SealedFile, SealedWriter, write_sealed
from urcx.errors import TablebaseError
from urcx.solving.files.header import describe_rules
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import Values

KIND = b"urcx-wk\n"
FORMAT = 4
ROOM = 128  # bytes, for the header
# The files in the directory that are ours; the last was written up to format 3.
OURS = re.compile(r"[0-9]+-[0-9]+\.layer|\.[0-9]+-[0-9]+\.layer\.part|rules\.json")


class LayerParts:
    """A layer on disk, parts of which are read and verified as they are asked for.

    What was read is let go of, so that it takes no memory beside the part.
    """

    def __init__(self, sealed: SealedFile) -> None:
        self._sealed = sealed
        self._values = np.frombuffer(sealed.map, "<f8", sealed.size // 8, sealed.begin)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, part: slice) -> Values:
        """Return a part, which is not empty; raises `TablebaseError` if it is damaged."""
        sealed = self._sealed
        first, last, _ = part.indices(len(self))
        if not sealed.intact(sealed.begin + 8 * first, sealed.begin + 8 * last):
            raise damage(sealed.file)
        found = self._values[first:last].astype(np.float64)
        sealed.release()
        return found


def damage(file: Path) -> TablebaseError:
    """Return what is to be said of a damaged layer."""
    return TablebaseError(f"{file} is damaged; run again, and it is solved anew")


class WorkStore:
    """Solved layers in a directory.

    Opening it verifies all files. Those of other rules, another tolerance or an older urcx are
    removed, and so are damaged ones, whose layers are listed in ``damaged``; ``resumed`` is the
    number of layers that remain.

    A store can be pickled, for `urcx.solving.layered.solver.solve_pair` in another process: what
    arrives there has the same directory, in which it does not look around first.
    """

    def __init__(self, directory: Path, order: LayerOrder, tolerance: float) -> None:
        self.directory, self.order = directory, order
        meaning = {"rules": describe_rules(order.rules), "tolerance": tolerance}
        self._work = hashlib.sha256(json.dumps(meaning).encode()).hexdigest()[:32]
        self.resumed = 0
        self.damaged: list[Layer] = []
        try:
            directory.mkdir(exist_ok=True)
            for layer in order.layers:
                self._take_up(layer)
        except OSError as error:
            raise TablebaseError(f"cannot write {directory}: {error.strerror or error}") from None

    def _take_up(self, layer: Layer) -> None:
        file = self._file(layer)
        if not file.exists():
            return
        try:
            found = self._read(layer)
        except TablebaseError:
            self.damaged.append(layer)
            found = None
        if found is None:
            file.unlink()
        else:
            self.resumed += 1

    def _file(self, layer: Layer) -> Path:
        return self.directory / f"{layer[0]}-{layer[1]}.layer"

    def _open(self, layer: Layer) -> SealedFile:
        return SealedFile(self._file(layer), KIND, FORMAT, "layer of this urcx")

    def _gap(self, layer: Layer, sealed: SealedFile) -> float | None:
        """Return the gap of an open layer, or None if it belongs to another run."""
        i, j = layer
        header = sealed.header
        if header.text("work") != self._work:
            return None
        header.whole("light", i, i)
        header.whole("dark", j, j)
        if sealed.size != 8 * self.order.size(layer):
            raise damage(sealed.file)
        return header.number("gap", 0.0, 1.0)

    def _read(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values and gap, or None if it belongs to another run."""
        with self._open(layer) as sealed:
            gap = self._gap(layer, sealed)
            if gap is None:
                return None
            if not sealed.intact(sealed.begin, sealed.begin + sealed.size):
                raise damage(sealed.file)
            values = np.frombuffer(sealed.map, "<f8", self.order.size(layer), sealed.begin)
            # A view: the file stays mapped for as long as the values are used.
            return values.astype(np.float64, copy=False), gap

    def parts(self, layer: Layer) -> tuple[LayerParts, float] | None:
        """Return a layer to be read part by part, and its gap; None if not stored."""
        if not self._file(layer).exists():
            return None
        with self._open(layer) as sealed:  # stays mapped for as long as it is read
            gap = self._gap(layer, sealed)
            return None if gap is None else (LayerParts(sealed), gap)

    def get(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values, memory-mapped and read only, and its gap; None if not stored.

        Raises
        ------
        TablebaseError
            If it has been damaged since it was written or opened.
        """
        return self._read(layer) if self._file(layer).exists() else None

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Store a layer's values and gap.

        Raises
        ------
        TablebaseError
            If it cannot be written; layers written before are kept.
        """
        i, j = layer

        def fill(writer: SealedWriter) -> dict[str, object]:
            writer.write(values.astype("<f8", copy=False).view(np.uint8))
            return {"format": FORMAT, "work": self._work, "light": i, "dark": j, "gap": gap}

        try:
            write_sealed(self._file(layer), KIND, ROOM, fill)
        except OSError as error:
            raise TablebaseError(
                f"cannot write {self._file(layer)}: {error.strerror or error}; layers solved so "
                "far are kept, run again to go on"
            ) from None

    def remove(self) -> None:
        """Remove the directory, except files that are not ours."""
        with contextlib.suppress(OSError):
            for file in self.directory.iterdir():
                if OURS.fullmatch(file.name):
                    file.unlink()
            self.directory.rmdir()


def check_disk(file: Path, order: LayerOrder, item: int) -> None:
    """Raise `TablebaseError` if the disk has no room for the layers and the finished file."""
    states = sum(order.size(layer) for layer in order.layers)
    check_room(file, order.rules.name, states * (8 + item))


def check_room(file: Path, name: str, needed: int, while_: str = "it is solved") -> None:
    """Raise `TablebaseError` if the disk has no room for ``needed`` bytes."""
    try:
        free = shutil.disk_usage(file.parent).free
    except OSError as error:
        raise TablebaseError(f"cannot write {file}: {error.strerror or error}") from None
    if needed > free:
        raise TablebaseError(
            f"{name} needs {needed / 1e9:.1f} GB beside {file} while {while_}, and "
            f"{free / 1e9:.1f} GB are free"
        )


def kept(directory: Path) -> tuple[int, int]:
    """Return how many layers are stored in a directory, and their size in bytes."""
    sizes = [layer.stat().st_size for layer in directory.glob("*.layer")]
    return len(sizes), sum(sizes)


def work_directory(file: Path) -> Path:
    """Return the directory for layers while ``file`` is being made."""
    return file.with_name(f"{file.name}.work")
