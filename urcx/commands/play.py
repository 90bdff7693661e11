"""The commands that play: moves, show, perft."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from urcx.commands import options as opt
from urcx.reports.output import Style

PositionText = Annotated[
    str | None,
    typer.Argument(
        metavar="POSITION",
        help="LIGHT/DARK/HOME/TURN, such as 2/3,6/5-5/L. [default: the start]",
        show_default=False,
    ),
]


def moves(
    position: PositionText = None,
    rules: opt.Rules = "finkel",
    roll: Annotated[
        int | None, typer.Option("--roll", help="Only this roll.", show_default=False)
    ] = None,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """List the legal moves of a position, for one roll or for all.

    urcx moves 2/3,6/5-5/L --roll 2
    """
    from urcx.reports import play as table  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    chosen = opt.chosen_rules(rules, path_file)
    style.show(table.moves_report(chosen, opt.chosen_position(position), roll))


def show(
    position: PositionText = None,
    rules: opt.Rules = "finkel",
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    output: opt.Output = None,
) -> None:
    """Draw a position on its board.

    urcx show 2/3,6/5-5/L
    """
    from urcx.reports import play as table  # noqa: PLC0415

    style = Style.chosen(json=json, csv=False, file=output)
    chosen = opt.chosen_rules(rules, path_file)
    style.show(table.position_report(chosen, opt.chosen_position(position)))


def perft(
    position: PositionText = None,
    rules: opt.Rules = "finkel",
    depth: Annotated[int, typer.Option("--depth", "-d", help="Plies to count.")] = 8,
    divide: Annotated[
        bool, typer.Option("--divide", help="Count under each first roll and move.")
    ] = False,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Count the game tree exactly: nodes and distinct positions at each depth.

    A ply is one roll, a 0 included, with each legal move, or the pass, as one branch.

    urcx perft --rules finkel --depth 10
    """
    from urcx.enumerate import perft as counting  # noqa: PLC0415
    from urcx.reports import play as table  # noqa: PLC0415
    from urcx.reports.progress import progress  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    chosen, first = opt.chosen_rules(rules, path_file), opt.chosen_position(position)
    parts: Any = None
    with progress(f"perft of {chosen.name}", depth, "plies") as update:
        levels = counting.perft(chosen, depth, first, progress=update)
    if divide:
        parts = counting.divide(chosen, depth, first)
    style.show(table.perft_report(chosen, first, levels, parts))


def register(app: typer.Typer) -> None:
    """Add the commands to the app, in the order of the help."""
    for name, function in (("moves", moves), ("show", show), ("perft", perft)):
        app.command(name, rich_help_panel="Play")(function)
