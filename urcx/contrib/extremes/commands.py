"""The commands about the shortest and the longest games: shortest, longest."""

from __future__ import annotations

from typing import Annotated

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.options import option
from urcx.reports.display.output import Style
from urcx.reports.display.progress import stages


@opt.command(wide=True)
def shortest(*, rules: opt.Game, yes: opt.Yes = False, style: Style) -> None:
    """Find the shortest game, and count the games that are as short.

    urcx shortest --rules finkel

    urcx shortest --rules murray -p 3
    """
    from urcx.contrib.extremes import shortest_game

    with stages() as stage:
        agree(*shortest_game.cost(rules), yes=yes)
        result = shortest_game.shortest(rules, stage=stage)
    style.show(result.report())


@opt.command(wide=True)
def longest(
    *,
    rules: opt.Game,
    unit: Annotated[
        str,
        option(
            "--unit",
            "What is counted: plies, or moves, which leave out passes.",
            "urcx.contrib.extremes.prolonging:UNITS",
        ),
    ] = "plies",
    tolerance: Annotated[
        float,
        option(
            "--tolerance",
            "Half the distance of the bounds, as a part of the mean, from 1e-9 to 0.5.",
        ),
    ] = 1e-6,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Compute how long players can make a game, with proven bounds.

    urcx longest -p 2

    urcx longest -p 2 --unit moves
    """
    from urcx.contrib.extremes import longest_game

    with stages() as stage:
        agree(*longest_game.cost(rules, threads), yes=yes)
        result = longest_game.longest(
            rules, unit=unit, tolerance=tolerance, threads=threads, stage=stage
        )
    style.show(result.report())
