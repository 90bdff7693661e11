"""The solver against other programs, a naive twin, and itself."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from numpy.typing import NDArray
from own_rules import own, small

import urcx
from urcx.complexity.tiles import conventions
from urcx.errors import OutOfDomainError, TooLargeError, UrcxError, UsageError
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.general.solver import GeneralOrder, solve_general
from urcx.solving.layered import extrapolation, solver
from urcx.solving.layered.order import Layer, LayerOrder, has_layers
from urcx.solving.layered.pair import LayerPair
from urcx.solving.layered.solver import MemoryStore, solve_layers, sweeps_as_states

GOLDEN = json.loads((Path(__file__).parents[2] / "golden/solved-small.json").read_text("utf-8"))
ROWS = [row for row in GOLDEN["rows"] if urcx.path(row["path"]).crossed_once]


def rules_of(row: dict[str, Any]) -> RuleSet:
    return replace(
        catalogue.ruleset("finkel"),
        path=urcx.path(row["path"]),
        dice=urcx.dice(row["dice"]),
        pieces=row["pieces"],
        rosette_protects=row["rosette_protects"],
        capture_grants_roll=row["capture_grants_roll"],
    )


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=pytest.mark.jit if k else (), id=str(k))
        for k, row in enumerate(ROWS)
    ],
)
def test_openings_of_another_engine(row: dict[str, Any]) -> None:
    found = solve_layers(rules_of(row), MemoryStore(), threads=1)
    assert abs(found.opening - row["p_first"]) < 1e-12
    assert found.lower <= row["p_first"] <= found.upper
    assert found.upper - found.lower <= 1e-12


# Both sides with one piece left on Bell's path, solved by hand: see the values' fractions.
@pytest.mark.parametrize(
    ("position", "value"),
    [("14/14/0-0/L", 4 / 7), ("13/14/0-0/L", 116 / 161), ("14/13/0-0/L", 74 / 161)],
)
def test_endings_by_hand(position: str, value: float) -> None:
    rules = small("finkel", 1)
    store = MemoryStore()
    solve_layers(rules, store, threads=1)
    layer, rank = LayerOrder(rules).place(urcx.parse_position(position))
    assert store.layers[layer][0][rank] == pytest.approx(value, abs=1e-14)


def residual(rules: RuleSet) -> float:
    """Return the most that a value differs from what the rules' words make of its successors."""
    order = LayerOrder(rules)
    store = MemoryStore()
    solve_layers(rules, store, threads=1)

    def value(position: Position) -> float:
        mine, other = position.home if position.light_to_move else position.home[::-1]
        if rules.pieces in (mine, other):
            return float(mine == rules.pieces)
        layer, rank = order.place(position)
        return float(store.layers[layer][0][rank])

    worst = 0.0
    for layer in order.layers:
        for rank in range(order.size(layer)):
            position = order.position(layer, rank)
            expected = 0.0
            for roll, chance in zip(rules.dice.rolls, rules.dice.probabilities, strict=True):
                passed = Position(position.light, position.dark, position.home, False)
                after = [item[2] for item in naive.moves(position, roll, rules)] or [passed]
                best = max(value(p) if p.light_to_move else 1 - value(p) for p in after)
                expected += float(chance) * best
            worst = max(worst, abs(expected - value(position)))
    return worst


@pytest.mark.parametrize(
    "rules",
    [small("finkel", 1), own("tiny"), own("corner", pieces=4), own("wings")]
    + [
        pytest.param(small(name, 2), marks=pytest.mark.jit)
        for name in ("finkel", "blitz", "masters", "aseb")
    ],
    ids=lambda rules: f"{rules.name}-{rules.pieces}",
)
def test_values_satisfy_the_rules_in_words(rules: RuleSet) -> None:
    assert residual(rules) < 1e-14


