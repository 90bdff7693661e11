"""The simulator: many games between two agents, in parallel, and what happened in each.

A game depends on the seed and its number alone, so the same seed gives the same games whatever
plays them (`urcx.engine.chunks`), and however an agent that looks ahead finds its moves. Agents
that look ahead play from a table of the whole state space (`urcx.agents.levels`) or by searching
each position (`urcx.agents.search`); both give the same moves.

Another process or machine is told which agents play by which rules, and makes them ready itself,
once; what comes back are the counts of each game.

Games in which an agent of the user's chooses for one side or both are played in Python. The dice
are those of the compiled games: a seed and a game's number give the same random stream with one
draw per ply, so a user's agent that plays like a built-in one plays the same games. An own agent's
random numbers come from a generator of its own, made of the seed, the game's number and the side:
so they depend neither on what else is played nor on how much the other side draws.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import (
    FIRST,
    Greedy,
    LevelPolicy,
    RandomPolicy,
    RankPolicy,
    TablePolicy,
    copy_for_thread,
)
from urcx.agents.agents import Agent, agent, as_sent
from urcx.agents.own_agents import CustomAgent, custom_move
from urcx.agents.policies import Policies
from urcx.engine.chunks import map_chunks, split_range
from urcx.engine.memory import check_memory
from urcx.engine.moves import legal_moves, steps_of, tables
from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import (
    TooLargeError,
    UrcxError,
    UsageError,
    check_booleans,
    check_functions,
    check_name,
)
from urcx.game import Game
from urcx.games import game_kernels
from urcx.games.game_kernels import DiceArrays, GameCounts, GameHabits, GamesPlan, play_games
from urcx.games.records import Games
from urcx.rules import catalogue
from urcx.rules.model import Dice, RuleSet
from urcx.rules.position import Position

__all__ = ["simulate"]


@dataclass(frozen=True)
class _OwnPolicy:
    """An agent of the user's in one game, as `play_games` takes it where it is plain Python."""

    agent: Agent
    rules: RuleSet
    random: np.random.Generator
    ties: int = FIRST

    def choose(self, _: Any, side: int, legal: int, roll: int, *pieces: int) -> int:
        """Return the move that the user's agent chooses; see `urcx.agents.agent_kernels`."""
        if legal & (legal - 1) == 0:
            return legal
        own, own_home, other, other_home = (int(x) for x in pieces)
        boards, homes = [steps_of(own), steps_of(other)], [own_home, other_home]
        if side:
            boards.reverse()
            homes.reverse()
        light_moves = bool(side == 0)  # not one of numpy's
        position = Position(boards[0], boards[1], (homes[0], homes[1]), light_moves)
        moves = legal_moves(position, int(roll), self.rules)
        game = Game(self.rules, position)
        return 1 << custom_move(self.agent, game, int(roll), moves, self.random).start


def play_own_games(
    rules: RuleSet,
    agents: tuple[Agent, Agent],
    policies: tuple[Any, ...],
    dice: DiceArrays,
    observer: Callable[[int], Any],
    plan: GamesPlan,
) -> int:
    """Play games as `play_games` does, by the same loop; a policy of None is an own agent.

    ``observer`` gives the observer of each game, counted from 0.

    Raises
    ------
    UsageError
        If an own agent raises or returns no legal move.
    """
    play = getattr(play_games, "py_func", play_games)  # itself where nothing is compiled
    for game in range(plan.first, plan.last):
        players = (
            _OwnPolicy(agent, rules, np.random.default_rng((plan.seed, game, k)))
            if policy is None
            else policy
            for k, (agent, policy) in enumerate(zip(agents, policies, strict=True))
        )
        one = plan._replace(first=game, last=game + 1)
        endless = play(tables(rules).ways, dice, *players, observer(game - plan.first), one)
        if endless >= 0:
            return int(endless)
    return -1


Counts = TypeVar("Counts", bound=tuple[NDArray[Any], ...])
FIRST_MOVERS = ("light", "dark", "alternate", "coin")
MAX_GAMES = 100_000_000
MAX_PLIES = 1_000_000  # of one game
MAX_SLOTS = 1 << 20  # of the dice
FIRST_CHUNK = 256  # games, of agents that do not search
MOST_CHUNK = 1 << 16  # games whose counts come back in one message, some 10 MB


