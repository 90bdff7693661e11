"""The commands that publish: verify."""

from __future__ import annotations

from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.reports.output import Style, note
from urcx.reports.progress import progress


def verify(
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            help="Only this source: post, michon, raposo-lamont, kwan-hartemink, "
            "lamont-olieslagers.",
            show_default=False,
            autocompletion=opt.complete_from("urcx.published.figures", "FILES"),
        ),
    ] = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Check the published figures: which hold, which only otherwise, which not, and why.

    urcx verify --source raposo-lamont

    Ends with 1 if a verdict differs from the recorded one.
    """
    from urcx.published.figures import sources  # noqa: PLC0415
    from urcx.published.verify import verify as judge  # noqa: PLC0415
    from urcx.reports.verify import report  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    total = sum(len(figures) for item, figures in sources() if source in (None, item.name))
    with progress("figures", total, "figures") as update:
        found = judge(source, update)
    style.show(report(found))
    changed = sum(verdict.changed for _, verdicts in found for verdict in verdicts)
    if changed:
        note(f"{changed} verdicts differ from the recorded ones")
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the commands to the app, in the order of the help."""
    app.command("verify", rich_help_panel="Publish")(verify)
