"""Exact expectations next to slower methods for the same numbers.

    python -m pytest benchmarks/test_expectations.py -s

There are four baselines: the sides as two separate systems, as for different agents; double
precision in all sweeps; the general method for every path, one state at a time; and, for lengths of
games, a product with a sparse matrix for each ply. Times are CPU times after compilation.
``URCX_BENCHMARK_PIECES=5`` makes the games smaller.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import urcx
from urcx.agents.agents import agent
from urcx.agents.policies import Policies
from urcx.engine.jit import njit
from urcx.expectations.choices import ALL_STATES
from urcx.expectations.flow import Flow
from urcx.expectations.layers import PairFlow
from urcx.expectations.lengths import _Pair, _Survival
from urcx.expectations.losses import perfect_wins
from urcx.expectations.tally import Tally
from urcx.solving.general.solver import general_order
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.stores import MemoryStore
from urcx.solving.solution import solve
from urcx.sweeps.blocks import NO_CHANGE

PIECES = 2 if int(os.environ.get("URCX_BENCHMARK_PIECES", "7")) < 7 else 4
SINGLY = min(PIECES, 3)  # pieces for methods with one state at a time


def policy_of(name: str, rules: urcx.RuleSet) -> Any:
    """Return an agent's policy; optimal play uses a solution in memory."""
    if name != "optimal":
        return Policies(rules, ALL_STATES).of(agent(name))
    store = MemoryStore(keep=True)
    store.layers = solve(rules, keep=True).layers
    return perfect_wins(store)


def timed(run: Callable[[], Tally]) -> tuple[Tally, float]:
    """Return the counts and the CPU time of a second run."""
    run()
    began = time.process_time()
    result = run()
    return result, time.process_time() - began


