from __future__ import annotations

from functools import partial
from pathlib import Path

import naive
import numpy as np
import pytest
from own_rules import own

import urcx
from urcx.errors import OutOfDomainError, TooLargeError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


def slow(rules: RuleSet) -> tuple[float, float, float]:
    """Return the sums of squares of dice and of decisions, and the losses, of random games."""
    worth = naive.perfect(rules).__getitem__
    sums = np.zeros(3)
    visits = naive.visits({Position(): 1.0}, partial(naive.random_ways, rules))
    for at, rolls in naive.met(rules).items():
        sign = 1 if at.light_to_move else -1
        for chance, after in rolls:
            values = [float(sign * worth(to)) for to in after]
            lost = max(values) - np.array(values)
            dice = (max(values) - sign * float(worth(at))) ** 2
            sums += visits[at] * float(chance) * np.array([dice, (lost**2).mean(), lost.mean()])
    dice, squares, losses = sums.tolist()
    return dice, squares, losses


@pytest.mark.jit
@pytest.mark.parametrize("name", ["short", "tiny"])
def test_sums_of_random_games_by_the_rules_in_words(name: str) -> None:
    rules = own(name, pieces=1)
    dice, squares, losses = slow(rules)
    found = urcx.luck("random", rules=rules)
    assert found.dice == pytest.approx(dice, abs=1e-10)
    assert sum(found.decisions) == pytest.approx(squares, abs=1e-10)
    assert sum(found.losses) == pytest.approx(losses, abs=1e-10)


@pytest.mark.jit
@pytest.mark.parametrize("rules", [urcx.ruleset("finkel", pieces=2), own("tiny")])
def test_under_perfect_play_all_of_the_variance_is_the_dices(rules: RuleSet) -> None:
    found = urcx.luck("optimal", rules=rules)
    value = urcx.expected("optimal", rules=rules, first="light").first_wins
    assert found.dice == pytest.approx(value * (1 - value), abs=1e-11)
    assert found.decisions == found.losses == (0.0, 0.0)
    assert found.share == 1.0
    for text in (found.answer, found.text()):
        assert "root mean square" in text
    assert f"{100 * found.a_ply:.2f} points" in found.answer


@pytest.mark.jit
def test_coarse_values_are_within_the_bound(tmp_path: Path) -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    urcx.solve(rules, tmp_path / "coarse.urcx", store="u16")
    exact = urcx.luck("random", rules=rules)
    coarse = urcx.luck("random", rules=rules, tablebase=tmp_path / "coarse.urcx")
    assert exact.bound < 1e-9
    assert 0.0 < abs(coarse.dice - exact.dice) < coarse.bound < 1e-2


def test_what_is_refused() -> None:
    with pytest.raises(TooLargeError, match="urcx solve"):
        urcx.luck("greedy")
    with pytest.raises(OutOfDomainError, match="murray"):
        urcx.luck("greedy", rules="murray")
