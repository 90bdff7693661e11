"""What happens in a turn, held against games played out one position at a time."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

import naive
import pytest

from urcx.published.quantities import turns
from urcx.rules import catalogue
from urcx.rules.position import Position

SIDES = attrgetter("light"), attrgetter("dark")


def _followed() -> tuple[float, float]:
    """Return the chances to be the first on step 8, with one piece each and moves by the rules."""
    rules = replace(catalogue.ruleset("finkel"), pieces=1)

    def ways(at: Position) -> list[tuple[Position, float]]:
        over = 8 in (*at.light, *at.dark) or 1 in at.home
        return [] if over else naive.random_ways(rules, at)  # one piece leaves no choice

    visits = naive.visits({Position(): 1.0}, ways).items()
    first, second = (sum(n for at, n in visits if 8 in steps(at)) for steps in SIDES)
    return first, second


def test_race_with_captures_against_following_all_games() -> None:
    found = turns.race({"rules": "finkel", "to": 8, "way": "captures", "significant": "1/10"})
    first, second = _followed()
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