@pytest.mark.parametrize("name", ["random", "greedy", "optimal"])
def test_equal_agents_beside_two_sides_and_single_states(name: str) -> None:
    rules = urcx.ruleset("finkel", pieces=PIECES)
    order = LayerOrder(rules)
    policy = policy_of(name, rules)

    def followed(other: Any, pieces: urcx.RuleSet = rules) -> Callable[[], Tally]:
        flow = Flow(LayerOrder(pieces), (policy, other), 1)
        return lambda: flow.run((0.5, 0.5))

    merged, fast = timed(followed(policy))
    sides, slow = timed(followed(copy.copy(policy)))
    assert np.allclose(merged.by_choices, sides.by_choices, rtol=0, atol=1e-9)
    plies, states = merged.by_choices.sum(), sum(map(order.size, order.layers))
    print(
        f"{name}, {PIECES} pieces, {states:,} states: {plies:.9f} plies "
        f"(± {merged.visits_left:.1e}); {fast:.2f} s, two sides {slow:.2f} s"
    )


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_rounds_beside_double_precision(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = urcx.ruleset("finkel", pieces=PIECES)
    policy = policy_of(name, rules)

    def followed() -> Tally:
        return Flow(LayerOrder(rules), (policy, policy), 1).run((0.5, 0.5))

    def in_doubles(self: Any, b: Any, parts: Any, passing: float, enough: float) -> Any:
        x, rest = np.zeros(len(b)), np.zeros(len(b), np.float32)
        self.times[:] = 1
        self._settle(x, b, parts, passing, enough)
        self.times[:] = 1
        return x, self._sweep(x, b, parts, passing, NO_CHANGE, rest, 1.0)

    result, fast = timed(followed)
    monkeypatch.setattr(PairFlow, "_converged", in_doubles)
    other, slow = timed(followed)
    assert np.allclose(result.by_choices, other.by_choices, rtol=0, atol=1e-9)
    print(f"{name}, {PIECES} pieces: {fast:.2f} s, in doubles {slow:.2f} s")


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

    def followed() -> Tally:
        nonlocal swept
        swept = 0
        return Flow(LayerOrder(rules), (policy, policy), 1).run((0.5, 0.5))

    monkeypatch.setattr(PairFlow, "_sweep", counted(PairFlow._sweep))
    plies, texts = [], []
    for span in (2, 3, 4, 5):
        monkeypatch.setattr("urcx.expectations.layers.SPAN", span)
        result, seconds = timed(followed)
        plies.append(result.by_choices.sum())
        texts.append(f"{span}: {swept / 1e6:.1f} million states, {seconds:.2f} s")
    assert np.ptp(plies) < 1e-8
    print(f"{name}, {PIECES} pieces, sweeps combined {'; '.join(texts)}")


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_layers_beside_single_states(name: str) -> None:
    rules = urcx.ruleset("finkel", pieces=SINGLY)
    policy = policy_of(name, rules)
    layers = Flow(LayerOrder(rules), (policy, policy), 1)
    single = Flow(general_order(rules, turned=False), (policy, policy))
    result, fast = timed(lambda: layers.run((0.5, 0.5)))
    other, slow = timed(lambda: single.run((0.5, 0.5)))
    assert np.allclose(result.by_choices, other.by_choices, rtol=0, atol=1e-9)
    print(f"{name}, {SINGLY} pieces: {fast:.2f} s, state by state {slow:.2f} s")


@njit
def multiply(
    indices: NDArray[Any], ends: NDArray[Any], chances: NDArray[Any], x: NDArray[Any],
    out: NDArray[Any],
) -> None:  # fmt: skip
    """Write the product of a sparse matrix, by rows, and an array."""
    first = 0
    for row in range(ends.shape[0]):
        total = 0.0
        for k in range(first, ends[row]):
            total += chances[k] * x[indices[k]]
        out[row] = total
        first = ends[row]


def matrix_of(pair: _Pair) -> tuple[list[Any], list[Any], Any]:
    """Return random play's successors and probabilities of a pair's states, and turned places."""
    rows, layers = pair.block.rows, pair.pair
    states: list[Any] = [None] * layers.states
    chances: list[Any] = [None] * layers.states
    turned = np.empty(layers.states, np.int64)
    for t in range(len(rows.rows)):
        at, height, width = int(rows.first_op[t]), int(rows.rows[t]), int(rows.columns[t])
        places = np.arange(height * width).reshape(height, width)
        turned[rows.begin[t] + places] = (rows.turned[t] + places.reshape(width, height)).T
        for a in range(height):
            reads, shares = [], []
            for chance in layers.order.tables.chance:
                count = int(layers.ops[at])
                reads += layers.ops[at + 1 : at + 1 + count].tolist()
                shares += [chance / count] * count
                at += 1 + count
            for c in range(width):
                place = int(rows.begin[t]) + a * width + c
                states[place] = pair.base + c + np.array(reads)
                chances[place] = shares
    return states, chances, pair.base + turned


def test_lengths_beside_a_sparse_matrix() -> None:
    rules, plies = urcx.ruleset("finkel", pieces=SINGLY), 50
    order = LayerOrder(rules)
    survival = _Survival(order, [policy_of("random", rules)], 1)
    matrices = [matrix_of(pair) for pair in survival.pairs]
    indices = [of for pair in matrices for of in pair[0]]
    chances = np.concatenate([of for pair in matrices for of in pair[1]])
    ends, turned = (
        np.cumsum([len(of) for of in indices]),
        np.concatenate([of[2] for of in matrices]),
    )
    reads = np.concatenate(indices).astype(np.uint32)
    own = np.concatenate([pair.base + np.arange(pair.pair.states) for pair in survival.pairs])
    x, new, left = survival.values[0].copy(), np.empty(len(ends)), [1.0]
    start = int(survival.pairs[0].pair.at["V", (0, 0)]) + order.place(urcx.Position())[1]
    multiply(reads, ends, chances, x, new)
    began = time.process_time()
    for _ in range(plies):
        multiply(reads, ends, chances, x, new)
        x[own] = new
        x[turned] = new
        left.append(float(x[start]))
    slow = time.process_time() - began
    survival.run([1.0], 0.5, lambda _: None)  # compiled
    survival.values[0][: 2 * len(ends)] = 1.0  # from the beginning again
    for pair in survival.pairs:
        pair.over = False
    began = time.process_time()
    swept = survival.run([1.0], left[-1], lambda _: None)
    fast = time.process_time() - began
    assert np.allclose(swept, left[: len(swept)], rtol=0, atol=1e-13)
    print(
        f"random, {SINGLY} pieces, {len(ends):,} states: {1e9 * fast / len(swept) / len(ends):.1f} "
        f"ns per state and ply, sparse matrix {1e9 * slow / plies / len(ends):.1f} ns"
    )
