"""The command that plays the gambling game: gamble."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path as FilePath
from typing import Annotated

import typer

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.commands.play import First, Threads, both_sides
from urcx.errors import InterruptedRunError, UsageError
from urcx.reports.display.output import Style
from urcx.reports.display.progress import stages


def _choice(name: str, text: str) -> typer.models.OptionInfo:
    """Return the option of a choice; without it the game's own value holds."""

    def values(incomplete: str) -> list[str]:
        from urcx.gambling.rules import CHOICES  # noqa: PLC0415 - only to complete

        return [value for value in CHOICES[name].values if value.startswith(incomplete)]

    option: typer.models.OptionInfo = typer.Option(
        f"--{name}", help=text, show_default=False, autocompletion=values
    )
    return option


COMPLETE_AGENTS = opt.complete_from("urcx.gambling.simulator", "AGENTS")


Double = Annotated[
    str | None,
    _choice("double", "Who decides on the second die: risk (the player) or together (nobody)."),
]
Waiting = Annotated[
    str | None,
    _choice("waiting", "Throwing the second die where only the first moves: barred or allowed."),
]
Order = Annotated[
    str | None, _choice("order", "Order of entering: strict, or eagle (the last piece earlier).")
]
Squares = Annotated[
    str | None, _choice("squares", "Pieces enter on squares: given, or rolls (of their number).")
]
Launch = Annotated[
    str | None,
    _choice("launch", "Entering on or beyond rosettes: lands, appears (no effect) or moves."),
]
Rosette = Annotated[
    str | None, _choice("rosette", "Landing on a rosette: again (another throw) or ends.")
]
Passing = Annotated[
    str | None, _choice("passing", "Rosettes passed in one move lose: each, or once.")
]
Leaving = Annotated[
    str | None, _choice("leaving", "Rosettes passed in leaving the board: pays or free.")
]
Losses = Annotated[str | None, _choice("losses", "What is lost goes to: pool or opponent.")]
Stakes = Annotated[
    str | None, _choice("stakes", "Short of counters: counters (pay what is there) or credit.")
]
Payment = Annotated[
    str | None,
    _choice("payment", "At the end pay for pieces: board, or unfinished (pools included)."),
]
Rest = Annotated[str | None, _choice("rest", "The pool's rest at the end: stays or finisher.")]


def gamble(
    games: Annotated[int, typer.Option("--games", "-g", help="Games to play.")] = 2000,
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            help="Who plays: random, first, last, greedy or winnings[:DEPTH]. [default: winnings]",
            show_default=False,
            autocompletion=COMPLETE_AGENTS,
        ),
    ] = None,
    light: Annotated[
        str | None,
        typer.Option(
            "--light",
            help="Another agent for light.",
            show_default=False,
            autocompletion=COMPLETE_AGENTS,
        ),
    ] = None,
    dark: Annotated[
        str | None,
        typer.Option(
            "--dark",
            help="Another agent for dark.",
            show_default=False,
            autocompletion=COMPLETE_AGENTS,
        ),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(
            "--match",
            help="Agents, comma separated: each against each, --games of each pair.",
            show_default=False,
            autocompletion=COMPLETE_AGENTS,
        ),
    ] = None,
    first: First = "alternate",
    seed: opt.Seed = 1,
    enumerate_all: Annotated[
        bool,
        typer.Option("--enumerate", help="Visit the diagrams of all pieces, however many."),
    ] = False,
    double: Double = None,
    waiting: Waiting = None,
    order: Order = None,
    squares: Squares = None,
    launch: Launch = None,
    rosette: Rosette = None,
    passing: Passing = None,
    leaving: Leaving = None,
    losses: Losses = None,
    stakes: Stakes = None,
    payment: Payment = None,
    rest: Rest = None,
    game_file: Annotated[
        FilePath | None,
        typer.Option(
            "--game-file", help="TOML file with a gambling game of your own.", show_default=False
        ),
    ] = None,
    threads: Threads = None,
    yes: opt.Yes = False,
    wide: opt.Wide = False,
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Play the gambling game of Itti-Marduk-balatu, for counters, and count its states.

    Five labelled pieces a side enter by rolls of their own; landing on rosettes wins counters,
    passing them loses. What the text leaves open is an option; its default is the first value.

    urcx gamble --match random,greedy,winnings
    """
    from urcx.commands import estimates as about  # noqa: PLC0415
    from urcx.gambling.match import gamble_match  # noqa: PLC0415
    from urcx.gambling.rules import gambling_game, read_game_file  # noqa: PLC0415
    from urcx.gambling.simulator import gamble as played  # noqa: PLC0415
    from urcx.gambling.simulator import gambler  # noqa: PLC0415
    from urcx.gambling.state_counts import states, visited  # noqa: PLC0415
    from urcx.reports.games import gamble as table  # noqa: PLC0415

    style = Style.chosen(json=json, csv=csv, file=output, wide=wide)
    if match is not None and (agent, light, dark) != (None, None, None):
        raise UsageError("--match says who plays; leave out --agent, --light and --dark")
    sides = both_sides(agent, light, dark, "winnings")
    game = gambling_game() if game_file is None else read_game_file(game_file)
    chosen = game.choosing(
        double=double,
        waiting=waiting,
        order=order,
        squares=squares,
        launch=launch,
        rosette=rosette,
        passing=passing,
        leaving=leaving,
        losses=losses,
        stakes=stakes,
        payment=payment,
        rest=rest,
    )
    agents = [] if match is None else [name.strip() for name in match.split(",")]
    players = (
        list(sides)
        if match is None
        else [name for pair in combinations_with_replacement(agents, 2) for name in pair]
    )
    depths = [gambler(name).depth if gambler(name).kind == "winnings" else 0 for name in players]
    visits = visited(chosen, all_of_them=enumerate_all)
    agree(
        about.gambling(games, depths, threads),
        about.enumerating(visits, "labelled pieces", "leave out --enumerate"),
        yes=yes,
    )
    with stages() as stage:
        if match is not None:
            pairs = gamble_match(
                agents, chosen, games=games, seed=seed, threads=threads, stage=stage
            )
        else:
            found = played(
                *sides,
                chosen,
                games=games,
                seed=seed,
                first=first,
                threads=threads,
                stage=stage,
            )
        counted = states(chosen, all_of_them=enumerate_all, threads=threads, stage=stage)
    if match is not None:
        style.show(table.match_report(chosen, pairs, games, seed, counted))
        return
    style.show(table.games_report(found, counted))
    if found.interrupted:
        raise InterruptedRunError(f"interrupted after {len(found):,} of {games:,} games")


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("gamble", rich_help_panel="Play")(gamble)
