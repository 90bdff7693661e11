"""The commands for all games of two agents: gtc, lengths, regret, mistakes, luck."""

from __future__ import annotations

from typing import Annotated, Any

from urcx.commands import options as opt
from urcx.commands.consent import confirm_long_run
from urcx.commands.options import argument, option
from urcx.reports.display.output import Style
from urcx.reports.display.progress import progress_bars

Opponent = Annotated[
    str,
    option("--opponent", "Opponent: an agent, or self.", "urcx.expectations.regret:OPPONENTS"),
]


@opt.command(wide=True)
def gtc(
    *,
    game: opt.Game,
    agent: Annotated[
        str | None,
        opt.who("panda", "Agent for both sides: NAME[:DEPTH][:LEAF][:TIES] or FILE.py:NAME."),
    ] = None,
    light: opt.Light = None,
    dark: opt.Dark = None,
    games: Annotated[
        int | None,
        option(
            "--games -g",
            "Games to play, from 1 to 100,000,000. [default: 2000, with --exact none]",
        ),
    ] = None,
    exact: Annotated[
        bool,
        option("--exact", "Compute exact means over all games. With --games, play games too."),
    ] = False,
    first: opt.First = "alternate",
    seed: opt.Seed = 1,
    method: opt.Method = "auto",
    no_cache: opt.NoCache = False,
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Play games and print game-tree complexity in every convention.

    The default repeats Raposo and Lamont's experiment: 2,000 games of their agent, which looks 7
    plies ahead. urcx agents lists the agents. Some need a file (optimal:FILE, net:FILE), and you
    can write your own in Python (FILE.py:NAME).

    urcx gtc --games 10000 --agent greedy

    urcx gtc --exact --agent random -p 3
    """
    import urcx
    from urcx.agents.policies import Policies
    from urcx.commands import parsing
    from urcx.commands.estimates import following, lasting, playing
    from urcx.enumerate.rankings.ranking import layer_obstacle
    from urcx.expectations.choices import ALL_STATES
    from urcx.published.gtc import number_of_games

    players = parsing.both_agents(agent, light, dark, "panda")
    number = number_of_games(games, exact=exact)
    ready = Policies(
        game, ALL_STATES if exact else number, method=method, keep=not no_cache, threads=threads
    )
    with progress_bars() as stage, opt.open_executor(scheduler) as executor:
        options: dict[str, Any] = {
            "games": games,
            "exact": exact,
            "first": first,
            "method": method,
            "no_cache": no_cache,
            "threads": threads,
            "executor": executor,
            "drawn": plot is not None,
        }
        work = following(ready, [players], first) if exact else []
        if plot is not None and exact and not layer_obstacle(game):
            work += lasting(game, *players, threads)
        if number:
            work += playing(ready, [players], number, executor)
        confirm_long_run(*work, yes=yes)
        result = urcx.gtc(*players, game, seed=seed, stage=stage, **options)
    style.show_result(result, plot)


@opt.command(wide=True)
def lengths(
    *,
    game: opt.Game,
    agent: Annotated[str | None, opt.who("greedy")] = None,
    light: opt.Light = None,
    dark: opt.Dark = None,
    first: opt.First = "alternate",
    tail: Annotated[
        float,
        option(
            "--tail",
            "Stop the list where the probability of longer games is below this, from 1e-12 to 0.5.",
        ),
    ] = 1e-9,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Compute the exact probability of each length of a game, in plies.

    urcx lengths --agent random -p 2

    urcx lengths --light greedy --dark random -p 1 --plot lengths.svg
    """
    import urcx
    from urcx.commands import parsing
    from urcx.commands.estimates import lasting

    players = parsing.both_agents(agent, light, dark, "greedy")
    with progress_bars() as stage:
        confirm_long_run(*lasting(game, *players, threads), yes=yes)
        result = urcx.lengths(*players, game, first=first, tail=tail, threads=threads, stage=stage)
    style.show_result(result, plot)


@opt.command(wide=True)
def regret(
    *,
    game: opt.SolvedGame,
    tablebase: opt.Solution = None,
    agents: Annotated[
        list[str] | None,
        option(
            "--agent",
            "Agents to judge: NAME[:DEPTH][:LEAF][:TIES], comma separated or repeated. [default: "
            "greedy]",
            opt.KINDS,
            several=True,
        ),
    ] = None,
    opponent: Opponent = "optimal",
    tolerance: Annotated[
        float,
        option(
            "--tolerance",
            "Probability of games that may be left unfinished, from 1e-13 to 1e-2. A greater value "
            "takes less time.",
        ),
    ] = 5e-13,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Compute exactly how much agents lose compared with optimal play.

    The loss of a move is the win probability that it gives up compared with the best move, in
    points. Small rule sets are solved at once. For larger ones, run urcx solve first.

    urcx regret --agent greedy,random -p 3

    urcx regret --tablebase finkel.urcx --agent greedy
    """
    import urcx
    from urcx.agents.agents import agent, split_agents
    from urcx.commands import parsing
    from urcx.commands.estimates import check_asked, judging

    judged = [agent(name) for text in agents or ["greedy"] for name in split_agents(text)]
    check_asked(game, judged)
    parsing.check_solution(tablebase, game)
    with progress_bars() as stage:
        confirm_long_run(*judging(game, judged, opponent, tablebase, threads), yes=yes)
        result = urcx.regret(
            judged, game, opponent=opponent, tablebase=tablebase, tolerance=tolerance,
            threads=threads, stage=stage,
        )  # fmt: skip
    style.show_result(result, plot)


@opt.command(wide=True)
def mistakes(
    *,
    game: opt.SolvedGame,
    tablebase: opt.Solution = None,
    agent: Annotated[str, argument("AGENT", "The agent: NAME[:DEPTH][:LEAF][:TIES].", opt.KINDS)],
    opponent: Opponent = "optimal",
    most: Annotated[int, option("--most", "Number of decisions to list, from 1 to 1000.")] = 10,
    by: Annotated[
        str,
        option(
            "--by",
            "Order by cost (loss per game), loss (each time) or visits (how often it comes up).",
            "urcx.expectations.mistakes:RANKED_BY",
        ),
    ] = "cost",
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Find the decisions in which an agent loses most per game, exactly.

    urcx mistakes greedy -p 3

    urcx mistakes greedy -p 2 --opponent self --by visits
    """
    import urcx
    from urcx.agents.agents import agent as as_agent
    from urcx.commands import parsing
    from urcx.commands.estimates import check_asked, judging

    judged = as_agent(agent)
    check_asked(game, [judged])
    parsing.check_solution(tablebase, game)
    with progress_bars() as stage:
        confirm_long_run(*judging(game, [judged], opponent, tablebase, threads), yes=yes)
        result = urcx.mistakes(
            judged, game, opponent=opponent, most=most, by=by, tablebase=tablebase,
            threads=threads, stage=stage,
        )  # fmt: skip
    style.show_result(result)


@opt.command(wide=True)
def luck(
    *,
    game: opt.SolvedGame,
    tablebase: opt.Solution = None,
    agent: Annotated[str | None, opt.who("optimal")] = None,
    light: opt.Light = None,
    dark: opt.Dark = None,
    threads: opt.Threads = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Split the movement in win probability into dice and decisions.

    Each roll and each decision changes the win probability. urcx luck adds up the squares of these
    changes over all games, exactly.

    urcx luck -p 2

    urcx luck -p 2 --light greedy --dark optimal
    """
    import urcx
    from urcx.commands import parsing
    from urcx.commands.estimates import check_asked, judging

    players = parsing.both_agents(agent, light, dark, "optimal")
    check_asked(game, players)
    parsing.check_solution(tablebase, game)
    with progress_bars() as stage:
        confirm_long_run(*judging(game, [players[0]], players[1], tablebase, threads), yes=yes)
        result = urcx.luck(*players, game, tablebase=tablebase, threads=threads, stage=stage)
    style.show_result(result)
