from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from urcx.engine import chunks, dask
from urcx.engine.chunks import map_chunks, split_range
from urcx.engine.threads import InlineExecutor, Threads
from urcx.errors import UrcxError, UsageError, WrongObjectError


class Elsewhere(Executor):
    """An executor that claims to use other machines, but works in the calling thread.

    Its worker dies at a call, and with it all chunks.
    """

    def __init__(self, death: int = 0, *, refuses: bool = False) -> None:
        self.death, self.refuses = death, refuses
        self.calls = 0
        self.versions: list[str] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls += 1
        if 0 < self.death <= self.calls:
            if self.refuses:
                raise BrokenExecutor("dead")
            future.set_exception(BrokenExecutor("dead"))
            return future
        try:
            future.set_result(fn(*args))
        except Exception as error:  # noqa: BLE001
            future.set_exception(error)
        return future


def squares(first: int, last: int) -> list[int]:
    return [k * k for k in range(first, last)]


def collected(number: int, **how: Any) -> tuple[list[int], list[int]]:
    """Return the squares below a number, and the sizes of the chunks in which they came."""
    found = [-1] * number
    sizes = []

    def take(part: list[int], first: int, last: int) -> None:
        assert found[first:last] == [-1] * (last - first)  # nothing twice
        found[first:last] = part
        sizes.append(last - first)

    map_chunks(squares, split_range(number), take, **how)
    return found, sizes


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"threads": 1},
        {"threads": 3},
        {"executor": InlineExecutor()},
        {"executor": Elsewhere()},
        {"executor": Elsewhere(), "total": 1000, "most": 7},
    ],
)
@pytest.mark.parametrize("total", [0, 1, 1000])
def test_every_chunk_is_done_once(how: dict[str, Any], total: int) -> None:
    found, _ = collected(total, **how)
    assert found == [k * k for k in range(total)]


def test_a_pool_of_threads_of_the_callers_is_left_open() -> None:
    with ThreadPoolExecutor(2) as pool:
        assert collected(50, executor=pool)[0] == [k * k for k in range(50)]
        assert pool.submit(squares, 2, 3).result() == [4]


def test_chunks_grow_until_they_take_as_long_as_they_should(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chunks, "compute_clock", lambda: 0.0)  # no time at all
    _, sizes = collected(1000)
    assert sizes[:4] == [1, 4, 16, 64]
    _, sizes = collected(1000, first=10)
    assert sizes[:3] == [10, 40, 160]
    _, sizes = collected(1000, executor=Elsewhere(), most=5)
    assert max(sizes) == 5
    _, sizes = collected(1000, first=1000, total=1000)
    assert sizes[0] == 500  # the rest is for the first free worker
    assert sizes == sorted(sizes, reverse=True)


def test_chunks_shrink_when_they_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(10**6))
    monkeypatch.setattr(chunks, "compute_clock", lambda: float(next(ticks)))  # a second each
    _, sizes = collected(100, first=64)
    assert sizes[:4] == [64, 16, 4, 1]
    _, sizes = collected(100, first=8, executor=Elsewhere())
    assert max(sizes) == 16  # of two seconds, elsewhere: from then on they stay


def test_a_chunk_that_must_wait_is_asked_for_again() -> None:
    done: list[str] = []

    def cut(_: int) -> tuple[str] | None:
        if len(left) == 2 or (left and done):
            return (left.pop(),)
        return None

    left = ["second", "first"]
    map_chunks(str, cut, lambda part, _: done.append(part), threads=2)
    assert done == ["first", "second"]


@pytest.mark.parametrize("refuses", [False, True])
def test_an_executor_whose_workers_have_died_is_named(refuses: bool) -> None:
    with pytest.raises(UrcxError, match="the executor Elsewhere have died"):
        collected(500, executor=Elsewhere(5, refuses=refuses))


