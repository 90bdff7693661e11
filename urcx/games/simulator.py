"""The simulator: many games between two agents, in parallel, and what happened in each.

A game depends on the seed and its number alone, so the same seed gives the same games whatever the
number of threads, and however an agent that looks ahead finds its moves. Agents that look ahead
play from a table of the whole state space (`urcx.agents.levels`) or by searching each position
(`urcx.agents.search`); both give the same moves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import AnyMove, ByLevel, ByRank, ByTable, Greedy
from urcx.agents.agents import Agent, Chooser, agent
from urcx.agents.policies import Policies, for_thread
from urcx.engine.memory import check_memory
from urcx.engine.moves import Tables, tables
from urcx.engine.threads import Stage, chosen_threads, for_chunks, silent
from urcx.errors import TooLargeError, UnknownNameError, UrcxError, UsageError
from urcx.game import SIDES
from urcx.games import game_kernels
from urcx.games.own_games import play_own_games
from urcx.results import Columns, Result
from urcx.rules import catalogue
from urcx.rules.model import Dice, RuleSet

FIRST_MOVERS = ("light", "dark", "alternate", "coin")
MAX_GAMES = 100_000_000
MAX_PLIES = 1_000_000  # of one game
MAX_SLOTS = 1 << 20  # of the dice
MAX_SEED = 2**63 - 1
CHUNK = 1024  # games that a thread takes at a time

IntArray = NDArray[np.int32]


def side_number(side: str, *others: str) -> int:
    """Return 0 for ``"light"`` and 1 for ``"dark"``; raises `UsageError` for anything else."""
    if side not in SIDES:
        known = dict.fromkeys((*SIDES, *others))
        raise UnknownNameError("side", str(side), known)
    return SIDES.index(side)


@dataclass(frozen=True)
class SideCounts(Columns):
    """What was counted of one player; a row of each array is a game.

    Attributes
    ----------
    turns, captures, rosettes : array of int, shape (games,)
        Turns, moves that captured, and moves that ended on a rosette.
    rolls : array of int, shape (games, values of the dice)
        How often each value was rolled, in the order of ``rules.dice.rolls``.
    by_choices : array of int, shape (games, pieces + 1)
        Plies in which 0 (a pass), 1, 2, ... moves were legal.
    entropy : array of float, shape (games,)
        Sum of log10 of how many moves were chosen among at random.
    habits : array of int, shape (games, counters)
        What `urcx.games.habits` reads; no rows where habits were not observed.
    """

    turns: IntArray
    captures: IntArray
    rosettes: IntArray
    rolls: IntArray
    by_choices: IntArray
    entropy: NDArray[np.float64]
    habits: IntArray

    @property
    def plies(self) -> IntArray:
        """Return the player's plies, passes included."""
        found: IntArray = self.by_choices.sum(axis=1, dtype=np.int32)
        return found

    @property
    def passes(self) -> IntArray:
        """Return the plies without a legal move."""
        return self.by_choices[:, 0]

    @property
    def moves(self) -> IntArray:
        """Return the plies with a move."""
        found: IntArray = self.by_choices[:, 1:].sum(axis=1, dtype=np.int32)
        return found

    @property
    def choices(self) -> NDArray[np.int64]:
        """Return the legal moves of all plies together."""
        found: NDArray[np.int64] = self.by_choices @ np.arange(self.by_choices.shape[1])
        return found

    @property
    def decisions(self) -> IntArray:
        """Return the plies with two or more legal moves."""
        found: IntArray = self.by_choices[:, 2:].sum(axis=1, dtype=np.int32)
        return found


