"""The commands about what a move is worth by hand: gain, capture."""

from __future__ import annotations

from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.commands.play import PositionText
from urcx.reports.display.output import Style

Roll = Annotated[
    int | None, typer.Option("--roll", help="The roll, where it is known.", show_default=False)
]


def gain(
    position: PositionText = None,
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    sequences: Annotated[
        str | None,
        typer.Option(
            "--sequences",
            help="Sequences of pieces, such as AB,BA. [default: all of two that can happen]",
            show_default=False,
        ),
    ] = None,
    roll: Roll = None,
    reading: Annotated[
        str,
        typer.Option(
            "--reading",
            help="Whose terms to list: tables, text or mended.",
            autocompletion=opt.complete_from("urcx.strategy.gain", "READINGS"),
        ),
    ] = "tables",
    path_file: opt.PathFile = None,
    wide: opt.Wide = False,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Print the gain W + A + C of sequences of pieces, as Raposo and Lamont define it.

    Pieces are labelled from A on, the least advanced first, each in the start pool with a label of
    its own. In a sequence, each piece but the first moves only if the move before grants a roll.

    urcx gain 2/3,6/5-5/L --sequences BA,BB --roll 2
    """
    from urcx.errors import UnknownNameError  # noqa: PLC0415
    from urcx.reports.strategy.gain import gain_report  # noqa: PLC0415
    from urcx.strategy import pieces as labelled  # noqa: PLC0415
    from urcx.strategy.gain import READINGS, gains  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output, wide=wide)
    if reading not in READINGS:
        raise UnknownNameError("reading", reading, dict.fromkeys(READINGS))
    chosen = opt.chosen_rules(rules, path_file, pieces)
    first = opt.chosen_position(position)
    possible = None
    if sequences is not None:
        possible = labelled.parse_sequences(sequences, labelled.pieces(first, chosen))
    style.show(gain_report(gains(first, chosen, possible, roll=roll), reading))


def capture(
    position: PositionText = None,
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    roll: Roll = None,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Print the exact chances that pieces are captured, in one turn or ever.

    In the turn of the player to move; with --roll, in the opponent's turn after each move of it.
    Where each side has one piece left, also the chance that it ever captures the other.

    urcx capture 1/6/6-6/D
    """
    from urcx.reports.strategy.capture import capture_report  # noqa: PLC0415
    from urcx.strategy.capture import captures  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    chosen = opt.chosen_rules(rules, path_file, pieces)
    first = opt.chosen_position(position)
    style.show(capture_report(captures(first, chosen, roll=roll)))


def register(app: typer.Typer) -> None:
    """Add the commands to the app, in the order of the help."""
    for name, function in (("gain", gain), ("capture", capture)):
        app.command(name, rich_help_panel="Strategy")(function)
