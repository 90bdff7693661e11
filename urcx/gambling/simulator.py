"""The simulator of gambling games: many games between two agents, in parallel.

As in the race games, a game depends only on the seed and its number. Agents are given by name,
``winnings`` optionally with a depth: ``winnings:2``. All but ``random`` throw the second die
whenever the first allows no move.
"""

from __future__ import annotations

import re
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.chunks import gather, ranges
from urcx.engine.memory import check_memory
from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.errors import UnknownNameError, UrcxError, UsageError, WrongObjectError
from urcx.gambling import agent_kernels, game_kernels
from urcx.gambling.rule_kernels import Rules
from urcx.gambling.rules import CHOICES, GamblingGame, gambling_game
from urcx.games.simulator import (
    FIRST_MOVERS,
    MAX_GAMES,
    MAX_PLIES,
    MAX_SEED,
    MOST_CHUNK,
    dice_slots,
)
from urcx.results import Result
from urcx.rules.catalogue import whole

MAX_DEPTH = 4
COUNTS = ("records", "results", "purses", "sums")  # of each game

AGENTS = {
    "random": "each of its options with equal chance, the second die among them",
    "first": "the least advanced piece; the second die where the first moves nothing",
    "last": "the most advanced piece; the second die where the first moves nothing",
    "greedy": "captures, else lands on a rosette, else moves; the second die for a better of these",
    "winnings": "the most counters more than the other has, in the mean, after DEPTH plies",
}
KINDS = {
    "random": agent_kernels.RANDOM,
    "first": agent_kernels.FIRST,
    "last": agent_kernels.LAST,
    "greedy": agent_kernels.GREEDY,
    "winnings": agent_kernels.WINNINGS,
}

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Gambler:
    """An agent: its kind and its depth in plies (1 for those that do not look ahead)."""

    kind: str
    depth: int = 1

    @property
    def name(self) -> str:
        """Return the agent's name."""
        return f"{self.kind}:{self.depth}" if self.depth > 1 else self.kind

    @property
    def policy(self) -> agent_kernels.Policy:
        """Return the agent in the form that the kernels take."""
        return agent_kernels.Policy(KINDS[self.kind], self.depth)


def gambler(text: str | Gambler) -> Gambler:
    """Return the agent with a given name.

    Raises
    ------
    UnknownNameError
        If there is no such agent.
    UsageError
        If a depth is not from 1 to `MAX_DEPTH`, or is given to an agent that does not look ahead.
    """
    if isinstance(text, Gambler):
        return text
    if not isinstance(text, str):
        raise WrongObjectError("agent", Gambler, text, "a name such as 'greedy'")
    name, colon, depth = text.partition(":")
    if name not in AGENTS:
        raise UnknownNameError("agent", name, AGENTS)
    if not colon:
        return Gambler(name)
    if name != "winnings":
        raise UsageError(f"agent {text!r}: {name} does not look ahead")
    if not re.fullmatch("[0-9]{1,9}", depth) or not 1 <= int(depth) <= MAX_DEPTH:
        raise UsageError(f"agent {text!r}: depth {depth} is not from 1 to {MAX_DEPTH}")
    return Gambler(name, int(depth))


