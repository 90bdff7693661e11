"""Where a command's work is done: ``--scheduler``, and what that means for how long it takes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import typer

from urcx.commands import options as opt
from urcx.engine.threads import available_cores, chosen_threads
from urcx.engine.work import WorkEstimate
from urcx.errors import UsageError
from urcx.rules.model import RuleSet


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


def spread(
    executor: Executor | None, *estimates: WorkEstimate, threads: int | None = None
) -> tuple[WorkEstimate, ...]:
    """Return estimates of work on so many threads as those of the same work on an executor."""
    if executor is None:
        return estimates
    from urcx.engine.executors import slots

    faster = slots(executor) / min(chosen_threads(threads), available_cores())
    return tuple(replace(item, seconds=item.seconds / faster) for item in estimates)


def side_by_side(executor: Executor | None, work: WorkEstimate, most: int) -> WorkEstimate:
    """Return the estimate of work that up to ``most`` processes of this machine do at a time.

    Each takes the memory of the whole; the time stays, as pairs of layers gain little by it.
    """
    if executor is None:
        return work
    from urcx.engine.executors import may_be_another_machine, slots

    if may_be_another_machine(
        executor
    ):  # nothing is known of the memory there; workers look themselves
        return replace(work, memory=0.0)
    return replace(work, memory=work.memory * min(slots(executor), most))


def spread_layers(
    executor: Executor | None, work: list[WorkEstimate], rules: RuleSet
) -> list[WorkEstimate]:
    """Return the estimates of exact expectations on an executor.

    Up to half as many pairs of layers as there are pieces are followed at a time, rounded up.
    """
    return [side_by_side(executor, item, (rules.pieces + 2) // 2) for item in work]


def spread_games(
    executor: Executor | None, work: list[WorkEstimate], threads: int | None, *, own: bool
) -> tuple[WorkEstimate, ...]:
    """Return the estimates of games, the last of ``work``, on an executor; the rest is done here.

    ``own`` says whether an agent of the user's plays, which takes one thread here.
    """
    *before, games = work
    return (*before, *spread(executor, games, threads=1 if own else threads))
