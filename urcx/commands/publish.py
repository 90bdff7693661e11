"""The commands that publish: verify."""

from __future__ import annotations

from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.errors import UnknownNameError
from urcx.reports.display.output import Style, note
from urcx.reports.display.progress import progress


def _known_verdicts() -> dict[str, str]:
    """Return the verdicts by the names that the command line has for them."""
    from urcx.published.figures import VERDICTS  # noqa: PLC0415

    return {name.replace(" ", "-"): name for name in VERDICTS}


def _complete_verdicts(incomplete: str) -> list[str]:
    before, comma, begun = incomplete.rpartition(",")
    return [before + comma + name for name in _known_verdicts() if name.startswith(begun)]


def _verdicts(asked: list[str] | None) -> tuple[str, ...]:
    """Return the verdicts asked for, in their order; all if none were."""
    known = _known_verdicts()
    names = [part.strip().replace(" ", "-") for text in asked or () for part in text.split(",")]
    for name in names:
        if name not in known:
            raise UnknownNameError("verdict", name, known)
    return tuple(full for name, full in known.items() if not asked or name in names)


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
    verdict: Annotated[
        list[str] | None,
        typer.Option(
            "--verdict",
            help="Only figures of this verdict: reproduced, reproduced-otherwise, contradicted, "
            "no-claim. Several: again, or comma separated.",
            show_default=False,
            autocompletion=_complete_verdicts,
        ),
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Only how many figures have which verdict.")
    ] = False,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Check the published figures: which hold, which only otherwise, which not, and why.

    urcx verify --source raposo-lamont

    urcx verify --verdict contradicted

    Ends with 1 if a verdict differs from the recorded one.
    """
    from urcx.published.figures import sources  # noqa: PLC0415
    from urcx.published.verify import verify as judge  # noqa: PLC0415
    from urcx.reports.verify import report  # noqa: PLC0415

    only = _verdicts(verdict)
    style = Style.chosen(json=json, csv=csv, file=output)
    total = sum(len(figures) for item, figures in sources() if source in (None, item.name))
    with progress("figures", total, "figures") as update:
        found = judge(source, update)
    style.show(report(found, only=only, summary=summary))
    changed = sum(verdict.changed for _, verdicts in found for verdict in verdicts)
    if changed:
        note(f"{changed} verdicts differ from the recorded ones")
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the commands to the app, in the order of the help."""
    app.command("verify", rich_help_panel="Publish")(verify)
