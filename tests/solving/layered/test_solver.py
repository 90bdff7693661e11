"""The solver in layers: its bounds, precisions and threads, what it keeps, and what it reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from numpy.typing import NDArray
from own_rules import own, rules_of, small

import urcx
from urcx.engine.threads import Threads
from urcx.errors import OutOfDomainError, TablebaseError, TooLargeError, UrcxError, UsageError
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.work import WorkStore
from urcx.solving.general.solver import solve_general
from urcx.solving.layered import convergence
from urcx.solving.layered.graph import PairGraph, solve_graph
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


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_pairs_are_handed_out_once_and_after_those_they_read(workers: int) -> None:
    order = LayerOrder(urcx.ruleset("finkel", pieces=5))
    graph = PairGraph(order)
    solved: set[tuple[int, int]] = set()
    begun = []
    at_work: list[tuple[tuple[int, int], ...]] = []
    most = 0
    while True:
        while len(at_work) < workers and (pair := graph.take()) is not None:
            for i, j in pair:
                read = [(i + 1, j), (j, i + 1), (i, j + 1), (j + 1, i)]
                assert solved.issuperset(
                    layer for layer in read if min(layer) >= 0 > max(layer) - 5
                )
            begun.append(pair)
            at_work.append(pair)
        most = max(most, len(at_work))
        if not at_work:
            break
        done = at_work.pop(0)
        solved.update(done)
        graph.done(done)
    assert sorted(begun) == sorted(order.pairs)
    assert most == min(workers, 3)  # (4, 0), (3, 1), (2, 2) with four pieces home


@pytest.mark.parametrize("name", ["tiny", pytest.param("short", marks=pytest.mark.jit)])
def test_values_are_those_of_the_loop(name: str, tmp_path: Path) -> None:
    rules = own(name)
    order = LayerOrder(rules)
    loop = MemoryStore()
    one = solve_layers(rules, loop, threads=1)
    told: list[int] = []
    for resumed in (0, len(order.layers)):  # the second time there is nothing to do
        store = WorkStore(tmp_path, order, 1e-12)
        assert len(store.taken) == resumed
        with Threads(2) as threads:
            other = solve_graph(rules, store, threads, threads=1, progress=told.append)
        assert (other.opening, other.gap, other.states) == (one.opening, one.gap, one.states)
        if not resumed:
            assert [(x.layer, x.sweeps) for x in other.layers] == [
                (x.layer, x.sweeps) for x in one.layers
            ]
        assert told[-1] == one.states
        assert told == sorted(told)
        told.clear()
    for layer in order.layers:
        found = store.get(layer)
        assert found is not None
        assert np.array_equal(found[0], loop.layers[layer][0])


def test_a_disk_without_room_is_found_out_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 100})
    monkeypatch.setattr("urcx.solving.files.work.shutil.disk_usage", lambda _: usage)
    with Threads(1) as threads, pytest.raises(TablebaseError, match="100 bytes are free"):
        urcx.solve(urcx.ruleset("finkel", pieces=1), executor=threads, layers=tmp_path)
    assert list(tmp_path.iterdir()) == []


GOLDEN = json.loads((Path(__file__).parents[2] / "golden/solved-small.json").read_text("utf-8"))
ROWS = [row for row in GOLDEN["rows"] if urcx.path(row["path"]).crossed_once]


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


# By value iteration in a program of 60 lines that shares nothing with urcx.
@pytest.mark.parametrize(
    ("name", "pieces", "opening"),
    [
        ("seleucid", 1, 0.5219214171087776),
        pytest.param("seleucid", 2, 0.5162536849450315, marks=pytest.mark.jit),
        pytest.param("seleucid-ludii", 1, 0.525884323169535, marks=pytest.mark.jit),
        pytest.param("seleucid-ludii", 2, 0.5209754458881706, marks=pytest.mark.jit),
    ],
)
def test_openings_of_the_seleucid_games(name: str, pieces: int, opening: float) -> None:
    found = solve_layers(small(name, pieces), MemoryStore(), threads=1)
    assert found.lower <= opening <= found.upper


def after_one_ply(at: Position, rules: RuleSet, value: Callable[[Position], float]) -> float:
    """Return what the rules' words make of the chances of who is to move after every move."""
    light = naive.light_wins(rules, value)
    return sum(
        float(chance) * max(float(light(to) if at.light_to_move else 1 - light(to)) for to in after)
        for chance, after in naive.rolled(at, rules)
    )


def residual(rules: RuleSet) -> float:
    """Return the most that a value differs from what the rules' words make of its successors."""
    order = LayerOrder(rules)
    store = MemoryStore()
    solve_layers(rules, store, threads=1)

    def value(position: Position) -> float:
        layer, rank = order.place(position)
        return float(store.layers[layer][0][rank])

    worst = 0.0
    for layer in order.layers:
        size = order.size(layer)
        for rank in range(0, size, 1 if size < 2000 else 7):
            position = order.position(layer, rank)
            worst = max(worst, abs(after_one_ply(position, rules, value) - value(position)))
    return worst


@pytest.mark.parametrize(
    "rules",
    [small("finkel", 1), own("tiny"), own("corner", pieces=4), own("wings"), own("some")]
    + [own("some", rosette_protects=True)]
    + [
        pytest.param(small(name, 1), marks=pytest.mark.jit)
        for name in ("blitz", "masters", "aseb", "seleucid", "seleucid-ludii")
    ]
    + [pytest.param(small(name, 2), marks=pytest.mark.jit) for name in ("finkel", "blitz")]
    + [
        pytest.param(small(name, 2), marks=pytest.mark.slow)
        for name in ("masters", "aseb", "seleucid", "seleucid-ludii")
    ],
    ids=lambda rules: f"{rules.name}-{rules.pieces}",
)
def test_values_satisfy_the_rules_in_words(rules: RuleSet) -> None:
    assert residual(rules) < 1e-14


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row, marks=() if row["pieces"] == 1 and k % 3 == 0 else pytest.mark.jit, id=str(k)
        )
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

    def value(position: Position) -> float:
        return float(values[order.index(position)])

    checked = 0
    for state in range(order.size):
        position = order.ranking.unrank(state)
        if rules.pieces in position.home:
            continue
        assert order.index(position) == state
        assert abs(after_one_ply(position, rules, value) - values[state]) < 1e-14
        checked += 1
    assert checked > 500
