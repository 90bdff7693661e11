"""Files that users name, opened for reading."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import BinaryIO

from urcx.errors import UnusableFileError, printable


def named(file: str | Path) -> Path:
    """Return the path of a name; raises `UnusableFileError` if no file can have it.

    Python's own error for these is a bare `ValueError`.
    """
    try:
        possible = b"\0" not in os.fsencode(file)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise UnusableFileError(f"{printable(str(file))}: a file cannot have such a name")
    return Path(file)


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
