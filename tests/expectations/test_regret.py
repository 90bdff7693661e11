"""Regret against games followed exactly, tablebases and what it is made of."""

from __future__ import annotations

from typing import Any

import pytest
from own_rules import SIZES, own

import urcx
from urcx.rules.model import RuleSet
from urcx.solving.solution import solve


# With two pieces on the smallest path, looking further ahead plays worse.
@pytest.mark.parametrize("rules", SIZES[1:], ids=lambda rules: rules.name)
def test_regret_of_agents(rules: RuleSet) -> None:
    found = urcx.regret(["optimal", "expectimax:3", "expectimax:1", "random"], rules)
    losses = [item.side.loss for item in found.regrets]
    assert losses == sorted(losses)
    assert losses[0] == 0.0
    for item in found.regrets:
        assert item.opposite.loss == 0.0
        assert 0.5 - item.side.wins == pytest.approx(item.side.loss, abs=2e-12)
        assert 0.0 <= item.mistaken <= 1.0
    against_itself = urcx.regret("random", rules, opponent="self").regrets[0]
    assert against_itself.opponent == against_itself.agent
    assert against_itself.side.wins == pytest.approx(0.5, abs=1e-13)


@pytest.mark.parametrize("rules", SIZES, ids=lambda rules: rules.name)
def test_regret_by_a_tablebase(rules: RuleSet, tmp_path: Any) -> None:
    file = tmp_path / "two.urcx"
    solve(rules, file)
    fly = urcx.regret("greedy", rules).regrets[0].side
    table = urcx.regret("greedy", rules, tablebase=file).regrets[0].side
    assert table.loss == pytest.approx(fly.loss, abs=1e-11)
    assert table.mistakes == pytest.approx(fly.mistakes, abs=1e-9)
    solve(rules, file, store="u16")
    rounded = urcx.regret("greedy", rules, tablebase=file).regrets[0].side
    assert rounded.loss == pytest.approx(fly.loss, abs=16 / 65535)


def test_regret_a_ply_and_a_decision() -> None:
    rules = own("corner")
    (found,) = urcx.regret("random", rules).regrets
    assert found.side.decisions < found.side.plies
    assert found.a_ply * found.side.plies == pytest.approx(found.side.loss)
    assert found.a_decision * found.side.decisions == pytest.approx(found.side.loss)
    assert found.mistaken * found.side.decisions == pytest.approx(found.side.mistakes)
    assert found.a_ply < found.a_decision
    # One piece has no choice at all.
    (alone,) = urcx.regret("random", own("corner", pieces=1)).regrets
    assert alone.side.decisions == alone.a_decision == alone.mistaken == alone.a_ply == 0


def test_the_opening_is_what_beginning_is_worth() -> None:
    rules = own("corner")
    judged = urcx.regret("optimal", rules)
    solved = solve(rules, keep=True)
    assert judged.opening == pytest.approx(solved.solved.opening, abs=1e-12)
    assert 0 <= judged.bound < 1e-9
