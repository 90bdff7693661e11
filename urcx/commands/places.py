"""Where a command's work is done: ``--scheduler``, and what that means for how long it takes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path

import typer

from urcx.commands import options as opt
from urcx.errors import UsageError


@contextmanager
def elsewhere(scheduler: str | None) -> Iterator[Executor | None]:
    """Yield the executor that ``--scheduler`` names, None without it; close it at the end.

    Raises
    ------
    UsageError, UrcxError
        As `urcx.engine.executors.scheduler` does.
    """
    if scheduler is None:
        yield None
        return
    from urcx.engine.executors import scheduler as named

    with named(scheduler) as executor:
        yield executor


def check_judging(context: typer.Context, scheduler: str | None, tablebase: Path | None) -> None:
    """Raise UsageError unless workers can judge moves, and ``--layers`` goes with them."""
    if scheduler is None:
        opt.refuse(context, "needs --scheduler", "layers")
    elif tablebase is None:
        raise UsageError("--scheduler needs --tablebase FILE, by which workers judge moves")
