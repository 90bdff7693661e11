"""The finished file, written by a thread of its own while layers are still being solved.

Writing a large tablebase is mostly waiting for the disk, which this hides: when the last layer is
solved, only that one is left to be written.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

from urcx.errors import TablebaseError
from urcx.solving.files.tablebase import write_tablebase
from urcx.solving.files.work import LayerParts, WorkStore
from urcx.solving.layered.order import Layer, LayerOrder

POLL = 0.2  # seconds until it is looked again whether a layer is there
SHOWN = 0.1  # seconds from one move of the progress bar to the next


class _AbandonedError(Exception):
    """Solving has ended without a solution."""


class FinishedFile:
    """A tablebase that is written in a ``with`` statement, inside which its layers are solved.

    Where that ends without `finish`, nothing is left of the file.
    """

    def __init__(self, file: Path, order: LayerOrder, work: WorkStore, store: str) -> None:
        self._file, self._order, self._work, self._store = file, order, work, store
        self._solved = self._abandoned = False
        self._wake = Event()
        self._size = self._done = 0
        self._error: Exception | None = None
        self._thread = Thread(target=self._write, name=f"writing {file.name}", daemon=True)

    def __enter__(self) -> Self:
        """Begin to write."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the thread."""
        self._abandoned = True
        self._wake.set()
        self._thread.join()

    def finish(self, progress: Callable[[int], None]) -> int:
        """Wait until all is written, all layers being solved; return the size in bytes.

        Raises
        ------
        TablebaseError
            If the file cannot be written. The layers are kept.
        """
        self._solved = True
        self._wake.set()
        while self._thread.is_alive():
            progress(self._done)
            self._thread.join(SHOWN)
        progress(self._done)
        if isinstance(self._error, OSError):
            reason = self._error.strerror or self._error
            raise TablebaseError(
                f"cannot write {self._file}: {reason}; the layers are kept, run again"
            )
        if self._error is not None:
            raise self._error
        return self._size

    def _write(self) -> None:
        try:
            self._size = write_tablebase(
                self._file, self._order, self._layer, self._store, self._progressed
            )
        except _AbandonedError:
            pass
        except Exception as error:  # noqa: BLE001 - raised again by `finish`
            self._error = error

    def _progressed(self, done: int) -> None:
        self._done = done

    def _layer(self, layer: Layer) -> tuple[LayerParts, float]:
        """Wait until a layer is solved, and return it."""
        while True:
            if self._abandoned:
                raise _AbandonedError
            all_there = self._solved
            found = self._work.parts(layer)
            if found is not None:
                return found
            if all_there:
                i, j = layer
                raise TablebaseError(f"layer {i}-{j} is gone from the disk; run again")
            self._wake.wait(POLL)
