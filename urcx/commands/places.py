"""Where a command's work is done: ``--scheduler``, and what that means for how long it takes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path

import typer

from urcx.commands import options as opt
from urcx.errors import UsageError
from urcx.rules.model import RuleSet


@contextmanager
def elsewhere(scheduler: str | None) -> Iterator[Executor | None]:
    """Yield the executor that ``--scheduler`` names, None without it; close it at the end.

    Raises
    ------
    UsageError, UrcxError
        As `urcx.engine.clusters.cluster` does.
    """
    if scheduler is None:
        yield None
        return
    from urcx.engine.clusters import cluster

    with cluster(scheduler) as executor:
        yield executor


def check_judging(
    context: typer.Context, scheduler: str | None, tablebase: Path | None, rules: RuleSet
) -> None:
    """Raise UsageError unless workers can judge moves, and ``--layers`` goes with them."""
    if scheduler is None:
        opt.refuse(context, "needs --scheduler", "layers")
        return
    from urcx.solving.files.kept import kept

    if tablebase is None and kept(rules) is None:
        raise UsageError(
            "--scheduler needs --tablebase FILE, or a game that urcx solve has kept, by which "
            "workers judge moves"
        )
