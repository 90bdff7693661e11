"""``urcx report``: what it writes, refuses and leaves behind."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from command_line import run
from tiny_report import PLAN

from urcx.reports.book import build, plan, states, tree


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the quick report a tiny one of a single section."""
    monkeypatch.setattr(plan, "quick", lambda *_: PLAN)
    monkeypatch.setattr(build, "PARTS", (("enumeration", states.enumeration),))


def test_it_writes_and_replaces_a_report(tmp_path: Path) -> None:
    target = tmp_path / "report"
    for _ in range(2):
        result = run("report", "--quick", "-o", str(target))
        assert (result.code, result.out) == (0, "")
        assert result.err.startswith(f"urcx: wrote {target / 'index.html'}: ")
        assert "Enumeration against formulas" in (target / "index.html").read_text("utf-8")
        assert json.loads((target / "report.json").read_text())["schema"] == "urcx.report/1"
    assert [p.name for p in tmp_path.iterdir()] == ["report"]


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "count", mock.Mock(side_effect=KeyboardInterrupt))
    result = run("report", "--quick", "-o", str(tmp_path / "report"))
    assert (result.code, result.err) == (130, "urcx: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_games_that_were_cut_short_are_not_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The simulator gives back what it has when Ctrl-C comes.
    monkeypatch.setattr(build, "PARTS", (("game tree", tree.tree),))
    real: Any = vars(tree)["simulate"]

    def cut(*args: Any, **options: Any) -> Any:
        games = real(*args, **options)
        return replace(games, asked=len(games) + 1)

    monkeypatch.setattr(tree, "simulate", cut)
    result = run("report", "--quick", "-o", str(tmp_path / "report"))
    assert (result.code, result.err) == (130, "urcx: interrupted; no report written\n")
    assert list(tmp_path.iterdir()) == []


def test_wrong_usage_is_one_line_before_anything_is_computed(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    missing = str(tmp_path / "missing.urcx")
    for code, arguments, message in (
        (2, ["-o", str(tmp_path / "full")], "is not empty and no report"),
        (2, ["-o", str(tmp_path / "new"), "--seed", "-1"], "seed -1 is not from 0 to"),
        (2, ["-o", str(tmp_path / "new"), "--threads", "0"], "0 threads"),
        (2, ["-o", str(tmp_path / "new"), "--tablebase", missing], "cannot read"),
        (1, ["-o", str(tmp_path / "none" / "new")], "there is no directory"),
    ):
        result = run("report", *arguments)
        assert (result.code, result.out) == (code, ""), arguments
        assert message in result.err
        assert result.err.count("\n") == 1
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["full", "notes.txt"]
