"""What can be played in a position, with an agent's advice."""

from __future__ import annotations

from fractions import Fraction

import pytest

import urcx
from urcx.agents.advice import Adviser
from urcx.agents.agent_texts import agent
from urcx.agents.choices import choices
from urcx.errors import PositionError, UsageError

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
