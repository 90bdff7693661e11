"""Whether files and directories are the user's own, before anything in them is believed.

Compiled kernels are machine code, and are kept in pickles: whoever can write to the cache runs what
they like as the user who reads it. So directories are looked at as OpenSSH's ``StrictModes`` does:
each must belong to the user or to root and must not be writable by others, up to the home
directory or the root. On systems without owners and modes (Windows) nothing is checked.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO


def refusal(directory: Path) -> str | None:
    """Return why what is in a directory cannot be believed, naming what is wrong, or None.

    What does not exist yet is no reason. A directory above it that everybody may write to is none
    either if it is sticky, as ``/tmp`` is: others cannot rename or replace what is in it.
    """
    if not hasattr(os, "getuid"):
        return None
    path = Path(os.path.realpath(directory))
    home = Path(os.path.realpath(Path("~").expanduser()))
    for place in (path, *path.parents):
        try:
            status = place.stat()
        except OSError:
            continue  # not there yet, or nothing that could be read
        sticky = place != path and bool(status.st_mode & stat.S_ISVTX)
        if why := _fault(status, sticky=sticky):
            return f"{place} {why}"
        if place == home:
            break  # whoever owns what is above could replace everything else as well
    return None


def open_own(file: Path) -> BinaryIO:
    """Open a file for reading if it is the user's own.

    Raises
    ------
    PermissionError
        If it belongs to somebody else, or others may write to it.
    OSError
        If it cannot be opened.
    """
    stream = file.open("rb")
    # The open file is looked at, not its name, which might lead elsewhere by now.
    if why := _fault(os.fstat(stream.fileno())):
        stream.close()
        raise PermissionError(f"{file} {why}")
    return stream


def is_own(file: Path) -> bool:
    """Return whether there is such a file, and it is the user's own."""
    try:
        open_own(file).close()
    except OSError:
        return False
    return True


def make_directory(directory: Path) -> None:
    """Make a directory and what is missing above it, all for the user alone (mode 0700).

    Raises
    ------
    OSError
        If that is not possible.
    """
    for place in (*reversed(directory.parents), directory):
        if not place.is_dir():
            place.mkdir(mode=0o700, exist_ok=True)


def _fault(status: os.stat_result, *, sticky: bool = False) -> str:
    """Return what is wrong with owner or mode, empty if nothing is."""
    if not hasattr(os, "getuid"):
        return ""
    if status.st_uid not in (0, os.getuid()):
        return "belongs to another user"
    by_group = status.st_mode & stat.S_IWGRP and not _has_nobody_else(status.st_gid)
    if (by_group or status.st_mode & stat.S_IWOTH) and not sticky:
        return "can be written to by other users"
    return ""


def _has_nobody_else(group: int) -> bool:
    """Return whether a group is the user's own, with nobody else in it.

    Where systems give each user such a group, directories are often writable by it.
    """
    import grp  # noqa: PLC0415 - not on Windows
    import pwd  # noqa: PLC0415

    try:
        user, found = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    mine = user.pw_gid == group and found.gr_name == user.pw_name
    return mine and set(found.gr_mem) <= {user.pw_name}
