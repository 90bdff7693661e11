from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import pytest

from urcx.engine import threads
from urcx.engine.threads import (
    available_cores,
    chosen_threads,
    for_chunks,
    in_phases,
    most_threads,
    run,
    sweeps_as_states,
)
from urcx.errors import TooLargeError, UsageError


def nothing() -> None:
    """Stop nothing."""


@pytest.mark.parametrize("number", [1, 2, 5])
@pytest.mark.parametrize(("total", "size"), [(0, 3), (1, 3), (3, 3), (10, 3), (10, 100), (50, 1)])
def test_chunks_cover_everything_once(total: int, size: int, number: int) -> None:
    taken: list[tuple[int, int]] = []
    seen: set[int] = set()

    def work(thread: int, first: int, last: int) -> None:
        seen.add(thread)
        taken.append((first, last))

    for_chunks(total, size, work, number)
    assert [k for first, last in sorted(taken) for k in range(first, last)] == list(range(total))
    assert all(0 < last - first <= size for first, last in taken)
    assert seen <= set(range(number))


@pytest.mark.parametrize("number", [1, 2, 5])
def test_a_phase_begins_once_the_one_before_is_done(number: int) -> None:
    done: list[tuple[int, int]] = []

    def work_of(phase: int) -> Callable[[int, int], None]:
        def work(thread: int, part: int) -> None:
            assert 0 <= thread < number
            if part == 0:
                time.sleep(0.01)  # the others must wait for it
            done.append((phase, part))

        return work

    parts = [3, 1, 0, 7, 1]
    in_phases([(count, work_of(phase)) for phase, count in enumerate(parts)], number)
    assert [phase for phase, _ in done] == sorted(phase for phase, _ in done)
    assert sorted(done) == [(phase, k) for phase, count in enumerate(parts) for k in range(count)]


@pytest.mark.parametrize("number", [1, 3])
def test_a_part_that_fails_ends_all_phases(number: int) -> None:
    done: list[int] = []

    def work(_: int, part: int) -> None:
        if part == 2:
            raise UsageError("failed")
        done.append(part)

    with pytest.raises(UsageError, match="failed"):
        in_phases([(4, work), (100, lambda *_: done.append(-1))], number)
    assert -1 not in done


def test_threads_work_side_by_side() -> None:
    # Each waits until all have started: one after the other, they would wait forever.
    meeting = threading.Barrier(3, timeout=60)

    def meet(*_: int) -> None:
        meeting.wait()

    for_chunks(3, 1, meet, 3)
    run(meet, 3, nothing, nothing)
    in_phases([(3, meet), (3, meet)], 3)
    assert meeting.n_waiting == 0


def test_progress_is_told_by_the_calling_thread_in_between_and_at_the_end() -> None:
    told: list[int] = []
    first_told, caller = threading.Event(), threading.get_ident()

    def progress(done: int) -> None:
        assert threading.get_ident() == caller
        told.append(done)
        if done == 1:
            first_told.set()

    def work(_thread: int, first: int, _last: int) -> None:
        if first == 1:
            assert first_told.wait(60)

    for_chunks(2, 1, work, 1, progress)
    assert told == sorted(told)
    assert told[-1] == 2


@pytest.mark.parametrize("error", [ValueError("no"), UsageError("no"), KeyboardInterrupt()])
def test_what_work_raises_reaches_the_caller_and_stops_the_others(error: BaseException) -> None:
    taken: list[int] = []

    def work(_thread: int, first: int, _last: int) -> None:
        taken.append(first)
        if first == 5:
            raise error

    with pytest.raises(type(error)) as said:
        for_chunks(1_000_000, 1, work, 1)
    assert said.value is error
    assert taken == list(range(6))


def test_one_thread_failing_stops_the_other() -> None:
    failed = threading.Event()
    taken: list[int] = []

    def work(_thread: int, first: int, _last: int) -> None:
        if first == 0:
            failed.set()
            raise ValueError("no")
        assert failed.wait(60)
        taken.append(first)

    with pytest.raises(ValueError, match="no"):
        for_chunks(10**6, 1, work, 2)
    assert len(taken) < 10**6


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_progress_raises_stops_the_threads_which_are_waited_for(
    error: type[BaseException],
) -> None:
    pressed = threading.Event()
    begun: list[int] = []
    ended: list[int] = []

    def progress(done: int) -> None:
        if done >= 3:
            pressed.set()
            raise error

    def work(_thread: int, first: int, _last: int) -> None:
        begun.append(first)
        if first >= 3:
            assert pressed.wait(60)
        ended.append(first)

    with pytest.raises(error):
        for_chunks(10**6, 1, work, 2, progress)
    assert sorted(begun) == sorted(ended)
    assert 3 <= len(ended) < 10**6


def test_no_room_for_another_thread_ends_those_that_began(monkeypatch: pytest.MonkeyPatch) -> None:
    start, stop = threading.Thread.start, threading.Event()
    begun: list[threading.Thread] = []
    ended: list[int] = []

    def one(thread: threading.Thread) -> None:
        if begun:
            raise RuntimeError("can't start new thread")
        begun.append(thread)
        start(thread)

    def work(thread: int) -> None:
        assert stop.wait(60)
        ended.append(thread)

    monkeypatch.setattr(threading.Thread, "start", one)
    with pytest.raises(TooLargeError, match="no memory for one more thread"):
        run(work, 3, stop.set, lambda: None)
    assert ended == [0]
    assert not begun[0].is_alive()


def test_stop_is_called_once_for_each_failure() -> None:
    calls: list[str] = []

    def failing(_thread: int) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run(failing, 2, lambda: calls.append("stop"), nothing)
    assert calls == ["stop", "stop"]


def test_numbers_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen_threads(None) == available_cores() >= 1
    assert chosen_threads(3) == 3
    for number in (0, -2):
        with pytest.raises(UsageError, match=f"threads {number}: must be at least 1"):
            chosen_threads(number)

    def unknown(_process: int) -> set[int]:
        raise AttributeError

    monkeypatch.setattr(os, "sched_getaffinity", unknown, raising=False)
    known: list[tuple[Callable[[], int | None], int]] = [(lambda: None, 1), (lambda: 6, 6)]
    for count, cores in known:
        monkeypatch.setattr(os, "cpu_count", count)
        assert available_cores() == cores


@pytest.mark.parametrize(("cores", "most"), [(1, 16), (2, 16), (3, 24), (64, 512)])
def test_a_core_has_some_threads_and_a_small_machine_a_few_more(
    cores: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "available_cores", lambda: cores)
    assert most_threads() == chosen_threads(most) == most
    assert chosen_threads(most + 1) == most
    assert chosen_threads(None) == cores


def test_sweeps_move_the_bar_without_passing_the_layers_end() -> None:
    told: list[int] = []
    swept = sweeps_as_states(told.append, 1000, 500)
    for _ in range(2000):
        swept()
    assert told == sorted(told)
    assert told[0] > 1000
    assert told[39] == 1250
    assert told[-1] < 1500
