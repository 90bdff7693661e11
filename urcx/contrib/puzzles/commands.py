"""The command that finds puzzles: puzzles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from urcx.commands import options as opt
from urcx.commands.options import option
from urcx.reports.display.output import Style, note
from urcx.reports.display.progress import progress_bars


@opt.command(wide=True)
def puzzles(
    *,
    rules: opt.SolvedGame,
    tablebase: opt.Solution = None,
    missed_by: Annotated[
        str,
        option(
            "--missed-by",
            "The agent that misses the best move, in games against itself.",
            "urcx.agents.kinds:KINDS",
            rich_help_panel="Players",
        ),
    ] = "greedy",
    most: Annotated[
        int,
        option("--most", "Number of puzzles, from 1 to 60, or fewer if the games have fewer."),
    ] = 6,
    margin: Annotated[
        float,
        option(
            "--margin",
            "Least difference in win probability between the best move and the next, between 0 "
            "and 1.",
        ),
    ] = 0.02,
    seed: opt.Seed = 1,
    threads: opt.Threads = None,
    sheet: Annotated[
        Path | None,
        option(
            "--sheet", "Draw the boards on pages to print: a .html file.", rich_help_panel="Output"
        ),
    ] = None,
    style: Style,
) -> None:
    """Find positions with one clearly best move that an agent misses.

    The same seed gives the same puzzles.

    urcx puzzles -p 3 --seed 2

    urcx puzzles -p 3 --missed-by expectimax:2 --most 3
    """
    from urcx.commands import parsing
    from urcx.contrib.puzzles import search
    from urcx.contrib.puzzles.sheets import check_sheet, save_sheet

    check_sheet(sheet)
    parsing.check_solution(tablebase, rules)
    with progress_bars() as stage:
        result = search.puzzles(
            rules,
            missed_by=missed_by,
            most=most,
            margin=margin,
            seed=seed,
            tablebase=tablebase,
            threads=threads,
            stage=stage,
        )
    style.show(result)
    if sheet is not None:
        save_sheet(result, sheet)
        note(f"drew {sheet}")
