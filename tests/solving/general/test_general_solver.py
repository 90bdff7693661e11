"""The solver for every path: its bounds, its order, and what it reports."""

from __future__ import annotations

from itertools import combinations_with_replacement

import naive
import pytest
from own_rules import own

from urcx.errors import TooLargeError
from urcx.rules.position import Position
from urcx.solving.general import solver
from urcx.solving.general.solver import general_memory, general_order, solve_general
from urcx.solving.layered.solver import solve_layers
from urcx.solving.layered.stores import MemoryStore


@pytest.mark.parametrize("name", ["tiny", "odd"])
def test_what_is_reported_of_layers_adds_up(name: str) -> None:
    rules, told = own(name), list[int]()
    found, order, _ = solve_general(rules, progress=told.append)
    layers = found.layers
    pairs = combinations_with_replacement(range(rules.pieces), 2)
    assert sorted(report.layer for report in layers) == sorted((i, j) for j, i in pairs)
    homes, _ = order.described()
    unfinished = int((homes < rules.pieces).all(axis=1).sum())
    assert found.states == told[-1] == unfinished * (1 if order.alike else 2)
    assert found.gap == max(report.gap for report in layers) > 0
    assert (found.lower, found.upper) == (
        found.opening - layers[-1].gap,
        found.opening + layers[-1].gap,
    )
    passes = [report.sweeps + report.certifying for report in layers]
    assert found.sweeps == max(passes)
    assert found.updates == sum(n * r.states for n, r in zip(passes, layers, strict=True))
    # The bar moves at each sweep; the two that move the bounds count as one there.
    done = 0
    for report in layers:
        moves = report.sweeps + report.certifying // 2 + 1
        here, told = told[:moves], told[moves:]
        assert here == sorted(here)
        assert done <= here[0] <= here[-2] < here[-1] == done + report.states
        assert report.certifying % 2 == 0 < report.certifying
        done = here[-1]


@pytest.mark.parametrize("last_change", [1e-13, 1e-3, 0.5])
@pytest.mark.parametrize("name", ["corner", "race"])
def test_bounds_hold_wherever_sweeping_stops(
    name: str, last_change: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = own(name)
    monkeypatch.setattr(solver, "LAST_CHANGE", last_change)
    found, order, values = solve_general(rules, tolerance=1e-2)
    gaps = {report.layer: report.gap for report in found.layers}
    homes, _ = order.described()
    worst = dict.fromkeys(gaps, 0.0)
    for state in range(order.size):
        home = tuple(sorted(homes[state if order.alike else state // 2].tolist(), reverse=True))
        if rules.pieces not in home:
            position = order.ranking.unrank(state)
            off = abs(float(naive.perfect_value(rules, position)) - values[state])
            worst[home] = max(worst[home], off)
    assert all(worst[layer] <= gaps[layer] for layer in gaps)


def test_what_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = own("odd")
    size = general_order(rules).size
    monkeypatch.setattr("urcx.engine.memory.available_memory", lambda: general_memory(size) // 2)
    with pytest.raises(TooLargeError, match=r"solving odd .*take fewer pieces"):
        general_order(rules)


@pytest.mark.parametrize("name", ["peace", "harmless"])
def test_both_solvers_without_some_captures(name: str) -> None:
    rules = own(name)
    opening = float(naive.perfect(rules)[Position()])
    assert (
        abs(opening - float(naive.perfect(own("short", rosette_protects=False))[Position()])) > 1e-4
    )
    assert solve_general(rules)[0].opening == pytest.approx(opening, abs=1e-12)
    layered = solve_layers(rules, MemoryStore(), threads=1)
    assert layered.opening == pytest.approx(opening, abs=1e-12)
