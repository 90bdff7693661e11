"""Strength from games against optimal play, next to the exact loss."""

from __future__ import annotations

import pytest

import urcx
from urcx.agents.agents import agent
from urcx.agents.policies import Policies
from urcx.contrib.learning.strength import perfect_policy, strength_of
from urcx.errors import OutOfDomainError

SMALL = urcx.ruleset("finkel", pieces=2)
LEAST = urcx.ruleset("finkel", pieces=1)


@pytest.mark.jit
@pytest.mark.parametrize("name", ["random", "greedy", "mistakes:30"])
def test_strength_is_that_of_exact_regret(name: str) -> None:
    perfect = perfect_policy(SMALL, None)
    found = strength_of(Policies(SMALL, 1).of(agent(name)), perfect, SMALL, games=4000)
    exact = urcx.regret(name, SMALL).regrets[0]
    assert found.wins == pytest.approx(exact.side.wins, abs=1.6 * found.error)
    assert found.error < 0.006  # from wins alone it would be 0.015
    assert found.won == pytest.approx(found.wins, abs=0.02)
    assert found.decisions == pytest.approx(exact.side.decisions, rel=0.03)
    assert found.loss == pytest.approx(exact.a_decision, rel=0.03)
    assert found.mistakes == pytest.approx(exact.mistaken, rel=0.03)


def test_strength_does_not_depend_on_threads() -> None:
    perfect = perfect_policy(LEAST, None)
    policy = Policies(LEAST, 1).of(agent("greedy"))
    one, two = (strength_of(policy, perfect, LEAST, games=12, threads=n) for n in (1, 2))
    assert one == two


def test_strength_needs_layers() -> None:
    with pytest.raises(OutOfDomainError):
        perfect_policy(urcx.ruleset("murray", pieces=1), None)
