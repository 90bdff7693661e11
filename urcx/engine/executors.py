"""Executors: threads of this process, a cluster, or the user's own.

All are used through `concurrent.futures.Executor`, and only through ``submit`` and the callbacks of
its futures, because dask's futures work in neither `concurrent.futures.wait` nor its
``as_completed``. Anything but threads of this process is *away*: nothing is shared with it, so it
is told everything in messages, and runs only if its urcx is this one.
"""

from __future__ import annotations

import contextlib
import hashlib
import queue
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from concurrent.futures import ThreadPoolExecutor as PoolOfThreads
from functools import cache
from pathlib import Path
from typing import Any

from urcx import __version__
from urcx.engine.threads import available_cores, started_threads
from urcx.errors import UrcxError, WrongObjectError

ANSWER = 60.0  # seconds that a worker may take to start and say which urcx it has


class Threads(Executor):
    """Threads of this process, for work that releases the GIL.

    They are daemons, unlike those of the standard library's pool: after a second Ctrl-C the process
    ends although they are at work.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._pool: list[threading.Thread] = []
        self._waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a function called by the next thread that is free."""
        future: Future[Any] = Future()
        self._waiting.put((future, fn, args, kwargs))
        if len(self._pool) < self.number:
            self._pool.append(started_threads(self._serve))
        return future

    def _serve(self) -> None:
        while (item := self._waiting.get()) is not None:
            future, function, arguments, named = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                found = function(*arguments, **named)
            except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
                future.set_exception(error)
            else:
                future.set_result(found)
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


class Here(Executor):
    """The calling thread, which does what is submitted at once; Ctrl-C ends it at once, too."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function, and return a future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised where the result is asked for
            future.set_exception(error)
        return future


def checked(executor: Executor | None) -> Executor | None:
    """Return an executor that a caller gave; raises `WrongObjectError` if it is none."""
    if executor is not None and not isinstance(executor, Executor):
        raise WrongObjectError("executor", Executor, executor)
    return executor


def is_outside_process(executor: Executor) -> bool:
    """Return whether an executor's work is done outside this process."""
    return not isinstance(executor, Here | Threads | PoolOfThreads)


def slots(executor: Executor) -> int:
    """Return how many chunks an executor works on at a time, as far as that can be known.

    Raises
    ------
    UrcxError
        If a cluster has gone.
    """
    if isinstance(executor, Here):
        return 1
    if isinstance(executor, Threads):
        return executor.number
    client = cluster_of(executor)
    if client is not None:
        return max(cluster_threads(client), 1)
    # Of the standard library's executors, and of others that are made after them.
    number = getattr(executor, "_max_workers", None)
    return number if isinstance(number, int) and number > 0 else available_cores()


def cluster_threads(client: Any) -> int:
    """Return how many threads a cluster's workers have in all; 0 if it has no workers.

    Raises
    ------
    UrcxError
        If the cluster has gone.
    """
    try:
        return int(sum(client.nthreads().values()))
    except OSError as error:
        raise UrcxError(f"the cluster does not answer any more: {error_text(error)}") from None


def threads_each(executor: Executor) -> int | None:
    """Return how many threads a chunk may use that uses several; None: the worker knows."""
    return None if cluster_of(executor) is not None else 1


def own_threads() -> int:
    """Return how many threads this worker has, if it is one of a cluster; else 1."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return 1
    try:
        return int(distributed.get_worker().state.nthreads)
    except ValueError:  # not called by a worker
        return 1


def cluster_of(executor: Executor) -> Any:
    """Return the client of dask's executor, None for any other."""
    is_dask = type(executor).__module__.partition(".")[0] == "distributed"
    return getattr(executor, "_client", None) if is_dask else None


@cache
def source_version() -> str:
    """Return the version of this urcx, and a hash of its sources, which may differ between two."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        digest.update(file.relative_to(package).as_posix().encode())
        digest.update(file.read_bytes())
    return f"{__version__}, sources {digest.hexdigest()[:8]}"


def check_workers(executor: Executor) -> None:
    """Raise `UrcxError` unless an executor's workers have this urcx.

    All workers of a cluster are asked. Elsewhere a task may go to any worker, so only one is;
    `urcx.engine.chunks` has every chunk compare the versions again.
    """
    if is_outside_process(executor):
        for version in everywhere(executor, source_version):
            check_version(source_version(), version)


def everywhere(executor: Executor, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Return what a function returns in each worker of a cluster, or else in one worker.

    Workers that are lost before they answer are left out, as long as another answers.

    Raises
    ------
    UrcxError
        If there is no worker, or one cannot run it.
    """
    client = cluster_of(executor)
    try:
        if client is None:
            return [executor.submit(function, *arguments).result(ANSWER)]
        return _answers(client.run(function, *arguments, on_error="return").values())
    except UrcxError:
        raise
    except Exception as error:
        raise UrcxError(f"the workers cannot run urcx: {error_text(error)}") from error


def _answers(found: Iterable[Any]) -> list[Any]:
    """Return the answers among what came from the workers of a cluster; raises other errors.

    A connection that breaks is an error of the system, any other is the function's.
    """
    errors = [one for one in found if isinstance(one, Exception)]
    lost = [error for error in errors if isinstance(error, OSError)]
    answers = [one for one in found if not isinstance(one, Exception)]
    for error in errors:
        if error not in lost or not answers:
            raise error
    if not answers:
        raise UrcxError("the cluster has lost its workers")
    return answers


def check_version(here: str, there: str) -> None:
    """Raise `UrcxError` unless a worker's version is this one's, sources included."""
    if here != there:
        raise UrcxError(
            f"urcx differs between this process ({here}) and a worker ({there}); install the same "
            "version on both"
        )


def error_text(error: BaseException) -> str:
    """Return an error as part of a line: its type, and its message if it has one."""
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
