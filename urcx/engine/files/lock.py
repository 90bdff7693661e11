"""Locks that keep two runs from writing to one directory; they end with the process, however."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


OPEN_FILES_MOVE = sys.platform != "win32"  # whether an open file can be renamed or removed


@contextlib.contextmanager
def locked(file: Path) -> Iterator[bool]:
    """Lock a file, which is made for that and removed at the end; yield whether nobody else had.

    On a file system without locks, nobody else ever has.

    Raises
    ------
    OSError
        If the file cannot be made.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    held = False
    try:
        try:
            _lock(handle)
            # The one who had the lock may have removed the file since it was opened.
            held = os.fstat(handle).st_nlink > 0
        except (BlockingIOError, PermissionError):
            pass
        except OSError:
            held = True
        yield held
    finally:
        os.close(handle)  # first, as Windows removes no open files
        if held:
            with contextlib.suppress(OSError):
                file.unlink()


@contextlib.contextmanager
def in_use(file: Path, permissions: int) -> Iterator[None]:
    """Make a file, and lock it so that `remove_abandoned` leaves it alone.

    Raises
    ------
    OSError
        If it exists, or cannot be made.
    """
    how = os.O_RDWR | os.O_CREAT | os.O_EXCL
    handle = os.open(file, how, permissions)
    if not OPEN_FILES_MOVE:
        os.close(handle)
        yield
        return
    try:
        with contextlib.suppress(OSError):  # without locks nobody removes anything either
            _lock(handle)
            while not os.fstat(handle).st_nlink:  # it was taken for abandoned before
                again = os.open(file, how, permissions)
                os.close(handle)
                handle = again
                _lock(handle)
        yield
    finally:
        os.close(handle)


def remove_abandoned(files: Iterable[Path]) -> None:
    """Remove files made by `in_use` in runs that were killed; a system without locks keeps them."""
    if not OPEN_FILES_MOVE:
        return
    for file in filter(Path.is_file, files):
        with contextlib.suppress(OSError), file.open("r+b") as stream:
            _lock(stream.fileno())
            file.unlink()
