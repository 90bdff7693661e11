from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from own_rules import own

import urcx
from urcx.engine.threads import Threads
from urcx.errors import TablebaseError
from urcx.solving.files.work import WorkStore
from urcx.solving.layered.graph import PairGraph, solve_graph
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.solver import solve_layers
from urcx.solving.layered.stores import MemoryStore


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
