"""The commands about agents and their games: agents, gtc, match."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Annotated, Any

import typer

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.options import argument, option
from urcx.commands.places import elsewhere, spread_games, spread_layers
from urcx.errors import InterruptedRunError, UsageError
from urcx.reports.display.output import Style, note
from urcx.reports.display.progress import stages
from urcx.rules.model import RuleSet

TAIL = 1e-6  # probability of longer games than gtc draws


@opt.command()
def agents_(*, style: Style) -> None:
    """List the agents that play: depth, leaf value and tie rule.

    urcx agents
    """
    from urcx.agents.kinds import agents_report

    style.show(agents_report())


@opt.command(wide=True)
def gtc(
    *,
    context: typer.Context,
    game: opt.Game,
    games: Annotated[
        int | None,
        option(
            "--games -g", "Games to play, from 1 to 100,000,000. [default: 2000, none if --exact]"
        ),
    ] = None,
    exact: Annotated[
        bool,
        option("--exact", "Exact means over all games, without sampling; with --games, both."),
    ] = False,
    players: Annotated[
        opt.Players, opt.sides("panda", "Who plays: NAME[:DEPTH][:LEAF][:TIES] or FILE.py:NAME.")
    ],
    first: opt.First = "alternate",
    seed: opt.Seed = 1,
    method: opt.Method = "auto",
    no_cache: opt.NoCache = False,
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    layers: opt.Between = None,
    yes: opt.Yes = False,
    plot: opt.Plot = None,
    style: Style,
) -> None:
    """Play games and print game-tree complexity in every convention.

    The default repeats Raposo and Lamont's experiment: 2,000 games of their agent, which looks 7
    plies ahead. Agents are those of urcx agents, with a file where they need one (optimal:FILE,
    net:FILE), or a Python function or object of your own (FILE.py:NAME).

    urcx gtc --games 10000 --agent greedy

    urcx gtc --exact --agent random -p 3
    """
    from urcx.expectations.costs import following
    from urcx.expectations.expected import expected
    from urcx.expectations.pair_choices import ALL_STATES
    from urcx.extremes import lengths as distribution
    from urcx.games.costs import playing
    from urcx.games.simulator import simulate
    from urcx.published.gtc import SIZE, GameTree, evaluated

    one, other = players
    number = games if games is not None else 0 if exact else SIZE
    if not exact or scheduler is None:
        opt.refuse(context, "needs --exact and --scheduler", "layers")
    drawn = plot is not None and exact and _drawn_exactly(game, played=number > 0)
    found = means = exactly = None
    with stages() as stage, elsewhere(scheduler) as executor:
        ready = _policies(game, ALL_STATES if exact else number, method, no_cache, threads, stage)
        work = following(ready, [(one, other)], first, threads) if exact else []
        agree(
            *spread_layers(executor, work, game),
            *(distribution.cost(one, other, game, threads) if drawn else ()),
            *(
                spread_games(
                    executor,
                    playing(ready, [(one, other)], number, threads),
                    threads,
                    own=one.is_own or other.is_own,
                )
                if number
                else ()
            ),
            yes=yes,
        )
        if exact:
            means = expected(
                one,
                other,
                game,
                first=first,
                threads=threads,
                executor=executor,
                layers=layers,
                policies=ready,
                stage=stage,
            )
        if drawn:
            exactly = distribution.lengths(
                one, other, game, first=first, tail=TAIL, threads=threads, policies=ready,
                stage=stage,
            )  # fmt: skip
        if number or not exact:
            found = simulate(
                one,
                other,
                game,
                games=number,
                seed=seed,
                first=first,
                threads=threads,
                executor=executor,
                policies=ready,
                stage=stage,
            )
    note(*ready.notes)
    result = None if found is None else evaluated(found)
    style.show(GameTree(result, means).report())
    if plot is not None:
        _draw(result, exactly, plot)
    if found is not None and found.interrupted:
        raise InterruptedRunError(f"interrupted after {len(found):,} of {number:,} games")


def _draw(result: Any, exactly: Any, plot: Any) -> None:
    """Draw games that were played, with the exact distribution of their lengths, or that alone."""
    from urcx.reports.figures import game_plots
    from urcx.reports.figures.plots import save

    if result is None:
        save(game_plots.exact_lengths_figure(exactly), plot)
    else:
        save(game_plots.games_figure(result, exactly), plot)


def _drawn_exactly(rules: RuleSet, *, played: bool) -> bool:
    """Return whether lengths of games can be drawn exactly; otherwise there must be games."""
    from urcx.enumerate.rankings.pattern_ranking import why_no_layers

    found = not why_no_layers(rules)
    if not found and not played:
        raise UsageError(
            f"--plot draws exact lengths on paths that are crossed once, which {rules.path.name} "
            "is not; add --games to --exact"
        )
    return found


@opt.command()
def match(
    *,
    agents: Annotated[
        list[str],
        argument("AGENT", "NAME[:DEPTH][:LEAF][:TIES] or FILE.py:NAME.", opt.KINDS),
    ],
    game: opt.Game,
    games: Annotated[
        int, option("--games -g", "Games of each pair, from 2 to 100,000,000.")
    ] = 10_000,
    habits: Annotated[bool, option("--habits", "Also print habits of the agents.")] = False,
    depth: opt.Depth = None,
    leaf: opt.Leaf = None,
    ties: opt.Ties = None,
    seed: opt.Seed = 1,
    method: opt.Method = "auto",
    no_cache: opt.NoCache = False,
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Play every two agents against each other: shares of wins.

    Each agent has each colour in half the games of a pair; a coin decides who begins.

    urcx match random greedy expectimax:3 --games 10000
    """
    from urcx.agents.agent_texts import agents as parsed
    from urcx.games.costs import playing
    from urcx.games.match import match as played

    players = parsed(agents, depth=depth, leaf=leaf, ties=ties)
    with stages() as stage, elsewhere(scheduler) as executor:
        ready = _policies(game, games * len(players), method, no_cache, threads, stage)
        pairs = list(combinations_with_replacement(players, 2))
        work = playing(ready, pairs, games, threads)
        own = any(player.is_own for player in players)
        agree(*spread_games(executor, work, threads, own=own), yes=yes)
        found = played(
            players,
            game,
            games=games,
            seed=seed,
            observe=habits,
            threads=threads,
            executor=executor,
            policies=ready,
            stage=stage,
        )
    note(*found.notes)
    style.show(found.report())
    if found.interrupted:
        raise InterruptedRunError(f"interrupted after {len(found.pairs)} pairs")


def _policies(
    rules: RuleSet, games: int, method: str, no_cache: bool, threads: int | None, stage: Any
) -> Any:
    from urcx.agents.policies import Policies

    return Policies(rules, games, method=method, keep=not no_cache, threads=threads, stage=stage)
