"""How a run of Michon's procedure is shown."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import urcx
from urcx.solving.michon.nalimov import nalimov, part_text
from urcx.solving.michon.procedure import READINGS

pytestmark = pytest.mark.jit


def test_layers_and_pieces_home_add_up() -> None:
    found = nalimov(replace(urcx.ruleset("finkel"), pieces=2))
    shown = found.report()
    data = json.loads(shown.json())
    assert sum(int(row["states"]) for row in data["rows"]) == found.states
    for name in READINGS:
        key = name.replace("-", "_")
        assert sum(int(row[key]) for row in data["rows"]) == int(data["decided"][key])
    homes = found.by_home()
    assert [item.home for item in homes] == [2, 1, 0]
    assert sum(item.states for item in homes) == found.states
    for name in READINGS:
        assert sum(item.decided[name] for item in homes) == found.decided(name)
    assert int(data["undecided"]) == found.states - found.decided("passes") == found.undecided
    assert found.on_cycle is not None
    assert found.off_cycle == found.undecided - found.on_cycle
    cycles = [table for table in shown.tables if table.title.startswith("A cycle")]
    assert len(cycles) == sum(stall is not None for stall in data["stalls"].values())


def test_shares_are_never_rounded_to_nothing_or_all() -> None:
    assert [part_text(*pair) for pair in ((0, 5), (5, 5), (0, 0))] == ["0 %", "100 %", "0 %"]
    assert part_text(1, 10**9) == "1e-07 %"
    assert part_text(10**9 - 1, 10**9) == "99.99 %"
    assert part_text(1, 3) == "33.33 %"
