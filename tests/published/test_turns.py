"""What happens in a turn, held against games played out one position at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from urcx.engine.moves import after_pass, legal_moves
from urcx.published.quantities import turns
from urcx.rules import catalogue
from urcx.rules.position import Position, parse_position
from urcx.strategy.dice import chances


def _followed(rolls: int) -> tuple[float, float]:
    """Return the chances to be the first on step 8 within so many rolls, one piece each."""
    rules = replace(catalogue.ruleset("finkel"), pieces=1)
    spread: dict[Position, float] = {parse_position("-/-/0-0/L"): 1.0}
    first = second = 0.0
    for _ in range(rolls):
        after: dict[Position, float] = {}
        for position, weight in spread.items():
            for roll, p in chances(rules.dice).items():
                moves = legal_moves(position, roll, rules)
                end = moves[0].position if moves else after_pass(position)
                own = end.light if position.light_to_move else end.dark
                if 8 in own:
                    first += weight * float(p) * position.light_to_move
                    second += weight * float(p) * (not position.light_to_move)
                elif 1 not in end.home:
                    after[end] = after.get(end, 0.0) + weight * float(p)
        spread = after
    return first, second


def test_race_with_captures_against_following_all_games() -> None:
    found = turns.race({"rules": "finkel", "to": 8, "way": "captures", "significant": "1/10"})
    first, second = _followed(80)
    assert found.numbers == f"{first:.2%} to {second:.2%}"
    assert found.words == "a slight edge"


def test_undisturbed_race_against_its_definition() -> None:
    way = {"rules": "finkel", "to": 1, "way": "undisturbed", "significant": "1/10"}
    # To step 1 any roll but 0 is enough: 1 / (1 + 1/16) for who begins.
    assert turns.race(way).numbers == "94.12% to 5.88%"


@pytest.mark.parametrize(
    ("rules", "captures"),
    [("finkel", "1"), ("blitz", "several"), ("masters", "several"), ("seleucid", "1")],
)
def test_captures_in_a_turn(rules: str, captures: str) -> None:
    assert turns.captures_a_turn({"rules": rules}) == captures


def test_roll_and_capture_in_a_turn_and_in_a_move() -> None:
    params = {"rules": "finkel", "position": "2/3,6,8/5-4/L", "rolls": "42"}
    assert turns.roll_and_capture(params).words == "both"
    assert turns.roll_and_capture({**params, "rolls": "31"}).words == "not both"
    assert turns.roll_and_capture({**params, "within": "a move"}).words == "not both"
    assert turns.roll_and_capture({**params, "rules": "blitz", "within": "a move"}).words == "both"
