"""The command that writes the report: report."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.play import Threads
from urcx.engine.compiling import clock
from urcx.errors import UsageError
from urcx.reports.display.output import note
from urcx.reports.display.progress import stages


def report(
    output: Annotated[
        FilePath,
        typer.Option("--output", "-o", help="Directory to write; an earlier report is replaced."),
    ] = FilePath("report"),
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Half a minute instead of several: fewer games and pieces."),
    ] = False,
    tablebase: Annotated[
        list[FilePath] | None,
        typer.Option(
            "--tablebase",
            metavar="FILE",
            help="A solved game, whose value is put beside those solved on the spot; repeatable.",
            show_default=False,
        ),
    ] = None,
    seed: opt.Seed = 1,
    threads: Threads = None,
    yes: opt.Yes = False,
) -> None:
    """Write everything as one page: every table and figure of the sources, and what holds of them.

    The directory gets index.html, which needs nothing else, each figure as SVG and PNG, each table
    as CSV and JSON, and report.json with the parameters.

    urcx report -o report/

    urcx report --quick --tablebase finkel.urcx
    """
    from urcx.commands import estimates as about  # noqa: PLC0415
    from urcx.engine.threads import chosen_threads  # noqa: PLC0415
    from urcx.reports.book import build, plan  # noqa: PLC0415
    from urcx.reports.book.files import PAGE, check_directory  # noqa: PLC0415
    from urcx.reports.book.tables import check_tablebases  # noqa: PLC0415

    if seed < 0:
        raise UsageError(f"--seed {seed}: seeds are from 0")
    check_directory(output)
    make = plan.quick if quick else plan.full
    chosen = make(seed, tuple(tablebase or ()), chosen_threads(threads))
    check_tablebases(chosen.tablebases)
    agree(about.reporting(quick=quick, threads=threads), yes=yes)
    began = clock()
    with stages() as stage:
        book = build.build(chosen, stage)
        build.write(book, output, stage)
    note(f"wrote {output / PAGE}: {clock() - began:.0f} s")


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("report", rich_help_panel="Publish")(report)
