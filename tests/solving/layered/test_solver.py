"""The solver in layers: its bounds, precisions and threads, what it keeps, and what it reports."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from own_rules import own, small

from urcx.errors import OutOfDomainError, TooLargeError, UrcxError, UsageError
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.layered import convergence
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerPair
from urcx.solving.layered.solver import solve_layers
from urcx.solving.layered.stores import MemoryStore


def test_bounds_hold_for_a_loose_tolerance() -> None:
    rules = small("finkel", 1)
    exact = solve_layers(rules, MemoryStore(), threads=1).opening
    loose = solve_layers(rules, MemoryStore(), tolerance=1e-4, threads=1)
    assert loose.lower <= exact <= loose.upper
    assert 1e-12 < loose.upper - loose.lower < 1.1e-4


@pytest.mark.parametrize(
    ("rules", "states"),
    [
        (own("wings"), None),
        pytest.param(small("finkel", 3), 263_121, marks=pytest.mark.jit),
    ],
    ids=["wings", "finkel"],
)
def test_extrapolation_changes_nothing_beyond_the_bounds(
    rules: RuleSet, states: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = LayerOrder(rules)
    states = states or sum(order.size(layer) for layer in order.layers)
    one = solve_layers(rules, MemoryStore(), threads=1)
    monkeypatch.setattr(convergence, "extrapolate", lambda *_: None)
    plain = solve_layers(rules, MemoryStore(), threads=1)
    assert plain.sweeps > one.sweeps
    assert abs(one.opening - plain.opening) < 1e-13
    assert plain.states == one.states == states


def _stopped(converge: Any, stop: float, pair: LayerPair, values: Any, _: float) -> int:
    """Sweep until values change by no more than ``stop``, whatever is asked for."""
    sweeps: int = converge(pair, values, stop)
    return sweeps


@pytest.mark.jit
def test_a_wrong_value_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    # Stopped far too early, the bounds must still hold, or not be given at all.
    rules = small("finkel", 1)
    sound = solve_layers(rules, MemoryStore(), threads=1)
    exact, converge = sound.opening, convergence.converge
    for stop in (1e-10, 1e-11, 1e-12):
        monkeypatch.setattr(convergence, "converge", partial(_stopped, converge, stop))
        found = solve_layers(rules, MemoryStore(), threads=1)
        assert found.lower <= exact <= found.upper
        assert found.gap > sound.gap
    monkeypatch.setattr(convergence, "converge", partial(_stopped, converge, 1e-3))
    with pytest.raises(UrcxError, match="do not meet"):
        solve_layers(rules, MemoryStore(), threads=1)


@pytest.mark.parametrize("wrong", [0.5, -0.5, 1e-11, -1e-11])
def test_one_wrong_value_widens_the_bounds_or_is_refused(
    wrong: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, store = own("wings"), MemoryStore()
    sound = solve_layers(rules, store, threads=1)
    converge = convergence.converge

    def spoilt(pair: LayerPair, values: NDArray[np.float64], allowed: float) -> int:
        sweeps = converge(pair, values, allowed)
        values[3] += wrong
        pair.update_turned(values)
        return sweeps

    monkeypatch.setattr(convergence, "converge", spoilt)
    other = MemoryStore()
    if abs(wrong) > 0.1:
        with pytest.raises(UrcxError, match="do not meet"):
            solve_layers(rules, other, threads=1)
        return
    assert solve_layers(rules, other, threads=1).gap > sound.gap
    for layer, (values, gap) in other.layers.items():
        assert np.abs(values - store.layers[layer][0]).max() <= gap + store.layers[layer][1]


def test_layers_are_dropped_once_the_last_pair_has_read_them() -> None:
    rules = own("tiny", pieces=3)
    put: dict[Layer, set[Layer]] = {}

    class Told(MemoryStore):
        def put(self, layer: Layer, values: NDArray[np.float64], gap: float) -> None:
            put[layer] = set(self.layers)
            super().put(layer, values, gap)

    found = solve_layers(rules, Told(keep=False), threads=1)
    assert found.opening == solve_layers(rules, MemoryStore(), threads=1).opening
    assert put[2, 1] == set()  # which have read (1, 2) and (2, 2)
    assert put[2, 0] == {(1, 2)}  # for (1, 1)
    assert put[1, 1] == {(0, 2)}  # for (1, 0)
    assert put[0, 0] == set()


def test_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="tolerance"):
        solve_layers(small("finkel", 1), MemoryStore(), tolerance=1e-20)
    with pytest.raises(OutOfDomainError, match="more than once"):
        solve_layers(catalogue.ruleset("murray"), MemoryStore())
    monkeypatch.setattr("urcx.engine.memory.available_memory", lambda: 1000)
    with pytest.raises(TooLargeError, match="take fewer pieces"):
        solve_layers(small("finkel", 1), MemoryStore())


def test_what_is_reported_of_layers_adds_up() -> None:
    rules, store, told = own("tiny"), MemoryStore(), list[int]()
    order = LayerOrder(rules)
    found = solve_layers(rules, store, tolerance=1e-6, threads=1, progress=told.append)
    layers = found.layers
    assert [report.layer for report in layers] == order.layers
    assert set(store.layers) == set(order.layers)
    assert [report.states for report in layers] == [order.size(layer) for layer in order.layers]
    assert [report.gap for report in layers] == [store.layers[r.layer][1] for r in layers]
    assert found.opening == store.layers[0, 0][0][order.place(Position())[1]]
    assert found.gap == max(report.gap for report in layers) == layers[-1].gap > 0
    assert (found.lower, found.upper) == (found.opening - found.gap, found.opening + found.gap)
    assert found.states == told[-1] == sum(report.states for report in layers)
    passes = [report.sweeps + report.certifying for report in layers]
    assert found.sweeps == max(passes) > min(passes) > 2
    assert found.updates == sum(n * r.states for n, r in zip(passes, layers, strict=True))
    assert found.seconds > 0
    assert found.updates_per_second == found.updates / found.seconds
    # The bar moves at every sweep, those of the certificate too, and once at a pair's end.
    pairs = [next(r for r in layers if r.layer == pair[0]) for pair in order.pairs]
    assert len(told) == sum(r.sweeps + r.certifying + 1 for r in pairs)