@dataclass(frozen=True)
class Games(Result, function="simulate"):
    """Games that were played, and what was counted in each; a row of each array is a game.

    The columns of both players together are here, those of one player in what `side` returns.

    Attributes
    ----------
    rules : RuleSet
    light, dark : Agent
        Who played.
    seed : int
    first : str
        Who was to begin: ``light``, ``dark``, ``alternate`` or ``coin``; `began` says who did.
    asked : int
        How many games were wanted; fewer are here if Ctrl-C came in between.
    notes : tuple of str
        What to know of how the agents were made ready.
    records : array of int, shape (games, 2, columns)
        Raw counts by game and side (0 light, 1 dark), as the kernels order them: turns, captures,
        rosettes landed on, then rolls of each value in the order of the dice, then plies by number
        of legal moves. `side` gives them names.
    results : array of int, shape (games, 3)
        Raw: the side that began, the side that won, plies of both. See `began`, `winner`, `plies`.
    entropy : array of float, shape (games, 2)
        Sum of log10 of how many moves were chosen among at random, by game and side.
    habits : array of int, shape (games, 2, counters), or (0, 2, counters) where not observed
        Raw: what `urcx.games.habits` reads.

    Examples
    --------
    >>> import urcx
    >>> games = urcx.simulate("greedy", "random", games=100, seed=1)
    >>> games.wins("light") + games.wins("dark")
    100
    >>> games.plies.shape, games.side("dark").captures.shape
    ((100,), (100,))
    """

    rules: RuleSet
    light: Agent
    dark: Agent
    seed: int
    first: str
    asked: int
    records: IntArray
    results: IntArray
    entropy: NDArray[np.float64]
    habits: IntArray
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return how many games were played."""
        return len(self.results)

    @property
    def interrupted(self) -> bool:
        """Return whether not all games were played."""
        return len(self) < self.asked

    @property
    def began(self) -> NDArray[np.str_]:
        """Return who began each game, ``"light"`` or ``"dark"``."""
        return np.array(SIDES)[self.results[:, 0]]

    @property
    def winner(self) -> NDArray[np.str_]:
        """Return who won each game, ``"light"`` or ``"dark"``."""
        return np.array(SIDES)[self.results[:, 1]]

    @property
    def plies(self) -> IntArray:
        """Return the plies of each game, both players' and passes included."""
        return self.results[:, 2]

    def wins(self, side: str) -> int:
        """Return how many games ``"light"`` or ``"dark"`` won, or whoever was ``"first"`` to move.

        Raises
        ------
        UsageError
            If it is none of these.
        """
        wanted = self.results[:, 0] if side == "first" else side_number(side, "first")
        return int((self.results[:, 1] == wanted).sum())

    def side(self, side: str) -> SideCounts:
        """Return what was counted of ``"light"`` or ``"dark"``; raises `UsageError` if neither."""
        number = side_number(side)
        return SideCounts(
            turns=self.records[:, number, game_kernels.TURNS],
            captures=self.records[:, number, game_kernels.CAPTURES],
            rosettes=self.records[:, number, game_kernels.LANDED],
            rolls=self.rolls[:, number],
            by_choices=self.by_choices[:, number],
            entropy=self.entropy[:, number],
            habits=self.habits[:, number],
        )

    @property
    def rolls(self) -> IntArray:
        """Return the rolls by game, side (0 light, 1 dark) and value, in the order of the dice."""
        first = game_kernels.N_FIXED
        return self.records[:, :, first : first + len(self.rules.dice.rolls)]

    @property
    def by_choices(self) -> IntArray:
        """Return the plies by game, side (0 light, 1 dark) and number of legal moves, from 0."""
        return self.records[:, :, game_kernels.N_FIXED + len(self.rules.dice.rolls) :]

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the games as columns, a row for each game.

        Returns
        -------
        dict of str to numpy.ndarray
            ``game`` (its number, from 0), ``began`` and ``winner`` (``light`` or ``dark``),
            ``plies`` of both; then, of light and of dark each, as in ``light_turns``: ``plies``,
            ``turns``, ``moves``, ``passes``, ``decisions`` (two or more legal moves), ``choices``
            (legal moves of all plies), ``captures``, ``rosettes`` landed on, ``entropy`` (sum of
            log10 of how many moves were chosen among at random), and ``roll_0`` and so on: how
            often each value was rolled.
        """
        sides = np.array(["light", "dark"])
        found: dict[str, NDArray[Any]] = {
            "game": np.arange(len(self)),
            "began": sides[self.results[:, 0]],
            "winner": sides[self.results[:, 1]],
            "plies": self.results[:, 2],
        }
        legal = np.arange(self.rules.pieces + 1)
        for k, side in enumerate(("light", "dark")):
            by_choices = self.by_choices[:, k]
            own = {
                "plies": by_choices.sum(axis=1),
                "turns": self.records[:, k, game_kernels.TURNS],
                "moves": by_choices[:, 1:].sum(axis=1),
                "passes": by_choices[:, 0],
                "decisions": by_choices[:, 2:].sum(axis=1),
                "choices": by_choices @ legal,
                "captures": self.records[:, k, game_kernels.CAPTURES],
                "rosettes": self.records[:, k, game_kernels.LANDED],
                "entropy": self.entropy[:, k],
                **{f"roll_{r}": self.rolls[:, k, n] for n, r in enumerate(self.rules.dice.rolls)},
            }
            found |= {f"{side}_{name}": values for name, values in own.items()}
        return found


def simulate(  # noqa: PLR0913 - what else but agents and rules is said by name
    light: str | Agent | Chooser = "panda",
    dark: str | Agent | Chooser | None = None,
    rules: str | RuleSet = "finkel",
    *,
    games: int = 2000,
    seed: int = 1,
    first: str = "alternate",
    habits: bool = False,
    threads: int | None = None,
    policies: Policies | None = None,
    stage: Stage = silent,
) -> Games:
    """Play games and return what happened in them.

    Parameters
    ----------
    light, dark
        Agents, or texts as `urcx.agents.agents.agent` reads them; dark is as light by default.
    rules
        A rule set or its name.
    games
        How many, from 1 to `MAX_GAMES`.
    seed
        From 0 to 2^63 - 1.
    first
        Who begins: ``light``, ``dark``, ``alternate`` (light, then dark, and so on) or ``coin``.
    habits
        Whether to observe what `urcx.games.habits` reads, which costs some speed.
    threads
        By default as many as there are cores; the games are the same.
    policies
        Where agents are made ready, to say how they look ahead and to share them between calls.
    stage
        What to call as each part of the work begins; see `urcx.agents.policies`.

    Returns
    -------
    Games

    Raises
    ------
    UsageError
        If an argument is out of range, or an agent of the user's fails.
    UnknownNameError
        If there is no such agent or rule set.
    TooLargeError
        If memory does not suffice.
    UrcxError
        If a game does not end within `MAX_PLIES` plies.

    Examples
    --------
    >>> import urcx
    >>> games = urcx.simulate("greedy", "random", games=100, seed=1)
    >>> len(games)
    100
    >>> columns = games.to_dict()
    >>> int((columns["winner"] == "light").sum())
    92
    >>> columns["plies"][:4].tolist()
    [118, 109, 146, 121]
    """
    chosen = catalogue.ruleset(rules)
    players = (agent(light), agent(light if dark is None else dark))
    games, seed = catalogue.whole("games", games), catalogue.whole("seed", seed)
    if not 1 <= games <= MAX_GAMES:
        raise UsageError(f"{games:,} games: play from 1 to {MAX_GAMES:,}")
    if not 0 <= seed <= MAX_SEED:
        raise UsageError(f"seed {seed} is not from 0 to 2^63 - 1")
    if first not in FIRST_MOVERS:
        raise UsageError(f"unknown first mover {first!r}; known: {', '.join(FIRST_MOVERS)}")
    threads = chosen_threads(threads)
    found = _empty(chosen, players, games, seed, first, habits=habits)
    ready = policies or Policies(chosen, games, threads=threads, stage=stage)
    done = np.zeros(games, np.bool_)
    made = [ready.of(player) for player in players]
    teams = [tuple(for_thread(policy) for policy in made) for _ in range(threads)]
    job = _Job(found, tables(chosen), teams, done)
    try:
        for_chunks(games, job.chunk, job.play, job.threads(threads), stage("games", games, "games"))
    except KeyboardInterrupt:
        if not done.any():
            raise
        kept = done.copy()  # a second Ctrl-C leaves threads at work
        found = replace(
            found,
            **{name: getattr(found, name)[kept] for name in ("records", "results", "entropy")},
            habits=found.habits[kept] if habits else found.habits,
        )
    return replace(found, notes=tuple(ready.notes))


def game_memory(rules: RuleSet) -> int:
    """Return the bytes that are kept of a game."""
    return 8 * _fields(rules) + 12 + 16


def _fields(rules: RuleSet) -> int:
    """Return how much is counted of either side in a game."""
    return game_kernels.N_FIXED + len(rules.dice.rolls) + rules.pieces + 1


def _empty(
    rules: RuleSet,
    players: tuple[Agent, Agent],
    games: int,
    seed: int,
    first: str,
    *,
    habits: bool,
) -> Games:
    fields = _fields(rules)
    rows = games if habits else 0
    needed = games * game_memory(rules) + rows * 8 * game_kernels.N_HABITS
    check_memory(needed, f"what is counted of {games:,} games", "play fewer games")
    return Games(
        rules,
        *players,
        seed,
        first,
        games,
        np.zeros((games, 2, fields), np.int32),
        np.zeros((games, 3), np.int32),
        np.zeros((games, 2)),
        np.zeros((rows, 2, game_kernels.N_HABITS), np.int32),
    )


@lru_cache(maxsize=32)
def dice_slots(dice: Dice) -> NDArray[np.int64]:
    """Return the dice as equally likely slots, each with the index of its roll.

    Raises
    ------
    TooLargeError
        If that takes more than `MAX_SLOTS`.
    """
    common = int(np.lcm.reduce([p.denominator for p in dice.probabilities], dtype=object))
    if common > MAX_SLOTS:
        raise TooLargeError(f"the dice {dice.name}: probabilities in 1/{common} are too fine")
    slots = np.repeat(np.arange(len(dice.rolls)), [int(p * common) for p in dice.probabilities])
    slots.setflags(write=False)
    return slots


@dataclass(frozen=True)
class _Job:
    """Games to be played in chunks.

    ``teams`` has light's and dark's policy for each thread, None for an agent of the user's.
    """

    found: Games
    arrays: Tables
    teams: list[tuple[Any, ...]]
    done: NDArray[np.bool_]

    @property
    def chunk(self) -> int:
        """Return how many games a thread should take at a time: Ctrl-C waits for them."""
        return (
            CHUNK
            if all(
                isinstance(x, AnyMove | Greedy | ByLevel | ByTable | ByRank) for x in self.teams[0]
            )
            else 1
        )

    def threads(self, wanted: int) -> int:
        """Return on how many threads to play; functions of the user's run on one."""
        return 1 if None in self.teams[0] else wanted

    def play(self, thread: int, first: int, last: int) -> None:
        """Play some games."""
        found, team = self.found, self.teams[thread]
        rows = slice(first, last)
        arguments = (
            dice_slots(found.rules.dice),
            found.seed,
            FIRST_MOVERS.index(found.first),
            first,
            last,
            MAX_PLIES,
            _logs(found.rules.pieces),
            found.records[rows],
            found.results[rows],
            found.entropy[rows],
            found.habits[rows] if len(found.habits) else None,
        )
        with np.errstate(over="ignore"):  # random streams wrap; compiled code does not warn
            if None in team:
                endless = play_own_games(found.rules, (found.light, found.dark), team, *arguments)
            else:
                endless = game_kernels.play_games(
                    self.arrays.ways, self.arrays.rolls, *team, *arguments
                )
        if endless >= 0:
            raise UrcxError(
                f"game {endless} of {found.light.name} and {found.dark.name} does not end "
                f"within {MAX_PLIES:,} plies"
            )
        self.done[rows] = True


@lru_cache(maxsize=32)
def _logs(pieces: int) -> NDArray[np.float64]:
    return np.log10(np.maximum(np.arange(pieces + 2), 1))
