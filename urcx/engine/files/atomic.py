"""Files that appear under their names only once they are complete."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import re
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from urcx.engine.files.lock import in_use, remove_abandoned
from urcx.errors import TablebaseError, UrcxError
from urcx.reading import named

# Names of what a process has open: stdout, stderr, or by number.
OPEN_FILE = re.compile(r"/dev/stdout|/dev/stderr|/(?:dev|proc/self)/fd/(?P<number>[0-9]+)")
MOST_OF_A_NAME = 40  # characters of its name kept in the name of the temporary file


@contextlib.contextmanager
def atomic_file(file: Path, mode: str = "w") -> Iterator[Any]:
    """Open a file that appears under its name only once it is written completely.

    Raises
    ------
    UrcxError
        If it cannot be written; nothing is left behind.
    """
    # The same bytes on every system, so no CRLF; file names in it may not be valid Unicode.
    text = {"encoding": "utf-8", "errors": "backslashreplace", "newline": "\n"}
    how: Any = {} if "b" in mode else text
    try:
        if (number := _descriptor(file)) is not None:
            # To what it was redirected, after what is there: a file behind it is not replaced.
            sys.stdout.flush()
            with os.fdopen(os.dup(number), mode, **how) as stream:
                yield stream
            return
        if file.exists() and not file.is_file() and not file.is_dir():
            # A pipe or a device: written to, not replaced.
            with file.open(mode, **how) as stream:
                yield stream
            return
        with replacing(file) as temporary, temporary.open(mode, **how) as stream:
            yield stream
    except OSError as error:
        raise UrcxError(f"cannot write {file}: {error.strerror or error}") from None


@contextlib.contextmanager
def checked_writing(what: Path | None, advice: str = "") -> Iterator[None]:
    """Turn an `OSError` into a `TablebaseError` that says what cannot be written, and advice."""
    try:
        yield
    except OSError as error:
        raise TablebaseError(f"cannot write {what}: {error.strerror or error}{advice}") from None


def _descriptor(file: Path) -> int | None:
    """Return the number of the open file that a name such as ``/dev/stdout`` stands for."""
    found = OPEN_FILE.fullmatch(str(file))
    if found is None:
        return None
    return int(found["number"] or {"/dev/stdout": 1, "/dev/stderr": 2}[found[0]])


@contextlib.contextmanager
def replacing(file: Path, *, own: bool = False) -> Iterator[Path]:
    """Give an empty temporary file, which takes the place of ``file`` at the end.

    It lies in the same directory under a name of its own, so that runs with the same output do not
    write into each other's; what killed runs left is removed. By the end it must be closed: Windows
    renames no file that is open. If it is the user's ``own``, nobody else may write to it, whatever
    the umask (`urcx.engine.files.private`).

    Raises
    ------
    UrcxError
        If no file can have this name; see `check_target`.
    OSError
        If it cannot be written; nothing is left behind.
    """
    check_target(file)
    target = real_file(file)  # a link remains a link
    allowed = 0o755 if own else 0o777
    there = target.stat().st_mode & allowed if target.exists() else None
    # Only part of the name: with the rest it could become too long.
    hidden = f".{target.name[:MOST_OF_A_NAME]}."
    remove_abandoned(target.parent.glob(f"{glob.escape(hidden)}*.part"))
    temporary = target.with_name(f"{hidden}{secrets.token_hex(8)}.part")
    # A new file gets the usual permissions; one that was there keeps its own, which hold for the
    # temporary file as well, since it may be secret.
    with in_use(temporary, 0o666 & allowed if there is None else there | 0o600):
        try:
            yield temporary
            if there is not None:
                temporary.chmod(there)
            temporary.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):  # the first error is the one to tell
                temporary.unlink(missing_ok=True)
            raise


def check_target(file: Path) -> None:
    """Raise `UrcxError` if no file can be written under a name.

    It may be invalid, a directory, or something else that must not be replaced: a pipe or a device.
    """
    target = real_file(file)
    if target.is_dir():
        raise UrcxError(f"cannot write {file}: it is a directory")
    if target.exists() and not target.is_file():
        raise UrcxError(f"cannot write {file}: it is not a regular file")


def real_file(file: Path) -> Path:
    """Return the file that a name refers to after following all links; it need not exist yet.

    Raises
    ------
    UrcxError
        If links form a loop, or the name cannot be looked up.
    """
    try:
        named(file).stat()
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
