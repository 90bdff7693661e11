"""Exact expectations: by a naive twin, each other, games and theorems; and their bounds."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from functools import cache
from typing import Any

import naive
import numpy as np
import pytest
from own_rules import own, small

import urcx
from urcx.agents.agents import agent
from urcx.agents.policies import Policies
from urcx.complexity.game_tree import Measured, at_means, constants
from urcx.errors import UrcxError, UsageError
from urcx.expectations import layers as by_layers
from urcx.expectations.choices import ALL_STATES
from urcx.expectations.expected import Expected, expected, mean_off, share_off
from urcx.expectations.flow import Flow
from urcx.expectations.layers import PairFlow
from urcx.expectations.tally import Side, Tally, TallyOptions, of_conventions, of_ratio
from urcx.game import Game
from urcx.games.statistics import Measure
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.general.solver import general_order
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.sweeps import blocks


@cache
def policies_of(name: str) -> Policies:
    return Policies(small(name, 2), ALL_STATES)


def numbers(side: Side) -> list[float]:
    return [side.again, side.captures, side.landed, side.log_picks, side.wins, side.entered]


@pytest.mark.parametrize(
    ("rules", "light", "dark"),
    [
        (small("finkel", 1), "random", "greedy"),
        (own("corner"), "greedy", "expectimax:1:random"),
        (own("odd"), "mistakes:25:greedy:random", "last"),
        (own("corner"), "greedy", "random"),
        (own("odd"), "random", "greedy"),
        (own("odd"), "greedy", "random"),
        pytest.param(own("tiny"), "mistakes:30:greedy", "last", marks=pytest.mark.jit),
        pytest.param(small("masters", 1), "greedy", "last", marks=pytest.mark.jit),
        (own("corner"), "priority:least-risk:random", "priority:flee,capture,off"),
        pytest.param(small("murray", 1), "random", "random", marks=pytest.mark.slow),
        pytest.param(own("corner"), "mistakes:30", "mistakes:100:greedy", marks=pytest.mark.jit),
    ],
    ids=lambda one: one.name if isinstance(one, RuleSet) else one,
)
def test_means_and_counts_by_step_are_as_followed_naively(
    rules: RuleSet, light: str, dark: str
) -> None:
    """The plies of light and dark that begin with a piece on a step, moves and captures."""
    details: dict[Position, list[tuple[int, Position, float]]] = {}  # tile, position, chance
    entries: defaultdict[Position, float] = defaultdict(
        float
    )  # the chance that a piece enters from the pool

    def ways(at: Position) -> list[tuple[Position, float]]:
        player = agent(light if at.light_to_move else dark)
        details[at] = []
        for roll, often in zip(rules.dice.rolls, rules.dice.probabilities, strict=True):
            legal = {(end, to) for _, end, to in naive.moves(at, roll, rules)}
            asked = player.move_probabilities(Game(rules, at), roll)
            played = {(move.end, move.position): float(p) for move, p in asked.items() if p}
            assert set(played) <= legal
            for (end, to), p in (played or {(0, naive.passed(at)): 1.0}).items():
                details[at].append((end, to, float(often) * p))
                if end == roll and 0 < end <= rules.path.length:
                    entries[at] += float(often) * p
        return [(to, p) for _, to, p in details[at] if rules.pieces not in to.home]

    counts = np.zeros((2, 3, rules.path.length + 2))
    plies, wins, entered = 0.0, [0.0, 0.0], [0.0, 0.0]
    for at, share in naive.visits({Position(): 1.0}, ways).items():
        plies += share
        mover, sides = (0 if at.light_to_move else 1), (at.light, at.dark)
        counts[mover, 0, list(sides[mover])] += share
        entered[mover] += share * entries[at]
        for end, to, p in details[at]:
            if rules.pieces in to.home:
                wins[to.home.index(rules.pieces)] += share * p
            counts[mover, 1, end] += share * p if end else 0.0
            theirs = (to.light, to.dark)[1 - mover]
            counts[mover, 2, end] += share * p * (len(theirs) < len(sides[1 - mover]))
    found = expected(light, dark, rules, first="light")
    assert sum(side.plies for side in found.sides) == pytest.approx(plies, abs=1e-9)
    assert [side.wins for side in found.sides] == pytest.approx(wins, abs=1e-11)
    assert [side.entered for side in found.sides] == pytest.approx(entered, abs=1e-10)
    mean = urcx.exact_measures(found)[0]
    assert mean.bound is not None
    assert abs(plies - mean.mean) <= mean.bound + 1e-11 < 1e-8
    for side, each in zip(found.sides, counts, strict=True):
        assert np.array([side.stood, side.moved, side.captured]) == pytest.approx(each, abs=1e-10)
        assert side.moved.sum() == pytest.approx(side.moves, abs=1e-10)
        assert side.captured.sum() == pytest.approx(side.captures, abs=1e-12)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("name", "light", "dark", "first"),
    [
        ("finkel", "greedy:random", "optimal", 0),
        ("finkel", "expectimax:1:random", "panda:2", 1),
        ("finkel", "mistakes:20:priority:least-risk", "priority:capture,14,enter,haven", 1),
        ("masters", "last", "greedy:first", 0),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("finkel", "random", "greedy", 0),
                ("finkel", "optimal", "random", 1),
                ("blitz", "expectimax:2", "last", 0),
                ("blitz", "greedy", "random", 1),
                ("blitz", "priority:again-capture,safe", "priority:capture-advanced,off:random", 0),
                ("finkel", "mistakes:30", "greedy:random", 0),
                ("blitz", "mistakes:60:expectimax:1:random", "mistakes:20:greedy", 1),
            )
        ),
    ],
)
def test_both_ways_agree(name: str, light: str, dark: str, first: int) -> None:
    rules, ready = small(name, 2), policies_of(name)
    one = expected(light, dark, rules, first=("light", "dark")[first])
    made = ready.of(agent(light)), ready.of(agent(dark))
    other = Flow(general_order(rules, turned=False), made).run((1 - first, first))
    for side in (0, 1):
        assert np.allclose(one.sides[side].by_choices, other.by_choices[side], rtol=0, atol=1e-12)
        assert numbers(one.sides[side]) == pytest.approx(numbers(other.side(side)), abs=1e-12)


def test_shares_of_plies_are_of_the_counts_and_sum_to_1() -> None:
    found = expected("random", "greedy", small("finkel", 1))
    exact = {m.name: m.mean for m in urcx.exact_measures(found)}
    kinds = ("passes", "entries", "board_moves", "bearing_off")
    assert sum(exact[f"share_{name}"] for name in kinds) == pytest.approx(1, abs=1e-12)
    for name in ("passes", "captures"):
        assert exact[f"share_{name}"] == pytest.approx(exact[name] / exact["plies"], abs=1e-14)
    again = exact["plies"] - exact["turns"]
    assert exact["share_extra_rolls"] == pytest.approx(again / exact["plies"], abs=1e-14)
    # One of the two pieces is borne off. Each enters once, and again after each capture, except the
    # loser's piece if it is in the pool at the end.
    assert exact["share_bearing_off"] == pytest.approx(1 / exact["plies"], abs=1e-14)
    entries = exact["share_entries"] * exact["plies"]
    assert exact["captures"] + 1 < entries < exact["captures"] + 2


@pytest.mark.jit
@pytest.mark.parametrize(("light", "pieces"), [("random", 1), ("random", 3), ("mistakes:40", 2)])
def test_games_agree(light: str, pieces: int) -> None:
    rules = small("finkel", pieces)
    found = expected(light, "greedy", rules)
    games = urcx.simulate(light, "greedy", rules, games=20_000, seed=7)
    exact = {m.name: m.mean for m in urcx.exact_measures(found)}
    sampled = {m.name: m for m in urcx.measures(games)}
    assert exact.keys() == sampled.keys()
    for name, mean in exact.items():
        low, high = sampled[name].ci95 or (0.0, 0.0)
        assert abs(sampled[name].mean - mean) <= 1.0 * (high - low) + 1e-12, name
    won = games.wins("light") / len(games)
    assert won == pytest.approx(found.sides[0].wins, abs=0.015)
    begins = games.wins("first") / len(games)
    assert begins == pytest.approx(found.first_wins, abs=0.015)


@cache
def begun(first: str) -> Expected:
    return expected("random", "expectimax:1", small("masters", 1), first=first)


@pytest.mark.parametrize("first", ["light", "dark", "alternate", "coin"])
@pytest.mark.jit
def test_theorems(first: str) -> None:
    rules = small("masters", 1)
    found = begun(first)
    light, dark = found.sides
    assert light.wins + dark.wins == pytest.approx(1.0, abs=found.left_out)
    # Each ply rolls the dice anew, whatever has been before (Wald).
    for side in found.sides:
        assert side.by_choices.sum(axis=1) / side.plies == pytest.approx(
            [float(p) for p in rules.dice.probabilities], abs=1e-13
        )
    # Who bears off all pieces has moved each at least so often.
    assert light.plies + dark.plies > rules.path.length / max(rules.dice.rolls)
    one, two = (begun(side).first_wins for side in ("light", "dark"))
    expects = {"light": light.wins, "dark": dark.wins, "alternate": (one + two) / 2}
    expects["coin"] = expects["alternate"]
    assert found.first_wins == pytest.approx(expects[first], abs=1e-14)
    if first in ("alternate", "coin"):
        ones = [[numbers(side) for side in begun(who).sides] for who in ("light", "dark")]
        both = [numbers(side) for side in found.sides]
        assert np.allclose(both, np.mean(ones, axis=0), rtol=0, atol=1e-13)
    assert 0.0 <= found.left_out < 1e-12


def test_between_equals_the_sides_are_alike() -> None:
    found = expected("greedy", rules=small("finkel", 1))
    assert numbers(found.sides[0]) == pytest.approx(numbers(found.sides[1]), abs=1e-15)
    assert found.first_wins > 0.5


@pytest.mark.jit
def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    one = expected("random", "expectimax:1", small("finkel", 2), threads=1)
    monkeypatch.setattr(blocks, "SMALL", 0)
    other = expected("random", "expectimax:1", small("finkel", 2), threads=3)
    assert one.sides[0].wins + one.sides[1].wins == pytest.approx(1.0, abs=one.left_out)
    # Threads see what others have written or not; each run keeps its own bounds.
    off = sum(found.bound or 0.0 for run in (one, other) for found in urcx.exact_measures(run)[:1])
    assert off < 1e-9
    for side in (0, 1):
        assert numbers(other.sides[side]) == pytest.approx(numbers(one.sides[side]), abs=off)
        assert np.allclose(
            one.sides[side].by_choices, other.sides[side].by_choices, rtol=0, atol=off
        )


def test_chances_that_do_not_add_up_are_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    add = Tally.add

    def lossy(self: Tally, other: Tally, most: int) -> None:
        add(self, replace(other, wins=other.wins * (1.0 - 1e-9)), most)

    monkeypatch.setattr(Tally, "add", lossy)
    with pytest.raises(UrcxError, match=r"not 1\. This is a bug in urcx"):
        expected("last", "first", own("corner"))


@pytest.mark.jit
def test_threads_write_to_places_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    # Meeting in a place seldom shows in a run, so each thread's part is done alone and watched.
    swept = PairFlow._sweep
    parts = []

    def watched(self: Any, x: Any, *others: Any) -> float:
        def one_by_one(total: int, _size: int, part: Any, _threads: int) -> None:
            written = np.zeros(len(x), int)
            for k in range(total):
                before = x.copy()
                part(0, k, k + 1)
                written += x != before
            parts.append(total)
            assert written.max() <= 1

        with monkeypatch.context() as patch:
            patch.setattr(blocks, "SMALL", 0)
            patch.setattr(blocks, "for_chunks", one_by_one)
            return swept(self, x, *others)

    monkeypatch.setattr(PairFlow, "_sweep", watched)
    monkeypatch.setattr(by_layers, "LEAST_PART", 1000)
    expected("random", "greedy", small("finkel", 2), threads=3, first="light")
    assert max(parts) > 3


def test_what_cannot_be_exact() -> None:
    rules = small("finkel", 1)
    with pytest.raises(UsageError):
        expected("random:first", rules=rules)
    with pytest.raises(UsageError, match="unknown first mover"):
        expected("random", rules=rules, first="nobody")


def test_memory_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urcx.engine.memory.available_memory", lambda: 1000)
    with pytest.raises(urcx.UrcxError, match="free"):
        expected("random", rules=small("finkel", 1))


@pytest.mark.jit
@pytest.mark.parametrize(("light", "dark"), [("random", "random"), ("greedy", "last")])
@pytest.mark.parametrize("alone", [0, 1 << 18])
def test_less_accuracy_stays_within_the_bounds_of_all_measures(
    monkeypatch: pytest.MonkeyPatch, light: str, dark: str, alone: int
) -> None:
    rules = small("finkel", 2)
    exact = expected(light, dark, rules, first="light")
    monkeypatch.setattr(by_layers, "ALONE", alone)
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
@pytest.mark.parametrize("alone", [0, 1 << 18])
def test_changes_are_those_of_the_sweep(
    light: str, dark: str, layers: tuple[Layer, ...], alone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a block is visited once, twice or not at all, and is its own mirror or not."""
    monkeypatch.setattr(by_layers, "ALONE", alone)
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


def test_a_mean_of_runs_has_the_widest_bounds() -> None:
    few, many = (replace(Tally.empty(own("corner")), left=k, visits_left=2 * k) for k in (1, 3))
    for runs in ([few, many], [many, few]):
        assert (Tally.mean(runs).left, Tally.mean(runs).visits_left) == (3, 6)


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


@pytest.mark.parametrize(
    ("exact", "ci95", "off"),
    [
        # Half an interval is 1.96 standard errors.
        (10.0, (11.0, 13.0), pytest.approx(2 * 1.959964, rel=1e-6)),
        (14.0, (11.0, 13.0), pytest.approx(-2 * 1.959964, rel=1e-6)),
        (10.0, None, None),
        (10.0, (12.0, 12.0), None),
    ],
)
def test_means(exact: float, ci95: tuple[float, float] | None, off: float | None) -> None:
    assert mean_off(exact, Measure("plies", "plies", 12.0, 1.0, ci95, None)) == off


def test_a_share() -> None:
    # 60 of 100 where 50 are expected, with a standard deviation of 5.
    assert share_off(0.5, 0.6, 100) == pytest.approx(2)
    assert share_off(1.0, 1.0, 100) is None