@pytest.mark.parametrize(
    "rules",
    [small("finkel", 2), small("masters", 1), small("aseb", 1), own("corner", pieces=4)],
    ids=lambda rules: rules.name,
)
def test_the_order_numbers_every_state_once(rules: RuleSet) -> None:
    order = LayerOrder(rules)
    seen = set()
    for layer in order.layers:
        for rank in range(order.size(layer)):
            position = order.position(layer, rank)
            assert order.place(position) == (layer, rank)
            assert order.place(position.turned()) == (layer, rank)
            seen.add(position)
    ranking = urcx.ranking(rules.path, rules.pieces, convention="mover-view")
    unfinished = {
        p for k in range(ranking.size) if rules.pieces not in (p := ranking.unrank(k)).home
    }
    assert seen == unfinished


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
def test_threads_and_extrapolation_change_nothing_beyond_the_bounds(
    rules: RuleSet, states: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = LayerOrder(rules)
    states = states or sum(order.size(layer) for layer in order.layers)
    one = solve_layers(rules, MemoryStore(), threads=1)
    many = solve_layers(rules, MemoryStore(), threads=3)
    monkeypatch.setattr(solver, "extrapolate", lambda *_: None)
    plain = solve_layers(rules, MemoryStore(), threads=1)
    assert plain.sweeps > one.sweeps
    for other in (many, plain):
        assert abs(one.opening - other.opening) < 1e-13
        assert other.states == one.states == states


@pytest.mark.parametrize("most", [1, solver.MOST_COARSE])
@pytest.mark.parametrize(
    "rules",
    [own("wings"), pytest.param(small("finkel", 2), marks=pytest.mark.jit)],
    ids=["wings", "finkel"],
)
def test_single_precision_first_leads_to_the_same_values(
    rules: RuleSet, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solver, "MOST_COARSE", most)
    order, plain, coarse = LayerOrder(rules), MemoryStore(), MemoryStore()
    solve_layers(rules, plain, threads=1)
    precisions, converge = [], solver._converge

    def told(pair: LayerPair, values: NDArray[Any], allowed: float) -> int:
        precisions.append(values.dtype)
        return converge(pair, values, allowed)

    monkeypatch.setattr(solver, "_converge", told)
    monkeypatch.setattr(solver, "MANY", 0)
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
    rules, sweeps, converge = small("finkel", 2), [], solver._converge

    def told(pair: LayerPair, values: NDArray[Any], allowed: float) -> int:
        sweeps.append(converge(pair, values, allowed))
        return sweeps[-1]

    monkeypatch.setattr(solver, "_converge", told)
    solve_layers(rules, MemoryStore(), threads=1)
    alone = list(sweeps)
    sweeps.clear()
    monkeypatch.setattr(solver, "MANY", 0)
    solve_layers(rules, MemoryStore(), threads=1)
    # What was found in single precision is what the rest begins with: nothing is lost on the way.
    assert all(last < 0.8 * one for last, one in zip(sweeps[1::2], alone, strict=True))


def _stopped(converge: Any, stop: float, pair: LayerPair, values: Any, _: float) -> int:
    """Sweep until values change by no more than ``stop``, whatever is asked for."""
    sweeps: int = converge(pair, values, stop)
    return sweeps


@pytest.mark.jit
def test_a_wrong_value_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    # Stopped far too early, the bounds must still hold, or not be given at all.
    rules = small("finkel", 1)
    sound = solve_layers(rules, MemoryStore(), threads=1)
    exact, converge = sound.opening, solver._converge
    for stop in (1e-10, 1e-11, 1e-12):
        monkeypatch.setattr(
            solver, "_converge", lambda p, values, _, s=stop: converge(p, values, s)
        )
        found = solve_layers(rules, MemoryStore(), threads=1)
        assert found.lower <= exact <= found.upper
        assert found.gap > sound.gap
    monkeypatch.setattr(solver, "_converge", partial(_stopped, converge, 1e-3))
    with pytest.raises(UrcxError, match="do not meet"):
        solve_layers(rules, MemoryStore(), threads=1)


@pytest.mark.parametrize("wrong", [0.5, -0.5, 1e-11, -1e-11])
def test_one_wrong_value_widens_the_bounds_or_is_refused(
    wrong: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, store = own("wings"), MemoryStore()
    sound = solve_layers(rules, store, threads=1)
    converge = solver._converge

    def spoilt(pair: LayerPair, values: NDArray[np.float64], allowed: float) -> int:
        sweeps = converge(pair, values, allowed)
        values[3] += wrong
        pair.update_turned(values)
        return sweeps

    monkeypatch.setattr(solver, "_converge", spoilt)
    other = MemoryStore()
    if abs(wrong) > 0.1:
        with pytest.raises(UrcxError, match="do not meet"):
            solve_layers(rules, other, threads=1)
        return
    assert solve_layers(rules, other, threads=1).gap > sound.gap
    for layer, (values, gap) in other.layers.items():
        assert np.abs(values - store.layers[layer][0]).max() <= gap + store.layers[layer][1]


def test_progress_and_what_is_kept() -> None:
    calls: list[int] = []
    kept, dropped = MemoryStore(), MemoryStore(keep=False)
    solve_layers(small("finkel", 1), kept, threads=1, progress=calls.append)
    assert calls[-1] == sum(len(values) for values, _ in kept.layers.values())
    for layer in ((2, 1), (1, 1), (0, 0)):
        dropped.put(layer, np.zeros(1), 0.0)
    assert set(dropped.layers) == {(0, 0)}


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
    with pytest.raises(OutOfDomainError, match="crossed once"):
        solve_layers(catalogue.ruleset("murray"), MemoryStore())
    monkeypatch.setattr("urcx.engine.memory.available_memory", lambda: 1000)
    with pytest.raises(TooLargeError, match="take fewer pieces"):
        solve_layers(small("finkel", 1), MemoryStore())


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=() if row["pieces"] == 1 else pytest.mark.jit, id=str(k))
        for k, row in enumerate(GOLDEN["rows"])
        if row["pieces"] < 3
    ],
)
def test_openings_of_another_engine_by_the_solver_for_every_path(row: dict[str, Any]) -> None:
    found, order, values = solve_general(rules_of(row))
    assert abs(found.opening - row["p_first"]) < 1e-14
    assert found.lower <= row["p_first"] <= found.upper
    assert found.upper - found.lower < 2e-12
    assert values[order.index(Position())] == found.opening


