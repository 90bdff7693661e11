"""The command about Michon's procedure: nalimov."""

from __future__ import annotations

import typer

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.play import Threads
from urcx.reports.display.output import Style
from urcx.reports.display.progress import stages


def nalimov(
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    threads: Threads = None,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Run Michon's procedure for a full table of the game, and show where it stalls.

    urcx nalimov --rules finkel -p 3
    """
    style = Style.chosen(json=json, csv=csv, file=output)
    chosen = opt.chosen_rules(rules, path_file, pieces)
    from urcx.commands import estimates as about  # noqa: PLC0415
    from urcx.reports.solving import nalimov as table  # noqa: PLC0415
    from urcx.solving.michon import nalimov as procedure  # noqa: PLC0415

    agree(about.deciding(chosen, threads), yes=yes)
    with stages() as stage:
        found = procedure.nalimov(chosen, threads=threads, stage=stage)
    style.show(table.report(found))


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("nalimov", rich_help_panel="Solve")(nalimov)
