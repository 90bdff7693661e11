"""Chunks of work for any executor.

A job consists of three functions. ``work`` does a chunk, in a place that the executor chooses.
``cut`` cuts the next chunk, or returns None if there is none at the moment. ``take`` adds a chunk's
result to the job's result, in the calling thread. ``work`` must be picklable, with everything it
needs, and depend on its arguments alone. Then the result depends neither on the executor nor on the
sizes of chunks, and a cluster can repeat a chunk whose worker died.

A chunk for a thread takes a fiftieth of a second, so Ctrl-C and the progress bar respond quickly. A
chunk for another process or machine takes two seconds, because each such task costs about 10 ms. So
the size of a chunk follows from the time of the chunks before.
"""

from __future__ import annotations

import pickle
import queue
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from urcx.engine.compiling import compute_clock
from urcx.engine.dask import (
    check_version,
    check_workers,
    cluster_of,
    cluster_threads,
    error_text,
    is_outside_process,
    slots,
    source_version,
)
from urcx.engine.threads import InlineExecutor, Threads
from urcx.errors import UrcxError, WrongObjectError, exception_text

HERE_SECONDS = 0.02  # aim for one chunk in this process
AWAY_SECONDS = 2.0  # aim for one chunk outside it
CHANGE = 4.0  # largest factor by which the size changes at once, because one chunk may be unusual
AHEAD = 2  # chunks for each thread, so it need not wait for the next
WAKE = 0.05  # seconds between two calls of `tick`
LOOK_AGAIN = 5.0  # seconds between two questions to a cluster about its threads
WITHOUT_WORKERS = 60.0  # seconds of waiting for a cluster that has lost all its workers

Arguments = tuple[Any, ...]
Part = TypeVar("Part")


def map_chunks(  # noqa: PLR0913 - the job's three functions, and where and how it is cut
    work: Callable[..., Part],
    cut: Callable[[int], Arguments | None],
    take: Callable[..., object],
    *,
    executor: Executor | None = None,
    threads: int | None = None,
    first: int = 1,
    total: int | None = None,
    most: int | None = None,
    tick: Callable[[], object] = lambda: None,
    stop: Callable[[], object] = lambda: None,
) -> None:
    """Do all chunks of a job.

    Parameters
    ----------
    work
        A function that does a chunk, called by the executor with the chunk's arguments. It must be
        picklable.
    cut
        A function of a size. It returns the arguments of a chunk of about so many units, or None if
        there is no chunk, either at all or until another chunk has finished.
    take
        Called with the result of ``work`` and the chunk's arguments, once for each chunk, in the
        order in which they finish.
    executor, threads
        The executor. Without one, this number of threads of this process, or the calling thread if
        ``threads`` is None.
    first
        The units of the first chunk.
    total
        The units of the job, if known. Then the last chunks are smaller, so all threads finish
        together.
    most
        The units of the largest chunk, whose result is one message.
    tick
        Called at least every `WAKE` seconds.
    stop
        Called after Ctrl-C and after an error, to end running chunks in this process.

    Raises
    ------
    UrcxError
        If workers have another urcx, cannot be reached, or have died.
    KeyboardInterrupt
        After finished chunks have been taken, as for any exception of ``work`` or ``tick``. Only
        chunks that run in this process are waited for.
    """
    own = executor is None
    if not (own or isinstance(executor, Executor)):
        raise WrongObjectError("executor", Executor, executor)
    executor = executor or (InlineExecutor() if threads is None else Threads(threads))
    pending = _Pending(executor, work, first, total, most)
    try:
        if pending.away:
            check_workers(executor)
        while True:
            pending.fill(cut)
            if not pending.chunks:
                break
            if (result := pending.finished()) is not None:
                take(*result)
            tick()
        tick()
    except BaseException as error:
        stop()
        with suppress(Exception):
            for result in pending.abandoned():
                take(*result)
        if isinstance(error, BrokenExecutor):
            name = type(executor).__name__
            raise UrcxError(f"the workers of the executor {name} have died") from None
        raise
    finally:
        if own:  # idle threads end at once, others are abandoned after a second Ctrl-C
            executor.shutdown(wait=not pending.chunks)