def test_sides_that_differ_against_the_rules_in_words() -> None:
    rules = own("odd", rosette_protects=True, capture_grants_roll=False)
    _, order, values = solve_general(rules)
    assert not order.alike
    checked = 0
    for state in range(order.size):
        position = order.ranking.unrank(state)
        if rules.pieces in position.home:
            continue
        expected = 0.0
        for roll, chance in zip(rules.dice.rolls, rules.dice.probabilities, strict=True):
            passed = replace(position, light_to_move=not position.light_to_move)
            after = [item[2] for item in naive.moves(position, roll, rules)] or [passed]
            expected += float(chance) * max(_chance(p, position, order, values) for p in after)
        assert order.index(position) == state
        assert abs(expected - values[state]) < 1e-14
        checked += 1
    assert checked > 500


def _chance(after: Position, before: Position, order: GeneralOrder, values: Any) -> float:
    """Return the chance of who moved of winning after a move."""
    if order.rules.pieces in after.home:
        return float(after.home[not before.light_to_move] == order.rules.pieces)
    value = float(values[order.index(after)])
    return value if after.light_to_move == before.light_to_move else 1.0 - value


@pytest.mark.jit
def test_both_solvers_agree_on_every_state() -> None:
    rules = small("blitz", 2)
    store = MemoryStore()
    solve_layers(rules, store, threads=2)
    _, general, values = solve_general(rules)
    order = LayerOrder(rules)
    for layer in order.layers:
        for rank in range(0, order.size(layer), 7):
            position = order.position(layer, rank)
            assert abs(store.layers[layer][0][rank] - values[general.index(position)]) < 1e-12


@pytest.mark.parametrize(
    ("name", "pieces"), [("finkel", 3), pytest.param("finkel", 20, marks=pytest.mark.jit)]
)
def test_layers_beyond_the_steps_share_their_offsets(name: str, pieces: int) -> None:
    chosen = replace(catalogue.ruleset(name), pieces=pieces)
    order = LayerOrder(chosen)
    counted = conventions(chosen.path, pieces)["diagrams, finished left out"]
    assert sum(order.size(layer) for layer in order.layers) == counted
    assert len(order._offsets) <= (chosen.path.length + 1) ** 2


def test_sweeps_move_the_bar_without_passing_the_layers_end() -> None:
    told: list[int] = []
    swept = sweeps_as_states(told.append, 1000, 500)
    for _ in range(2000):
        swept()
    assert told == sorted(told)
    assert told[0] > 1000
    assert told[39] == 1250
    assert told[-1] < 1500
    sweeps_as_states(None, 0, 5)()


def test_layers_are_for_paths_alike_for_both_sides_and_crossed_once() -> None:
    tiny = own("tiny")
    back = replace(tiny.path, light=(*tiny.path.light, "B2"), dark=(*tiny.path.dark, "B2"))
    shorter = replace(tiny.path, dark=tiny.path.dark[:-1])
    assert has_layers(tiny)
    assert back.symmetric
    assert not has_layers(replace(tiny, path=back))
    assert shorter.crossed_once
    assert not has_layers(replace(tiny, path=shorter))
    for path in (back, shorter):
        with pytest.raises(OutOfDomainError):
            LayerOrder(replace(tiny, path=path))


def test_what_is_reported_of_layers_adds_up() -> None:
    rules, store, told = own("tiny"), MemoryStore(), list[int]()
    order = LayerOrder(rules)
    found = solve_layers(rules, store, tolerance=1e-6, threads=1, progress=told.append)
    layers = found.layers
    assert [report.layer for report in layers] == order.layers
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


@pytest.mark.parametrize("threads", [1, 3])
def test_values_are_widened_in_place(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "BLOCK_OF_STATES", 7)
    for number, more in ((1, 0), (2, 1), (1000, 0), (1000, 333), (1001, 2000)):
        values = np.zeros(number + more)
        coarse = values.view(np.float32)[number + more :]
        coarse[:] = np.random.default_rng(number).random(number + more)
        expected = coarse[:number].astype(np.float64)
        solver._widen(values, coarse, number, threads)
        assert np.array_equal(values[:number], expected)


def test_pairs_of_many_states_keep_fewer_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = own("wings")
    plain = solve_layers(rules, MemoryStore(), threads=1)
    spans = []
    extrapolate = extrapolation.extrapolate

    def told(changes: NDArray[np.float32], *rest: Any) -> None:
        spans.append(len(changes))
        extrapolate(changes, *rest)

    monkeypatch.setattr(solver, "extrapolate", told)
    solve_layers(rules, MemoryStore(), threads=1)
    assert set(spans) == {solver.SPAN, solver.SPAN + 1}
    spans.clear()
    monkeypatch.setattr(solver, "LARGE", 0)
    found = solve_layers(rules, MemoryStore(), threads=1)
    assert set(spans) == {solver.LEAST_SPAN}
    assert abs(found.opening - plain.opening) <= found.gap + plain.gap
    assert found.sweeps > plain.sweeps
