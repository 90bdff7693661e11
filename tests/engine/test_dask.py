"""The same results from workers in another process as from one thread."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import urcx
from urcx.engine import dask
from urcx.engine.dask import cluster
from urcx.enumerate import reach_sampling
from urcx.errors import OutOfDomainError, UrcxError, UsageError
from urcx.reading import install_command


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    """A user's executor, which shares nothing with this process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as started:
        yield started


def small(pieces: int) -> urcx.RuleSet:
    return urcx.ruleset("finkel", pieces=pieces)


@pytest.mark.jit
def test_processes_give_what_one_thread_gives(processes: Executor, tmp_path: Path) -> None:
    one, other = (urcx.count("bell", 4, threads=1, executor=x) for x in (None, processes))
    assert (one.diagrams, one.branches, one.checksum) == (
        other.diagrams,
        other.branches,
        other.checksum,
    )
    own = tmp_path / "own.py"
    own.write_text("def last(position, roll, moves):\n    return moves[-1]\n", encoding="utf-8")
    for light, dark in (("greedy", "random"), (f"{own}:last", "expectimax:2")):
        games = [
            urcx.simulate(light, dark, small(1), games=30, seed=5, habits=True, executor=executor)
            for executor in (None, processes)
        ]
        for name in ("counts", "results", "entropy", "habits"):
            assert np.array_equal(getattr(games[0], name), getattr(games[1], name))
    for executor in (None, processes):
        urcx.solve(small(2), tmp_path / f"{executor is None}", threads=1, executor=executor)
    assert (tmp_path / "True").read_bytes() == (tmp_path / "False").read_bytes()
    left = {item.name for item in tmp_path.iterdir()} - {"__pycache__"}  # of own.py
    assert left == {"False", "True", "own.py"}


@pytest.mark.jit
def test_python_alone_gives_the_same_in_processes(processes: Executor) -> None:
    murray = urcx.ruleset("murray")
    for work in (
        lambda executor: reach_sampling.estimate(murray, 5, 3, executor=executor),
        lambda executor: urcx.match(["first"], small(1), games=4, executor=executor).pairs,
    ):
        assert work(processes) == work(None)


class Client:
    """A cluster's client, whose workers return prepared answers."""

    def __init__(self, *answers: object) -> None:
        self.answers = answers

    def run(self, *_: object, on_error: str = "raise") -> dict[int, object]:
        for answer in self.answers:
            if isinstance(answer, Exception) and on_error == "raise":
                raise answer
        return dict(enumerate(self.answers))


LOST = ConnectionResetError("closed")


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (("a", LOST, "b"), None),
        ((LOST, LOST), "cannot run urcx: ConnectionResetError"),
        ((), "lost its workers"),
        (("a", LOST, ImportError("urcx")), "cannot run urcx: ImportError: urcx"),
        (("a", UrcxError("too old")), "^too old$"),
    ],
)
def test_workers_of_a_cluster_that_are_lost_are_left_out(
    answers: tuple[object, ...], said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask, "cluster_of", lambda _: Client(*answers))
    if said is None:
        assert dask.run_on_all_workers(Cluster(), dask.source_version) == ["a", "b"]
        return
    with pytest.raises(UrcxError, match=said):
        dask.run_on_all_workers(Cluster(), dask.source_version)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("local:x", "a dask scheduler's address"),
        ("nowhere", "a dask scheduler's address, such as tcp://10.0.0.1:8786"),
        ("http://127.0.0.1:80", "a dask scheduler's address"),
        ("tcp://127.0.0.1:8786/x", "a dask scheduler's address"),
    ],
)
def test_what_names_no_scheduler_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said), cluster(text):
        pass


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    expected = re.escape(install_command("dask"))
    with pytest.raises(UsageError, match=expected), cluster("tcp://a:1"):
        pass


def test_workers_know_their_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "available_cores", lambda: 8)
    assert dask.threads_each(Cluster()) == 1
    assert dask.slots(Cluster()) == 8
    assert dask.own_threads() == 1


class Cluster(Executor):
    """An executor that looks like a cluster with its own disk."""

    def submit(self, *_: Any, **__: Any) -> Any:
        raise AssertionError


def test_a_directory_that_workers_do_not_see_is_found_out_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask, "PAUSE", 0.0)
    asked: list[str] = []

    def on_another_disk(_: Executor, function: Callable[..., Any], probe: str, token: str) -> Any:
        assert Path(probe).read_text(encoding="ascii") == token
        asked.append(probe)
        return ["", function(str(tmp_path / "other" / Path(probe).name), token)]

    monkeypatch.setattr(dask, "run_on_all_workers", on_another_disk)
    with pytest.raises(UrcxError, match=f"the workers do not share {tmp_path}"):
        urcx.solve(small(1), executor=Cluster(), layers=tmp_path)
    assert asked
    assert list(tmp_path.iterdir()) == []
    assert dask.blindness(str(tmp_path / "none"), "x")
    (tmp_path / "there").write_text("x", encoding="ascii")
    assert not dask.blindness(str(tmp_path / "there"), "x")
    assert dask.blindness(str(tmp_path / "there"), "y")


def test_a_cluster_needs_a_directory_and_layers() -> None:
    with pytest.raises(UsageError, match=r"--layers .*-o"):
        urcx.solve(small(1), executor=Cluster())
    with pytest.raises(OutOfDomainError, match="murray cannot be solved by workers"):
        urcx.solve(urcx.ruleset("murray", pieces=1), executor=Cluster())


def test_layers_remain_without_a_file_and_go_on(tmp_path: Path) -> None:
    first = urcx.solve(small(1), layers=tmp_path, threads=1)
    again = urcx.solve(small(1), layers=tmp_path, threads=1)
    assert (first.resumed, again.resumed) == (0, 1)
    assert first.solved.opening == again.solved.opening
    assert [file.name for file in tmp_path.iterdir()] == ["0-0.layer"]
