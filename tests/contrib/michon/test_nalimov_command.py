"""The command nalimov: its answers, and recorded figures of the procedure."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest
from command_line import assert_one_line, run

import urcx
from urcx.contrib import michon
from urcx.contrib.michon.result import part_text
from urcx.engine import memory
from urcx.published.figures import sources
from urcx.published.verify import verdict_of

pytest_plugins = ["command_fixtures"]


def test_table_json_and_csv() -> None:
    out = run("nalimov", "-p", "1", "--threads", "1", "--wide").out
    assert "217 unfinished states (mover-view)" in out
    for words in ("literal", "A cycle in the reading passes", "captures"):
        assert words in out
    data = run("nalimov", "--rules", "masters", "-p", "1", "--json").json
    assert data["schema"] == "urcx.nalimov/1"
    assert (data["rules"], data["pieces"], data["exactness"]) == ("masters", 1, "exact")
    assert data["decided"]["literal"] == "0"
    assert int(data["decided"]["passes"]) + int(data["undecided"]) == int(data["states"])
    assert data["undecided_without_captures"] == "0"
    assert sum(int(row["passes"]) for row in data["rows"]) == int(data["decided"]["passes"])
    cycle = data["stalls"]["passes"]["cycle"]
    assert any(ply["captures"] for ply in cycle)
    assert cycle[-1]["after"] == cycle[0]["position"]
    assert [row["states"] for row in run("nalimov", "-p", "1", "--csv").rows] == ["217"]


def test_the_recorded_figure_is_what_the_procedure_decides() -> None:
    (figure,) = [
        figure
        for _, figures in sources()
        for figure in figures
        if figure.quantity == "nalimov-decides"
    ]
    table = michon.nalimov(urcx.ruleset(figure.params["rules"], pieces=figure.params["pieces"]))

    def words(reading: str) -> str:
        part, whole = table.decided(reading), table.states
        return f"{part} of {whole}" if part else "nothing but finished games"

    assert figure.found == words("literal")
    assert figure.params["own"] == {name: words(name) for name in ("zero-rolls", "passes")}
    assert [reading.holds for reading in verdict_of(figure).readings] == [False, False]


def test_long_or_impossible_work_is_announced_or_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 10**11)
    assert "memory" in assert_one_line(run("nalimov", "-p", "255"), 1)
    monkeypatch.setattr("urcx.contrib.michon.result.nalimov", mock.Mock(side_effect=KeyError))
    assert "running the procedure" in assert_one_line(run("nalimov", "-p", "7"), 1)
    assert list(here.iterdir()) == []


def test_shares_are_never_rounded_to_nothing_or_all() -> None:
    assert [part_text(*pair) for pair in ((0, 5), (5, 5), (0, 0))] == ["0 %", "100 %", "0 %"]
    assert part_text(1, 10**9) == "1e-07 %"
    assert part_text(10**9 - 1, 10**9) == "99.99 %"
    assert part_text(1, 3) == "33.33 %"
