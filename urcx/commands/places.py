"""Where a command's work is done: ``--scheduler``, and what that means for how long it takes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager


@contextmanager
def elsewhere(scheduler: str | None) -> Iterator[Executor | None]:
    """Yield the executor that ``--scheduler`` names, None without it; close it at the end.

    Raises
    ------
    UsageError, UrcxError
        As `urcx.engine.dask.cluster` does.
    """
    if scheduler is None:
        yield None
        return
    from urcx.engine.dask import cluster

    with cluster(scheduler) as executor:
        yield executor
