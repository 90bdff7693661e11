"""What agents say of single positions, and what they then win."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from own_rules import own, small

import urcx
from urcx.agents.advice import Adviser, choices
from urcx.agents.agents import agent
from urcx.errors import PositionError, UsageError
from urcx.expectations.expected import expected
from urcx.rules.position import parse_position
from urcx.solving.general.solver import solve_general
from urcx.solving.solution import solve

POSITIONS = ["-/-/0-0/L", "2/5/0-0/L", "1,4/7/0-0/D", "6/8/1-0/L", "5,9/10,13/0-0/D", "12/-/0-1/L"]


@pytest.mark.jit
@pytest.mark.parametrize("store", ["f64", "f32", "u16"])
def test_perfect_play_says_what_the_tablebase_has(tmp_path: Path, store: str) -> None:
    rules, file = small("finkel", 2), tmp_path / "two.urcx"
    solve(rules, file, store=store)
    adviser = Adviser(agent(f"optimal:{file}"), rules)
    decisions = 0
    with urcx.open_tablebase(file) as base:
        for text in POSITIONS:
            position = parse_position(text)
            for roll in rules.dice.rolls:
                wanted = {item.move: item for item in base.best_moves(position, roll)}
                said = adviser.about(position, roll)
                assert {item.move for item in said} == wanted.keys()
                decisions += len(said) > 1
                for item in said:
                    assert item.value is not None
                    assert float(item.value) == pytest.approx(wanted[item.move].value, abs=1e-15)
                    assert item.best == (wanted[item.move].regret < 1e-15)
    assert decisions > 5


@pytest.mark.jit
@pytest.mark.parametrize(
    "name", ["skiriuk", "finkel", pytest.param("murray", marks=pytest.mark.slow)]
)
def test_perfect_play_wins_as_often_as_it_should(name: str) -> None:
    # Following the games of two perfect players forward gives the value found backward.
    rules = small(name, 1 if name == "skiriuk" else 2)
    solved, _, _ = solve_general(rules)
    found = expected("optimal", rules=rules, first="light")
    assert found.sides[0].wins == pytest.approx(solved.opening, abs=1e-11)


def test_perfect_play_where_there_are_no_layers() -> None:
    rules = own("odd")
    _, order, values = solve_general(rules)
    adviser = Adviser(agent("optimal"), rules)
    position = parse_position("1,3/2/0-0/D")
    said = adviser.about(position, 1)
    assert len(said) > 1
    for item in said:
        after = item.move.position
        value = values[order.index(after)]
        wanted = 1.0 - value if after.light_to_move else value
        assert float(item.value or 0) == pytest.approx(wanted, abs=1e-15)
    assert any(item.best for item in said)


POSITION = urcx.parse_position("2/3,6/5-5/L")  # Figure 8 of the paper, light to move


def test_every_roll_has_its_moves_or_a_pass() -> None:
    rules = urcx.ruleset("finkel")
    found = choices(POSITION, rules)
    assert [c.chance for c in found if c.roll == 0] == [Fraction(1, 16)]
    nothing = found[0]
    assert nothing.move is None
    assert nothing.only
    assert str(nothing.after) == "2/3,6/5-5/D"
    for choice in found[1:]:
        assert choice.move in urcx.legal_moves(POSITION, choice.roll, rules)
        assert choice.move is not None
        assert choice.after == choice.move.position
    assert choices(POSITION, rules, 2) == tuple(c for c in found if c.roll == 2)


def test_advice_stands_beside_its_move() -> None:
    rules = urcx.ruleset("finkel")
    adviser = Adviser(agent("greedy"), rules)
    found = choices(POSITION, rules, 2, adviser)
    assert tuple(c.advice for c in found) == adviser.about(POSITION, 2)
    assert [c.advice.move if c.advice else None for c in found] == [c.move for c in found]
    assert all(c.only == (len(found) == 1) for c in found)
    (only,) = choices(urcx.parse_position("-/-/0-0/L"), rules, 4)
    assert only.only


def test_errors_are_those_of_the_moves() -> None:
    rules = urcx.ruleset("finkel")
    with pytest.raises(PositionError, match="the game is over"):
        choices(urcx.parse_position("-/1/7-0/D"), rules)
    with pytest.raises(UsageError, match="roll 9"):
        choices(POSITION, rules, 9)
