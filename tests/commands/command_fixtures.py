"""What tests of several commands begin with: an empty directory, and games solved once for all."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def solved(factory: pytest.TempPathFactory, pieces: int) -> Path:
    file = factory.mktemp("solved") / f"finkel{pieces}.urcx"
    assert run("solve", "-p", str(pieces), "-o", str(file)).code == 0
    return file


@pytest.fixture(scope="session")
def one_piece(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tablebase of one piece a side, which no test writes to."""
    return solved(tmp_path_factory, 1)


@pytest.fixture(scope="session")
def two_pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tablebase of two pieces a side, which no test writes to."""
    return solved(tmp_path_factory, 2)
