"""What happens in a turn, held against games played out one position at a time."""

from __future__ import annotations

from operator import attrgetter

import pytest

from urcx.published.quantities import strategy

SIDES = attrgetter("light"), attrgetter("dark")


def test_undisturbed_race_against_its_definition() -> None:
    way = {"rules": "finkel", "to": 1, "significant": "1/10"}
    # To step 1 any roll but 0 is enough: 1 / (1 + 1/16) for who begins.
    assert strategy.race(way).numbers == "94.12% to 5.88%"


@pytest.mark.parametrize(
    ("rules", "captures"),
    [("finkel", "1"), ("blitz", "several"), ("masters", "several"), ("seleucid", "1")],
)
def test_captures_in_a_turn(rules: str, captures: str) -> None:
    assert strategy.captures_a_turn({"rules": rules}) == captures


def test_roll_and_capture_in_a_turn_and_in_a_move() -> None:
    params = {"rules": "finkel", "position": "2/3,6,8/5-4/L", "rolls": "42"}
    assert strategy.roll_and_capture(params).words == "both"
    assert strategy.roll_and_capture({**params, "rolls": "31"}).words == "not both"
    assert strategy.roll_and_capture({**params, "within": "a move"}).words == "not both"
    assert (
        strategy.roll_and_capture({**params, "rules": "blitz", "within": "a move"}).words == "both"
    )
