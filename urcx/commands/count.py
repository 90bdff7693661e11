"""The commands that count: ssc, paths, enumerate, conflicts."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from urcx.commands import number as numbering
from urcx.commands import options as opt
from urcx.errors import TooLargeError, UsageError
from urcx.reports.output import Report, Style, Table, check_plot, note, number
from urcx.rules import catalogue
from urcx.rules.load import Catalogue


def ssc(
    context: typer.Context,
    words: opt.PathWords = None,
    path: opt.PathNames = None,
    pieces: opt.PiecesRange = "1..7",
    dark_pieces: opt.DarkPieces = None,
    path_file: opt.PathFile = None,
    enumerate_: Annotated[
        bool | None,
        typer.Option(
            "--enumerate/--no-enumerate",
            help="Visit every diagram, or none. By default rows are visited in turn as long as "
            "they are at most 2e10 diagrams together.",
            show_default=False,
        ),
    ] = None,
    symbolic: Annotated[
        bool, typer.Option("--symbolic", help="Print expressions, and the proof that they agree.")
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="With --symbolic: print LaTeX.")] = False,
    plot: opt.Plot = None,
    compare: Annotated[
        str,
        typer.Option(
            "--compare",
            help="What --plot compares: paths, or forms (relative errors).",
            autocompletion=opt.complete_among("paths", "forms"),
        ),
    ] = "paths",
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Count the states: every closed form beside the number of diagrams visited.

    urcx ssc bell -p 1..15

    urcx ssc --path all -p 7 --no-enumerate
    """
    style = Style.chosen(json=json, csv=csv, file=output)
    check_plot(plot, output)
    if compare not in ("paths", "forms"):
        raise UsageError(f"--compare {compare!r}: must be paths or forms")
    numbers = opt.parse_range(pieces, "pieces")
    dark = opt.dark_number(dark_pieces)
    paths = opt.chosen_paths(opt.said_path(words, path), path_file)
    if latex and not symbolic:
        raise UsageError("--latex goes with --symbolic")
    if compare == "forms" and plot is None:
        raise UsageError("--compare goes with --plot")
    if symbolic:
        why = "goes without --symbolic, which holds for all numbers of pieces"
        opt.refuse(context, why, "pieces", "dark_pieces", "enumerate_", "plot")
        from urcx.reports.symbolic import report as symbolic_report  # noqa: PLC0415

        style.show(symbolic_report(paths, latex=latex))
        return
    from urcx.reports import ssc as table  # noqa: PLC0415

    rows = [table.evaluate(p, n, dark) for p in paths for n in numbers]
    if plot is not None and dark is not None:
        raise UsageError("--plot draws equal numbers of pieces; leave out --dark-pieces")
    parameters = {"paths": [p.name for p in paths], "pieces": list(numbers), "dark_pieces": dark}
    interrupted = None
    if enumerate_ is not False:
        interrupted = _enumerate_rows(rows, everything=bool(enumerate_))
    if interrupted and (output or plot):
        raise interrupted  # a file is written whole or not at all
    if plot is not None:
        from urcx.reports import plots  # noqa: PLC0415

        figure = plots.forms_figure if compare == "forms" else plots.paths_figure
        plots.save(figure(rows), plot)
    style.show(table.report(rows, parameters))
    if interrupted:
        raise interrupted


def _enumerate_rows(rows: list[Any], *, everything: bool) -> KeyboardInterrupt | None:
    """Enumerate rows in place, as far as the limit goes; return the interrupt that ended it."""
    from urcx.enumerate.layout import check_pieces, layout  # noqa: PLC0415
    from urcx.reports import ssc as table  # noqa: PLC0415

    visits = 0
    left_out = []
    for k, row in enumerate(rows):
        try:
            layout(row.path)
            check_pieces(row.pieces, row.dark_pieces)
        except TooLargeError as error:
            if everything:
                raise
            note(f"not enumerated: {error}")
            continue
        if not everything and visits + row.diagrams > table.VISIT_LIMIT:
            left_out.append(row)
            continue
        visits += row.diagrams
        try:
            rows[k] = table.enumerated(row)
        except KeyboardInterrupt as interrupt:
            note(f"interrupted at {row.path.name}, {row.pieces} pieces")
            return interrupt
    if left_out:
        from urcx.engine.threads import available_cores  # noqa: PLC0415

        total = sum(row.diagrams for row in left_out)
        seconds = total / table.TYPICAL_RATE / available_cores()
        note(
            f"{len(left_out)} of {len(rows)} rows not enumerated: {total:.2g} more diagrams, "
            f"about {_duration(seconds)}; say --enumerate to visit them"
        )
    return None


def _duration(seconds: float) -> str:
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 1):.0f} s"


