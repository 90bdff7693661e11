"""The command that writes solutions for other programs: export."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.errors import UsageError, printable
from urcx.reports.display.output import Report, Style, Table, check_writable, counted, number
from urcx.reports.display.progress import progress

BYTES = {"percent16": 2, "f32": 4, "f64": 8}  # of a value


def export(
    file: Annotated[
        FilePath, typer.Argument(metavar="FILE", help="A tablebase that urcx solve wrote.")
    ],
    output: Annotated[FilePath, typer.Argument(metavar="OUTPUT", help="The .rgu file to write.")],
    values: Annotated[
        str,
        typer.Option(
            "--values",
            help="How values are written: percent16, f32 or f64.",
            autocompletion=opt.complete_from("urcx.solving.files.rgu", "VALUES"),
        ),
    ] = "percent16",
    yes: opt.Yes = False,
    json: opt.Json = False,
    csv: opt.Csv = False,
) -> None:
    """Write a tablebase in the .rgu format of RoyalUr-Java, for its players.

    urcx export finkel.urcx finkel.rgu --values percent16

    The format has the paths bell, masters and aseb with up to 7 pieces a side, and neither
    checksums nor bounds, which OUTPUT.proof has, written beside it.
    """
    from urcx.commands import estimates as about  # noqa: PLC0415
    from urcx.solving.files.proof import proof_file  # noqa: PLC0415
    from urcx.solving.files.rgu_export import bound_of, export_rgu  # noqa: PLC0415
    from urcx.solving.files.rgu_keys import check_values  # noqa: PLC0415
    from urcx.solving.files.tablebase import at_most, open_tablebase  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=None)
    check_values(values)
    check_writable(output)
    if output.exists() and file.exists() and output.samefile(file):
        raise UsageError(f"{output} is the tablebase itself; write to another file")
    if output.suffix.lower() != ".rgu":
        raise UsageError(f"cannot write {output}: the name must end in .rgu")
    with open_tablebase(file) as base:
        states = sum(base.order.size(layer) for layer in base.order.layers)
        agree(about.exporting(file.name, states, BYTES[values]), yes=yes)
        with progress(f"writing {output.name}", states, "states") as update:
            size = export_rgu(base, output, values, update)
        rules, bound = base.rules, bound_of(base, values)
    data = {
        "file": str(output),
        "rules": rules.name,
        "pieces": rules.pieces,
        "values": values,
        "file_size": str(size),
        "proof": str(proof_file(output)),
        "bound": bound,
    }
    lines = [
        ["rules", f"{rules.name}, {counted(rules.pieces, 'piece')} a side"],
        ["values", values],
        ["bytes", number(size)],
        ["off by at most", at_most(bound)],
        ["proof", printable(proof_file(output).name)],
    ]
    table = Table(printable(str(output)), ["<", "<written"], lines)
    style.show(Report("urcx.export/1", data, [data], [table]))


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("export", rich_help_panel="Solve")(export)