@dataclass(frozen=True)
class Gambles(Result, function="gamble"):
    """Games that were played, with the counts of each; a row of each array is a game.

    Attributes
    ----------
    game : GamblingGame
    light, dark : Gambler
    seed : int
    first : str
        Who was to begin, as in `gamble`.
    asked : int
        How many games were wanted; fewer are here if Ctrl-C came in between.
    records : array of int, shape (games, 2, columns)
        Counts by game and side (0 light, 1 dark), in the order of the constants of
        `urcx.gambling.game_kernels`: turns, second dice thrown, those that said yes, turns lost to
        them, pieces entered, captures, rosettes landed on, rosettes passed, choices and their
        options; then plies by number of legal moves of the roll that counted (0 if nothing moved:
        an agent can pass only if the first die allows no move). `to_dict` gives them names.
    results : array of int, shape (games, 3)
        The side that began, the side that was home first, and the plies of both.
    purses : array of int, shape (games, 3)
        Light's, dark's and the pool's counters at the end.
    sums : array of float, shape (games, 2, 2)
        By game and side, the sum of log10 of the options of each choice, and of what was chosen
        among at random.

    Examples
    --------
    >>> import urcx
    >>> games = urcx.gamble("greedy", games=10)
    >>> bool((games.purses.sum(axis=1) == games.game.total).all())
    True
    """

    game: GamblingGame
    light: Gambler
    dark: Gambler
    seed: int
    first: str
    asked: int
    records: IntArray
    results: IntArray
    purses: IntArray
    sums: NDArray[np.float64]

    def __len__(self) -> int:
        """Return how many games were played."""
        return len(self.results)

    @property
    def interrupted(self) -> bool:
        """Return whether fewer games were played than asked for."""
        return len(self) < self.asked

    @property
    def by_choices(self) -> IntArray:
        """Return the plies by game, side and number of legal moves."""
        return self.records[:, :, game_kernels.N_FIXED :]

    @property
    def winnings(self) -> IntArray:
        """Return the counters won by game and side; negative if lost."""
        return self.purses[:, :2] - self.game.counters

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the games as columns, a row for each game.

        Returns
        -------
        dict of str to numpy.ndarray
            ``game`` (its number, from 0), ``began`` and ``home_first`` (``light`` or ``dark``),
            ``plies`` of both, ``pool`` (counters left in it); then, of light and of dark each, as
            in ``light_turns``: ``winnings`` (counters won, below 0 if lost), ``plies``, ``turns``,
            ``thrown`` and ``lost`` (second dice, and turns lost to them), ``launches``,
            ``captures``, ``rosettes`` landed on, ``passed`` ones.
        """
        sides = np.array(["light", "dark"])
        found: dict[str, NDArray[Any]] = {
            "game": np.arange(len(self)),
            "began": sides[self.results[:, 0]],
            "home_first": sides[self.results[:, 1]],
            "plies": self.results[:, 2],
            "pool": self.purses[:, 2],
        }
        fields = {
            "turns": game_kernels.TURNS,
            "thrown": game_kernels.THROWN,
            "lost": game_kernels.LOST,
            "launches": game_kernels.LAUNCHES,
            "captures": game_kernels.CAPTURES,
            "rosettes": game_kernels.LANDED,
            "passed": game_kernels.PASSED,
        }
        for k, side in enumerate(("light", "dark")):
            found[f"{side}_winnings"] = self.winnings[:, k]
            found[f"{side}_plies"] = self.by_choices[:, k].sum(axis=1)
            found |= {f"{side}_{name}": self.records[:, k, n] for name, n in fields.items()}
        return found


def arrays(game: GamblingGame) -> Rules:
    """Return a game in the form that the kernels take."""
    ways = game.path.light, game.path.dark
    numbers = {tile: k for k, tile in enumerate(game.path.tiles)}
    longest = max(map(len, ways))
    tiles = np.full((2, longest + 2), -1, np.int64)
    rosettes = np.zeros((2, longest + 2), np.int64)
    for side, way in enumerate(ways):
        for step, tile in enumerate(way, start=1):
            tiles[side, step] = numbers[tile]
            rosettes[side, step] = tile in game.path.board.rosettes
    chosen = {
        name: list(choice.values).index(game.choices[name]) for name, choice in CHOICES.items()
    }
    return Rules(
        lengths=np.array([len(way) for way in ways], np.int64),
        tiles=tiles,
        rosettes=rosettes,
        rolls=np.array([piece.roll for piece in game.pieces], np.int64),
        entries=np.array(game.entries, np.int64),
        values=np.array([piece.counters for piece in game.pieces], np.int64),
        faces=np.array(game.die.rolls, np.int64),
        doubled=np.array(game.doubled, np.int64),
        chances=np.array([float(p) for p in game.die.probabilities]),
        slots=dice_slots(game.die),
        yes=game.doubling.numerator,
        of=game.doubling.denominator,
        counters=game.counters,
        pool=game.pool,
        together=chosen["double"],
        waiting=chosen["waiting"],
        last_early=chosen["order"],
        launch=chosen["launch"],
        again=1 - chosen["rosette"],
        once=chosen["passing"],
        free_exit=chosen["leaving"],
        to_opponent=chosen["losses"],
        credit=chosen["stakes"],
        unfinished=chosen["payment"],
        rest_to_finisher=chosen["rest"],
    )


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
    games, seed = whole("games", games), whole("seed", seed)
    if not 1 <= games <= MAX_GAMES:
        raise UsageError(f"{games} games: play from 1 to {MAX_GAMES}")
    if not 0 <= seed <= MAX_SEED:
        raise UsageError(f"seed {seed} is not from 0 to 2^63 - 1")
    if first not in FIRST_MOVERS:
        raise UsageError(f"unknown first mover {first!r}; known: {', '.join(FIRST_MOVERS)}")
    threads = chosen_threads(threads)
    found = _empty(chosen, players, games, seed, first)
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
        found = _empty(self.game, self.players, end - begin, self.seed, self.first)
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
    one = _empty(found.game, (found.light, found.dark), 1, found.seed, found.first)
    plies = int(found.results[number, 2])
    log = np.zeros((plies, game_kernels.N_LOG + 3 + 2 * len(found.game.pieces)), np.int64)
    _play(one, arrays(found.game), number, number + 1, log, slice(0, 1))
    return log


def _empty(
    game: GamblingGame, players: tuple[Gambler, Gambler], games: int, seed: int, first: str
) -> Gambles:
    fields = game_kernels.N_FIXED + len(game.pieces) + 1
    needed = games * 8 * (2 * fields + 3 + 3 + 4)
    check_memory(needed, f"what is counted of {games:,} games", "play fewer games")
    return Gambles(
        game,
        *players,
        seed,
        first,
        games,
        np.zeros((games, 2, fields), np.int64),
        np.zeros((games, 3), np.int64),
        np.zeros((games, 3), np.int64),
        np.zeros((games, 2, 2)),
    )


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
