"""The command that solves in exact fractions: exact."""

from __future__ import annotations

from typing import Annotated

from urcx.commands import options as opt
from urcx.commands import parsing
from urcx.commands.consent import agree
from urcx.commands.options import option
from urcx.reports.display.output import Style
from urcx.reports.display.progress import stages
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
            "Only positions with at most this many pieces left on each side, from 1. "
            "[default: all]",
        ),
    ] = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Solve a small rule set, or endings, in exact fractions.

    The values are proven, and all ties between moves are listed.

    urcx exact --endings 1 13/14/6-6/L
    """
    from urcx.contrib.exact.exact_solution import as_ending
    from urcx.contrib.exact.rational import check_left, cost, solve_exactly

    left = None if endings is None else parsing.parse_single(endings, "endings")
    where = None
    if position is not None:
        where = as_position(parsing.position_text(position), rules)
        as_ending(where, rules, rules.pieces if left is None else left)
    agree(cost(check_left(rules, left)), yes=yes)
    with stages() as stage:
        solution = solve_exactly(rules, left, stage=stage)
        report = solution.report(where)
    style.show(report)
