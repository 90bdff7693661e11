"""The command that solves in exact fractions: exact."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from urcx.commands import options as opt
from urcx.commands.consent import confirm_long_run
from urcx.commands.options import option
from urcx.reports.display.output import Style
from urcx.reports.display.progress import progress_bars
from urcx.rules.position import as_position


@opt.command(wide=True)
def exact(
    *,
    position: opt.PositionText = None,
    rules: opt.Game,
    endings: Annotated[
        str | None,
        option(
            "--endings",
            "Solve only positions with at most this number of pieces left per side, from 1. "
            "[default: all]",
            rich_help_panel="Game",
        ),
    ] = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Solve a small rule set, or endings, in exact fractions.

    The values are proven. The last table counts all ties between moves.

    urcx exact --endings 1 13/14/6-6/L
    """
    from urcx.commands import parsing
    from urcx.complexity import tiles
    from urcx.contrib.exact.exact_solution import as_ending
    from urcx.contrib.exact.rational import SECONDS, check_left, solve_exactly
    from urcx.engine.costs import Cost, estimate

    left = None if endings is None else parsing.parse_single(endings, "endings")
    start = None
    if position is not None:
        start = as_position(parsing.position_text(position), rules)
        as_ending(start, rules, rules.pieces if left is None else left)
    checked = check_left(rules, left)
    states = tiles.unfinished(checked.path, checked.pieces)
    work = estimate(
        f"solving {states:,} states of {rules.name} in fractions",
        (states**2, Cost(SECONDS)),
        advice="choose fewer pieces with -p or --endings",
    )
    confirm_long_run(work, yes=yes)
    with progress_bars() as stage:
        solution = solve_exactly(rules, left, stage=stage)
    style.show(replace(solution, position=start))
