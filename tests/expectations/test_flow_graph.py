"""Games followed by an executor against the same followed by one thread."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_rules import own

import urcx
from urcx.engine.executors import Threads
from urcx.errors import OutOfDomainError, TablebaseError, UsageError
from urcx.expectations import flow_graph
from urcx.expectations.expected_layers import beginning
from urcx.expectations.flow_graph import VisitStore, most_waiting
from urcx.solving.layered.order import LayerOrder


@pytest.fixture
def workers() -> Any:
    with Threads(2) as some:
        yield some


def _numbers(found: urcx.Expected) -> list[Any]:
    sides = [[side.by_choices.tolist(), side.wins, side.turns, side.captures, side.log_picks]
             for side in found.sides]  # fmt: skip
    return [*sides, found.first_wins, found.left_out, found.accuracy]


@pytest.mark.parametrize("name", ["tiny", "corner", pytest.param("short", marks=pytest.mark.jit)])
@pytest.mark.parametrize(
    ("agents", "first"),
    [
        (("random", "random"), "alternate"),
        pytest.param(("greedy", "random"), "coin", marks=pytest.mark.jit),
        pytest.param(("expectimax:2", "optimal"), "dark", marks=pytest.mark.jit),
    ],
)
def test_means_are_those_of_the_loop(
    name: str, agents: tuple[str, str], first: str, workers: Executor, tmp_path: Path
) -> None:
    rules = own(name)
    one = urcx.expected(*agents, rules=rules, first=first, threads=1)
    place = tmp_path / "shared"
    other = urcx.expected(
        *agents, rules=rules, first=first, threads=1, executor=workers, layers=place
    )
    assert _numbers(other) == _numbers(one)
    assert not place.exists()


@pytest.mark.jit
def test_agents_are_judged_as_in_the_loop(workers: Executor, tmp_path: Path) -> None:
    rules, file = own("short"), tmp_path / "short.urcx"
    urcx.solve(rules, file)
    for opponent in ("optimal", "self", "random"):
        given: dict[str, Any] = {"opponent": opponent, "tablebase": file, "threads": 1}
        one = urcx.regret(["greedy", "optimal"], rules, **given)
        other = urcx.regret(["greedy", "optimal"], rules, **given, executor=workers)
        assert other.opening == one.opening
        for a, b in zip(one.regrets, other.regrets, strict=True):
            assert (a.side.loss, a.side.mistakes, a.side.wins) == (
                b.side.loss, b.side.mistakes, b.side.wins,
            )  # fmt: skip
            assert (a.worst, a.states, a.loss_bound) == (b.worst, b.states, b.loss_bound)
    with pytest.raises(UsageError, match=r"workers need a tablebase.*urcx\.solve"):
        urcx.regret("greedy", rules, executor=workers)


@pytest.mark.jit
def test_notes_of_workers_are_passed_on_once(workers: Executor, tmp_path: Path) -> None:
    rules, file = own("short"), tmp_path / "short.urcx"
    urcx.solve(rules, file, store="u16")
    found = urcx.expected(f"optimal:{file}", rules=rules, executor=workers)
    assert [note.split(" has chances")[0] for note in found.notes] == [str(file)]
    assert found.notes == urcx.expected(f"optimal:{file}", rules=rules).notes
    judged = urcx.regret(f"optimal:{file}", rules, tablebase=file, executor=workers)
    assert judged.notes == found.notes


def test_visits_on_disk(tmp_path: Path) -> None:
    order = LayerOrder(own("short"))
    store = VisitStore(tmp_path, order)
    store.put_all(beginning(order, (0.25, 0.75)))
    found = store.get_all(((0, 0),))
    for side, share in ((0, 0.25), (1, 0.75)):
        np.testing.assert_array_equal(found[side, (0, 0)], beginning(order, (share, 0))[0, (0, 0)])
    assert store.get_all(((1, 0), (0, 1))) == {}
    assert 8 * order.size((0, 0)) < most_waiting(order) < 8 * 4 * sum(map(order.size, order.layers))
    file = tmp_path / "0-0-0.visits"
    whole = bytearray(file.read_bytes())
    whole[-20] ^= 1
    file.write_bytes(whole)
    with pytest.raises(TablebaseError, match="damaged"):
        store.get_all(((0, 0),))
    store.put_all({(0, (0, 0)): np.full(order.size((0, 0)), np.nan)})
    with pytest.raises(TablebaseError, match="visits that are not numbers"):
        store.get_all(((0, 0),))
    store.drop(((0, 0),))
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_followed_elsewhere(
    workers: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OutOfDomainError, match="no layers of murray for workers"):
        urcx.expected(rules=urcx.ruleset("murray", pieces=1), executor=workers)
    rules = own("short")
    given: dict[str, Any] = {"rules": rules, "executor": workers}
    with pytest.raises(TablebaseError, match=r"cannot write .*such"):
        urcx.expected("random", layers=tmp_path / "no" / "such", **given)
    monkeypatch.setattr(flow_graph, "most_waiting", lambda _: 10**18)
    with pytest.raises(TablebaseError, match="while games are followed"):
        urcx.expected("random", **given)
    monkeypatch.setattr(flow_graph, "is_outside_process", lambda _: True)
    with pytest.raises(UsageError, match=r"\(--layers DIR\)"):
        urcx.expected("random", **given)
