"""The simulator: many games between two agents, in parallel, with counts of each game.

A game depends only on the seed and its number. So the same seed gives the same games with all
executors (`urcx.engine.chunks`) and all methods of search. Agents that look ahead play from value
tables of all states (`urcx.agents.levels`) or search each position (`urcx.agents.search`). Both
give the same moves.

Another process or machine receives the agents and the rules, prepares the agents once, and returns
the counts of each game.

Games in which a user's agent plays one or both sides run in Python, with the dice of the compiled
games. A seed and a game's number give the same random stream, with one draw per ply. So a user's
agent that plays like a built-in agent plays the same games. The random numbers of a user's agent
come from a separate generator, made from the seed, the game's number and the side. They do not
depend on other games or on the draws of the other side.
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
from urcx.agents.priority_kernels import PriorityPolicy
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
    """A user's agent in one game, as a policy for `play_games` in plain Python."""

    agent: Agent
    rules: RuleSet
    random: np.random.Generator
    ties: int = FIRST

    def choose(self, _: Any, side: int, legal: int, roll: int, *pieces: int) -> int:
        """Return the move of the user's agent, as in `urcx.agents.agent_kernels`."""
        if legal & (legal - 1) == 0:
            return legal
        own, own_home, other, other_home = (int(x) for x in pieces)
        boards, homes = [steps_of(own), steps_of(other)], [own_home, other_home]
        if side:
            boards.reverse()
            homes.reverse()
        light_moves = bool(side == 0)  # a bool of Python, not of numpy
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
    """Play games with the loop of `play_games`. A policy of None is a user's agent.

    ``observer`` returns the observer of each game, counted from 0.

    Raises
    ------
    UsageError
        If a user's agent raises an exception or returns no legal move.
    """
    play = getattr(play_games, "py_func", play_games)  # without compilation, the function itself
    for game in range(plan.first, plan.last):
        players = (
            _OwnPolicy(agent, rules, np.random.default_rng((plan.seed, game, k)))
            if policy is None
            else policy
            for k, (agent, policy) in enumerate(zip(agents, policies, strict=True))
        )
        single = plan._replace(first=game, last=game + 1)
        endless = play(tables(rules).ways, dice, *players, observer(game - plan.first), single)
        if endless >= 0:
            return int(endless)
    return -1


Counts = TypeVar("Counts", bound=tuple[NDArray[Any], ...])
FIRST_MOVERS = ("light", "dark", "alternate", "coin")
MAX_GAMES = 100_000_000
MAX_PLIES = 1_000_000  # per game
MAX_SLOTS = 1 << 20  # of the dice
FIRST_CHUNK = 256  # games of agents that do not search
MOST_CHUNK = 1 << 16  # games per chunk (their counts take about 10 MB in one message)


