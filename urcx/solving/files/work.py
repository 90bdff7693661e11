"""Solved layers on disk while a rule set is being solved, for resuming an interrupted run.

The layers are in a directory next to the future tablebase, with a sealed file
(`urcx.engine.files.sealed`) for each layer, which appears when the layer is complete. The header
has ``format``, ``light``, ``dark``, ``gap``, and as ``work`` a hash of the rules and the tolerance.
The data are the values.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from urcx.engine.files.cache import listed
from urcx.engine.files.sealed import SealedFile, seal
from urcx.engine.files.writing import checked_writing, locked
from urcx.engine.memory import size_text
from urcx.errors import BusyError, TablebaseError
from urcx.solving.files.header import describe_rules
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.sweeps.blocks import Values

KIND = b"urcx-wk\n"
FORMAT = 4
# Files that a killed run leaves half written.
HALF = re.compile(r"\.[0-9]+-[0-9]+\.layer(\.[0-9a-f]+)?\.part")
# The files in the directory that are ours. Only formats up to 3 had the last file.
OURS = re.compile(rf"[0-9]+-[0-9]+\.layer|{HALF.pattern}|rules\.json")


class WorkStore:
    """Solved layers in a directory.

    Opening it verifies all files. Files that are damaged or of an older urcx are removed, and their
    layers listed in ``damaged``. The other files are listed in ``taken`` and used. They contain
    probabilities, but perhaps wrong ones: `urcx.solving.layered.solver` certifies them. Layers of
    other rules or another tolerance, which may have taken hours, are refused. ``lasting`` says
    whether the directory remains when the disk is full.

    A store can be pickled, for `urcx.solving.layered.solver.solve_pair` in another process. The
    copy has the same directory, and does not verify its files again.
    """

    def __init__(
        self, directory: Path, order: LayerOrder, tolerance: float, *, lasting: bool = True
    ) -> None:
        self.directory, self.order, self.lasting = directory, order, lasting
        meaning = {"rules": describe_rules(order.rules), "tolerance": tolerance}
        self._work = hashlib.sha256(json.dumps(meaning).encode()).hexdigest()[:32]
        self.taken: list[Layer] = []
        self.damaged: list[Layer] = []
        with checked_writing(directory):
            directory.mkdir(exist_ok=True)
            expected = {self._file(layer) for layer in order.layers}
            if any(file not in expected for file in directory.glob("*.layer")):
                raise self._of_others()
            for file in directory.iterdir():
                if HALF.fullmatch(file.name):  # otherwise they would pile up
                    file.unlink(missing_ok=True)
            for layer in order.layers:
                self._take_up(layer)

    def _take_up(self, layer: Layer) -> None:
        file = self._file(layer)
        if not file.exists():
            return
        try:
            stored = self._read(layer)
        except TablebaseError:
            self.damaged.append(layer)
            file.unlink()
            return
        if stored is None:
            raise self._of_others()
        self.taken.append(layer)

    def _of_others(self) -> TablebaseError:
        return TablebaseError(
            f"{self.directory} has layers of other rules or another tolerance. Finish that work, "
            "delete the directory, or choose another file"
        )

    def _file(self, layer: Layer) -> Path:
        return self.directory / f"{layer[0]}-{layer[1]}.layer"

    def _read(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values and gap, or None if it belongs to another run."""
        file = self._file(layer)
        i, j = layer
        with SealedFile(file, KIND, FORMAT, "layer of this urcx") as sealed:
            header = sealed.header
            if header.text("work") != self._work:
                return None
            header.whole("light", i, i)
            header.whole("dark", j, j)
            gap = header.number("gap", 0.0, 1.0)
            values = sealed.numbers("<f8", self.order.size(layer), "run again")
            if not 0.0 <= values.min() <= values.max() <= 1.0:  # also false for NaN
                raise TablebaseError(
                    f"{file} has values that are not probabilities. Delete it, and run again"
                )
            # A view: the file stays mapped while the values are used.
            return values.astype(np.float64, copy=False), gap

    def went_on(self, solved: Iterable[Layer]) -> tuple[int, tuple[Layer, ...]]:
        """Return the number of layers that the run resumed from, and the damaged or wrong layers.

        ``solved`` are the layers that were solved in this run. If only half a pair was there, it
        was solved again, but is not wrong.
        """
        again = {*solved} & {*self.taken}
        wrong = [(i, j) for i, j in self.taken if {(i, j), (j, i)} <= again]
        return len(self.taken) - len(again), (*self.damaged, *wrong)

    def get(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values, memory-mapped and read only, and its gap, or None without it.

        Raises
        ------
        TablebaseError
            If the layer has been damaged since it was written or opened.
        """
        return self._read(layer) if self._file(layer).exists() else None

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Store a layer's values and gap.

        Raises
        ------
        TablebaseError
            If the layer cannot be written. In a lasting directory, earlier layers remain.
        """
        i, j = layer

        header = {"format": FORMAT, "work": self._work, "light": i, "dark": j, "gap": gap}
        file = self._file(layer)
        resumable = self.lasting and kept_layers(self.directory)[0]
        advice = "; layers solved so far are saved, run again to go on" if resumable else ""
        with checked_writing(file, advice):
            seal(file, KIND, header, values.astype("<f8", copy=False).view(np.uint8))

    def remove(self) -> None:
        """Remove our files from the directory, then the directory if it is empty."""
        with contextlib.suppress(OSError):
            for file in self.directory.iterdir():
                if OURS.fullmatch(file.name):
                    file.unlink()
        _remove_if_empty(self.directory)


@contextlib.contextmanager
def exclusive(directory: Path, *, own: bool = False) -> Iterator[None]:
    """Lock a directory, made if necessary, against other runs that open a `WorkStore` there.

    At the end an empty directory is removed, unless it was there and empty before: the user may
    have made it. Our ``own``, which a killed run may have left empty, is always removed.

    Raises
    ------
    BusyError
        If another run has the directory.
    TablebaseError
        If the directory cannot be made.
    """
    with made(directory, own=own), contextlib.ExitStack() as stack:
        with checked_writing(directory):
            free = stack.enter_context(locked(directory))
        if not free:
            raise BusyError(f"another run is writing to {directory}. Wait until it has ended")
        yield


@contextlib.contextmanager
def made(directory: Path, *, own: bool = False) -> Iterator[None]:
    """Make a directory if necessary, and remove it at the end if empty, as `exclusive` does.

    Raises
    ------
    TablebaseError
        If the directory cannot be made.
    """
    with contextlib.ExitStack() as stack:
        with checked_writing(directory):
            if own or not directory.exists() or any(directory.iterdir()):
                stack.callback(_remove_if_empty, directory)
            directory.mkdir(exist_ok=True)
        yield


def _remove_if_empty(directory: Path) -> None:
    with contextlib.suppress(OSError):
        directory.rmdir()


def check_disk(name: str, needed: Mapping[Path, int], while_: str = "it is solved") -> None:
    """Raise `TablebaseError` if a disk has no room for the files to be written.

    ``needed`` are bytes, by the directory or file that they are written to. Bytes for the same disk
    are added up.
    """
    disks: dict[int, tuple[Path, int, int]] = {}
    for file, size in needed.items():
        with checked_writing(file):
            place = file if file.is_dir() else file.parent
            device, free = place.stat().st_dev, shutil.disk_usage(place).free
        first, before, _ = disks.get(device, (file, 0, free))
        disks[device] = first, before + size, free
    for file, size, free in disks.values():
        if size > free:
            raise TablebaseError(
                f"{name} needs {size_text(size)} on the disk of {file} while {while_}, but only "
                f"{size_text(free)} are free"
            )


def room_to_solve(states: int, directory: Path, file: Path | None, item: int) -> dict[Path, int]:
    """Return the bytes that solving still writes, for `check_disk`.

    It writes the layers that are not in the ``directory``, and a ``file`` with ``item`` bytes per
    state.
    """
    needed = {} if file is None else {file: item * states}
    return needed | {directory: max(8 * states - kept_layers(directory)[1], 0)}


def kept_layers(directory: Path) -> tuple[int, int]:
    """Return the number of layers stored in a directory, and their size in bytes."""
    sizes = [file.stat().st_size for file in listed(directory) if file.suffix == ".layer"]
    return len(sizes), sum(sizes)


def work_directory(file: Path) -> Path:
    """Return the directory for layers while ``file`` is being computed."""
    return file.with_name(f"{file.name}.work")
