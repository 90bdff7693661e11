"""How far exact expectations may be off: the bounds of measures, of long games and of figures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from own_rules import small
from prepared_policies import policies_of

import urcx
from urcx.agents.agent_texts import agent
from urcx.complexity.game_tree import Measured, at_means, constants
from urcx.expectations.expected import expected
from urcx.expectations.flow import Flow
from urcx.expectations.layers import PairFlow
from urcx.expectations.tally import TallyOptions, of_conventions, of_ratio
from urcx.rules import catalogue
from urcx.solving.layered.order import Layer, LayerOrder


@pytest.mark.jit
@pytest.mark.parametrize(("light", "dark"), [("random", "random"), ("greedy", "last")])
def test_less_accuracy_stays_within_the_bounds_of_all_measures(
    monkeypatch: pytest.MonkeyPatch, light: str, dark: str
) -> None:
    rules = small("finkel", 2)
    exact = expected(light, dark, rules, first="light")
    monkeypatch.setattr(Flow.__init__, "__defaults__", (None, None, TallyOptions(1e-3)))
    found = expected(light, dark, rules, first="light")
    pairs = list(zip(urcx.exact_measures(exact), urcx.exact_measures(found), strict=True))
    assert all(one.bound is not None and 0.0 < one.bound < 1e-8 for one, _ in pairs)
    off = {one.name: (abs(one.mean - other.mean), other.bound or 0.0) for one, other in pairs}
    assert all(by <= bound for by, bound in off.values()), off
    # The bounds are no mere upper limits: plies are off by a part of theirs that can be seen.
    by, bound = off["plies"]
    assert 1e-7 < by < bound < 1.0
    assert abs(exact.first_wins - found.first_wins) <= found.accuracy.wins
    fixed = constants(rules)
    figures = at_means(exact.measured, fixed), at_means(found.measured, fixed)
    limits = of_conventions(found.measured, found.measured_off, fixed)
    for name, limit in limits.items():
        assert abs(figures[0][name] - figures[1][name]) <= limit, name


@pytest.mark.jit
@pytest.mark.parametrize("dark", ["random", "greedy"])
def test_what_games_left_out_lack_is_within_the_bounds(
    monkeypatch: pytest.MonkeyPatch, dark: str
) -> None:
    rules = small("finkel", 2)
    exact = urcx.exact_measures(expected("random", dark, rules, first="light"))
    solve_pair, lost = PairFlow.solve, 1e-4

    def lossy(self: Any, *arguments: Any) -> Any:
        x, left = solve_pair(self, *arguments)
        if self.pair.layers[0] != (0, 0):
            return x, left
        return x * (1.0 - lost), left + lost  # the residual is what is lost, in the start

    monkeypatch.setattr(PairFlow, "solve", lossy)
    found = urcx.exact_measures(expected("random", dark, rules, first="light"))
    for one, other in zip(exact, found, strict=True):
        assert other.bound is not None
        assert abs(one.mean - other.mean) <= other.bound, one.name
    assert exact[0].mean - found[0].mean == pytest.approx(lost * exact[0].mean, rel=1e-6)
    assert (found[0].bound or 0.0) < 8.0 * lost * exact[0].mean


@pytest.mark.jit
@pytest.mark.parametrize(("light", "dark"), [("random", "random"), ("random", "greedy")])
@pytest.mark.parametrize("layers", [((0, 0),), ((1, 0), (0, 1))])
def test_changes_are_those_of_the_sweep(
    light: str, dark: str, layers: tuple[Layer, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a block is visited once, twice or not at all, and is its own mirror or not."""
    ready = policies_of("finkel")
    made = ready.of(agent(light)), ready.of(agent(dark))
    flow = PairFlow(LayerOrder(small("finkel", 2)), layers, made, 1)
    sweep, compared = PairFlow._sweep, 0

    def checked(
        self: Any, x: Any, b: Any, parts: Any, passing: float, change: Any, *more: Any
    ) -> Any:
        nonlocal compared
        if not len(change):
            return sweep(self, x, b, parts, passing, change, *more)
        self.times[:] = np.arange(len(self.times)) % 3
        before = x.astype(np.float64)
        moved = sweep(self, x, b, parts, passing, change, *more)
        assert np.allclose(change, x - before, rtol=0.0, atol=1e-6 * max(1.0, float(x.max())))
        compared += 1
        return moved

    monkeypatch.setattr(PairFlow, "_sweep", checked)
    waiting = {(0, layers[0]): np.full(flow.order.size(layers[0]), 1e-3)}
    flow.solve(waiting, 1e-9, lambda: None)
    assert compared > 8


@pytest.mark.jit
@pytest.mark.parametrize("layers", [((0, 0),), ((1, 0), (0, 1))])
@pytest.mark.parametrize(("light", "dark"), [("random", "random"), ("greedy", "optimal")])
def test_no_state_keeps_games_longer_than_the_bound(
    light: str, dark: str, layers: tuple[Layer, ...]
) -> None:
    # The plies that games stay in the first pair of layers, from any state, by equations.
    rules, ready = small("finkel", 2), policies_of("finkel")
    order = LayerOrder(rules)
    made = ready.of(agent(light)), ready.of(agent(dark))
    alike = made[0] is made[1]
    flow = PairFlow(order, layers, made, 1)
    bound = flow.longest_stay()
    # Started from a state alone, the visits of all states are the plies of such games.
    size = order.size(layers[0])
    longest = 0.0
    for side in (0, 1):
        for state in range(0, size, max(1, size // 40)):
            waiting = {(side, layers[0]): np.zeros(size)}
            waiting[side, layers[0]][state] = 1.0
            x, _ = flow.solve(waiting, 1e-9, lambda: None)
            longest = max(longest, float(x.sum()))
    assert alike == (light == dark)
    # The bound is three stays at least; of one layer, fewer states are tried.
    assert (0.3 if len(layers) == 2 else 0.25) * bound < longest <= bound


def test_bounds_of_ratios_and_of_conventions() -> None:
    assert of_ratio(3.0, 2.0, 0.1, 0.2) == pytest.approx((0.1 + 1.5 * 0.2) / 1.8)
    assert of_ratio(3.0, 0.1, 0.1, 0.2) == math.inf
    fixed = constants(catalogue.ruleset("finkel"))
    middle = Measured(*(np.array(x) for x in (100.0, 90.0, 200.0, 40.0, 30.0)))
    off = Measured(*(np.array(x) for x in (2.0, 1.0, 3.0, 0.5, 0.25)))
    limits = of_conventions(middle, off, fixed)
    random = np.random.default_rng(1)
    greatest = dict.fromkeys(limits, 0.0)
    for _ in range(2000):
        some = Measured(
            *(
                x + by * random.uniform(-1.0, 1.0)
                for x, by in zip(vars(middle).values(), vars(off).values(), strict=True)
            )
        )
        for name, value in at_means(some, fixed).items():
            by = abs(value - at_means(middle, fixed)[name])
            greatest[name] = max(greatest[name], by)
    assert all(0.5 * limits[name] < greatest[name] <= limits[name] for name in limits)
