"""Executors outside this process: dask's clusters, and the user's own.

All are used through `concurrent.futures.Executor`, and only through ``submit`` and the callbacks of
its futures, because dask's futures work in neither `concurrent.futures.wait` nor ``as_completed``.
An executor without threads of this process is *away*: it shares nothing with this process. It gets
everything in messages, and runs only if its urcx is the same version. Before work starts, urcx
checks that workers share the directories that they need.

``--scheduler`` needs the extra ``dask``. Everything else here works without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import platform
import re
import secrets
import sys
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor
from concurrent.futures import ThreadPoolExecutor as PoolOfThreads
from functools import cache
from pathlib import Path
from typing import Any

from urcx import __version__
from urcx.engine.threads import InlineExecutor, Threads, available_cores
from urcx.errors import (
    UnusableFileError,
    UrcxError,
    UsageError,
    printable,
)
from urcx.reading import install_command, read_bytes

ADDRESS = re.compile(r"((tcp|tls|ucx|wss?)://)?(\[[0-9A-Fa-f:.%]+\]|[\w.-]+):[0-9]{1,5}")
REACHED = 10.0  # seconds for a scheduler to answer
WORKERS = 30.0  # seconds for its first worker to start
ANSWER = 60.0  # seconds for a worker to start and return its version of urcx
ATTEMPTS = 8  # because a network's file system may show a new file with delay
PAUSE = 0.5  # seconds between two attempts


def is_outside_process(executor: Executor) -> bool:
    """Return whether an executor's work is done outside this process."""
    return not isinstance(executor, InlineExecutor | Threads | PoolOfThreads)


def slots(executor: Executor) -> int:
    """Return the number of chunks that an executor works on at a time, if it is known.

    Raises
    ------
    UrcxError
        If a cluster has stopped.
    """
    client = cluster_of(executor)
    if client is not None:
        return max(cluster_threads(client), 1)
    # An attribute of our executors, the standard library's, and similar ones.
    number = getattr(executor, "_max_workers", None)
    return number if isinstance(number, int) and number > 0 else available_cores()


def cluster_threads(client: Any) -> int:
    """Return the number of threads of all workers of a cluster, or 0 if it has no workers.

    Raises
    ------
    UrcxError
        If the cluster has stopped.
    """
    try:
        return int(sum(client.nthreads().values()))
    except OSError as error:
        raise UrcxError(f"the cluster no longer answers: {error_text(error)}") from None


def threads_each(executor: Executor) -> int | None:
    """Return the threads for a chunk that can use several, or None if the worker decides."""
    return None if cluster_of(executor) is not None else 1


def own_threads() -> int:
    """Return the number of threads of this worker of a cluster, or 1 in other processes."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return 1
    try:
        return int(distributed.get_worker().state.nthreads)
    except ValueError:  # not in a worker
        return 1


def cluster_of(executor: Executor) -> Any:
    """Return the client of dask's executor, or None for another executor."""
    is_dask = type(executor).__module__.partition(".")[0] == "distributed"
    return getattr(executor, "_client", None) if is_dask else None


@cache
def source_version() -> str:
    """Return the version of urcx with a hash of its sources."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        digest.update(file.relative_to(package).as_posix().encode())
        digest.update(file.read_bytes())
    return f"{__version__}, sources {digest.hexdigest()[:8]}"


def check_workers(executor: Executor) -> None:
    """Raise `UrcxError` unless an executor's workers have the same version of urcx.

    All workers of a cluster are asked. In other executors a task may go to any worker, so only one
    is asked. Every chunk compares the versions again (`urcx.engine.chunks`).
    """
    if is_outside_process(executor):
        for version in run_on_all_workers(executor, source_version):
            check_version(source_version(), version)


def run_on_all_workers(
    executor: Executor, function: Callable[..., Any], *arguments: Any
) -> list[Any]:
    """Return the results of a function in each worker of a cluster, or in one worker otherwise.

    Workers that are lost before they answer are left out, if at least one answers.

    Raises
    ------
    UrcxError
        If there is no worker, or a worker cannot run the function.
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


def _answers(results: Collection[Any]) -> list[Any]:
    """Return the answers of the workers of a cluster, or raise errors other than lost workers.

    An `OSError` is a broken connection. Any other error comes from the function.
    """
    errors = [result for result in results if isinstance(result, Exception)]
    lost = [error for error in errors if isinstance(error, OSError)]
    answers = [result for result in results if not isinstance(result, Exception)]
    for error in errors:
        if error not in lost or not answers:
            raise error
    if not answers:
        raise UrcxError("the cluster has lost its workers")
    return answers


