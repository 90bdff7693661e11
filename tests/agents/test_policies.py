from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from naive_simulator import (
    ruleset,
)

from urcx.agents.policies import Policies
from urcx.errors import UsageError
from urcx.games.simulator import simulate


def test_progress_and_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    begun: list[tuple[str, int, str]] = []
    told: list[int] = []

    def stage(label: str, total: int, unit: str) -> Callable[[int], None]:
        begun.append((label, total, unit))
        told.clear()
        return told.append

    rules = ruleset("finkel", 1)
    ready = Policies(rules, 10, method="levels", stage=stage)
    found = simulate("expectimax:2", rules=rules, games=10, policies=ready, stage=stage)
    assert begun == [("expectimax:2 looks ahead", 2 * 248, "states"), ("games", 10, "games")]
    assert told[-1] == 10
    assert len(found.notes) == 1
    assert found.notes[0].startswith(f"kept for the next run: {tmp_path}")
    simulate("expectimax:2", rules=rules, games=1, policies=ready, stage=stage)
    assert len(begun) == 3  # made ready once


def test_unknown_methods() -> None:
    with pytest.raises(UsageError, match="unknown method 'guess'"):
        Policies(ruleset("finkel"), 1, method="guess")
