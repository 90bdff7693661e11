"""The simulator of gambling games: many games between two agents, in parallel.

As in the race games, a game depends only on the seed and its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from urcx.engine.chunks import gather, ranges
from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.engine.work import WorkEstimate, on_threads
from urcx.errors import UrcxError, UsageError, check_name
from urcx.gambling import game_kernels
from urcx.gambling.agents import Gambler, gambler
from urcx.gambling.records import COUNTS, Gambles, IntArray, empty
from urcx.gambling.rule_arrays import arrays
from urcx.gambling.rule_kernels import Rules
from urcx.gambling.rules import GamblingGame, gambling_game
from urcx.games.simulator import FIRST_MOVERS, MAX_GAMES, MAX_PLIES, MOST_CHUNK
from urcx.results.numbers import counted
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
    stage: Stage = silent,
) -> Gambles:
    """Play gambling games and return what happened in them.

    Parameters
    ----------
    light, dark
        Agents, or texts as `gambler` reads them; dark is as light by default.
    game
        A gambling game or its name; Itti-Marduk-balatu's by default.
    games, seed, first, threads, executor, stage
        As `urcx.games.simulator.simulate` takes them.

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
        If memory does not suffice.
    UrcxError
        If a game does not end within `MAX_PLIES` plies.

    Examples
    --------
    >>> import urcx
    >>> games = urcx.gamble("greedy", games=10)
    >>> len(games), games.winnings.shape
    (10, (10, 2))
    >>> int(games.to_dict()["light_winnings"].sum()) == int(games.winnings[:, 0].sum())
    True
    """
    chosen = gambling_game() if game is None else gambling_game(game)
    players = gambler(light), gambler(light if dark is None else dark)
    games, seed = catalogue.whole("games", games), catalogue.seed(seed)
    if not 1 <= games <= MAX_GAMES:
        raise UsageError(f"{games} games: play from 1 to {MAX_GAMES}")
    check_name("first mover", first, FIRST_MOVERS)
    threads = chosen_threads(threads)
    found = empty(chosen, players, games, seed, first)
    done = np.zeros(games, np.bool_)
    show = stage("games", games, "games")

    def take(part: Gambles, begin: int, end: int) -> None:
        for name in COUNTS:
            getattr(found, name)[begin:end] = getattr(part, name)
        done[begin:end] = True

    try:
        gather(
            _Table(chosen, players, seed, first),
            ranges(games),
            take,
            executor=executor,
            threads=threads,
            total=games,
            most=MOST_CHUNK,
            tick=lambda: show(int(done.sum())),
        )
    except KeyboardInterrupt:
        if not done.any():
            raise
        found = replace(found, **{name: getattr(found, name)[done] for name in COUNTS})
    return found


@dataclass(frozen=True)
class _Table:
    """Where games are played, in whatever process."""

    game: GamblingGame
    players: tuple[Gambler, Gambler]
    seed: int
    first: str

    def __call__(self, begin: int, end: int) -> Gambles:
        rules = arrays(self.game)
        found = empty(self.game, self.players, end - begin, self.seed, self.first)
        rows = slice(0, end - begin)
        endless = _play(found, rules, begin, end, np.zeros((0, 0), np.int64), rows)
        if endless >= 0:
            raise UrcxError(
                f"game {endless} of {found.light.name} and {found.dark.name} does not end "
                f"within {MAX_PLIES:,} plies" + (", as both wait" if rules.waiting else "")
            )
        return found


def logged(found: Gambles, number: int) -> IntArray:
    """Replay one of the games and return its plies.

    A row has the side, the index of the first die's face, whether the second die was thrown, what
    it said or would have said (1 for yes), the piece that moved or -1, and the legal moves; then,
    after the ply, light's, dark's and the pool's counters, and the steps of light's and dark's
    pieces.
    """
    one = empty(found.game, (found.light, found.dark), 1, found.seed, found.first)
    plies = int(found.results[number, 2])
    log = np.zeros((plies, game_kernels.N_LOG + 3 + 2 * len(found.game.pieces)), np.int64)
    _play(one, arrays(found.game), number, number + 1, log, slice(0, 1))
    return log


def _play(found: Gambles, rules: Rules, begin: int, end: int, log: IntArray, rows: slice) -> int:
    """Play some games into their rows; return the number of one that did not end, or -1."""
    logs = np.log10(np.maximum(np.arange(len(found.game.pieces) + 3), 1))
    with np.errstate(over="ignore"):  # random streams wrap; compiled code does not warn
        endless: int = game_kernels.play_games(
            rules,
            found.light.policy,
            found.dark.policy,
            found.seed,
            FIRST_MOVERS.index(found.first),
            begin,
            end,
            MAX_PLIES,
            logs,
            found.records[rows],
            found.results[rows],
            found.purses[rows],
            found.sums[rows],
            log,
        )
    return endless


# Seconds a game, by the depth of agents.
SECONDS = {0: 2e-5, 1: 1e-4, 2: 4e-3, 3: 0.15, 4: 6.0}


def cost(games: int, depths: Sequence[int], threads: int | None) -> WorkEstimate:
    """Estimate gambling games; ``depths`` are the look-aheads of one pair after another."""
    return WorkEstimate(
        f"playing {counted(games * len(depths) // 2, 'gambling game')}",
        on_threads(sum(games * SECONDS[depth] / 2 for depth in depths), threads),
        memory=games * 200,
        advice="take fewer --games or a lower depth",
    )
