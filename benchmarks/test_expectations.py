"""Exact expectations beside slower ways to the same numbers.

    python -m pytest benchmarks/test_expectations.py -s

Three ways are baselines: the sides as two systems side by side, as for different agents; double
precision in all sweeps; and the general way for every path, one state at a time. Processor time,
kernels compiled before. ``URCX_BENCHMARK_PIECES=5`` makes them smaller.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import urcx
from urcx.agents.agent_texts import agent
from urcx.agents.policies import Policies
from urcx.expectations import pair_flow
from urcx.expectations.exact_strength import perfect
from urcx.expectations.expected_layers import LayerFlow
from urcx.expectations.expected_tiles import TileFlow
from urcx.expectations.pair_choices import MANY_GAMES
from urcx.expectations.pair_flow import PairFlow
from urcx.expectations.side_means import Visits
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import NO_CHANGE
from urcx.solving.layered.solver import MemoryStore
from urcx.solving.solution import solve

PIECES = 3 if int(os.environ.get("URCX_BENCHMARK_PIECES", "7")) < 7 else 4


def policy_of(name: str, rules: urcx.RuleSet) -> Any:
    """Return an agent's policy, perfect play by the solution in memory."""
    if name != "optimal":
        return Policies(rules, MANY_GAMES).of(agent(name))
    store = MemoryStore(keep=True)
    store.layers = solve(rules, keep=True).layers
    return perfect(store)


def timed(run: Callable[[], Visits]) -> tuple[Visits, float]:
    """Return a run's counts and its processor time, the second time that it is made."""
    run()
    began = time.process_time()
    found = run()
    return found, time.process_time() - began


@pytest.mark.parametrize("name", ["random", "greedy", "optimal"])
def test_equal_agents_beside_two_sides_and_single_states(name: str) -> None:
    rules = urcx.ruleset("finkel", pieces=PIECES)
    order = LayerOrder(rules)
    policy = policy_of(name, rules)

    def followed(other: Any, pieces: urcx.RuleSet = rules) -> Callable[[], Visits]:
        flow = LayerFlow(LayerOrder(pieces), (policy, other), None, 1)
        return lambda: flow.run((0.5, 0.5), lambda _: None)

    alike, fast = timed(followed(policy))
    sides, slow = timed(followed(copy.copy(policy)))
    assert np.allclose(alike.by_choices, sides.by_choices, rtol=0, atol=1e-9)
    plies, states = alike.by_choices.sum(), sum(map(order.size, order.layers))
    print(  # noqa: T201
        f"{name}, {PIECES} pieces, {states:,} states: {plies:.9f} plies, off "
        f"by at most {alike.visits_left:.1e}; {fast:.2f} s, two sides {slow:.2f} s"
    )


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_rounds_beside_double_precision(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = urcx.ruleset("finkel", pieces=PIECES)
    policy = policy_of(name, rules)

    def followed() -> Visits:
        flow = LayerFlow(LayerOrder(rules), (policy, policy), None, 1)
        return flow.run((0.5, 0.5), lambda _: None)

    def in_doubles(self: Any, b: Any, parts: Any, passing: float, enough: float, swept: Any) -> Any:
        x, rest = np.zeros(len(b)), np.zeros(len(b), np.float32)
        self.times[:] = 1
        self._settle(x, b, parts, passing, enough, swept)
        self.times[:] = 1
        return x, self._sweep(x, b, parts, passing, NO_CHANGE, rest, 1.0)

    found, fast = timed(followed)
    monkeypatch.setattr(PairFlow, "_converged", in_doubles)
    other, slow = timed(followed)
    assert np.allclose(found.by_choices, other.by_choices, rtol=0, atol=1e-9)
    print(f"{name}, {PIECES} pieces: {fast:.2f} s, in doubles {slow:.2f} s")  # noqa: T201


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_spans_of_extrapolation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = urcx.ruleset("finkel", pieces=PIECES)
    policy, swept = policy_of(name, rules), 0

    def counted(sweep: Any) -> Any:
        def work(self: Any, *more: Any) -> Any:
            nonlocal swept
            swept += self.pair.states
            return sweep(self, *more)

        return work

    def followed() -> Visits:
        nonlocal swept
        swept = 0
        flow = LayerFlow(LayerOrder(rules), (policy, policy), None, 1)
        return flow.run((0.5, 0.5), lambda _: None)

    monkeypatch.setattr(PairFlow, "_sweep", counted(PairFlow._sweep))
    plies, texts = [], []
    for span in (2, 3, 4, 5):
        monkeypatch.setattr(pair_flow, "SPAN", span)
        found, seconds = timed(followed)
        plies.append(found.by_choices.sum())
        texts.append(f"{span}: {swept / 1e6:.1f} million states, {seconds:.2f} s")
    assert np.ptp(plies) < 1e-8
    print(f"{name}, {PIECES} pieces, sweeps combined {'; '.join(texts)}")  # noqa: T201


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_layers_beside_single_states(name: str) -> None:
    rules = urcx.ruleset("finkel", pieces=3)
    policy = policy_of(name, rules)
    layers = LayerFlow(LayerOrder(rules), (policy, policy), None, 1)
    single = TileFlow(rules, (policy, policy))
    found, fast = timed(lambda: layers.run((0.5, 0.5), lambda _: None))
    other, slow = timed(lambda: single.run((0.5, 0.5), lambda _: None))
    assert np.allclose(found.by_choices, other.by_choices, rtol=0, atol=1e-9)
    print(f"{name}, 3 pieces: {fast:.2f} s, state by state {slow:.2f} s")  # noqa: T201
