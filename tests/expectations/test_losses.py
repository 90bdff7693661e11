"""Losses against optimal play: by another way of following games, a search, and tablebases."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from own_rules import SIZES, own

import urcx
from urcx.agents.agent_kernels import FIRST, RANDOM
from urcx.agents.policies import Policies, table_policy
from urcx.engine.moves import legal_moves
from urcx.expectations.choices import LayerPolicy
from urcx.expectations.flow import Flow
from urcx.expectations.losses import decision_of, strength
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.general.solver import general_order
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.stores import MemoryStore
from urcx.solving.solution import solve


def solved(rules: RuleSet) -> MemoryStore:
    store = MemoryStore(keep=True)
    store.layers = solve(rules, keep=True).layers
    return store


def noisy(store: MemoryStore, ties: int) -> tuple[dict[Any, Any], LayerPolicy]:
    """Return a table of rounded values, and the policy that plays by it."""
    random = np.random.default_rng(2)
    values = {
        key: np.rint(20 * (found[0] + random.normal(0, 0.1, len(found[0])))).clip(0, 20)
        for key, found in store.layers.items()
    }
    values = {key: found.astype(np.float32) for key, found in values.items()}
    return values, LayerPolicy(values.__getitem__, 20.0, ties)


@pytest.mark.parametrize("rules", SIZES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("ties", [FIRST, RANDOM])
def test_strength_is_that_of_games_followed_state_by_state(rules: RuleSet, ties: int) -> None:
    store = solved(rules)
    values, policy = noisy(store, ties)
    found = strength(policy, store, rules)
    order = LayerOrder(rules)
    tables = (
        table_policy(order, values.__getitem__, ties, 20.0),
        table_policy(order, lambda key: store.layers[key][0], FIRST, 1.0),
    )
    other = Flow(general_order(rules, turned=False), tables).run((0.5, 0.5))
    assert found.wins == pytest.approx(other.wins, abs=1e-12)
    mine, theirs = found.side(0), found.side(1)
    for side, counts in enumerate((mine, theirs)):
        assert np.allclose(counts.by_choices, other.by_choices[side], rtol=0, atol=1e-11)
        assert counts.log_picks == pytest.approx(other.side(side).log_picks, abs=1e-11)
    assert mine.loss > 1e-3
    assert abs(0.5 - mine.wins - mine.loss) <= found.left + 2e-12
    assert theirs.loss == theirs.mistakes == 0.0
    assert mine.decisions > mine.mistakes > 0.0


def test_the_worst_decision_and_the_states_met_are_those_of_a_search() -> None:
    rules = own("short")
    store = solved(rules)
    policy = Policies(rules, 1).of(urcx.agent("random"))
    found = strength(policy, store, rules, opponent=policy)
    order = LayerOrder(rules)

    def of_mover(at: Position) -> float:
        layer, rank = order.place(at)
        return float(store.layers[layer][0][rank])

    light, graph = naive.light_wins(rules, of_mover), naive.met(rules)
    seen = {at if at.light_to_move else at.turned() for at in graph}
    worst = 0.0
    for at, rolls in graph.items():
        for _, after in rolls:
            values = [float(light(to) if at.light_to_move else 1 - light(to)) for to in after]
            worst = max([worst, *(max(values) - one for one in values)])
    assert found.states[0] == len(seen)
    decision = decision_of(order, *found.worst[0])
    assert decision.loss == pytest.approx(worst, abs=1e-9)
    assert decision.position in seen
    played, best = (light(move.position) for move in (decision.played, decision.best))
    assert float(best - played) == pytest.approx(worst, abs=1e-9)
    assert decision.played in legal_moves(decision.position, decision.roll, rules)
    assert 1e-9 < decision.visits < found.side(0).plies


# With two pieces on the smallest path, looking further ahead plays worse.
@pytest.mark.parametrize("rules", SIZES[1:], ids=lambda rules: rules.name)
def test_regret_of_agents(rules: RuleSet) -> None:
    found = urcx.regret(["optimal:random", "expectimax:3", "expectimax:1", "random"], rules)
    losses = [item.side.loss for item in found.regrets]
    assert losses == sorted(losses)
    assert losses[0] == 0.0
    for item in found.regrets:
        assert item.opposite.loss == 0.0
        assert 0.5 - item.side.wins == pytest.approx(item.side.loss, abs=2e-12)
        assert 0.0 <= item.mistaken <= 1.0
    # Every move's loss changes the value under optimal play, so along a game they add up.
    for player, opponent in (("random", "greedy"), ("mistakes:20", "last")):
        (regret,) = urcx.regret(player, rules, opponent=opponent).regrets
        lost = regret.side.loss - regret.opposite.loss
        assert 0.5 - regret.side.wins == pytest.approx(lost, abs=2e-12)
        assert regret.opposite.mistakes > 0.0
    judged = urcx.regret("random", rules, opponent="self")
    assert judged.opening == pytest.approx(solve(rules).solved.opening, abs=1e-12)
    assert 0 <= judged.bound < 1e-9
    (itself,) = judged.regrets
    assert itself.opponent == itself.agent
    assert itself.side.wins == pytest.approx(0.5, abs=1e-13)


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
