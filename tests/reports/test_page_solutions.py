"""Solutions that a report uses: saved and passed, checked first, the biggest game in front."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tiny_report import PLAN

import urcx
from urcx.errors import TablebaseError, UsageError
from urcx.reports.page import Plan, Work, optimal_section, plan, tree_section
from urcx.reports.solutions import Opening, read_solutions
from urcx.results.writing import json_text
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.solution import solve


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("solved") / "blitz1.urcx"
    solve(replace(urcx.ruleset("blitz"), pieces=1), file)
    return file


def test_what_a_tablebase_says(solved: Path) -> None:
    (opening,) = read_solutions([solved])
    assert (opening.rules.name, opening.rules.pieces, opening.states) == ("blitz", 1, 277)
    assert opening.file == solved
    assert 0.5 < opening.value < 0.6
    assert opening.bound is not None
    assert opening.bound <= 1e-12


def test_damaged_unreadable_and_other_files_are_refused(solved: Path, tmp_path: Path) -> None:
    data = bytearray(solved.read_bytes())
    data[len(data) // 2] ^= 1
    damaged = tmp_path / "damaged.urcx"
    damaged.write_bytes(data)
    with pytest.raises(TablebaseError, match=r"damaged \(layers 0-0\)"):
        read_solutions([damaged])
    text = tmp_path / "text.urcx"
    text.write_text("not a tablebase")
    with pytest.raises(TablebaseError, match="not a urcx tablebase"):
        read_solutions([solved, text])
    with pytest.raises(TablebaseError, match="cannot read"):
        read_solutions([tmp_path / "missing.urcx"])
    with pytest.raises(UsageError, match="both have blitz, 1 piece per side"):
        read_solutions([solved, solved])


def test_games_that_are_not_in_the_catalogue_are_refused(tmp_path: Path) -> None:
    own = tmp_path / "own.urcx"
    solve(replace(urcx.ruleset("finkel"), name="mine", pieces=1), own)
    with pytest.raises(TablebaseError, match="mine, 1 piece per side, a game outside"):
        read_solutions([own])
    other = tmp_path / "other.urcx"
    solve(replace(urcx.ruleset("finkel"), rosette_protects=False, pieces=1), other)
    with pytest.raises(TablebaseError, match="finkel, 1 piece per side, a game outside"):
        read_solutions([other])


def test_saved_solutions_are_used_unless_one_is_passed(
    solved: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("URCX_DATA_DIR", str(tmp_path / "data"))
    assert plan().solutions == ()
    games = [replace(urcx.ruleset(name), pieces=1) for name in ("blitz", "finkel")]
    saved = [solve(rules, True).file for rules in games]
    assert {one.file for one in plan().solutions} == set(saved)
    assert {one.file for one in plan(tablebases=[solved]).solutions} == {solved, saved[1]}
    own = solve(replace(games[1], name="mine", rosette_protects=False), True).file
    assert own not in {one.file for one in plan().solutions}
    assert "mine, 1 piece per side, a game outside the catalogue" in capsys.readouterr().err


def test_the_biggest_full_game_is_in_front() -> None:
    def solution(name: str, pieces: int, states: int) -> Opening:
        rules = urcx.ruleset(name, pieces=pieces)
        return Opening(rules, states, 0.5, 1e-12, "", Path(f"{name}.urcx"))

    small = solution("masters", 6, 10**9)
    assert Plan(solutions=(small,)).front is None
    assert Work(Plan(solutions=(small,))).rules == urcx.ruleset("finkel")
    full = [solution("finkel", 7, 137_870_097), solution("masters", 7, 500_929_993)]
    chosen = Plan(solutions=(small, *full))
    assert chosen.front == full[1]
    assert Work(chosen).rules == urcx.ruleset("masters")


def test_a_solution_gets_a_row_and_judges_agents(solved: Path) -> None:
    work = Work(replace(PLAN, solutions=read_solutions([solved])))
    openings, regret = optimal_section(work).items
    rows = openings.report.records()
    # The biggest first.
    assert [(r["rules"], r["pieces"]) for r in rows] == [("blitz", 1), ("finkel", 1)]
    assert rows[0]["how"] == "from blitz1.urcx, stored as f64"
    assert (regret.report.document()["rules"], regret.report.document()["pieces"]) == ("blitz", 1)
    # With one piece per side every move is forced, so random play is perfect.
    (row,) = regret.report.records()
    assert row["loss"] == 0
    assert row["wins"] == pytest.approx(0.5)
    assert work.answers[0][2].startswith("finkel, 1 piece per side: the first player wins")


@pytest.mark.jit
def test_a_saved_solution_of_the_game_in_front_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(Opening, "is_full", True)
    rules = urcx.ruleset("finkel", pieces=1)
    file = solve(rules, True).file
    assert file is not None
    players = [
        item.name
        for item in tree_section(Work(replace(PLAN, solutions=read_solutions([file])))).items
    ]
    assert players == ["gtc-greedy", "gtc-random", "gtc-optimal", "gtc-exact", "perft"]
    other = file.rename(tmp_path / "own.urcx")
    report = tree_section(Work(replace(PLAN, solutions=read_solutions([other])))).items
    assert [item.name for item in report] == ["gtc-greedy", "gtc-random", "gtc-exact", "perft"]
    assert str(tmp_path) not in "".join(json_text(item.report) for item in report)


@pytest.mark.jit
def test_a_solution_of_unknown_precision_is_not_called_proven(tmp_path: Path) -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    own, file = tmp_path / "two.urcx", tmp_path / "two.rgu"
    solve(rules, own, store="u16")
    with open_tablebase(own) as base:
        export_rgu(base, file, "percent16")
    (rounded,) = read_solutions([own])
    assert rounded.bound is not None
    # The truth, by exact fractions; values were rounded to 65,535ths.
    assert abs(rounded.value - 0.518572907496) <= rounded.bound
    assert 7.6e-6 < rounded.bound < 7.7e-6
    (unknown,) = read_solutions([file])
    assert unknown.bound is None
    assert unknown.value == pytest.approx(0.518572907496, abs=1e-5)
    work = Work(replace(PLAN, solutions=(unknown,)))
    openings, _ = optimal_section(work).items
    assert openings.obtained == "between proven bounds, if known"
    assert openings.report.tables()[0].rows[0][4] == "unknown"
    assert "proven" not in work.answers[0][2]
