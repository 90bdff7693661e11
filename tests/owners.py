"""Gives files to another user, whether or not the tests run as root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SOMEBODY = 54321  # no user of this system


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a user without an entry in the password file, in an environment without HOME."""
    import pwd

    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "URCX_CACHE_DIR", "URCX_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)


def give_away(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a file or directory belong to another user, as far as urcx can see.

    Only root can change the owner; for other users, the current user is pretended to be another.
    """
    if os.getuid() == 0:
        os.chown(place, SOMEBODY, SOMEBODY)
    else:
        another = os.getuid() + 1
        monkeypatch.setattr(os, "getuid", lambda: another)
