"""Files that users name, opened for reading."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from urcx.errors import UnusableFileError, WrongObjectError, printable


def named(file: str | os.PathLike[str]) -> Path:
    """Return the path of a name.

    Raises
    ------
    UnusableFileError
        If no file can have this name, for which Python's own error is a bare `ValueError`.
    UsageError
        If it is neither a text nor a path.
    """
    if not isinstance(file, str | os.PathLike):
        raise WrongObjectError("file", Path, file, "a file's name")
    try:
        possible = b"\0" not in os.fsencode(file)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise UnusableFileError(f"{printable(str(file))}: a file cannot have such a name")
    return Path(file)


def several(files: str | Path | Sequence[str | Path]) -> list[Path]:
    """Return the paths of one name or of several; raises as `named` does."""
    if isinstance(files, Sequence) and not isinstance(files, str | bytes):
        return [named(file) for file in files]
    return [named(files)]


def open_regular(file: str | Path) -> BinaryIO:
    """Open a regular file for reading.

    A pipe is refused, since to open one waits for a writer, and so is a device, which has no size.

    Raises
    ------
    UnusableFileError
        If no file can have this name.
    OSError
        If it cannot be opened, or is something else.
    """
    path = named(file)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "it is not a regular file")
    return path.open("rb")