def test_a_cluster_without_workers_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Nobody(Elsewhere):
        """Workers that come back after a while, or never."""

        def __init__(self, back_at: float) -> None:
            super().__init__()
            self.lost: list[tuple[Future[Any], Any, Any]] = []
            self.back_at, self.asked = back_at, 0

        def nthreads(self) -> dict[str, int]:
            self.asked += 1
            if self.asked < self.back_at:
                return {}
            while self.lost:
                future, function, arguments = self.lost.pop()
                future.set_result(function(*arguments))
            return {"tcp://other": 1}

        def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
            future: Future[Any] = Future()
            self.lost.append((future, fn, args))
            return future

    monkeypatch.setattr(chunks, "check_workers", lambda _: None)
    monkeypatch.setattr(chunks, "cluster_of", lambda executor: executor)
    monkeypatch.setattr(chunks, "slots", lambda _: 1)
    monkeypatch.setattr(chunks, "LOOK_AGAIN", 0.0)
    monkeypatch.setattr(chunks, "WITHOUT_WORKERS", 0.3)
    with pytest.raises(UrcxError, match="lost all its workers"):
        collected(10, executor=Nobody(float("inf")))
    assert collected(3, executor=Nobody(3))[0] == [0, 1, 4]


def test_what_goes_wrong_elsewhere_is_one_line() -> None:
    def fails(first: int, _: int) -> list[int]:
        if first > 2:
            raise ValueError("no luck\nat all")
        return []

    def refuses(first: int, _: int) -> list[int]:
        raise UsageError(f"{first} is wrong")

    for work, error, text in (
        (fails, UrcxError, "a worker failed: ValueError: no luck$"),
        (refuses, UsageError, "^0 is wrong$"),
    ):
        with pytest.raises(error, match=text):
            map_chunks(work, split_range(9), lambda *_: None, executor=Elsewhere())
    with pytest.raises(ValueError, match="no luck"):  # here it is a fault of the program's
        map_chunks(fails, split_range(9), lambda *_: None, threads=1)


def test_another_urcx_is_refused_and_both_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    own = dask.source_version()
    monkeypatch.setattr(dask, "source_version", lambda: "0.0.9, sources 0123abcd")
    with pytest.raises(UrcxError) as said:  # in the chunk itself: a worker that came later
        chunks.run_away("0.0.9, sources 0123abcd", squares, (0, 1))
    assert "0.0.9, sources 0123abcd" in str(said.value)
    assert own in str(said.value)
    monkeypatch.undo()
    monkeypatch.setattr(dask, "run_on_all_workers", lambda *_: [own, "0.0.9, sources 0123abcd"])
    with pytest.raises(UrcxError, match="urcx differs between this process") as said:
        collected(3, executor=Elsewhere())
    assert "0.0.9, sources 0123abcd" in str(said.value)
    assert own in str(said.value)


def test_ctrl_c_takes_what_has_come_back_and_what_is_at_work_here() -> None:
    pressed = threading.Event()
    found: list[int] = []
    begun: list[int] = []

    def work(first: int, _: int) -> int:
        begun.append(first)
        if first >= 3:
            assert pressed.wait(60)
        return first

    def tick() -> None:
        if len(begun) > 3:
            pressed.set()
            raise KeyboardInterrupt

    stopped: list[bool] = []
    items = ((k, k) for k in range(1000))
    with pytest.raises(KeyboardInterrupt):
        map_chunks(
            work,
            lambda _: next(items, None),
            lambda part, *_: found.append(part),
            threads=2,
            tick=tick,
            stop=lambda: stopped.append(True),
        )
    assert sorted(found) == sorted(begun)
    assert 3 < len(found) < 1000
    assert stopped == [True]


def test_ctrl_c_leaves_work_elsewhere() -> None:
    class Slow(Elsewhere):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
            return Future() if self.calls > 5 else super().submit(fn, *args, **named)

    found: list[int] = []

    def tick() -> None:
        if len(found) > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        map_chunks(
            squares, split_range(10**6), lambda *_: found.append(1), executor=Slow(), tick=tick
        )
    assert len(found) > 2


def test_threads_work_side_by_side_and_end() -> None:
    meeting = threading.Barrier(3, timeout=60)
    with Threads(3) as threads:
        futures = [threads.submit(meeting.wait) for _ in range(3)]
        assert sorted(future.result(60) for future in futures) == [0, 1, 2]
    assert not any(thread.is_alive() for thread in threads._pool)


def test_threads_cancel_what_has_not_begun() -> None:
    gate = threading.Event()
    threads = Threads(1)
    first, second = threads.submit(gate.wait, 60), threads.submit(str, 1)
    while not first.running():
        pass
    threads.shutdown(wait=False, cancel_futures=True)
    gate.set()
    assert first.result(60)
    assert second.cancelled()


def test_what_is_no_executor_is_refused() -> None:
    with pytest.raises(WrongObjectError, match="executor: must be an Executor, not 'dask'"):
        map_chunks(squares, split_range(3), lambda *_: None, executor="dask")  # type: ignore[arg-type]