def simulate(  # noqa: PLR0913 - all arguments but agents and rules are keywords
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
    """Play games and return their counts.

    Parameters
    ----------
    light, dark
        Agents, or strings in the notation of `urcx.agents.agents.agent`. By default dark is the
        same agent as light.
    rules
        A rule set or its name.
    games
        Number of games, from 1 to `MAX_GAMES`.
    seed
        Seed of the games, from 0 to 2^63 - 1.
    first
        The first player: ``light``, ``dark``, ``alternate`` (light, then dark, and so on) or
        ``coin``.
    habits
        Whether to record the play statistics of `urcx.games.match`, which makes games slower.
    method
        How agents look ahead: ``levels`` (value tables of all states), ``tree`` (a search of each
        position) or ``auto``. The games do not depend on it.
    no_cache
        Whether to neither read nor write value tables in the cache directory.
    threads
        Number of threads, by default one per core. The games do not depend on it.
    executor
        An executor that plays instead of threads of this process. The games do not depend on it.
        Each of its processes prepares the agents again, users' agents included.
    stage
        A function that is called as each part of the work begins, as in `urcx.agents.policies`.

    Returns
    -------
    Games

    Raises
    ------
    UsageError
        If an argument is out of range, or a user's agent fails.
    UnknownNameError
        If an agent or the rule set is unknown.
    TooLargeError
        If memory does not suffice.
    UrcxError
        If a game does not end within `MAX_PLIES` plies, or the executor's workers fail or have
        another version of urcx.

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
    rule_set = catalogue.ruleset(rules)
    players = (agent(light), agent(light if dark is None else dark))
    games = catalogue.as_integer("games", games)
    ready = Policies(
        rule_set, games, method=method, keep=not no_cache, threads=threads, stage=stage
    )
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
    """Play games of light against dark like `simulate`, with policies that several calls share.

    ``stage`` is called as the games begin. By default it is the stage of the policies.
    """
    rules = ready.rules
    games, seed = catalogue.as_integer("games", games), catalogue.as_seed(seed)
    if not 1 <= games <= MAX_GAMES:
        raise UsageError(f"games {games:,}: must be from 1 to {MAX_GAMES:,}")
    check_name("first mover", first, FIRST_MOVERS)
    threads = chosen_threads(ready.threads)
    size = games * (game_memory(rules) + habits * 8 * game_kernels.N_HABITS)
    check_memory(size, f"counting {games:,} games", "play fewer games")
    counts = _part(rules, games, habits=habits)
    work = _Play(
        rules, players, seed, first, habits, _Preparing(ready.games, ready.method, ready.keep)
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
        rules, *players, seed, first, games, counts=counts.records, results=counts.results,
        entropy=counts.entropy, habits=counts.habits, notes=notes,
    )  # fmt: skip


def collect_games(
    play: Callable[[int, int], Counts],
    counts: Counts,
    games: int,
    show: Callable[[int], object],
    **how: Any,
) -> Counts:
    """Play games in chunks, in any order, and return their counts.

    Parameters
    ----------
    play
        A function of the first game of a chunk and the end, which returns the counts of its games.
    counts
        A named tuple of arrays to fill, each with a row per game or without rows.
    games, show
        The number of games, and a function that is called with the number of games played.
    **how
        The executor and the sizes of chunks, as for `urcx.engine.chunks.map_chunks`.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C, if no game was played. Otherwise the result has the games played.
    """
    done = np.zeros(games, np.bool_)
    played = 0

    def take(part: Counts, begin: int, end: int) -> None:
        nonlocal played
        for rows, part_rows in zip(counts, part, strict=True):
            rows[begin:end] = part_rows
        done[begin:end] = True
        played += end - begin

    try:
        map_chunks(play, split_range(games), take, total=games, tick=lambda: show(played), **how)
    except KeyboardInterrupt:
        if not played:
            raise
        named_tuple: Any = counts
        counts = named_tuple._make(rows[done] if len(rows) else rows for rows in counts)
    return counts


def game_memory(rules: RuleSet) -> int:
    """Return the size of the record of one game, in bytes."""
    return 8 * _fields(rules) + 12 + 16


def _fields(rules: RuleSet) -> int:
    """Return the number of counts per side of a game."""
    return game_kernels.N_FIXED + len(rules.dice.rolls) + rules.pieces + 1


def _part(rules: RuleSet, games: int, *, habits: bool) -> _Part:
    """Return arrays for the counts of games, filled with zeros."""
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
        If more than `MAX_SLOTS` slots are needed.
    """
    common = int(np.lcm.reduce([p.denominator for p in dice.probabilities], dtype=object))
    if common > MAX_SLOTS:
        raise TooLargeError(
            f"dice {dice.name}: probabilities in 1/{common} are too fine. The greatest "
            f"denominator is {MAX_SLOTS}"
        )
    slots = np.repeat(np.arange(len(dice.rolls)), [int(p * common) for p in dice.probabilities])
    slots.setflags(write=False)
    return slots


def dice_arrays(rules: RuleSet) -> DiceArrays:
    """Return a rule set's dice as arrays for kernels, or raise the errors of `dice_slots`."""
    arrays = tables(rules)
    return DiceArrays(arrays.rolls, arrays.chance, dice_slots(rules.dice))


def play_before(observer: Any, policies: Iterable[Any], rules: RuleSet, plan: GamesPlan) -> None:
    """Play the games of a plan between two policies, watched by an observer.

    Raises
    ------
    UrcxError
        If a game does not end.
    """
    with np.errstate(over="ignore"):  # random streams wrap (compiled code does not warn)
        endless = _played(rules, policies, observer, plan)
    if endless >= 0:
        raise UrcxError(f"game {endless} does not end within {plan.longest:,} plies")


def _played(rules: RuleSet, policies: Iterable[Any], observer: Any, plan: GamesPlan) -> int:
    """Play games with `play_games`, with one compiled loop for both assignments of colours."""
    light, dark = policies
    if _kind(light) > _kind(dark):
        light, dark, plan = dark, light, plan._replace(swapped=1)
    return int(play_games(tables(rules).ways, dice_arrays(rules), light, dark, observer, plan))


def _kind(policy: Any) -> tuple[str, str]:
    """Return the names of a policy's types, for which the loop is compiled."""
    return type(policy).__name__, type(getattr(policy, "play", None)).__name__


class _Part(NamedTuple):
    """The counts of some games, in the form of `Games`, without habits if not recorded."""

    records: NDArray[np.int32]
    results: NDArray[np.int32]
    entropy: NDArray[np.float64]
    habits: NDArray[np.int32]


class _Preparing(NamedTuple):
    """Arguments of `Policies`: number of games, method, and whether value tables are cached."""

    games: int
    method: str
    keep: bool


@dataclass
class _Play:
    """A callable that plays chunks of games: the rules, the agents and their policies.

    A copy in another process has the rules and the agents, and prepares the agents at its first
    call.
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
        """Prepare the agents once, with the policies that ``ready`` has, if it is not None."""
        with self.lock:
            if not self.policies:
                ready = ready or _policies(self.rules, self.preparing)
                self.policies = tuple(ready.of(player) for player in self.players)

    @property
    def first_chunk(self) -> int:
        """Return the number of games in the first chunk."""
        quick = all(
            isinstance(
                x,
                RandomPolicy | Greedy | PriorityPolicy | LevelPolicy | TablePolicy | RankPolicy,
            )
            for x in self.policies
        )
        return FIRST_CHUNK if quick else 1

    def most_chunk(self, executor: Executor | None) -> int:
        """Return the greatest number of games per chunk.

        It is 1 for users' agents, because Ctrl-C waits for the end of a chunk.
        """
        return 1 if None in self.policies and executor is None else MOST_CHUNK

    def threads(self, available: int) -> int:
        """Return the number of threads, one for users' functions."""
        alone = any(player.is_own and not player.is_engine for player in self.players)
        return 1 if alone else available

    def __call__(self, first: int, last: int) -> _Part:
        """Play the games from ``first`` to ``last`` - 1."""
        self.prepare()
        try:
            policies = self.idle.pop()
        except IndexError:
            policies = tuple(copy_for_thread(policy) for policy in self.policies)
        rules = self.rules
        part = _part(rules, last - first, habits=self.habits)
        rule = FIRST_MOVERS.index(self.first)
        plan = GamesPlan(self.seed, rule, first, last, MAX_PLIES)
        with np.errstate(over="ignore"):  # random streams wrap (compiled code does not warn)
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
        """Return the observer that writes to a part, from one of its games on."""
        part = _Part._make(array[first:] for array in part)
        path, at_moves = self.rules.path, game_kernels.N_FIXED + len(self.rules.dice.rolls)
        counts = np.zeros(2 * _fields(self.rules), np.int64)
        logs = _logs(self.rules.pieces)
        direct = max(self.rules.dice.rolls) > min(map(len, (path.light, path.dark)))
        observer = GameCounts(at_moves, direct, logs, *part[:3], counts, np.zeros(2))
        if not self.habits:
            return observer
        return GameHabits(observer, part.habits, np.zeros(game_kernels.N_KINDS, np.int64))


_COPYING = threading.Lock()  # a worker may have several threads


def _copy(*value: Any) -> _Play:
    """Return the copy of a `_Play` in another process, the same copy for all chunks."""
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
    light, dark = (agent(player) for player in players)
    return _Play(rules, (light, dark), seed, first, habits, preparing)


@lru_cache(maxsize=1)  # policies may be large (a match has one object for all pairs)
def _policies(rules: RuleSet, preparing: _Preparing) -> Policies:
    return Policies(rules, preparing.games, method=preparing.method, keep=preparing.keep)


@lru_cache(maxsize=32)
def _logs(pieces: int) -> NDArray[np.float64]:
    return np.log10(np.maximum(np.arange(pieces + 2), 1))
