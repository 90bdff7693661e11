"""The simulator of gambling games: many games between two agents, in parallel.

As in the race games, a game depends only on the seed and its number.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from urcx.contrib.gambling import game_kernels
from urcx.contrib.gambling.agent_kernels import search_room
from urcx.contrib.gambling.agents import Gambler, gambler
from urcx.contrib.gambling.game_kernels import GambleCounts
from urcx.contrib.gambling.records import Gambles, IntArray
from urcx.contrib.gambling.rule_arrays import arrays
from urcx.contrib.gambling.rules import GamblingGame, gambling_game
from urcx.engine.memory import check_memory
from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import UrcxError, UsageError, check_functions, check_name
from urcx.games.game_kernels import GamesPlan
from urcx.games.simulator import FIRST_MOVERS, MAX_GAMES, MAX_PLIES, MOST_CHUNK, collect_games
from urcx.rules import catalogue


def gamble(  # noqa: PLR0913 - as `urcx.games.simulator.simulate`
    light: str | Gambler = "winnings",
    dark: str | Gambler | None = None,
    game: str | GamblingGame | None = None,
    *,
    games: int = 2000,
    seed: int = 1,
    first: str = "alternate",
    threads: int | None = None,
    executor: Executor | None = None,
    stage: Stage = no_progress,
) -> Gambles:
    """Play gambling games and return them with their counts.

    Parameters
    ----------
    light, dark
        Agents, or their names for `gambler`. Dark's agent is the same as light's by default.
    game
        A gambling game or its name, by default Itti-Marduk-balatu's.
    games, seed, first, threads, executor, stage
        The same as for `urcx.games.simulator.simulate`.

    Returns
    -------
    Gambles

    Raises
    ------
    UsageError
        If an argument is out of range.
    UnknownNameError
        If there is no such agent or game.
    TooLargeError
        If there is not enough memory.
    UrcxError
        If a game does not end within `MAX_PLIES` plies.

    Examples
    --------
    >>> from urcx.contrib.gambling import gamble
    >>> games = gamble("greedy", games=10)
    >>> len(games), games.winnings.shape
    (10, (10, 2))
    >>> int(games.to_dict()["light_winnings"].sum()) == int(games.winnings[:, 0].sum())
    True
    """
    check_functions(stage=stage)
    chosen = gambling_game() if game is None else gambling_game(game)
    players = gambler(light), gambler(light if dark is None else dark)
    games, seed = catalogue.as_integer("games", games), catalogue.as_seed(seed)
    if not 1 <= games <= MAX_GAMES:
        raise UsageError(f"games {games:,}: must be from 1 to {MAX_GAMES:,}")
    check_name("first mover", first, FIRST_MOVERS)
    threads = chosen_threads(threads)
    counts = collect_games(
        Plays(chosen, players, seed, first),
        _empty(chosen, games),
        games,
        stage("games", games, "games"),
        executor=executor,
        threads=threads,
        most=MOST_CHUNK,
    )
    return Gambles(
        chosen, *players, seed, first, games, counts=counts.records, results=counts.results,
        purses=counts.purses, sums=counts.sums,
    )  # fmt: skip


def _empty(game: GamblingGame, games: int) -> GambleCounts:
    """Return zeros for the counts of games. Raise `TooLargeError` if there is not enough memory."""
    fields = game_kernels.N_FIXED + len(game.pieces) + 1
    size = games * 8 * (2 * fields + 3 + 3 + 4)
    check_memory(size, f"the counts of {games:,} games", "play fewer games")
    return GambleCounts(
        np.zeros((games, 2, fields), np.int64),
        np.zeros((games, 3), np.int64),
        np.zeros((games, 3), np.int64),
        np.zeros((games, 2, 2)),
    )


@dataclass(frozen=True)
class Plays:
    """Plays games, in any process."""

    game: GamblingGame
    players: tuple[Gambler, Gambler]
    seed: int
    first: str

    def __call__(self, begin: int, end: int, log: IntArray | None = None) -> GambleCounts:
        """Play a range of games, and write the plies of the last one to ``log``."""
        light, dark = self.players
        rules, pieces = arrays(self.game), len(self.game.pieces)
        counts = _empty(self.game, end - begin)
        with np.errstate(over="ignore"):  # random streams wrap, and compiled code does not warn
            endless = game_kernels.play_gambles(
                rules,
                light.policy,
                dark.policy,
                search_room(max(light.depth, dark.depth), pieces),
                GamesPlan(self.seed, FIRST_MOVERS.index(self.first), begin, end, MAX_PLIES),
                np.log10(np.maximum(np.arange(pieces + 3), 1)),
                counts,
                np.zeros((0, 0), np.int64) if log is None else log,
            )
        if endless >= 0:
            raise UrcxError(
                f"game {endless} of {light.name} and {dark.name} does not end "
                f"within {MAX_PLIES:,} plies"
                + (" because both wait. Play with --waiting barred" if rules.waiting else "")
            )
        return counts
