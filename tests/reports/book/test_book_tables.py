"""Tablebases that a report is given: checked before anything else, and put into their tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import urcx
from urcx.errors import TablebaseError, UsageError
from urcx.reports.book import build
from urcx.reports.book.elements import Sheet
from urcx.reports.book.perfect import OPENINGS, _openings, perfect_section
from urcx.reports.book.plan import Plan, Work
from urcx.reports.book.results import Opening
from urcx.reports.book.tables import check_tablebases
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.solution import solve


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("solved") / "blitz1.urcx"
    solve(replace(urcx.ruleset("blitz"), pieces=1), file)
    return file


def test_what_a_tablebase_says(solved: Path) -> None:
    (given,) = check_tablebases([solved])
    assert (given.rules.name, given.rules.pieces, given.states, given.own) == (
        "blitz",
        1,
        277,
        True,
    )
    assert 0.5 < given.opening < 0.6
    assert given.bound is not None
    assert given.bound <= 1e-12


def test_damaged_unreadable_and_other_files_are_refused(solved: Path, tmp_path: Path) -> None:
    data = bytearray(solved.read_bytes())
    data[len(data) // 2] ^= 1
    damaged = tmp_path / "damaged.urcx"
    damaged.write_bytes(data)
    with pytest.raises(TablebaseError, match=r"damaged \(layers 0-0\)"):
        check_tablebases([damaged])
    text = tmp_path / "text.urcx"
    text.write_text("not a tablebase")
    with pytest.raises(TablebaseError, match="no urcx tablebase"):
        check_tablebases([solved, text])
    with pytest.raises(TablebaseError, match="cannot read"):
        check_tablebases([tmp_path / "missing.urcx"])
    with pytest.raises(UsageError, match="both of blitz with 1 pieces"):
        check_tablebases([solved, solved])


def test_games_that_are_not_in_the_catalogue_are_refused(tmp_path: Path) -> None:
    own = tmp_path / "own.urcx"
    solve(replace(urcx.ruleset("finkel"), name="mine", pieces=1), own)
    with pytest.raises(TablebaseError, match="of mine with 1 pieces, a game that is not in"):
        check_tablebases([own])
    other = tmp_path / "other.urcx"
    solve(replace(urcx.ruleset("finkel"), rosette_protects=False, pieces=1), other)
    with pytest.raises(TablebaseError, match="of finkel with 1 pieces, a game that is not in"):
        check_tablebases([other])


def test_nothing_is_computed_before_they_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_: Work) -> None:
        raise AssertionError

    monkeypatch.setattr(build, "PARTS", (("states", never),))
    with pytest.raises(TablebaseError):
        build.build(Plan(tablebases=(tmp_path / "missing.urcx",)))


def test_a_tablebase_gets_a_row_and_regrets(solved: Path) -> None:
    plan = Plan(
        tablebases=(solved,), rules=("finkel",), solved=1, judged=1, judges=("random",), reached=1
    )
    found = perfect_section(Work(plan)).elements
    sheets = {b.name: b for b in found if isinstance(b, Sheet)}
    rows = sheets["openings"].records
    assert [(r["rules"], r["pieces"]) for r in rows] == [("finkel", 1), ("blitz", 1)]
    assert rows[1]["how"] == "looked up in blitz1.urcx, values kept as f64"
    assert {"regrets-blitz-1", "regrets-finkel-1"} <= set(sheets)
    regret = sheets["regrets-blitz-1"].records[0]
    # With one piece a side every move is forced, so random play is perfect.
    assert regret["loss"] == 0
    assert regret["wins"] == pytest.approx(0.5)


@pytest.mark.jit
def test_a_tablebase_of_unknown_precision_is_not_called_proven(tmp_path: Path) -> None:
    one = replace(urcx.ruleset("finkel"), pieces=2)
    own, file = tmp_path / "two.urcx", tmp_path / "two.rgu"
    solve(one, own, store="u16")
    with open_tablebase(own) as base:
        export_rgu(base, file, "percent16")

    def opening(base: Path) -> tuple[dict[str, Any], Sheet]:
        found = Opening.looked_up(*check_tablebases([base]))
        return OPENINGS.record(found), _openings([found])

    row, sheet = opening(own)
    # The truth, by exact fractions; values were rounded to 65,535ths.
    assert row["lower"] <= 0.518572907496 <= row["upper"]
    assert 7.6e-6 < row["gap"] < 7.7e-6
    assert sheet.obtained == "between proven bounds"
    row, sheet = opening(file)
    assert (row["lower"], row["upper"], row["gap"]) == (None, None, None)
    assert row["opening"] == pytest.approx(0.518572907496, abs=1e-5)
    assert sheet.obtained == "between proven bounds, but where unknown"
    assert sheet.table.rows[-1][4] == "unknown"
    assert "urcx solve --check" in sheet.table.notes[-1]
