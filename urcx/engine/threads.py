"""Threads for kernels that release the GIL, with progress reports and a response to Ctrl-C.

They are loops over arrays in memory, or executors of this process for `urcx.engine.chunks`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any

from urcx.engine.memory import THREAD, check_room
from urcx.errors import TooLargeError, UsageError
from urcx.rules.catalogue import as_integer

THREADS_A_CORE = 8
LEAST_CAP = 16  # on a machine with one core
HALF_WAY = 40  # sweeps, for the progress bar

# Called with (label, total, unit) as a stage begins; returns a callback for the amount done.
Stage = Callable[[str, int, str], Callable[[int], None]]

Phase = tuple[int, Callable[[int, int], None]]  # a number of parts, and work(thread, part)


def no_progress(_label: str, _total: int, _unit: str) -> Callable[[int], None]:
    """Show nothing."""
    return lambda _: None


def sweeps_as_states(progress: Callable[[int], None], done: int, states: int) -> Callable[[], None]:
    """Return a callback for each sweep over states, so that the bar moves during large layers.

    The number of sweeps is not known in advance: after `HALF_WAY` sweeps half of the states count
    as done, after that ever fewer, until the layers are solved.
    """
    sweeps = 0

    def swept() -> None:
        nonlocal sweeps
        sweeps += 1
        progress(done + int(states * sweeps / (sweeps + HALF_WAY)))

    return swept


def available_cores() -> int:
    """Return the number of cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def most_threads() -> int:
    """Return the greatest number of threads that are started, whatever is requested."""
    return max(THREADS_A_CORE * available_cores(), LEAST_CAP)


def chosen_threads(threads: int | None) -> int:
    """Return how many threads to use, by default one for each core.

    Larger numbers are reduced to `most_threads`: each thread has arrays of its own, and beyond the
    number of cores they only wait for each other.

    Raises
    ------
    UsageError
        If the number is below 1.
    """
    number = available_cores() if threads is None else as_integer("threads", threads)
    if number < 1:
        raise UsageError(f"{number} threads: at least 1 is needed")
    return min(number, most_threads())


def started_threads(work: Callable[..., None], *arguments: Any) -> threading.Thread:
    """Start a daemon thread.

    Raises
    ------
    TooLargeError
        If memory, or the number of threads, is limited so that none can be started.
    """
    check_room(THREAD, "one thread more")  # one that has begun and gets no memory is never ready
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        raise TooLargeError(
            "the system has no memory for one thread more, or allows no more (ulimit -u); take "
            "fewer --threads"
        ) from None
    return thread


def run(
    work: Callable[[int], None],
    threads: int,
    stop: Callable[[], None],
    tick: Callable[[], object],
) -> None:
    """Run ``work(thread)`` on several threads, calling ``tick`` regularly.

    On Ctrl-C, or if ``tick`` raises, ``stop`` is called, the threads are joined, and the exception
    is raised again. An exception in ``work`` stops the other threads too and is raised here.
    """
    failures: list[BaseException] = []

    def guarded(thread: int) -> None:
        try:
            work(thread)
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread below
            failures.append(error)
            stop()

    pool: list[threading.Thread] = []
    try:
        for k in range(threads):
            pool.append(started_threads(guarded, k))  # noqa: PERF401 - those that began are joined below
        for thread in pool:
            while thread.is_alive():
                thread.join(0.05)
                tick()
        tick()
    except BaseException:
        stop()
        for thread in pool:
            thread.join()
        raise
    if failures:
        raise failures[0]


def in_phases(phases: Sequence[Phase], threads: int) -> None:
    """Do the parts of several phases, each phase once all parts of the one before are done.

    Threads take parts in turn. They are started once for all phases, as phases may be short.
    """
    lock = threading.Lock()
    taken = [0] * len(phases)
    barrier = threading.Barrier(threads)

    def loop(thread: int) -> None:
        for phase, (parts, work) in enumerate(phases):
            while not barrier.broken:
                with lock:
                    part = taken[phase]
                    taken[phase] += 1
                if part >= parts:
                    break
                work(thread, part)
            try:
                barrier.wait()
            except threading.BrokenBarrierError:  # another thread failed, or Ctrl-C
                return

    if threads == 1:
        for parts, work in phases:
            for part in range(parts):
                work(0, part)
    else:
        run(loop, threads, barrier.abort, lambda: None)


def for_chunks(
    total: int,
    size: int,
    work: Callable[[int, int, int], None],
    threads: int,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Run ``work(thread, first, last)`` over range(total), in chunks that threads take in turn.

    ``progress`` is called in the calling thread with the amount done.
    """
    lock = threading.Lock()
    taken = done = 0
    stopped = False

    def stop() -> None:
        nonlocal stopped
        stopped = True

    def loop(thread: int) -> None:
        nonlocal taken, done
        while not stopped:
            with lock:
                first = taken
                taken = last = min(first + size, total)
            if first == last:
                return
            work(thread, first, last)
            with lock:
                done += last - first

    run(loop, threads, stop, lambda: progress and progress(done))


class Threads(Executor):
    """Threads of this process, for work that releases the GIL.

    They are daemons, unlike those of the standard library's pool: after a second Ctrl-C the process
    ends although they are at work.
    """

    def __init__(self, number: int) -> None:
        self._max_workers = number  # as the standard library's executors call it
        self._pool: list[threading.Thread] = []
        self._waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a function called by the next thread that is free."""
        future: Future[Any] = Future()
        self._waiting.put((future, fn, args, kwargs))
        if len(self._pool) < self._max_workers:
            self._pool.append(started_threads(self._serve))
        return future

    def _serve(self) -> None:
        while (item := self._waiting.get()) is not None:
            future, function, arguments, named = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = function(*arguments, **named)
            except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
                future.set_exception(error)
            else:
                future.set_result(result)
            del item, future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT002
        """End the threads, once they have done what was submitted."""
        if cancel_futures:
            with contextlib.suppress(queue.Empty):
                while True:
                    self._waiting.get_nowait()[0].cancel()
        for _ in self._pool:
            self._waiting.put(None)
        for thread in self._pool if wait else ():
            thread.join()


class InlineExecutor(Executor):
    """The calling thread, which does what is submitted at once; Ctrl-C ends it at once, too."""

    _max_workers = 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function, and return a future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised where the result is asked for
            future.set_exception(error)
        return future
