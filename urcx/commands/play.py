"""The commands that play: moves, show, agents, gtc, match, perft."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Annotated, Any

import typer

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.engine.threads import most_threads
from urcx.errors import InterruptedRunError, UsageError
from urcx.reports.display.output import Style, check_plot, note
from urcx.reports.display.progress import stages
from urcx.rules.model import RuleSet

PositionText = Annotated[
    str | None,
    typer.Argument(
        metavar="POSITION",
        help="LIGHT/DARK/HOME/TURN, such as 2/3,6/5-5/L. [default: the start]",
        show_default=False,
    ),
]


Depth = Annotated[
    int | None,
    typer.Option(
        "--depth",
        help="Plies to look ahead, the move included. [default: panda 7, expectimax 3]",
        show_default=False,
    ),
]
Leaf = Annotated[
    str | None,
    typer.Option(
        "--leaf",
        help="Leaf value: advance or advance+centre. [default: the agent's]",
        show_default=False,
        autocompletion=opt.complete_from("urcx.agents.lookahead", "LEAVES"),
    ),
]
Ties = Annotated[
    str | None,
    typer.Option(
        "--ties",
        help="Among equal moves: first (least advanced), last or random. [default: the agent's]",
        show_default=False,
        autocompletion=opt.complete_from("urcx.agents.agent_kernels", "TIES"),
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        help="How to look ahead: levels (all states at once), tree (each position) or auto.",
        autocompletion=opt.complete_from("urcx.agents.policies", "METHODS"),
    ),
]
First = Annotated[
    str,
    typer.Option(
        "--first",
        help="Who begins: alternate, light, dark or coin.",
        autocompletion=opt.complete_from("urcx.games.simulator", "FIRST_MOVERS"),
    ),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Neither read nor keep levels in the cache directory.")
]


def _capped(threads: int | None) -> int | None:
    """Say where more threads were asked for than are started; the engine caps them."""
    if threads is not None and threads > most_threads():
        note(f"--threads {threads}: no more than {most_threads()} are started on this machine")
    return threads


Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        help="Threads; results are the same but for rounding. [default: all cores]",
        show_default=False,
        callback=_capped,
    ),
]


def moves(
    position: PositionText = None,
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    roll: Annotated[
        int | None, typer.Option("--roll", help="Only this roll.", show_default=False)
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            help="Say what this agent thinks of them.",
            show_default=False,
            autocompletion=opt.complete_agents,
        ),
    ] = None,
    depth: Depth = None,
    leaf: Leaf = None,
    path_file: opt.PathFile = None,
    wide: opt.Wide = False,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
    yes: opt.Yes = False,
) -> None:
    """List the legal moves of a position, for one roll or for all.

    urcx moves 2/3,6/5-5/L --roll 2 --agent panda
    """
    from urcx.reports.games import positions as table  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output, wide=wide)
    chosen = opt.chosen_rules(rules, path_file, pieces)
    adviser = None
    if agent is not None:
        from urcx.agents.advice import Adviser  # noqa: PLC0415
        from urcx.agents.agents import agents  # noqa: PLC0415
        from urcx.commands import estimates as about  # noqa: PLC0415

        (asked,) = agents([agent], depth=depth, leaf=leaf)
        agree(about.valuing(chosen, asked), yes=yes)
        adviser = Adviser(asked, chosen)
    elif depth is not None or leaf is not None:
        raise UsageError("--depth and --leaf go with --agent")
    style.show(table.moves_report(chosen, opt.chosen_position(position), roll, adviser))


def agents_(
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """List the agents that play: what each does, its depth, leaf value and tie rule.

    urcx agents
    """
    from urcx.reports.games.positions import agents_report  # noqa: PLC0415

    Style.chosen(json=json, csv=csv, file=output).show(agents_report())


def show(
    position: PositionText = None,
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    output: opt.Output = None,
) -> None:
    """Draw a position on its board.

    urcx show 2/3,6/5-5/L
    """
    from urcx.reports.games import positions as table  # noqa: PLC0415

    style = Style.chosen(json=json, csv=False, file=output)
    chosen = opt.chosen_rules(rules, path_file, pieces)
    style.show(table.position_report(chosen, opt.chosen_position(position)))


def both_sides(
    agent: str | None, light: str | None, dark: str | None, default: str
) -> tuple[str, str]:
    """Return who plays light and who dark; raises `UsageError` if ``agent`` would play neither."""
    if agent is not None and light is not None and dark is not None:
        raise UsageError("--light and --dark say who plays; leave out --agent")
    rest = default if agent is None else agent
    return rest if light is None else light, rest if dark is None else dark


def gtc(
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-g",
            help="Games to play. [default: 2000, none if --exact]",
            show_default=False,
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Means over all games there are, without sampling; with --games, both."
        ),
    ] = False,
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            help="Who plays: NAME[:DEPTH][:LEAF][:TIES] or FILE.py:NAME. [default: panda]",
            show_default=False,
            autocompletion=opt.complete_agents,
        ),
    ] = None,
    light: Annotated[
        str | None,
        typer.Option(
            "--light",
            help="Another agent for light.",
            show_default=False,
            autocompletion=opt.complete_agents,
        ),
    ] = None,
    dark: Annotated[
        str | None,
        typer.Option(
            "--dark",
            help="Another agent for dark.",
            show_default=False,
            autocompletion=opt.complete_agents,
        ),
    ] = None,
    depth: Depth = None,
    leaf: Leaf = None,
    ties: Ties = None,
    first: First = "alternate",
    seed: opt.Seed = 1,
    method: Method = "auto",
    no_cache: NoCache = False,
    threads: Threads = None,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    plot: opt.Plot = None,
    wide: opt.Wide = False,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Play games and print game-tree complexity in every convention.

    The default repeats Raposo and Lamont's experiment: 2,000 games of their agent, which looks 7
    plies ahead. Agents: random, first, last, greedy, gain, expectimax, panda, optimal (by a
    solution, optimal:FILE), or a Python function of your own, called with (position, roll, moves).

    urcx gtc --games 10000 --agent greedy

    urcx gtc --exact --agent random -p 3
    """
    from urcx.agents.agents import agents  # noqa: PLC0415
    from urcx.commands import estimates as about  # noqa: PLC0415
    from urcx.expectations.expected import MANY_GAMES as MANY  # noqa: PLC0415
    from urcx.expectations.expected import expected  # noqa: PLC0415
    from urcx.games.simulator import simulate  # noqa: PLC0415
    from urcx.published.played import evaluated  # noqa: PLC0415
    from urcx.reports.games import gtc as table  # noqa: PLC0415
    from urcx.reports.games.expected import report as exact_report  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output, wide=wide)
    check_plot(plot, output)
    chosen = opt.chosen_rules(rules, path_file, pieces)
    sides = both_sides(agent, light, dark, "panda")
    one, other = agents(sides, depth=depth, leaf=leaf, ties=ties)
    number = games if games is not None else 0 if exact else 2000
    if plot is not None and exact and not number:
        raise UsageError("--plot draws games: add --games to --exact")
    found = means = None
    with stages() as stage:
        ready = _policies(chosen, MANY if exact else number, method, no_cache, threads, stage)
        agree(
            *(about.following(ready, [(one, other)], first, threads) if exact else ()),
            *(about.playing(ready, [(one, other)], number, threads) if number else ()),
            yes=yes,
        )
        if exact:
            means = expected(
                one, other, chosen, first=first, threads=threads, policies=ready, stage=stage
            )
        if number or not exact:
            found = simulate(
                one,
                other,
                chosen,
                games=number,
                seed=seed,
                first=first,
                threads=threads,
                policies=ready,
                stage=stage,
            )
    _say(ready.notes)
    result = None if found is None else evaluated(found)
    if means is not None:
        style.show(exact_report(means, result))
    elif result is not None:
        style.show(table.report(result))
    if plot is not None and result is not None:
        from urcx.reports.figures.game_plots import games_figure  # noqa: PLC0415
        from urcx.reports.figures.plots import save  # noqa: PLC0415

        save(games_figure(result), plot)
    if found is not None and found.interrupted:
        raise InterruptedRunError(f"interrupted after {len(found):,} of {number:,} games")


