"""Fixtures for tests of several commands: an empty directory, and games solved once."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["solved_games"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
