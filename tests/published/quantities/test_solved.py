"""Quantities that perfect play judges, on endings that exact fractions solve as well."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import naive
import pytest
from own_rules import small

from urcx.published.quantities import solved
from urcx.rules.position import parse_position


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"tolerance": 0}, "7 of 1,000"),
        ({"tolerance": "0.01"}, "30 of 1,000"),
        ({"tolerance": "0.01", "whether": True}, "some"),
        ({"tolerance": "1e-8"}, "none"),
    ],
)
def test_how_many_moves_are_close(
    params: dict[str, object], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    within = dict(zip(solved.TOLERANCES, (60, 30, 20, 10, 5, 0), strict=True))
    found = SimpleNamespace(equal=7, choices=1000, within=within)
    monkeypatch.setattr(solved, "_closeness", lambda *_: found)
    assert solved.close({"rules": "finkel", **params}) == text


def test_a_tolerance_as_a_number() -> None:
    assert solved.tolerance({"percent": "0.01", "of": 100}) == Fraction(1, 100)
    assert solved.tolerance({"percent": "0.01", "of": 1}) == Fraction(1, 10_000)


def test_steps_of_stored_values() -> None:
    # 100 percent in 65,535 steps is 0.0015 percent, nearest to 10^-3; as a chance 10^-5.
    assert solved.storage_order({"of": 100}) == -3
    assert solved.storage_order({"of": 1}) == -5


@pytest.mark.jit
def test_moves_by_value_are_those_of_exact_fractions() -> None:
    rules = small("finkel", 1)
    light = naive.perfect(rules)
    for roll in (1, 2, 3):
        moves = naive.moves(parse_position("5/9/0-0/L"), roll, rules)
        wanted = {start: float(light[to]) for start, _, to in moves}
        found = solved.moves_by_value("finkel", "5/9/6-6/L", roll)
        assert {start: value for value, start in found} == pytest.approx(wanted, abs=1e-11)
        assert [value for value, _ in found] == sorted((v for v, _ in found), reverse=True)


@pytest.mark.jit
def test_the_better_of_two_moves() -> None:
    # With light's pieces on 5 and 8 and two left of each, by a 2 one may bear up to 7 or 10.
    position, roll = "5,8/9/5-6/L", 2
    found = solved.moves_by_value("finkel", position, roll)
    params = {"rules": "finkel", "position": position, "roll": roll, "left": [2]}
    values = {start: value for value, start in found}
    best = max(values, key=lambda start: values[start])
    other = min(values, key=lambda start: values[start])
    assert solved.better_move({**params, "starts": [best, other]}).words == "the first"
    assert solved.better_move({**params, "starts": [other, best]}).words == "the second"