def match(
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT",
            help="NAME[:DEPTH][:LEAF][:TIES] or FILE.py:NAME.",
            autocompletion=opt.complete_agents,
        ),
    ],
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    games: Annotated[int, typer.Option("--games", "-g", help="Games of each pair.")] = 10_000,
    habits: Annotated[
        bool, typer.Option("--habits", help="Print how the agents play, not only how they fare.")
    ] = False,
    depth: Depth = None,
    leaf: Leaf = None,
    ties: Ties = None,
    seed: opt.Seed = 1,
    method: Method = "auto",
    no_cache: NoCache = False,
    threads: Threads = None,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Play agents each against each and print who wins how often.

    Half the games of a pair with each colour; a coin decides who begins.

    urcx match random greedy expectimax:3 --games 10000
    """
    from urcx.agents.agents import agents as parsed  # noqa: PLC0415
    from urcx.commands import estimates as about  # noqa: PLC0415
    from urcx.games.match import match as played  # noqa: PLC0415
    from urcx.reports.games.match import report  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    chosen = opt.chosen_rules(rules, path_file, pieces)
    players = parsed(agents, depth=depth, leaf=leaf, ties=ties)
    with stages() as stage:
        ready = _policies(chosen, games * len(players), method, no_cache, threads, stage)
        pairs = list(combinations_with_replacement(players, 2))
        agree(*about.playing(ready, pairs, games, threads), yes=yes)
        found = played(
            players,
            chosen,
            games=games,
            seed=seed,
            observe=habits,
            threads=threads,
            policies=ready,
            stage=stage,
        )
    _say(found.notes)
    style.show(report(found))
    if found.interrupted:
        raise InterruptedRunError(f"interrupted after {len(found.pairs)} pairs")


def _policies(
    rules: RuleSet, games: int, method: str, no_cache: bool, threads: int | None, stage: Any
) -> Any:
    from urcx.agents.policies import Policies  # noqa: PLC0415

    return Policies(rules, games, method=method, keep=not no_cache, threads=threads, stage=stage)


def _say(notes: Sequence[str]) -> None:
    for text in notes:
        note(text)


def perft(
    position: PositionText = None,
    rules: opt.Rules = "finkel",
    pieces: opt.RulesPieces = None,
    depth: Annotated[int, typer.Option("--depth", "-d", help="Plies to count.")] = 8,
    divide: Annotated[
        bool, typer.Option("--divide", help="Count under each first roll and move.")
    ] = False,
    yes: opt.Yes = False,
    path_file: opt.PathFile = None,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Count the game tree exactly: nodes and distinct positions at each depth.

    A ply is one roll, a 0 included, with each legal move, or the pass, as one branch.

    urcx perft --rules finkel --depth 10
    """
    from urcx.commands import estimates as about  # noqa: PLC0415
    from urcx.enumerate import perft as counting  # noqa: PLC0415
    from urcx.reports.display.progress import progress  # noqa: PLC0415
    from urcx.reports.games import positions as table  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output)
    chosen = opt.chosen_rules(rules, path_file, pieces)
    first = opt.chosen_position(position)
    parts: Any = None
    agree(about.growing(chosen, depth, divided=divide), yes=yes)
    with progress(f"perft of {chosen.name}", depth, "plies") as update:
        levels = counting.perft(chosen, depth, first, progress=update)
    if divide:
        parts = counting.divide(chosen, depth, first)
    style.show(table.perft_report(chosen, first, levels, parts))


def register(app: typer.Typer) -> None:
    """Add the commands to the app, in the order of the help."""
    for name, function in (
        ("moves", moves),
        ("show", show),
        ("agents", agents_),
        ("gtc", gtc),
        ("match", match),
        ("perft", perft),
    ):
        app.command(name, rich_help_panel="Play")(function)
