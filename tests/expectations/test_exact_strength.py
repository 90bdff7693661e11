"""Strength of policies: against another way of following games, its bound, the worst decision."""

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
from urcx.expectations.losses import decision_of, perfect_wins, strength
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


def test_perfect_play_gives_nothing_away() -> None:
    rules = own("corner")
    store = solved(rules)
    found = strength(perfect_wins(store, RANDOM), store, rules)
    assert found.wins[0] == pytest.approx(0.5, abs=1e-12)
    assert found.side(0).loss <= 1e-14
    assert found.side(0).mistakes == 0.0
    assert not found.worst[0]
