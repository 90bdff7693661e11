"""Games solved once for all tests: a plugin with fixtures, for tests that name it."""

from __future__ import annotations

from pathlib import Path

import pytest

import urcx


def solved(factory: pytest.TempPathFactory, pieces: int) -> Path:
    file = factory.mktemp("solved") / f"finkel{pieces}.urcx"
    urcx.solve(urcx.ruleset("finkel", pieces=pieces), file)
    return file


@pytest.fixture(scope="session")
def one_piece(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tablebase of one piece per side, which no test writes to."""
    return solved(tmp_path_factory, 1)


@pytest.fixture(scope="session")
def two_pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tablebase of two pieces per side, which no test writes to."""
    return solved(tmp_path_factory, 2)
