"""The command about reachable states: reach."""

from __future__ import annotations

from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.play import Threads
from urcx.errors import UsageError
from urcx.reports.display.output import Style
from urcx.reports.display.progress import stages


def reach(
    context: typer.Context,
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            help="Draw so many states at random instead, and search back from each.",
            show_default=False,
        ),
    ] = None,
    seed: opt.Seed = 1,
    threads: Threads = None,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Search every state that the start leads to, by depth, and say which are not reached.

    urcx reach --rules finkel -p 3

    urcx reach --rules murray --samples 100
    """
    style = Style.chosen(json=json, csv=csv, file=output)
    if samples is None:
        opt.refuse(context, "goes with --samples", "seed")
    else:
        opt.refuse(context, "goes without --samples", "threads")
        if seed < 0:
            raise UsageError(f"--seed {seed}: seeds are from 0")
    chosen = opt.chosen_rules(rules, path_file, pieces)
    from urcx.commands import estimates as about  # noqa: PLC0415
    from urcx.enumerate import reach as search  # noqa: PLC0415
    from urcx.reports.counting import reach as table  # noqa: PLC0415

    if samples is None:
        agree(about.searching(chosen, threads), yes=yes)
    else:
        agree(about.searching_back(chosen, samples), yes=yes)
    with stages() as stage:
        if samples is not None:
            report = table.estimate_report(
                search.estimate(chosen, samples, seed, stage=stage), seed
            )
        else:
            report = table.reach_report(search.reach(chosen, threads=threads, stage=stage))
    style.show(report)


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("reach", rich_help_panel="Count")(reach)
