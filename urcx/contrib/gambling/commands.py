"""The command that plays the gambling game: gamble."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path as FilePath
from typing import Annotated, Any

from urcx.commands import options as opt
from urcx.commands.consent import confirm_long_run
from urcx.commands.count import visiting
from urcx.commands.options import option
from urcx.engine.costs import Cost, estimate
from urcx.errors import InterruptedRunError
from urcx.reports.display.output import Style
from urcx.reports.display.progress import progress_bars
from urcx.results.numbers import count_text

# The cost of a game, by the depth of its agents.
BY_DEPTH = {
    depth: Cost(seconds, memory=200) for depth, seconds in enumerate((2e-5, 1e-4, 4e-3, 0.15, 6.0))
}
AGENTS = "urcx.contrib.gambling.agents:AGENTS"


# Rules that the source leaves open: the choice of the built-in game, and the help.
OPEN = {
    "double": ("risk", "Who decides on the second die: risk (the player) or together (nobody)."),
    "waiting": ("barred", "Throwing the second die if only the first moves: barred or allowed."),
    "order": ("strict", "Order of entering: strict, or eagle (the last piece earlier)."),
    "squares": ("given", "Squares to enter on: given, or rolls (the square of that number)."),
    "launch": ("lands", "Entering on or beyond rosettes: lands, appears (no effect) or moves."),
    "rosette": ("again", "Landing on a rosette: again (another throw) or ends."),
    "passing": ("each", "Penalty for several rosettes passed in one move: each, or once."),
    "leaving": ("pays", "Rosettes passed when leaving the board: pays or free."),
    "losses": ("pool", "Losses go to: pool or opponent."),
    "stakes": ("counters", "If short of counters: counters (pay what is left) or credit."),
    "payment": ("board", "Pieces paid for at the end: board, or unfinished (pools included)."),
    "rest": ("stays", "Counters left in the pool at the end: stays or finisher."),
}
GameFile = Annotated[
    FilePath | None,
    option(
        "--game-file",
        "TOML file with your own gambling game. Its choices become the defaults.",
        rich_help_panel="Game",
    ),
]


def _values(name: str) -> Iterable[str]:
    from urcx.contrib.gambling.rules import CHOICES

    return CHOICES[name].values


def _game(game_file: GameFile = None, **choices: str | None) -> Any:  # imported when asked for
    from urcx.contrib.gambling.rules import gambling_game, read_game_file

    game = gambling_game() if game_file is None else read_game_file(game_file)
    return game.choosing(**choices)


GAME = opt.Group(
    _game,
    {
        name: Annotated[
            str | None,
            option(f"--{name}", f"{text} [default: {default}]", partial(_values, name)),
        ]
        for name, (default, text) in OPEN.items()
    },
)


@opt.command(wide=True)
def gamble(
    *,
    games: Annotated[int, option("--games -g", "Games to play, from 1 to 100,000,000.")] = 2000,
    agent: Annotated[
        str | None,
        option(
            "--agent",
            "Agent of both sides: random, first, last, greedy or winnings[:DEPTH], 1 to 4. "
            "[default: winnings]",
            AGENTS,
        ),
    ] = None,
    light: Annotated[str | None, opt.another("light", AGENTS)] = None,
    dark: Annotated[str | None, opt.another("dark", AGENTS)] = None,
    first: opt.First = "alternate",
    seed: opt.Seed = 1,
    enumerate_all: Annotated[
        bool,
        option("--enumerate", "Visit the configurations of all pieces, however many there are."),
    ] = False,
    game: Annotated[Any, GAME],
    threads: opt.Threads = None,
    scheduler: opt.Scheduler = None,
    yes: opt.Yes = False,
    style: Style,
) -> None:
    """Play the gambling game of Itti-Marduk-balatu, or count its states.

    Each side has five labelled pieces, and each piece enters by its own roll. Landing on a rosette
    wins counters, passing one loses some. Options answer the questions that the text leaves open.

    urcx gamble --light winnings --dark random
    """
    from urcx.commands import parsing
    from urcx.contrib.gambling.agents import gambler
    from urcx.contrib.gambling.simulator import gamble as play_games
    from urcx.contrib.gambling.state_counts import states, visited

    sides = parsing.both_sides(agent, light, dark, "winnings")
    depths = [gambler(name).depth if gambler(name).kind == "winnings" else 0 for name in sides]
    visits = visited(game, all_of_them=enumerate_all)
    with progress_bars() as stage, opt.open_executor(scheduler) as executor:
        playing = estimate(
            f"playing {count_text(games * len(depths) // 2, 'gambling game')}",
            *((games / 2, BY_DEPTH[depth]) for depth in depths),
            threads=threads,
            executor=executor,
            advice="choose fewer --games or a lower depth",
        )
        enumerating = replace(
            visiting(visits, "labelled pieces", executor), advice="leave out --enumerate"
        )
        confirm_long_run(playing, enumerating, yes=yes)
        games_played = play_games(
            *sides,
            game,
            games=games,
            seed=seed,
            first=first,
            threads=threads,
            executor=executor,
            stage=stage,
        )
        state_counts = states(
            game, all_of_them=enumerate_all, threads=threads, executor=executor, stage=stage
        )
    style.show(replace(games_played, states=state_counts))
    if games_played.interrupted:
        raise InterruptedRunError(f"interrupted after {len(games_played):,} of {games:,} games")
