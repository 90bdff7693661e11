"""Files that appear complete, directories locked for one run, and owners checked before trust.

Compiled kernels are machine code, stored in pickles: anyone who can write to the cache can run code
as the user who reads it. Anyone who can write to the directory of solved games decides which moves
are best. Both directories are therefore checked as OpenSSH's ``StrictModes`` does: each must belong
to the user or to root and must not be writable by others, up to the home directory or the root. On
systems without owners and modes (Windows) nothing is checked.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from urcx.errors import TablebaseError, UrcxError
from urcx.reading import as_path, open_regular

# Names of what a process has open: stdout, stderr, or by number.
OPEN_FILE = re.compile(r"/dev/stdout|/dev/stderr|/(?:dev|proc/self)/fd/(?P<number>[0-9]+)")
MOST_OF_A_NAME = 40  # characters of its name kept in the name of the temporary file
DAY = 86400  # seconds without a write, after which a file that may be in use counts as abandoned


# --- complete files


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
        elif file.exists() and not file.is_file() and not file.is_dir():
            # A pipe or a device: written to, not replaced.
            with file.open(mode, **how) as stream:
                yield stream
        else:
            with replacing(file) as temporary, temporary.open(mode, **how) as stream:
                yield stream
    except OSError as error:
        raise UrcxError(f"cannot write {file}: {error.strerror or error}") from None


@contextlib.contextmanager
def checked_writing(place: Path | None, advice: str = "") -> Iterator[None]:
    """Turn an `OSError` into a `TablebaseError` that says which file cannot be written."""
    try:
        yield
    except OSError as error:
        raise TablebaseError(f"cannot write {place}: {error.strerror or error}{advice}") from None


def _descriptor(file: Path) -> int | None:
    """Return the number of the open file that a name such as ``/dev/stdout`` stands for."""
    match = OPEN_FILE.fullmatch(str(file))
    if match is None:
        return None
    return int(match["number"] or {"/dev/stdout": 1, "/dev/stderr": 2}[match[0]])


@contextlib.contextmanager
def replacing(file: Path, *, own: bool = False) -> Iterator[Path]:
    """Give an empty temporary file, which takes the place of ``file`` at the end.

    It lies in the same directory under a name of its own, so that runs with the same output do not
    write into each other's. By the end it must be closed: Windows renames no file that is open.

    A file that is ``own`` is one that urcx named, in the cache or among solved games: its directory
    is made if need be, nobody else may write to either, whatever the umask, and a link under its
    name is replaced, not followed.

    Raises
    ------
    UrcxError
        If no file can have this name; see `check_target`.
    OSError
        If it cannot be written; nothing is left behind.
    """
    target, mode, there = file, 0o644, None
    if own:
        make_directory(file.parent)
    else:
        check_target(file)
        # A link remains a link. A new file gets the usual permissions; one that was there keeps its
        # own, which hold for the temporary file as well, since it may be secret.
        target = real_file(file)
        there = target.stat().st_mode & 0o777 if target.exists() else None
        mode = 0o666 if there is None else there | 0o600
    remove_parts(target)
    temporary = target.with_name(f"{_hidden(target)}{secrets.token_hex(8)}.part")
    os.close(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode))
    try:
        yield temporary
        if there is not None:
            temporary.chmod(there)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):  # the first error is the one to tell
            temporary.unlink(missing_ok=True)
        raise


def _hidden(file: Path) -> str:
    """Return how names of a file's temporary files begin; with all of it they might be too long."""
    return f".{file.name[:MOST_OF_A_NAME]}."


def remove_parts(file: Path, age: float = DAY) -> None:
    """Remove temporary files of `replacing` that killed runs left: not written to for ``age``."""
    remove_old(file.parent.glob(f"{glob.escape(_hidden(file))}*.part"), age)


def remove_old(files: Iterable[Path], age: float = DAY) -> None:
    """Remove those of the files that nobody has written to for ``age`` seconds."""
    for file in files:
        with contextlib.suppress(OSError):
            if file.lstat().st_mtime <= time.time() - age:
                file.unlink()


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
        as_path(file).stat()
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


# --- locks


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[bool]:
    """Lock a directory by a file ``lock`` in it; yield whether no other run had locked it.

    The lock ends with the process, however that ends. The file is removed at the end.

    Raises
    ------
    OSError
        If the file cannot be made.
    """
    from filelock import FileLock, Timeout  # takes some milliseconds

    lock = FileLock(directory / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        with contextlib.suppress(OSError):  # on Windows filelock removes it
            (directory / "lock").unlink()
        lock.release()


# --- owners and modes


def refusal(directory: Path) -> str | None:
    """Return why a directory's contents cannot be read or trusted, naming the offender, or None.

    A directory that does not exist yet is accepted. So is a world-writable parent with the sticky
    bit, such as ``/tmp``: others cannot rename or replace what is in it.
    """
    if directory.parts[:1] == ("~",):  # as `in_home` leaves it
        return "there is no home directory"
    if not hasattr(os, "getuid"):
        return None
    path = Path(os.path.realpath(directory))
    home = Path(os.path.realpath(in_home("~")))
    for place in (path, *path.parents):
        try:
            status = place.stat()
        except PermissionError:
            return f"{place} cannot be read"
        except OSError:
            continue  # does not exist yet
        sticky = place != path and bool(status.st_mode & stat.S_ISVTX)
        if why := _fault(status, sticky=sticky):
            return f"{place} {why}"
        if place == home:
            break  # whoever owns the parents could replace everything else as well
    return None


def in_home(name: str) -> Path:
    """Return the path of a name that may begin with ``~``, which stays if there is no home.

    A user without an entry in the password file has none unless HOME is set, and `Path.expanduser`
    raises a bare `RuntimeError` for it.
    """
    return Path(os.path.expanduser(name))  # noqa: PTH111 - see above


def open_own(file: Path) -> BinaryIO:
    """Open a file for reading if it is the user's own; a link is not followed.

    Raises
    ------
    PermissionError
        If it belongs to somebody else, or others may write to it.
    OSError
        If it cannot be opened, or is a link.
    """
    if file.is_symlink():
        raise OSError(errno.ELOOP, f"{file} is a link")
    stream = open_regular(file)
    # Check the open file, not its name, which may lead elsewhere by now.
    if why := _fault(os.fstat(stream.fileno())):
        stream.close()
        raise PermissionError(f"{file} {why}")
    return stream


def make_directory(directory: Path) -> None:
    """Make a directory and its missing parents, accessible to the user alone (mode 0700).

    Raises
    ------
    OSError
        If it cannot be made.
    """
    for place in (*reversed(directory.parents), directory):
        if not place.is_dir():
            place.mkdir(mode=0o700, exist_ok=True)


def _fault(status: os.stat_result, *, sticky: bool = False) -> str:
    """Return the fault of an owner or mode; empty if there is none."""
    if not hasattr(os, "getuid"):
        return ""
    if status.st_uid not in (0, os.getuid()):
        return "belongs to another user"
    by_group = status.st_mode & stat.S_IWGRP and not _has_nobody_else(status.st_gid)
    if (by_group or status.st_mode & stat.S_IWOTH) and not sticky:
        return "can be written to by other users"
    return ""


def _has_nobody_else(group: int) -> bool:
    """Return whether a group is the user's own and has no other member.

    On systems that give each user such a group, directories are often group-writable.
    """
    import grp
    import pwd

    try:
        user, entry = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    alone = user.pw_gid == group and entry.gr_name == user.pw_name
    return alone and set(entry.gr_mem) <= {user.pw_name}
