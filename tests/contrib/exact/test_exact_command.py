"""The command exact: its answers, files and errors."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from command_line import assert_one_line, run

import urcx
from urcx.contrib.exact import solve_exactly
from urcx.errors import UsageError
from urcx.game import Game

pytest_plugins = ["command_fixtures"]

ENDING = "13/14/6-6/L"
pytestmark = pytest.mark.usefixtures("here")


def test_exact_fractions_of_an_ending() -> None:
    arguments = ("exact", "--endings", "1", "14/13/6-6/D")
    data = run(*arguments, "--json").json
    assert data["schema"] == "urcx.fractions/1"
    # By hand.
    assert data["value"] == "116/161"
    assert data["decimal"] == "0.720496894409937888198757763975"
    assert (data["pieces"], data["pieces_left"], data["states"]) == (7, 1, "217")
    one = next(move for move in data["moves"] if move["roll"] == 1)
    assert one == {
        "roll": 1, "pass": False, "from": 13, "to": 14, "value": "4/7", "regret": "0",
    }  # fmt: skip
    assert "dark, to move, wins" in run(*arguments).out
    rows = run(*arguments, "--csv").rows
    layers = [(row["left"], row["states"]) for row in rows if row["kind"] == "layer"]
    assert layers == [("1-1", "217")]
    (position,) = (row for row in rows if row["kind"] == "position")
    assert (position["position"], position["value"]) == (data["position"], data["value"])
    moves = [(row["roll"], row["value"]) for row in rows if row["kind"] == "move"]
    assert moves == [(str(move["roll"]), move.get("value", "")) for move in data["moves"]]


def test_exact_fractions_of_a_finished_game_and_of_the_opening() -> None:
    out = run("exact", "-p", "1", "-/-/1-0/D").out
    assert "0.000000" in out
    assert "Its moves" not in out
    opening = run("exact", "-p", "1").out
    top = run("exact", "-p", "1", "--json").json["value"].split("/")[0]
    (shown,) = re.findall(r"^numerator +(\S+)$", opening, re.MULTILINE)
    assert len(shown) < 21 < len(top)
    assert float(shown) == pytest.approx(int(top), rel=1e-6)
    assert "Its moves" in opening


def test_solutions_take_texts() -> None:
    solved = solve_exactly("finkel", endings=1)
    assert solved.value(ENDING) == Fraction(116, 161)
    assert solved.best_moves(ENDING, 1) == solved.best_moves(urcx.parse_position(ENDING), 1)


def test_a_solution_takes_a_game_of_its_rules() -> None:
    solved = solve_exactly("finkel", endings=1)
    ending = Game("finkel", "13/14/6-6/L")
    assert solved.value(ending) == solved.value("13/14/6-6/L")
    assert solved.best_moves(ending, 1) == solved.best_moves("13/14/6-6/L", 1)
    with pytest.raises(UsageError, match=r"kwan with 6 pieces.* finkel with 7"):
        solved.value(Game("kwan", "13/14/5-5/L"))


ERRORS = {
    "--endings 8": "endings 8: must be from 1 to 7",
    "--endings 1 5,6/14/5-6/L": "--endings",
    "-p 255": "fractions",
    "": "fewer pieces",
}


@pytest.mark.parametrize("line", ERRORS)
def test_errors_are_one_line(line: str) -> None:
    result = run("exact", *line.split())
    assert result.code != 0
    assert ERRORS[line] in assert_one_line(result, result.code)


def test_the_default_all_can_be_typed() -> None:
    line = ("exact", "--rules", "kwan", "-p", "1", "--json")
    assert run(*line, "--endings", "all").json["value"] == run(*line).json["value"]


def test_a_study_says_in_which_section_of_the_help_its_option_stands() -> None:
    sections = run("exact", "--help").out.split("\n\n")
    (game,) = (section for section in sections if section.startswith("Game:"))
    assert "--endings" in game
