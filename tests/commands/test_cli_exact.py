"""Exact figures: gtc --exact, regret, lengths and luck."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import assert_one_line, run

pytest_plugins = ["command_fixtures"]


def test_exact_means_beside_games() -> None:
    line = ("gtc", "--exact", "--agent", "greedy", "-p", "1", "--games", "500", "--seed", "2")
    found = run(*line, "--wide")
    assert found.code == 0
    assert "500 games" in found.out
    assert "standard errors off" in found.out
    data = run(*line, "--json").json
    assert data["sample"]["games"] == 500
    plies, sampled = (one["measures"]["plies"] for one in (data, data["sample"]))
    assert abs(plies["standard_errors_off"]) < 5
    assert plies["standard_errors_off"] * (sampled["mean"] - plies["mean"]) > 0
    assert plies["sampled"] == sampled["mean"]


@pytest.mark.jit
def test_functions_are_followed_exactly_in_small_games(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def one(position, roll, moves):\n    return moves[0]\n", encoding="utf-8")
    line = ("gtc", "--exact", "--json", "-p", "2", "--agent")
    own, first = (run(*line, player).json["measures"] for player in (f"{file}:one", "first"))
    assert {name: one["mean"] for name, one in own.items()} == pytest.approx(
        {name: one["mean"] for name, one in first.items()}
    )
    # Seven pieces are refused at once, not after the advice to solve the game first.
    for command in ("gtc --exact --agent", "lengths --agent", "regret --agent", "mistakes",
                    "luck --light"):  # fmt: skip
        refused = assert_one_line(run(*command.split(), f"{file}:one"), 1)
        assert "at most 3,000,000" in refused


@pytest.mark.jit
def test_regret_with_less_accuracy() -> None:
    arguments = ("regret", "--agent", "greedy", "-p", "2", "--tolerance")
    rough, exact = (run(*arguments, by, "--json").json["rows"][0] for by in ("1e-2", "1e-13"))
    assert 1e-7 < abs(rough["wins"] - exact["wins"]) <= rough["wins_bound"] < 0.011
    assert "error bound of win probabilities" in run(*arguments, "1e-2").out
    assert "error bound of win probabilities" not in run(*arguments, "1e-13").out


def test_regret_by_another_games_tablebase(one_piece: Path) -> None:
    line = ("regret", "--tablebase", str(one_piece), "--rules")
    other = assert_one_line(run(*line, "blitz"), 2)
    assert "is of finkel with 1 piece," in other
    assert other.endswith("--rules finkel -p 1")
    assert assert_one_line(run(*line, "finkel"), 2).endswith("not of finkel with 7. Add -p 1")


@pytest.mark.jit
def test_exact_lengths_are_drawn_alone_or_beside_games(tmp_path: Path) -> None:
    line = ["gtc", "--exact", "--agent", "random", "-p", "1", "--plot"]
    alone, beside = tmp_path / "alone.svg", tmp_path / "beside.svg"
    assert run(*line, str(alone)).code == 0
    assert run(*line, str(beside), "-g", "20").code == 0
    assert "1 piece per side; exact." in alone.read_text("utf-8")
    assert "<!-- mean 17.06 -->" in alone.read_text("utf-8")
    assert "raposo-lamont-both" in alone.read_text("utf-8"), "the tree is drawn as well"
    assert "<!-- exact -->" in beside.read_text("utf-8"), "the label of its curve"
    again = tmp_path / "again.svg"
    assert run("lengths", "--agent", "random", "-p", "1", "--plot", str(again)).code == 0
    assert "1 piece per side; exact. Black line" in again.read_text("utf-8")
