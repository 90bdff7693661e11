"""Clusters: the executor of a dask scheduler at an address; needs the extra ``dask``."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any

from urcx import __version__
from urcx.engine.executors import Threads, error_text
from urcx.errors import UrcxError, UsageError, printable
from urcx.reading import install_command

ADDRESS = re.compile(r"((tcp|tls|ucx|wss?)://)?(\[[0-9A-Fa-f:.%]+\]|[\w.-]+):[0-9]{1,5}")
REACHED = 10.0  # seconds for a scheduler to answer
WORKERS = 30.0  # and for its first worker to come


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Yield the executor of the cluster whose dask scheduler is at an address.

    Raises
    ------
    UsageError
        If dask is not installed, or the text is no address.
    UrcxError
        If there is no cluster at the address, it has no workers, or they have another urcx.
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
    # What goes wrong is said once, in one line, where it is noticed.
    for name in ("tornado.application", *logging.root.manager.loggerDict):
        if name.startswith(("distributed", "tornado")):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)

    class Quiet(Client):  # type: ignore[misc]
        """A client that is closed below; dask's cannot be dropped in silence before it is whole."""

        def __del__(self) -> None:
            pass

    try:
        # Dask waits for ever for what accepts connections and says nothing; a thread that does so
        # is left behind.
        reaching = Threads(1)
        found = reaching.submit(Quiet, address, timeout=REACHED, set_as_default=False)
        reaching.shutdown(wait=False)
        client = found.result(2 * REACHED)
    except (OSError, ValueError):  # dask's time-outs are errors of the system
        raise UrcxError(
            f"no cluster answers at {address}; start one with dask scheduler and dask worker"
        ) from None
    except Exception as error:  # noqa: BLE001 - tls and ucx need more, and say so as they like
        raise UrcxError(
            f"the cluster at {address} cannot be reached: {error_text(error)}"
        ) from None
    try:
        _check(client, address)
        yield client.get_executor(pure=False)
    finally:
        with contextlib.suppress(Exception):  # a scheduler that has gone cannot be told
            client.close(timeout=2)


def _check(client: Any, address: str) -> None:
    """Raise `UrcxError` if a cluster has no workers, or workers with another urcx."""
    try:
        client.wait_for_workers(1, timeout=WORKERS)
    except TimeoutError:
        raise UrcxError(f"the cluster at {address} has no workers") from None
    # Dask asks for this without running anything of urcx, which may not be there.
    try:
        workers = client.get_versions(packages=["urcx"])["workers"]
    except OSError as error:
        raise UrcxError(f"the cluster at {address} does not answer: {error_text(error)}") from None
    for worker, known in workers.items():
        version = known["packages"]["urcx"]
        if version is None:
            raise UrcxError(f"the worker {worker} has no urcx; install {__version__} there")
        if version != __version__:
            raise UrcxError(
                f"urcx differs between this process ({__version__}) and the worker {worker} "
                f"({version}); install the same version on both"
            )
