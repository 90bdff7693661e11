"""Checks that files and directories belong to the user before their contents are trusted.

Compiled kernels are machine code, stored in pickles: anyone who can write to the cache can run code
as the user who reads it. Anyone who can write to the directory of solved games decides which moves
are best. Directories are therefore checked as OpenSSH's ``StrictModes`` does: each must belong to
the user or to root and must not be writable by others, up to the home directory or the root. On
systems without owners and modes (Windows) nothing is checked.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from urcx.reading import open_regular


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


def is_own(file: Path) -> bool:
    """Return whether the file exists and is the user's own."""
    try:
        open_own(file).close()
    except OSError:
        return False
    return True


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


@contextlib.contextmanager
def new_file(file: Path, prefix: str) -> Iterator[BinaryIO]:
    """Open a file of the user's own (mode 0600) that appears under its name only when complete.

    Until then its name begins with ``prefix``. Its directory is made if there is none.

    Raises
    ------
    OSError
        If it cannot be written; nothing is left behind.
    """
    make_directory(file.parent)
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=prefix)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _fault(status: os.stat_result, *, sticky: bool = False) -> str:
    """Return what is wrong with the owner or mode; empty if nothing is."""
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
        user, found = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    mine = user.pw_gid == group and found.gr_name == user.pw_name
    return mine and set(found.gr_mem) <= {user.pw_name}
