"""How values of a pair converge: both precisions, and the changes that are combined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from own_rules import own, small

from urcx.rules.model import RuleSet
from urcx.solving.layered import convergence
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerPair
from urcx.solving.layered.solver import solve_layers
from urcx.solving.layered.stores import MemoryStore
from urcx.sweeps import acceleration


@pytest.mark.parametrize("most", [1, convergence.MOST_COARSE])
@pytest.mark.parametrize(
    "rules",
    [own("wings"), pytest.param(small("finkel", 2), marks=pytest.mark.jit)],
    ids=["wings", "finkel"],
)
def test_single_precision_first_leads_to_the_same_values(
    rules: RuleSet, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(convergence, "MOST_COARSE", most)
    order, plain, coarse = LayerOrder(rules), MemoryStore(), MemoryStore()
    solve_layers(rules, plain, threads=1)
    precisions, converge = [], convergence.converge

    def told(pair: LayerPair, values: NDArray[Any], allowed: float) -> int:
        precisions.append(values.dtype)
        return converge(pair, values, allowed)

    monkeypatch.setattr(convergence, "converge", told)
    monkeypatch.setattr(convergence, "MANY", 0)
    found = solve_layers(rules, coarse, threads=2)
    assert precisions == [np.float32, np.float64] * len(order.pairs)
    assert found.gap < 5e-13
    for layer in order.layers:
        (one, gap), (other, other_gap) = plain.layers[layer], coarse.layers[layer]
        assert np.abs(one - other).max() <= gap + other_gap


@pytest.mark.jit
def test_the_last_sweeps_are_few_after_those_in_single_precision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules, sweeps, converge = small("finkel", 2), [], convergence.converge

    def told(pair: LayerPair, values: NDArray[Any], allowed: float) -> int:
        sweeps.append(converge(pair, values, allowed))
        return sweeps[-1]

    monkeypatch.setattr(convergence, "converge", told)
    solve_layers(rules, MemoryStore(), threads=1)
    alone = list(sweeps)
    sweeps.clear()
    monkeypatch.setattr(convergence, "MANY", 0)
    solve_layers(rules, MemoryStore(), threads=1)
    # What was found in single precision is what the rest begins with: nothing is lost on the way.
    assert all(last < 0.8 * one for last, one in zip(sweeps[1::2], alone, strict=True))


@pytest.mark.parametrize("threads", [1, 3])
def test_values_are_widened_in_place(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convergence, "BLOCK_OF_STATES", 7)
    for number, more in ((1, 0), (2, 1), (1000, 0), (1000, 333), (1001, 2000)):
        values = np.zeros(number + more)
        coarse = values.view(np.float32)[number + more :]
        coarse[:] = np.random.default_rng(number).random(number + more)
        expected = coarse[:number].astype(np.float64)
        convergence._widen(values, coarse, number, threads)
        assert np.array_equal(values[:number], expected)


def test_pairs_of_many_states_keep_fewer_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = own("wings")
    plain = solve_layers(rules, MemoryStore(), threads=1)
    spans = []

    def told(changes: NDArray[np.float32], *rest: Any) -> None:
        spans.append(len(changes))
        acceleration.extrapolate(changes, *rest)

    monkeypatch.setattr(convergence, "extrapolate", told)
    solve_layers(rules, MemoryStore(), threads=1)
    assert set(spans) == {convergence.SPAN, convergence.SPAN + 1}
    spans.clear()
    monkeypatch.setattr(convergence, "LARGE", 0)
    found = solve_layers(rules, MemoryStore(), threads=1)
    assert set(spans) == {convergence.LEAST_SPAN}
    assert abs(found.opening - plain.opening) <= found.gap + plain.gap
    assert found.sweeps > plain.sweeps