def simulate(  # noqa: PLR0913 - what else but agents and rules is said by name
    light: str | Agent | CustomAgent = "panda",
    dark: str | Agent | CustomAgent | None = None,
    rules: str | RuleSet = "finkel",
    *,
    games: int = 2000,
    seed: int = 1,
    first: str = "alternate",
    habits: bool = False,
    method: str = "auto",
    no_cache: bool = False,
    threads: int | None = None,
    executor: Executor | None = None,
    stage: Stage = no_progress,
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
        Whether to record what `urcx.games.match` reads, which costs some speed.
    method
        How agents look ahead: ``levels`` (all states at once), ``tree`` (each position) or
        ``auto``; the games are the same.
    no_cache
        Whether to neither read nor keep levels in the cache directory.
    threads
        By default as many as there are cores; the games are the same.
    executor
        What plays in place of threads of this process; the games are the same. Agents are made
        ready anew in each of its processes, those of the user's too.
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
        If a game does not end within `MAX_PLIES` plies, or the executor's workers fail or have
        another urcx.

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
    check_functions(stage=stage)
    check_booleans(habits=habits, no_cache=no_cache)
    chosen = catalogue.ruleset(rules)
    players = (agent(light), agent(light if dark is None else dark))
    games = catalogue.as_integer("games", games)
    ready = Policies(chosen, games, method=method, keep=not no_cache, threads=threads, stage=stage)
    return simulated(ready, players, games, seed, first, habits=habits, executor=executor)


def simulated(
    ready: Policies,
    players: tuple[Agent, Agent],
    games: int,
    seed: int,
    first: str,
    *,
    habits: bool = False,
    executor: Executor | None = None,
    stage: Stage | None = None,
) -> Games:
    """Play games of light against dark as `simulate` does, by policies that several calls share.

    ``stage`` is called as the games begin, by default that of the policies.
    """
    chosen = ready.rules
    games, seed = catalogue.as_integer("games", games), catalogue.as_seed(seed)
    if not 1 <= games <= MAX_GAMES:
        raise UsageError(f"{games:,} games: play from 1 to {MAX_GAMES:,}")
    check_name("first mover", first, FIRST_MOVERS)
    threads = chosen_threads(ready.threads)
    needed = games * (game_memory(chosen) + habits * 8 * game_kernels.N_HABITS)
    check_memory(needed, f"what is counted of {games:,} games", "play fewer games")
    counts = _part(chosen, games, habits=habits)
    work = _Play(
        chosen, players, seed, first, habits, _Preparing(ready.games, ready.method, ready.keep)
    )
    work.prepare(ready)
    counts = collect_games(
        work,
        counts,
        games,
        (stage or ready.stage)("games", games, "games"),
        executor=executor,
        threads=work.threads(threads),
        first=work.first_chunk,
        most=work.most_chunk(executor),
    )
    notes = tuple(ready.notes)
    return Games(
        chosen, *players, seed, first, games, counts=counts.records, results=counts.results,
        entropy=counts.entropy, habits=counts.habits, notes=notes,
    )  # fmt: skip


def collect_games(
    play: Callable[[int, int], Counts],
    counts: Counts,
    games: int,
    show: Callable[[int], object],
    **how: Any,
) -> Counts:
    """Have games played, wherever and in whatever order, and return what was counted in them.

    Parameters
    ----------
    play
        Called with the first game of a chunk and the end; returns what was counted in them.
    counts
        A named tuple of arrays to be filled, each with a row for each game or with none.
    games, show
        How many games there are, and what is called with the number of those played.
    **how
        Where they are played, and how they are cut; see `urcx.engine.chunks.map_chunks`.

    Raises
    ------
    KeyboardInterrupt
        By Ctrl-C, if no game was played; else the result has those that were.
    """
    done = np.zeros(games, np.bool_)
    played = 0

    def take(part: Counts, begin: int, end: int) -> None:
        nonlocal played
        for every, own in zip(counts, part, strict=True):
            every[begin:end] = own
        done[begin:end] = True
        played += end - begin

    try:
        map_chunks(play, split_range(games), take, total=games, tick=lambda: show(played), **how)
    except KeyboardInterrupt:
        if not played:
            raise
        whole: Any = counts
        counts = whole._make(rows[done] if len(rows) else rows for rows in counts)
    return counts


def game_memory(rules: RuleSet) -> int:
    """Return the bytes that the record of one game takes."""
    return 8 * _fields(rules) + 12 + 16


def _fields(rules: RuleSet) -> int:
    """Return the number of counts kept for each side of a game."""
    return game_kernels.N_FIXED + len(rules.dice.rolls) + rules.pieces + 1


def _part(rules: RuleSet, games: int, *, habits: bool) -> _Part:
    """Return arrays for what is counted of some games, filled with zeros."""
    rows = games if habits else 0
    return _Part(
        np.zeros((games, 2, _fields(rules)), np.int32),
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


def dice_arrays(rules: RuleSet) -> DiceArrays:
    """Return a rule set's dice as kernels take them; raises as `dice_slots` does."""
    arrays = tables(rules)
    return DiceArrays(arrays.rolls, arrays.chance, dice_slots(rules.dice))


def play_before(observer: Any, policies: Iterable[Any], rules: RuleSet, plan: GamesPlan) -> None:
    """Play the games of a plan between two policies before an observer.

    Raises
    ------
    UrcxError
        If a game does not end.
    """
    with np.errstate(over="ignore"):  # random streams wrap; compiled code does not warn
        endless = _played(rules, policies, observer, plan)
    if endless >= 0:
        raise UrcxError(f"game {endless} does not end within {plan.longest:,} plies")


def _played(rules: RuleSet, policies: Iterable[Any], observer: Any, plan: GamesPlan) -> int:
    """Play games as `play_games` does, by the same compiled loop whichever of the two is light."""
    light, dark = policies
    if _kind(light) > _kind(dark):
        light, dark, plan = dark, light, plan._replace(swapped=1)
    return int(play_games(tables(rules).ways, dice_arrays(rules), light, dark, observer, plan))


def _kind(policy: Any) -> tuple[str, str]:
    """Return the names of a policy's types, which the loop is compiled for."""
    return type(policy).__name__, type(getattr(policy, "play", None)).__name__


class _Part(NamedTuple):
    """What was counted of some games, as `Games` has it; no habits if they are not observed."""

    records: NDArray[np.int32]
    results: NDArray[np.int32]
    entropy: NDArray[np.float64]
    habits: NDArray[np.int32]


class _Preparing(NamedTuple):
    """How `Policies` are made: for how many games, by what method, whether levels are kept."""

    games: int
    method: str
    keep: bool


@dataclass
class _Play:
    """Plays games, some at a time: the rules, the agents, and what they need to play.

    A copy in another process has the rules and agents, and makes them ready when first asked.
    """

    rules: RuleSet
    players: tuple[Agent, Agent]
    seed: int
    first: str
    habits: bool
    preparing: _Preparing

    def __post_init__(self) -> None:
        self.policies: tuple[Any, ...] = ()
        self.idle: list[tuple[Any, ...]] = []  # policies, each pair for one thread at a time
        self.lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        players = tuple(as_sent(player) for player in self.players)
        return _copy, (self.rules, players, self.seed, self.first, self.habits, self.preparing)

    def prepare(self, ready: Policies | None = None) -> None:
        """Make the agents ready, once; ``ready`` has those that are."""
        with self.lock:
            if not self.policies:
                ready = ready or _policies(self.rules, self.preparing)
                self.policies = tuple(ready.of(player) for player in self.players)

    @property
    def first_chunk(self) -> int:
        """Return how many games to begin with."""
        quick = all(
            isinstance(x, RandomPolicy | Greedy | LevelPolicy | TablePolicy | RankPolicy)
            for x in self.policies
        )
        return FIRST_CHUNK if quick else 1

    def most_chunk(self, executor: Executor | None) -> int:
        """Return how many games a chunk may have; Ctrl-C waits for one of the user's agent's."""
        return 1 if None in self.policies and executor is None else MOST_CHUNK

    def threads(self, wanted: int) -> int:
        """Return on how many threads to play; functions of the user's run on one."""
        alone = any(player.is_own and not player.is_engine for player in self.players)
        return 1 if alone else wanted

    def __call__(self, first: int, last: int) -> _Part:
        """Play some games."""
        self.prepare()
        try:
            policies = self.idle.pop()
        except IndexError:
            policies = tuple(copy_for_thread(policy) for policy in self.policies)
        rules = self.rules
        part = _part(rules, last - first, habits=self.habits)
        rule = FIRST_MOVERS.index(self.first)
        plan = GamesPlan(self.seed, rule, first, last, MAX_PLIES)
        with np.errstate(over="ignore"):  # random streams wrap; compiled code does not warn
            if None in policies:
                endless = play_own_games(
                    rules, self.players, policies, dice_arrays(rules),
                    partial(self._observer, part), plan,
                )  # fmt: skip
            else:
                endless = _played(rules, policies, self._observer(part), plan)
        self.idle.append(policies)
        if endless >= 0:
            raise UrcxError(
                f"game {endless} of {self.players[0].name} and {self.players[1].name} does not end "
                f"within {MAX_PLIES:,} plies"
            )
        return part

    def _observer(self, part: _Part, first: int = 0) -> GameCounts | GameHabits:
        """Return what writes to a part, from one of its games on, as games are played."""
        part = _Part._make(array[first:] for array in part)
        at_moves = game_kernels.N_FIXED + len(self.rules.dice.rolls)
        counts = np.zeros(2 * _fields(self.rules), np.int64)
        logs = _logs(self.rules.pieces)
        counted = GameCounts(at_moves, logs, *part[:3], counts, np.zeros(2))
        if not self.habits:
            return counted
        return GameHabits(counted, part.habits, np.zeros(game_kernels.N_KINDS, np.int64))


_COPYING = threading.Lock()  # a worker may have several threads


def _copy(*value: Any) -> _Play:
    """Return the copy of a `_Play` in another process, the same for all of its chunks."""
    with _COPYING:
        return _copy_once(*value)


@lru_cache(maxsize=2)  # a match has two for each pair
def _copy_once(
    rules: RuleSet,
    players: tuple[Agent | str, Agent | str],
    seed: int,
    first: str,
    habits: bool,
    preparing: _Preparing,
) -> _Play:
    one, other = (agent(player) for player in players)
    return _Play(rules, (one, other), seed, first, habits, preparing)


@lru_cache(maxsize=1)  # they may be large; a match has one for all pairs
def _policies(rules: RuleSet, preparing: _Preparing) -> Policies:
    return Policies(rules, preparing.games, method=preparing.method, keep=preparing.keep)


@lru_cache(maxsize=32)
def _logs(pieces: int) -> NDArray[np.float64]:
    return np.log10(np.maximum(np.arange(pieces + 2), 1))
