"""The commands that play: moves, show, agents, gtc, match, perft."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Annotated, Any

import typer

from urcx.commands import options as opt
from urcx.commands import parsing
from urcx.commands.consent import agree
from urcx.commands.options import argument, option
from urcx.commands.places import elsewhere, spread_games, spread_layers
from urcx.errors import InterruptedRunError, UsageError
from urcx.reports.display.output import Style, note
from urcx.reports.display.progress import stages
from urcx.rules.model import RuleSet

TAIL = 1e-6  # probability of longer games than gtc draws


@opt.shows(wide=True)
def moves(
    position: opt.PositionText = None,
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    roll: opt.OnlyRoll = None,
    agent: Annotated[
        str | None,
        option("--agent", "Show how this agent values the moves.", opt.KINDS),
    ] = None,
    depth: opt.Depth = None,
    leaf: opt.Leaf = None,
    path_file: opt.PathFile = None,
    *,
    style: Style,
    yes: opt.Yes = False,
) -> None:
    """List the legal moves of a position, for one roll or for all.

    urcx moves 2/3,6/5-5/L --roll 2 --agent panda
    """
    from urcx.agents.choices import choices  # noqa: PLC0415
    from urcx.reports.games import positions as table  # noqa: PLC0415

    chosen = parsing.chosen_rules(rules, path_file, pieces)
    adviser = None
    if agent is not None:
        from urcx.agents.advice import Adviser  # noqa: PLC0415
        from urcx.agents.agent_texts import agents  # noqa: PLC0415
        from urcx.commands import game_estimates as about  # noqa: PLC0415

        (asked,) = agents([agent], depth=depth, leaf=leaf)
        agree(about.valuing(chosen, asked), yes=yes)
        adviser = Adviser(asked, chosen)
    elif depth is not None or leaf is not None:
        raise UsageError("--depth and --leaf need --agent")
    first = parsing.chosen_position(position)
    found = choices(first, chosen, roll, adviser)
    style.show(
        table.moves_report(
            chosen, parsing.chosen_position(position), found, adviser.agent if adviser else None
        )
    )


@opt.shows()
def agents_(*, style: Style) -> None:
    """List the agents that play: what each does, its depth, leaf value and tie rule.

    urcx agents
    """
    from urcx.reports.games.positions import agents_report  # noqa: PLC0415

    style.show(agents_report())


@opt.shows(csv=False)
def show(
    position: opt.PositionText = None,
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    path_file: opt.PathFile = None,
    *,
    style: Style,
) -> None:
    """Draw a position on its board.

    urcx show 2/3,6/5-5/L
    """
    from urcx.reports.games import positions as table  # noqa: PLC0415

    chosen = parsing.chosen_rules(rules, path_file, pieces)
    style.show(table.position_report(chosen, parsing.chosen_position(position)))


def both_sides(
    agent: str | None, light: str | None, dark: str | None, default: str
) -> tuple[str, str]:
    """Return light's and dark's agent; raises `UsageError` if ``agent`` would play neither."""
    if agent is not None and light is not None and dark is not None:
        raise UsageError("--light and --dark say who plays; leave out --agent")
    rest = default if agent is None else agent
    return rest if light is None else light, rest if dark is None else dark


@opt.shows(wide=True)
def gtc(
    context: typer.Context,
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
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
    agent: Annotated[
        str | None,
        option(
            "--agent",
            "Who plays: NAME[:DEPTH][:LEAF][:TIES] or FILE.py:NAME. [default: panda]",
            opt.KINDS,
        ),
    ] = None,
    light: opt.Light = None,
    dark: opt.Dark = None,
    depth: opt.Depth = None,
    leaf: opt.Leaf = None,
    ties: opt.Ties = None,
    first: opt.First = "alternate",
    seed: opt.Seed = 1,
    method: opt.Method = "auto",
    no_cache: opt.NoCache = False,
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    layers: opt.Between = None,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    plot: opt.Plot = None,
    *,
    style: Style,
) -> None:
    """Play games and print game-tree complexity in every convention.

    The default repeats Raposo and Lamont's experiment: 2,000 games of their agent, which looks 7
    plies ahead. Agents are those of urcx agents, with a file where they need one (optimal:FILE,
    net:FILE), or a Python function or object of your own (FILE.py:NAME).

    urcx gtc --games 10000 --agent greedy

    urcx gtc --exact --agent random -p 3
    """
    from urcx.agents.agent_texts import agents  # noqa: PLC0415
    from urcx.commands import game_estimates as about  # noqa: PLC0415
    from urcx.expectations.expected import expected  # noqa: PLC0415
    from urcx.expectations.pair_choices import MANY_GAMES as MANY  # noqa: PLC0415
    from urcx.extremes.lengths import lengths  # noqa: PLC0415
    from urcx.games.simulator import simulate  # noqa: PLC0415
    from urcx.published.played import evaluated  # noqa: PLC0415
    from urcx.reports.games import gtc as table  # noqa: PLC0415
    from urcx.reports.games.expected import report as exact_report  # noqa: PLC0415

    chosen = parsing.chosen_rules(rules, path_file, pieces)
    sides = both_sides(agent, light, dark, "panda")
    one, other = agents(sides, depth=depth, leaf=leaf, ties=ties)
    number = games if games is not None else 0 if exact else 2000
    if not exact or scheduler is None:
        opt.refuse(context, "needs --exact and --scheduler", "layers")
    drawn = plot is not None and exact and _drawn_exactly(chosen, played=number > 0)
    found = means = exactly = None
    with stages() as stage, elsewhere(scheduler) as executor:
        ready = _policies(chosen, MANY if exact else number, method, no_cache, threads, stage)
        following = about.following(ready, [(one, other)], first, threads) if exact else []
        agree(
            *spread_layers(executor, following, chosen),
            *(about.lasting(ready, one, other, threads) if drawn else ()),
            *(
                spread_games(
                    executor,
                    about.playing(ready, [(one, other)], number, threads),
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
                chosen,
                first=first,
                threads=threads,
                executor=executor,
                layers=layers,
                policies=ready,
                stage=stage,
            )
        if drawn:
            exactly = lengths(
                one, other, chosen, first=first, tail=TAIL, threads=threads, policies=ready,
                stage=stage,
            )  # fmt: skip
        if number or not exact:
            found = simulate(
                one,
                other,
                chosen,
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
    if means is not None:
        style.show(exact_report(means, result))
    elif result is not None:
        style.show(table.report(result))
    if plot is not None:
        _draw(result, exactly, plot)
    if found is not None and found.interrupted:
        raise InterruptedRunError(f"interrupted after {len(found):,} of {number:,} games")


def _draw(result: Any, exactly: Any, plot: Any) -> None:
    """Draw games that were played, with the exact distribution of their lengths, or that alone."""
    from urcx.reports.figures import game_plots  # noqa: PLC0415
    from urcx.reports.figures.plots import save  # noqa: PLC0415

    if result is None:
        save(game_plots.exact_lengths_figure(exactly), plot)
    else:
        save(game_plots.games_figure(result, exactly), plot)


def _drawn_exactly(rules: RuleSet, *, played: bool) -> bool:
    """Return whether lengths of games can be drawn exactly; otherwise there must be games."""
    from urcx.solving.layered.order import has_layers  # noqa: PLC0415

    found = has_layers(rules)
    if not found and not played:
        raise UsageError(
            f"--plot draws exact lengths on paths that are crossed once, which {rules.path.name} "
            "is not; add --games to --exact"
        )
    return found


@opt.shows()
def match(
    agents: Annotated[
        list[str],
        argument("AGENT", "NAME[:DEPTH][:LEAF][:TIES] or FILE.py:NAME.", opt.KINDS),
    ],
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
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
    path_file: opt.PathFile = None,
    *,
    style: Style,
) -> None:
    """Play every two agents against each other and print each one's share of wins.

    Each agent has each colour in half the games of a pair; a coin decides who begins.

    urcx match random greedy expectimax:3 --games 10000
    """
    from urcx.agents.agent_texts import agents as parsed  # noqa: PLC0415
    from urcx.commands import game_estimates as about  # noqa: PLC0415
    from urcx.games.match import match as played  # noqa: PLC0415
    from urcx.reports.games.match import report  # noqa: PLC0415

    chosen = parsing.chosen_rules(rules, path_file, pieces)
    players = parsed(agents, depth=depth, leaf=leaf, ties=ties)
    with stages() as stage, elsewhere(scheduler) as executor:
        ready = _policies(chosen, games * len(players), method, no_cache, threads, stage)
        pairs = list(combinations_with_replacement(players, 2))
        work = about.playing(ready, pairs, games, threads)
        own = any(player.is_own for player in players)
        agree(*spread_games(executor, work, threads, own=own), yes=yes)
        found = played(
            players,
            chosen,
            games=games,
            seed=seed,
            observe=habits,
            threads=threads,
            executor=executor,
            policies=ready,
            stage=stage,
        )
    note(*found.notes)
    style.show(report(found))
    if found.interrupted:
        raise InterruptedRunError(f"interrupted after {len(found.pairs)} pairs")


def _policies(
    rules: RuleSet, games: int, method: str, no_cache: bool, threads: int | None, stage: Any
) -> Any:
    from urcx.agents.policies import Policies  # noqa: PLC0415

    return Policies(rules, games, method=method, keep=not no_cache, threads=threads, stage=stage)


@opt.shows()
def perft(
    context: typer.Context,
    position: opt.PositionText = None,
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    depth: Annotated[int, option("--depth -d", "Plies to count, from 1 to 200.")] = 8,
    divide: Annotated[bool, option("--divide", "Count under each first roll and move.")] = False,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    *,
    style: Style,
) -> None:
    """Count the game tree exactly: nodes and distinct positions at each depth.

    A ply is one roll, a 0 included, with each legal move, or the pass, as one branch.

    urcx perft --rules finkel --depth 10
    """
    from urcx.commands import estimates as about  # noqa: PLC0415
    from urcx.enumerate import perft as counting  # noqa: PLC0415
    from urcx.reports.display.progress import progress  # noqa: PLC0415
    from urcx.reports.games import positions as table  # noqa: PLC0415

    chosen = parsing.chosen_rules(rules, path_file, pieces)
    first = parsing.chosen_position(position)
    parts: Any = None
    if not divide:
        opt.refuse(context, "needs --divide", "scheduler")
    agree(about.growing(chosen, depth, divided=divide), yes=yes)
    with elsewhere(scheduler) as executor:
        with progress(f"perft of {chosen.name}", depth, "plies") as update:
            levels = counting.perft(chosen, depth, first, progress=update)
        if divide:
            parts = counting.divide(chosen, depth, first, executor=executor)
    style.show(table.perft_report(levels, parts))