class _Pending:
    """The chunks that an executor works on at the moment.

    ``size`` is the size of the next chunk, in the job's units. ``left`` are the units of all chunks
    that are not yet cut, if known.
    """

    def __init__(
        self,
        executor: Executor,
        work: Callable[..., Any],
        size: int,
        left: int | None,
        most: int | None,
    ) -> None:
        self.executor = executor
        self.away = is_outside_process(executor)
        self.job: Callable[..., Any] = partial(run_chunk, work)
        if self.away:
            self.job = partial(run_away, source_version(), _packed(work, executor))
        self.slots = slots(executor)
        self.ahead = 1 if isinstance(executor, InlineExecutor) else AHEAD
        self.size, self.left, self.most = size, left, most or sys.maxsize
        self.chunks: dict[Future[Any], tuple[int, Arguments]] = {}
        self._looked = self._manned = time.monotonic()
        self._back: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()

    def fill(self, cut: Callable[[int], Arguments | None]) -> None:
        """Submit as many chunks to the executor as it should have."""
        if self.away:
            self._look_again()
        while len(self.chunks) < self.ahead * self.slots:
            units = min(self.size, self.most)
            if self.left is not None:
                units = max(1, min(units, -(-self.left // (AHEAD * self.slots))))
                self.left -= units
            arguments = cut(units)
            if arguments is None:
                return
            future = self.executor.submit(self.job, arguments)
            self.chunks[future] = units, arguments
            future.add_done_callback(self._back.put)

    def _look_again(self) -> None:
        """Ask a cluster for its threads every few seconds, or raise if it has none for too long."""
        client = cluster_of(self.executor)
        if client is None or time.monotonic() - self._looked < LOOK_AGAIN:
            return
        threads, self._looked = cluster_threads(client), time.monotonic()
        if threads:
            self.slots, self._manned = threads, self._looked
        elif self._looked - self._manned > WITHOUT_WORKERS:
            raise UrcxError(
                f"the cluster lost all its workers, and has had none for {WITHOUT_WORKERS:.0f} s"
            )

    def finished(self) -> tuple[Any, ...] | None:
        """Return a chunk's result and arguments, or None if none finishes within `WAKE` seconds."""
        try:
            future = self._back.get(timeout=WAKE)
        except queue.Empty:
            return None
        units, arguments = self.chunks.pop(future)
        try:
            seconds, part = future.result()
        except (BrokenExecutor, UrcxError, MemoryError):
            raise
        except CancelledError:
            raise UrcxError("the executor has stopped, or has cancelled the work") from None
        except Exception as error:
            if not self.away:
                raise
            raise UrcxError(f"a worker failed: {error_text(error)}") from error
        aim = AWAY_SECONDS if self.away else HERE_SECONDS
        change = min(CHANGE, max(1 / CHANGE, aim / max(seconds, 1e-6)))
        self.size = int(units * change) or 1
        return part, *arguments

    def abandoned(self) -> Iterable[tuple[Any, ...]]:
        """Cancel waiting chunks, wait for running chunks of this process, and yield the results."""
        for future in self.chunks:
            future.cancel()
        while not self.away and not all(future.done() for future in self.chunks):
            time.sleep(WAKE / 10)
        for future, (_, arguments) in self.chunks.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                yield future.result()[1], *arguments
        self.chunks.clear()


def _packed(work: Callable[..., Any], executor: Executor) -> Any:
    """Return work as bytes for `run_away` to unpack, because dask's workers end if they fail to.

    Work that cannot be packed is left to the executor, which raises an error about it.
    """
    with suppress(Exception):
        library = "pickle" if cluster_of(executor) is None else "cloudpickle"  # which dask needs
        return import_module(library).dumps(work)
    return work


def run_away(
    version: str, work: Callable[..., Part] | bytes, arguments: Arguments
) -> tuple[float, Part]:
    """Do a chunk outside this process, like `run_chunk`.

    Raises
    ------
    UrcxError
        If the chunk comes from another version of urcx, or this worker lacks something it needs.
    """
    check_version(version, source_version())
    if isinstance(work, bytes):
        try:
            work = pickle.loads(work)  # noqa: S301 - from our own process
        except Exception as error:  # noqa: BLE001 - the work may import anything
            reason = error if isinstance(error, UrcxError) else exception_text(error)
            raise UrcxError(f"a worker cannot start: {reason}") from None
    return run_chunk(work, arguments)  # type: ignore[arg-type]


def run_chunk(work: Callable[..., Part], arguments: Arguments) -> tuple[float, Part]:
    """Do a chunk. Return its seconds without compilation, and its part of the result."""
    began = compute_clock()
    part = work(*arguments)
    return compute_clock() - began, part


def split_range(total: int) -> Callable[[int], tuple[int, int] | None]:
    """Return a function that cuts range(total) into chunks, as pairs of start and end."""
    at = 0

    def cut(size: int) -> tuple[int, int] | None:
        nonlocal at
        first, at = at, min(at + size, total)
        return (first, at) if first < at else None

    return cut
