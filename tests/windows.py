"""Windows' treatment of open files, simulated for tests on other systems.

There a file that is open or mapped into memory, by whatever process, cannot be renamed, replaced or
removed. Linux lists what a process has open, so this process's own files can be looked at before
each of these calls.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

OPEN = Path("/proc/self/fd")
CALLS = ("replace", "rename", "remove", "unlink", "rmdir")


def open_files() -> set[str]:
    """Return the files that this process has open or mapped (Python keeps those open as well)."""
    found = set()
    for link in OPEN.iterdir():
        try:
            found.add(str(link.readlink()))
        except OSError:  # what `iterdir` itself had open
            continue
    return found


def forbid_open_files(patch: pytest.MonkeyPatch) -> None:
    """Make calls that rename or remove open files fail as on Windows."""

    def guarded(call: Any) -> Any:
        def run(*names: Any, **options: Any) -> Any:
            there = open_files()
            for name in names:
                if Path(name).name == "lock":  # filelock has code of its own for Windows
                    continue
                full = os.path.realpath(name)
                if any(file == full or file.startswith(f"{full}/") for file in there):
                    raise PermissionError(errno.EACCES, "The file is used by a process", str(name))
            return call(*names, **options)

        return run

    for name in CALLS:
        patch.setattr(os, name, guarded(getattr(os, name)))
