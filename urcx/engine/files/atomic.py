"""Files that appear under their names only once they are complete."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from urcx.errors import UrcxError

MOST_OF_A_NAME = 40  # characters of its name kept in the name of the temporary file


@contextlib.contextmanager
def atomic_file(file: Path, mode: str = "w") -> Iterator[Any]:
    """Open a file that appears under its name only once it is written completely.

    Raises
    ------
    UrcxError
        If it cannot be written; nothing is left behind.
    """
    temporary = None
    # The same bytes on every system, so no CRLF; file names in it may not be valid Unicode.
    text = {"encoding": "utf-8", "errors": "backslashreplace", "newline": "\n"}
    how: Any = {} if "b" in mode else text
    try:
        if file.is_dir():
            raise UrcxError(f"cannot write {file}: it is a directory")
        if file.exists() and not file.is_file():
            # A pipe or a device: written to, not replaced.
            with file.open(mode, **how) as stream:
                yield stream
            return
        target = real_file(file)  # a link remains a link
        # Only part of the name: with the suffix it could become too long.
        prefix = f".{target.name[:MOST_OF_A_NAME]}."
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=prefix)
        with os.fdopen(handle, mode, **how) as stream:
            yield stream
        # mkstemp makes files that only the owner reads; a file that was there keeps its mode.
        mask = os.umask(0)
        os.umask(mask)
        mode_there = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~mask
        Path(temporary).chmod(mode_there)
        Path(temporary).replace(target)
        temporary = None
    except OSError as error:
        raise UrcxError(f"cannot write {file}: {error.strerror or error}") from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def real_file(file: Path) -> Path:
    """Return the file that a name refers to after following all links; it need not exist yet.

    Raises
    ------
    UrcxError
        If links form a loop, or the name cannot be looked up.
    """
    try:
        file.stat()
    except FileNotFoundError:
        pass
    except NotADirectoryError:
        raise UrcxError(
            f"cannot write {file}: there is no directory {file.parent}, but a file on the way"
        ) from None
    except OSError as error:
        why = "its links lead round in circles" if error.errno == errno.ELOOP else error.strerror
        raise UrcxError(f"cannot write {file}: {why or error}") from None
    return Path(os.path.realpath(file))
