"""The command that trains networks: train."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.options import argument, option
from urcx.errors import UsageError
from urcx.reports.display.output import Style, check_writable, note
from urcx.reports.display.progress import stages


@opt.command(wide=True, file=False)
def train(
    *,
    learning: Annotated[
        str, argument("METHOD", "Method of training.", "urcx.learn.methods:METHODS")
    ] = "td",
    game: opt.Game,
    output: Annotated[
        FilePath | None,
        option("--output -o", "The network's file, whose name ends in .npz."),
    ] = None,
    quick: Annotated[
        bool, option("--quick", "A small network, trained for a minute or two.")
    ] = False,
    units: Annotated[
        int | None,
        option("--units", "Units of the first hidden layer, from 1. [default: the method's]"),
    ] = None,
    iterations: Annotated[
        int | None,
        option("--iterations", "Steps of the training, from 1. [default: the method's]"),
    ] = None,
    settings: Annotated[
        list[str] | None,
        option(
            "--set",
            "Other settings of the method, NAME=VALUE; comma separated, or repeated. --list shows "
            "them.",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        option(
            "--minutes", "Stop after so many minutes, above 0 to 1,000,000; run again to go on."
        ),
    ] = None,
    start: Annotated[
        FilePath | None,
        option(
            "--start", "A network's file, to begin with its weights; of the same units or fewer."
        ),
    ] = None,
    seed: opt.Seed = 1,
    tablebase: Annotated[
        FilePath | None,
        option(
            "--tablebase",
            "The rule set's tablebase, to measure strength by as the training goes on.",
        ),
    ] = None,
    checkpoint: Annotated[
        FilePath | None,
        option(
            "--checkpoint",
            "Where an interrupted training goes on from. [default: FILE.checkpoint]",
        ),
    ] = None,
    list_: Annotated[
        bool, option("--list", "List the methods and their settings instead.")
    ] = False,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Train a network that plays as the agent net:FILE.

    An interrupted training resumes when the same command is run again, and ends with the same
    network. Networks do not depend on the number of threads.

    urcx train td --rules finkel -p 2 --quick --iterations 20 -o small.npz

    urcx train --rules finkel --tablebase finkel.urcx -o finkel.npz

    urcx train --list
    """
    from urcx.learn.methods import method as chosen_method
    from urcx.learn.methods import methods_report
    from urcx.learn.settings import parsed
    from urcx.learn.training import chosen_settings, cost, network_file
    from urcx.learn.training import train as trained

    if list_:
        style.show(methods_report())
        return
    way = chosen_method(learning)
    if output is None:
        raise UsageError(
            "--output FILE.npz is needed: the file of the network; for example: urcx train -p 2 "
            "--quick -o small.npz"
        )
    check_writable(network_file(output))
    check_writable(checkpoint)
    asked = parsed(settings) if settings else {}
    for name, value in (("units", units), ("iterations", iterations)):
        if value is not None:
            if name in asked:
                raise UsageError(f"--{name} and --set {name} exclude each other")
            asked[name] = str(value)
    plan = chosen_settings(way, asked, quick=quick)
    if minutes is not None and not minutes > 0:
        raise UsageError(f"--minutes {minutes}: more than 0 are needed")
    agree(cost(game, way, plan, minutes, threads), yes=yes)
    with stages() as stage:
        found = trained(
            learning,
            game,
            output=output,
            seed=seed,
            settings=asked,
            quick=quick,
            minutes=minutes,
            start=start,
            tablebase=tablebase,
            checkpoint=checkpoint,
            threads=threads,
            stage=stage,
        )
    style.show(found.report())
    if found.resumed:
        note(f"{found.resumed:,} {found.unit} were done in an earlier run")
    if found.done < found.total:
        note(
            f"stopped after {found.done:,} of {found.total:,} {found.unit}; the same command goes "
            "on from there"
        )
