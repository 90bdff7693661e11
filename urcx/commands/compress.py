"""The command that writes perfect play without values: compress."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.options import argument, option
from urcx.errors import UsageError
from urcx.reports.display.output import Style, check_writable
from urcx.reports.display.progress import stages


@opt.command(wide=True, file=False)
def compress(
    file: Annotated[FilePath, argument("FILE", "A tablebase that urcx solve wrote.")],
    output: Annotated[
        FilePath,
        option("--output -o", "The file of exact play to write, whose name ends in .play."),
    ],
    network: Annotated[
        FilePath | None,
        option(
            "--network",
            "A network that ranks moves, so that fewer need correcting: of one hidden layer and "
            "the inputs path. [default: the one that comes with urcx, if it is of this kind]",
        ),
    ] = None,
    block: Annotated[
        int,
        option(
            "--block",
            "States that are decoded together, from 1: with fewer, decisions are found sooner, in "
            "a larger file.",
        ),
    ] = 256,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    *,
    style: Style,
) -> None:
    """Write all best moves to a small file, by which optimal:FILE plays.

    urcx compress finkel.urcx -o finkel.play

    The file has moves only, no chances of winning. urcx solve --check proves it against the
    tablebase, move by move.
    """
    from urcx.agents import costs
    from urcx.agents.play_files import compressing
    from urcx.agents.play_files.play_file import SUFFIX
    from urcx.solving.files.tablebase import open_tablebase

    check_writable(output)
    if output.suffix.lower() != SUFFIX:
        raise UsageError(f"cannot write {output}: the name must end in {SUFFIX}")
    with open_tablebase(file) as base:
        units = compressing.chosen_predictor(base.rules, network).units
        agree(costs.compressing(base, units, threads), yes=yes)
    with stages() as stage:
        found = compressing.compress(
            file, output, network=network, block=block, threads=threads, stage=stage
        )
    style.show(found.report())
