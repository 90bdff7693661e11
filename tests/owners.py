"""Gives files to another user, whether or not the tests run as root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SOMEBODY = 54321  # no user of this system


def give_away(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a file or directory belong to another user, as far as urcx can see.

    Only root can change the owner; for other users, the current user is pretended to be another.
    """
    if os.getuid() == 0:
        os.chown(place, SOMEBODY, SOMEBODY)
    else:
        monkeypatch.setattr(os, "getuid", lambda: SOMEBODY)
