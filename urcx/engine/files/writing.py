"""Files that appear complete, directories locked for one run, and owners checked before trust.

Compiled kernels are machine code, stored in pickles. Anyone who can write to the cache can run code
as the user who reads it. Anyone who can write to the directory of solved games decides which moves
are best. Both directories are therefore checked like OpenSSH's ``StrictModes``: each must belong to
the user or to root, and must not be writable by others, up to the home directory or the root.
Systems without owners and modes (Windows) have no such check.
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

# Names of open files of a process: stdout, stderr, or a number.
OPEN_FILE = re.compile(r"/dev/stdout|/dev/stderr|/(?:dev|proc/self)/fd/(?P<number>[0-9]+)")
MOST_OF_A_NAME = 40  # characters of a file's name that its temporary file's name repeats
DAY = 86400  # seconds without a write, after which a temporary file counts as abandoned


# --- complete files


@contextlib.contextmanager
def atomic_file(file: Path, mode: str = "w") -> Iterator[Any]:
    """Open a file that appears under its name only when it is complete.

    Raises
    ------
    UrcxError
        If the file cannot be written. Nothing is left behind.
    """
    # No CRLF: the same bytes on every system. File names in the text may not be valid Unicode.
    text = {"encoding": "utf-8", "errors": "backslashreplace", "newline": "\n"}
    how: Any = {} if "b" in mode else text
    try:
        if (number := _descriptor(file)) is not None:
            # Continue the redirected stream at its end, and do not replace a file behind it.
            sys.stdout.flush()
            with os.fdopen(os.dup(number), mode, **how) as stream:
                yield stream
        elif file.exists() and not file.is_file() and not file.is_dir():
            # A pipe or a device is written to, not replaced.
            with file.open(mode, **how) as stream:
                yield stream
        else:
            with replacing(file) as temporary, temporary.open(mode, **how) as stream:
                yield stream
    except OSError as error:
        raise UrcxError(f"cannot write {file}: {error.strerror or error}") from None


@contextlib.contextmanager
def checked_writing(place: Path | None, advice: str = "") -> Iterator[None]:
    """Turn an `OSError` into a `TablebaseError` that names the file and adds advice."""
    try:
        yield
    except OSError as error:
        raise TablebaseError(f"cannot write {place}: {error.strerror or error}{advice}") from None


def _descriptor(file: Path) -> int | None:
    """Return the number of an open file from a name such as ``/dev/stdout``."""
    match = OPEN_FILE.fullmatch(str(file))
    if match is None:
        return None
    return int(match["number"] or {"/dev/stdout": 1, "/dev/stderr": 2}[match[0]])


@contextlib.contextmanager
def replacing(file: Path, *, own: bool = False) -> Iterator[Path]:
    """Yield an empty temporary file, which replaces ``file`` at the end.

    The temporary file is in the same directory, under a unique name, so runs with the same output
    file do not collide. Close it before the end, because Windows does not rename open files.

    A file is ``own`` if urcx named it, in the cache or among solved games. Then its directory is
    made if necessary, nobody else may write to either, with any umask, and a link of its name is
    replaced instead of followed.

    Raises
    ------
    UrcxError
        If no file can have this name (see `check_target`).
    OSError
        If the file cannot be written. Nothing is left behind.
    """
    target, mode, old_mode = file, 0o644, None
    if own:
        make_directory(file.parent)
    else:
        check_target(file)
        # A link remains a link. A new file gets the usual permissions. A replaced file retains its
        # permissions, and the temporary file gets them too, because the data may be secret.
        target = real_file(file)
        old_mode = target.stat().st_mode & 0o777 if target.exists() else None
        mode = 0o666 if old_mode is None else old_mode | 0o600
    remove_parts(target)
    temporary = target.with_name(f"{_hidden(target)}{secrets.token_hex(8)}.part")
    os.close(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode))
    try:
        yield temporary
        if old_mode is not None:
            temporary.chmod(old_mode)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):  # the first error is more important
            temporary.unlink(missing_ok=True)
        raise


def _hidden(file: Path) -> str:
    """Return the start of names of a file's temporary files, short enough for any file system."""
    return f".{file.name[:MOST_OF_A_NAME]}."


def remove_parts(file: Path, age: float = DAY) -> None:
    """Remove temporary files of killed runs, to which nobody has written for ``age`` seconds."""
    remove_old(file.parent.glob(f"{glob.escape(_hidden(file))}*.part"), age)


def remove_old(files: Iterable[Path], age: float = DAY) -> None:
    """Remove files to which nobody has written for ``age`` seconds."""
    for file in files:
        with contextlib.suppress(OSError):
            if file.lstat().st_mtime <= time.time() - age:
                file.unlink()


def check_target(file: Path) -> None:
    """Raise `UrcxError` if no file can be written under a name.

    The name may be invalid, or refer to a directory, or to a pipe or device, which must not be
    replaced.
    """
    target = real_file(file)
    if target.is_dir():
        raise UrcxError(f"cannot write {file}: it is a directory")
    if target.exists() and not target.is_file():
        raise UrcxError(f"cannot write {file}: it is not a regular file")


def real_file(file: Path) -> Path:
    """Return the file to which a name refers after following all links. It may not exist yet.

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
            f"cannot write {file}: there is no directory {file.parent}, because a part is a file"
        ) from None
    except OSError as error:
        reason = "its links form a circle" if error.errno == errno.ELOOP else error.strerror
        raise UrcxError(f"cannot write {file}: {reason or error}") from None
    return Path(os.path.realpath(file))


# --- locks


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[bool]:
    """Lock a directory with a file ``lock``. Yield whether no other run has locked the directory.

    The lock ends with the process, even if the process is killed. The file is removed at the end.

    Raises
    ------
    OSError
        If the file cannot be created.
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
    """Return the reason why a directory cannot be read or trusted, or None.

    The reason names the directory or parent at fault. A directory that does not exist yet is
    accepted. So is a world-writable parent with the sticky bit, such as ``/tmp``, because others
    cannot rename or replace its contents.
    """
    if directory.parts[:1] == ("~",):  # from `in_home`
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
        if reason := _fault(status, sticky=sticky):
            return f"{place} {reason}"
        if place == home:
            break  # the owner of the parents could replace everything else as well
    return None


def in_home(name: str) -> Path:
    """Return the path of a name that may start with ``~``, which stays if there is no home.

    A user without an entry in the password file has no home unless HOME is set. In this case
    `Path.expanduser` raises a bare `RuntimeError`.
    """
    return Path(os.path.expanduser(name))  # noqa: PTH111 - see the docstring


def open_own(file: Path) -> BinaryIO:
    """Open a file for reading if it is the user's own. Links are not followed.

    Raises
    ------
    PermissionError
        If the file belongs to another user, or others may write to it.
    OSError
        If the file cannot be opened, or is a link.
    """
    if file.is_symlink():
        raise OSError(errno.ELOOP, f"{file} is a link")
    stream = open_regular(file)
    # Check the open file instead of the name, which may refer to another file by now.
    if reason := _fault(os.fstat(stream.fileno())):
        stream.close()
        raise PermissionError(f"{file} {reason}")
    return stream


def make_directory(directory: Path) -> None:
    """Make a directory and its missing parents, accessible only to the user (mode 0700).

    Raises
    ------
    OSError
        If the directory cannot be made.
    """
    for place in (*reversed(directory.parents), directory):
        if not place.is_dir():
            place.mkdir(mode=0o700, exist_ok=True)


def _fault(status: os.stat_result, *, sticky: bool = False) -> str:
    """Return the fault of an owner or mode, or "" if there is none."""
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
