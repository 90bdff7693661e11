"""shortest, longest, lengths and luck on the command line."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path

import pytest
from command_line import run

from urcx.extremes.courses import mean_plies


@pytest.mark.jit
def test_exact_lengths_are_drawn_alone_or_beside_games(tmp_path: Path) -> None:
    line = ["gtc", "--exact", "--agent", "random", "-p", "1", "--plot"]
    alone, beside = tmp_path / "alone.svg", tmp_path / "beside.svg"
    assert run(*line, str(alone)).code == 0
    assert run(*line, str(beside), "-g", "20").code == 0
    assert "1 piece a side, exactly; upright" in alone.read_text("utf-8")
    assert "Black line: the exact distribution" in beside.read_text("utf-8")
    again = tmp_path / "again.svg"
    assert run("lengths", "--agent", "random", "-p", "1", "--plot", str(again)).code == 0
    assert "1 piece a side, exactly; upright" in again.read_text("utf-8")


@pytest.mark.jit
def test_results_as_json() -> None:
    found = run("shortest", "-p", "1", "--json").json
    assert (found["schema"], found["length"], found["games"]) == ("urcx.shortest/1", 5, "8")
    assert [row["roll"] for row in found["rows"]] == [4, 4, 3, 2, 4]
    found = run("longest", "-p", "1", "--json").json
    assert found["lower"] < found["mean"] < found["upper"]
    assert (found["against"], found["unit"]) == (None, "plies")
    fewer = run("longest", "-p", "1", "--unit", "moves", "--json").json
    assert fewer["unit"] == "moves"
    assert fewer["upper"] < found["lower"]
    found = run("lengths", "-p", "1", "--agent", "random", "--json").json
    total = sum(row["chance"] for row in found["rows"]) + found["tail"]
    assert total == pytest.approx(1.0, abs=1e-12)
    assert found["rows"][0]["plies"] == found["shortest"] == 5
    found = run("luck", "-p", "1", "--json").json
    assert found["dice"] == pytest.approx(0.249097, abs=1e-6)


@pytest.mark.parametrize(
    ("plies", "shown"),
    [(17.0618810, "17.061881"), (171385.6412694, "171,385.641269"),
     (7819047.2, "7,819,047.200"), (2.7683946047e18, "2.768394605e+18")],
)  # fmt: skip
def test_plies_are_shown_to_some_ten_digits(plies: float, shown: str) -> None:
    assert mean_plies(plies) == shown


def test_bounds_are_rounded_outwards() -> None:
    for bound in (17.0000004, 1234567.0004, 1234567890600.0):
        shown = (mean_plies(bound, way).replace(",", "") for way in (ROUND_FLOOR, ROUND_CEILING))
        below, above = map(Decimal, shown)
        assert below < bound < above


@pytest.mark.jit
def test_luck_takes_its_rules_from_the_tablebase(tmp_path: Path) -> None:
    table = str(tmp_path / "blitz.urcx")
    assert run("solve", "--rules", "blitz", "-p", "1", "-o", table).code == 0
    by_table = run("luck", "--tablebase", table, "--json").json
    named = run("luck", "--rules", "blitz", "-p", "1", "--json").json
    assert (by_table["rules"], by_table["pieces"]) == ("blitz", 1)
    assert by_table["dice"] == pytest.approx(named["dice"], abs=1e-9)
    other = run("luck", "--tablebase", table, "--rules", "finkel")
    assert other.code == 2
    assert "blitz" in other.err
