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
from urcx.agents.agent_texts import agent
from urcx.agents.agents import Agent
from urcx.agents.own_agents import Chooser
from urcx.agents.policies import Policies, for_thread
from urcx.engine.memory import check_memory
from urcx.engine.moves import Tables, tables
from urcx.engine.threads import Stage, chosen_threads, for_chunks, silent
from urcx.errors import TooLargeError, UrcxError, UsageError
from urcx.games import game_kernels
from urcx.games.own_games import play_own_games
from urcx.games.records import Games
from urcx.rules import catalogue
from urcx.rules.model import Dice, RuleSet

FIRST_MOVERS = ("light", "dark", "alternate", "coin")
MAX_GAMES = 100_000_000
MAX_PLIES = 1_000_000  # of one game
MAX_SLOTS = 1 << 20  # of the dice
MAX_SEED = 2**63 - 1
CHUNK = 1024  # games that a thread takes at a time


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
        Agents, or texts as `urcx.agents.agent_texts.agent` reads them; dark is as light by default.
    rules
        A rule set or its name.
    games
        How many, from 1 to `MAX_GAMES`.
    seed
        From 0 to 2^63 - 1.
    first
        Who begins: ``light``, ``dark``, ``alternate`` (light, then dark, and so on) or ``coin``.
    habits
        Whether to record what `urcx.games.habits` reads, which costs some speed.
    threads
        By default as many as there are cores; the games are the same.
    policies
        Prepares the agents: pass one to say how they look ahead, or to share them between calls.
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
    """Return the bytes that the record of one game takes."""
    return 8 * _fields(rules) + 12 + 16


def _fields(rules: RuleSet) -> int:
    """Return the number of counts kept for each side of a game."""
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
