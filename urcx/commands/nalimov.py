"""The command about Michon's procedure: nalimov."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.commands.play import Threads
from urcx.reports.output import Style
from urcx.reports.progress import stages


def nalimov(
    rules: opt.Rules = "finkel",
    pieces: Annotated[
        str | None,
        typer.Option("--pieces", "-p", help="Pieces a side. [default: the rule set's]"),
    ] = None,
    threads: Threads = None,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Run Michon's procedure for a full table of the game, and show where it stalls.

    urcx nalimov --rules finkel -p 3
    """
    style = Style.chosen(json=json, csv=csv, file=output)
    chosen = opt.chosen_rules(rules, path_file)
    if pieces is not None:
        chosen = replace(chosen, pieces=opt.parse_single(pieces, "pieces"))
    from urcx.reports import nalimov as table  # noqa: PLC0415
    from urcx.solve import nalimov as procedure  # noqa: PLC0415

    with stages() as stage:
        found = procedure.nalimov(chosen, threads=threads, stage=stage)
    style.show(table.report(found))


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("nalimov", rich_help_panel="Solve")(nalimov)
