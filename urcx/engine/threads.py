"""Threads for kernels that release the GIL, with progress reports and a response to Ctrl-C.

They run loops over arrays in memory, or chunks for the executors of `urcx.engine.chunks`.
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
LEAST_CAP = 16  # for machines with one core
HALF_WAY = 40  # sweeps, for the progress bar

# A function of (label, total, unit), called as a stage starts. It returns a callback for the work
# done.
Stage = Callable[[str, int, str], Callable[[int], None]]

Phase = tuple[int, Callable[[int, int], None]]  # a number of parts, and work(thread, part)


def no_progress(_label: str, _total: int, _unit: str) -> Callable[[int], None]:
    """Show nothing."""
    return lambda _: None


def sweeps_as_states(progress: Callable[[int], None], done: int, states: int) -> Callable[[], None]:
    """Return a callback for each sweep over states, which moves the bar during large layers.

    The number of sweeps is not known in advance. After `HALF_WAY` sweeps half of the states count
    as done. Each later sweep adds fewer, until the layers are solved.
    """
    sweeps = 0

    def swept() -> None:
        nonlocal sweeps
        sweeps += 1
        progress(done + int(states * sweeps / (sweeps + HALF_WAY)))

    return swept


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def most_threads() -> int:
    """Return the greatest number of threads that urcx starts, for any request."""
    return max(THREADS_A_CORE * available_cores(), LEAST_CAP)


def chosen_threads(threads: int | None) -> int:
    """Return the number of threads to use, by default one for each core.

    Larger numbers are reduced to `most_threads`, because each thread has its own arrays, and more
    threads than cores only wait for each other.

    Raises
    ------
    UsageError
        If the number is below 1.
    """
    number = available_cores() if threads is None else as_integer("threads", threads)
    if number < 1:
        raise UsageError(f"threads {number}: must be at least 1")
    return min(number, most_threads())


def started_threads(work: Callable[..., None], *arguments: Any) -> threading.Thread:
    """Start a daemon thread.

    Raises
    ------
    TooLargeError
        If a limit on memory or on the number of threads prevents the start.
    """
    check_room(THREAD, "one more thread")  # a thread without memory would start but never be ready
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        raise TooLargeError(
            "the system has no memory for one more thread, or allows no more (ulimit -u). Take "
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

    After Ctrl-C, or if ``tick`` raises, ``stop`` is called, the threads are joined, and the
    exception is raised again. An exception in ``work`` also stops the other threads.
    """
    failures: list[BaseException] = []

    def guarded(thread: int) -> None:
        try:
            work(thread)
        except BaseException as error:  # noqa: BLE001 - raised in the caller's thread below
            failures.append(error)
            stop()

    pool: list[threading.Thread] = []
    try:
        for k in range(threads):
            pool.append(started_threads(guarded, k))  # noqa: PERF401 - after an error, join the started
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
    """Do the parts of several phases, each phase when all parts of the previous one are done.

    Threads take parts in turn. They are started only once, because phases may be short.
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

    They are daemons, unlike the threads of the standard library's pool. So after a second Ctrl-C
    the process ends even if they are still at work.
    """

    def __init__(self, number: int) -> None:
        self._max_workers = number  # the name of this attribute in the standard library
        self._pool: list[threading.Thread] = []
        self._waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Schedule a function for the next free thread."""
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
            except BaseException as error:  # noqa: BLE001 - raised when the result is read
                future.set_exception(error)
            else:
                future.set_result(result)
            del item, future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT002
        """End the threads when they have finished the submitted work."""
        if cancel_futures:
            with contextlib.suppress(queue.Empty):
                while True:
                    self._waiting.get_nowait()[0].cancel()
        for _ in self._pool:
            self._waiting.put(None)
        for thread in self._pool if wait else ():
            thread.join()


class InlineExecutor(Executor):
    """The calling thread, which does submitted work at once. Ctrl-C ends it at once, too."""

    _max_workers = 1

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function, and return a finished future."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised when the result is read
            future.set_exception(error)
        return future
