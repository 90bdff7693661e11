"""The commands on the ends of the distribution: lengths, luck, shortest, longest."""

from __future__ import annotations

from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.commands import parsing
from urcx.commands.consent import agree
from urcx.commands.options import option
from urcx.commands.places import check_judging, elsewhere, spread_layers
from urcx.reports.display.output import Style, note
from urcx.reports.display.progress import stages


@opt.shows()
def shortest(
    *,
    game: opt.Game,
    unit: Annotated[
        str,
        option(
            "--unit",
            "What is counted: plies (which are rolls) or turns.",
            "urcx.extremes.shortest:UNITS",
        ),
    ] = "plies",
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Find the shortest game if both players and the dice help, and count such games.

    urcx shortest --rules finkel

    urcx shortest --rules murray -p 3
    """
    from urcx.commands import estimates as about
    from urcx.extremes.shortest import shortest as found

    agree(about.shortening(game), yes=yes)
    with stages() as stage:
        result = found(game, unit=unit, stage=stage)
    style.show(result.report())


@opt.shows()
def longest(
    *,
    game: opt.Game,
    against: Annotated[
        str | None,
        option(
            "--against",
            "One player stalls against this agent, such as optimal:FILE. [default: both prolong]",
            opt.KINDS,
        ),
    ] = None,
    unit: Annotated[
        str,
        option(
            "--unit",
            "What is counted: plies, or moves, which leave out passes.",
            "urcx.extremes.prolonging:UNITS",
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
    """Compute the greatest expected length of a game if players prolong it, with proven bounds.

    urcx longest -p 2

    urcx longest -p 2 --against optimal
    """
    from urcx.agents.agent_texts import agent
    from urcx.agents.policies import Policies
    from urcx.commands import game_estimates as about
    from urcx.expectations.pair_choices import ALL_STATES
    from urcx.extremes.longest import longest as found

    player = None if against is None else agent(against)
    with stages() as stage:
        ready = Policies(game, ALL_STATES, threads=threads, stage=stage)
        agree(*about.prolonging(ready, player, threads), yes=yes)
        result = found(
            game,
            against=player,
            unit=unit,
            tolerance=tolerance,
            threads=threads,
            policies=ready,
            stage=stage,
        )
    note(*ready.notes)
    style.show(result.report())


@opt.shows()
def lengths(
    *,
    game: opt.Game,
    players: Annotated[opt.Players, opt.sides("greedy")],
    first: opt.First = "alternate",
    tail: Annotated[
        float,
        option("--tail", "Probability of longer games not told apart, from 1e-12 to 0.5."),
    ] = 1e-9,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Compute how likely games of two agents have each number of plies, exactly.

    urcx lengths --agent random -p 2

    urcx lengths --light greedy --dark random -p 1 --plot lengths.svg
    """
    from urcx.agents.policies import Policies
    from urcx.commands import game_estimates as about
    from urcx.expectations.pair_choices import ALL_STATES
    from urcx.extremes.lengths import checked_tail
    from urcx.extremes.lengths import lengths as found

    one, other = players
    tail = checked_tail(tail)
    with stages() as stage:
        ready = Policies(game, ALL_STATES, threads=threads, stage=stage)
        agree(*about.lasting(ready, one, other, threads), yes=yes)
        result = found(
            one,
            other,
            game,
            first=first,
            tail=tail,
            threads=threads,
            policies=ready,
            stage=stage,
        )
    note(*ready.notes)
    style.show(result.report())
    if plot is not None:
        from urcx.reports.figures.game_plots import exact_lengths_figure
        from urcx.reports.figures.plots import save

        save(exact_lengths_figure(result), plot)


@opt.shows()
def luck(
    *,
    context: typer.Context,
    game: opt.SolvedGame,
    players: Annotated[opt.Players, opt.sides("optimal")],
    tablebase: opt.Solution = None,
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    layers: opt.Between = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Split how the chance of winning moves along a game into dice and decisions, exactly.

    urcx luck -p 2

    urcx luck -p 2 --light greedy --dark optimal
    """
    from urcx.agents.policies import Policies
    from urcx.commands import game_estimates as about
    from urcx.expectations.pair_choices import ALL_STATES
    from urcx.expectations.regret import with_table
    from urcx.extremes.luck import luck as found

    one, other = players
    check_judging(context, scheduler, tablebase)
    with stages() as stage, elsewhere(scheduler) as executor:
        parsing.check_solution(tablebase, game)
        ready = Policies(game, ALL_STATES, threads=threads, stage=stage)
        known = [with_table(player, tablebase) for player in (one, other)]
        solved = tablebase is not None
        work = about.judging(ready, known[:1], known[1], threads, solved=solved)
        agree(*spread_layers(executor, work, game), yes=yes)
        result = found(
            one,
            other,
            game,
            tablebase=tablebase,
            threads=threads,
            executor=executor,
            layers=layers,
            stage=stage,
        )
    note(*result.notes)
    style.show(result.report())