def check_version(here: str, there: str) -> None:
    """Raise `UrcxError` unless a worker has the same version and sources as this process."""
    if here != there:
        raise UrcxError(
            f"urcx differs between this process ({here}) and a worker ({there}). Install the same "
            "version on both"
        )


def error_text(error: BaseException) -> str:
    """Return the type of an error, with its message if there is one."""
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Yield the executor of a cluster, with the address of its dask scheduler.

    Raises
    ------
    UsageError
        If dask is not installed, or the address is not valid.
    UrcxError
        If no cluster answers, it has no workers, or they have another version of urcx.
    """
    if not ADDRESS.fullmatch(address):
        raise UsageError(
            f"--scheduler {printable(address)}: write a dask scheduler's address, such as "
            "tcp://10.0.0.1:8786"
        )
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            f"--scheduler {address}: a cluster needs dask: {install_command('dask')}"
        ) from None
    # Errors are reported once, in one line, by the code that handles them.
    for name in ("tornado.application", *logging.root.manager.loggerDict):
        if name.startswith(("distributed", "tornado")):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)

    class Quiet(Client):  # type: ignore[misc]
        """A client without ``__del__``: dask's method prints if a client was not fully opened."""

        def __del__(self) -> None:
            pass

    try:
        # Dask waits forever for a server that accepts connections and sends nothing. In that case
        # the thread is abandoned.
        opener = Threads(1)
        future = opener.submit(Quiet, address, timeout=REACHED, set_as_default=False)
        opener.shutdown(wait=False)
        client = future.result(2 * REACHED)
    except (OSError, ValueError):  # dask's time-outs are of type OSError
        raise UrcxError(
            f"no cluster answers at {address}. Start one with dask scheduler and dask worker"
        ) from None
    except Exception as error:  # noqa: BLE001 - tls and ucx need more, and raise various types
        raise UrcxError(
            f"the cluster at {address} cannot be reached: {error_text(error)}"
        ) from None
    try:
        _check(client, address)
        yield client.get_executor(pure=False)
    finally:
        with contextlib.suppress(Exception):  # the scheduler may have stopped
            client.close(timeout=2)


def _check(client: Any, address: str) -> None:
    """Raise `UrcxError` if a cluster has no workers, or workers with another urcx."""
    try:
        client.wait_for_workers(1, timeout=WORKERS)
    except TimeoutError:
        raise UrcxError(f"the cluster at {address} has no workers") from None
    # Dask answers without importing urcx, which workers may lack.
    try:
        workers = client.get_versions(packages=["urcx"])["workers"]
    except OSError as error:
        raise UrcxError(f"the cluster at {address} does not answer: {error_text(error)}") from None
    for worker, versions in workers.items():
        version = versions["packages"]["urcx"]
        if version is None:
            raise UrcxError(f"the worker {worker} has no urcx. Install {__version__} there")
        if version != __version__:
            raise UrcxError(
                f"urcx differs between this process ({__version__}) and the worker {worker} "
                f"({version}). Install the same version on both"
            )


def check_shared(executor: Executor, directory: Path) -> None:
    """Raise `UrcxError` unless an executor's workers see a directory and can write to it.

    Workers read a test file there, because another directory may have the same name.
    """
    token = secrets.token_hex(16)
    probe = directory / f".urcx-{token}"
    try:
        probe.write_text(token, encoding="ascii")
        hosts = run_on_all_workers(executor, blindness, str(probe), token)
    except OSError as error:
        raise UrcxError(f"cannot write {directory}: {error.strerror or error}") from None
    finally:
        probe.unlink(missing_ok=True)
    if blind := [host for host in hosts if host]:
        raise UrcxError(
            f"the workers do not share {directory}: {blind[0]} does not see it, or cannot write "
            "there. Name a directory of a file system that all workers have"
        )


def blindness(probe: str, token: str) -> str:
    """Return the name of this machine if it does not see a file's content, else ""."""
    file = Path(probe)
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE)
        try:
            content = read_bytes(file, len(token) + 1)
            if content == token.encode() and os.access(file.parent, os.W_OK):
                return ""
        except (OSError, UnusableFileError):
            continue
    return platform.node() or "a worker"
