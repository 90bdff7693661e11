"""The commands about the shortest and the longest games: shortest, longest."""

from __future__ import annotations

from typing import Annotated

from urcx.commands import options as opt
from urcx.commands.consent import confirm_long_run
from urcx.commands.options import option
from urcx.reports.display.output import Style
from urcx.reports.display.progress import progress_bars


@opt.command(wide=True)
def shortest(*, rules: opt.Game, yes: opt.Yes = False, style: Style) -> None:
    """Find the shortest game, and count the games of this length.

    urcx shortest --rules finkel

    urcx shortest --rules murray -p 3
    """
    from urcx.contrib.extremes import shortest_game
    from urcx.engine.costs import Cost, estimate

    position = Cost(4e-6, memory=shortest_game.BYTES_A_POSITION)
    # By experience: seconds are the rate times this power of the pieces per side.
    rate, power = (1.8e-4, 3.4) if rules.path.crossed_once else (1.6e-9, 7.7)
    most = shortest_game.MOST_POSITIONS  # the search stops at this number
    work = estimate(
        f"searching the shortest games of {rules.name}",
        (min(rate * rules.pieces**power / position.seconds, most), position),
        advice="choose fewer pieces with -p",
    )
    confirm_long_run(work, yes=yes)
    with progress_bars() as stage:
        result = shortest_game.shortest(rules, stage=stage)
    style.show(result)


@opt.command(wide=True)
def longest(
    *,
    rules: opt.Game,
    unit: Annotated[
        str,
        option(
            "--unit",
            "The unit of length: plies, or moves, which are plies without passes.",
            "urcx.contrib.extremes.prolonging:UNITS",
        ),
    ] = "plies",
    tolerance: Annotated[
        float,
        option(
            "--tolerance",
            "Half the distance of the bounds, relative to the mean, from 1e-9 to 0.5.",
        ),
    ] = 1e-6,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Compute how long players can make a game, with proven bounds.

    urcx longest -p 2

    urcx longest -p 2 --unit moves
    """
    from urcx.contrib.extremes import longest_game
    from urcx.engine.costs import Cost, estimate, fewer
    from urcx.solving.layered.order import LayerOrder

    order = LayerOrder(rules)
    states = order.states(order.layers)
    # The time per state doubles with each piece, because values settle in more sweeps.
    state = Cost(2e-6 * 2.0 ** (rules.pieces - 3))
    work = estimate(
        f"prolonging games through {states:,} states of {rules.name}",
        (states, state),
        threads=threads,
        memory=longest_game.longest_memory(order),
        advice=fewer(rules.pieces),
    )
    confirm_long_run(work, yes=yes)
    with progress_bars() as stage:
        result = longest_game.longest(
            rules, unit=unit, tolerance=tolerance, threads=threads, stage=stage
        )
    style.show_result(result, plot)