def paths(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Path or rule set to draw; all are listed without.",
            show_default=False,
            autocompletion=opt.complete_drawn,
        ),
    ] = None,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """List the paths, rule sets and dice, or draw one path, or a rule set's, on its board.

    urcx paths murray

    urcx paths blitz
    """
    from urcx.reports import board  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    full = catalogue.catalogue()
    mine: tuple[str, ...] = ()
    if path_file is not None:
        full, mine = catalogue.read_catalogue_file(path_file)
    if name is not None:
        style.show(_drawn(name, full))
        return
    found = {item.name: item for item in full.paths.values()}
    rules = {item.name: item for item in full.rules.values()}
    style.show(
        board.catalogue_report(
            list(found.values()), list(rules.values()), list(full.dice.values()), mine
        )
    )


def _drawn(name: str, full: Catalogue) -> Report:
    """Return the drawing of a path with the rule sets played on it, or of a rule set's path."""
    from urcx.reports import board  # noqa: PLC0415

    if name in full.rules and (name not in full.paths or full.paths[name].name != name):
        chosen = full.rules[name]
        return board.path_report(chosen.path, [chosen])
    if name in full.dice and name not in full.paths:
        raise UsageError(f"{name} are dice; urcx dice --dice {name}")
    path = catalogue.lookup("path", full.paths, name)
    named = {item.name: item for item in full.rules.values()}
    return board.path_report(path, [item for item in named.values() if item.path == path])


def enumerate_(
    context: typer.Context,
    word: opt.PathWord = None,
    path: opt.PathName = None,
    pieces: opt.Pieces = "1",
    dark_pieces: opt.DarkPieces = None,
    path_file: opt.PathFile = None,
    visit: Annotated[
        str,
        typer.Option(
            "--visit",
            help="What to do with each diagram: write, count, branches, checksum, ranks.",
            autocompletion=opt.complete_from("urcx.reports.visits", "VISITORS"),
        ),
    ] = "write",
    order: opt.Order = "tiles",
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Visit every diagram: write it in position notation, count, fold a checksum, prove ranks.

    urcx enumerate --path bell -p 1
    """
    from urcx.reports import visits  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    n, dark = opt.parse_single(pieces, "pieces"), opt.dark_number(dark_pieces)
    chosen = opt.chosen_path(opt.said_path(word, path), path_file)
    if visit not in visits.VISITORS:
        raise UsageError(f"--visit {visit!r}: must be one of {', '.join(visits.VISITORS)}")
    if visit != "ranks":
        opt.refuse(context, "goes with --visit ranks", "order")
    if visit == "write" and style.form == "table":
        style.write(visits.lines(chosen, n, dark))
    else:
        style.show(visits.report(visit, chosen, n, dark, order))


def conflicts(
    word: opt.PathWord = None,
    path: opt.PathName = None,
    pieces: opt.PiecesRange = "1..3",
    path_file: opt.PathFile = None,
    plot: opt.Plot = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Count pairs of placements that claim the same tile, and draw which do.

    urcx conflicts -p 2 --plot conflicts.png
    """
    from urcx.enumerate.conflicts import conflicts as find  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    check_plot(plot, output)
    chosen = opt.chosen_path(opt.said_path(word, path), path_file)
    numbers = opt.parse_range(pieces, "pieces")
    found = [find(chosen, n) for n in numbers]
    if plot is not None:
        from urcx.reports import plots  # noqa: PLC0415

        plots.save(plots.conflicts_figure(found), plot)
    records = [
        {
            "path": chosen.name,
            "pieces": item.pieces,
            "placements": str(len(item.light)),
            "pairs": str(item.pairs),
            "conflicts": str(item.conflicts),
            "diagrams": str(item.diagrams),
        }
        for item in found
    ]
    table = Table(
        f"Conflicts on {chosen.name}: pairs of placements in which both players claim a tile",
        ["p", "placements", "pairs", "conflicts", "share", "diagrams"],
        [
            [
                str(item.pieces),
                number(len(item.light)),
                number(item.pairs),
                number(item.conflicts),
                f"{item.conflicts / item.pairs:.2%}",
                number(item.diagrams),
            ]
            for item in found
        ],
    )
    data = {"path": chosen.name, "convention": "diagrams", "rows": records}
    style.show(Report("urcx.conflicts/1", data, records, [table]))


def register(app: typer.Typer) -> None:
    """Add the commands to the app, in the order of the help."""
    panel = "Count"
    for name, function in (
        ("ssc", ssc),
        ("paths", paths),
        ("enumerate", enumerate_),
        ("rank", numbering.rank),
        ("unrank", numbering.unrank),
        ("sample", numbering.sample),
        ("conflicts", conflicts),
    ):
        app.command(name, rich_help_panel=panel)(function)
