"""Matches: round-robin tournaments of agents, with their shares of wins.

The set-up is that of Kwan and Hartemink (section V): half of a pair's games with each colour, the
first mover drawn by a coin.

Habits are those that Kwan and Hartemink ask about (section VI): how often a kind of move is chosen
when it is possible, in plies with two or more legal moves; how long a piece stays on the centre
rosette; and how long pieces stay on shared tiles, where they can be captured.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agents import Agent, Named, agent, as_several
from urcx.agents.own_agents import CustomAgent
from urcx.agents.policies import Policies
from urcx.complexity.game_tree import wilson, with_interval
from urcx.engine.threads import Stage, no_progress
from urcx.errors import InterruptedRunError, UsageError, check_booleans, check_functions
from urcx.game import SIDES
from urcx.games import game_kernels as k
from urcx.games.simulator import MAX_GAMES, simulated
from urcx.games.statistics import Measure, ratio
from urcx.results.fields import COUNT, INTERVAL, Field, Fields, Format
from urcx.results.numbers import count_text, percent_text
from urcx.results.result import Result
from urcx.results.tables import Column, Table
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet

__all__ = ["match"]

MAX_AGENTS = 20

Counts = NDArray[np.int32]

KINDS = {
    "capture": "captures",
    "rosette": "lands on a rosette",
    "centre": "lands on the centre rosette",
    "enter": "brings a piece from the start pool",
    "bear_off": "bears a piece off",
}


def play_statistics(counts: Counts, plies: NDArray[np.generic]) -> tuple[Measure, ...]:
    """Return the habits of one player from its rows of `Games.habits`.

    Parameters
    ----------
    counts
        ``habits[:, side]`` of games in which habits were observed, or such rows of several games.
    plies
        The plies of both players in each of these games.

    Habits that cannot be measured, such as those of the centre rosette on a path without one, are
    left out.
    """
    found: list[tuple[str, str, NDArray[np.generic], NDArray[np.generic]]] = [
        (
            f"{name}_chosen",
            f"{words} when possible, of plies with two or more moves",
            counts[:, 2 * kind + 1],
            counts[:, 2 * kind],
        )
        for kind, (name, words) in enumerate(KINDS.items())
    ]
    stayed, held, exposed = (counts[:, column] for column in (k.STAYED, k.HELD, k.EXPOSED))
    landed, entries = counts[:, k.LANDINGS], counts[:, k.ENTRIES]
    found += [
        ("centre_stay", "own plies that a piece stays on the centre rosette", stayed, landed),
        ("centre_held", "share of all plies that it holds the centre rosette", held, plies),
        ("shared_stay", "plies of both on shared tiles for each entry", exposed, entries),
        ("shared_pieces", "pieces on shared tiles, mean over all plies", exposed, plies),
    ]
    return tuple(ratio(*item) for item in found if np.any(item[3]))


@dataclass(frozen=True)
class Pair:
    """One agent against another.

    For an agent against itself, the wins are those of the copy that is light in the first half.
    """

    agent: Annotated[Agent, Field(about="an agent", of="name")]
    opponent: Annotated[Agent, Field(about="whom it plays", of="name")]
    games: Annotated[int, Field("", COUNT, "how many games")]
    wins: Annotated[int, Field("", COUNT, "how many the agent won")]

    @property
    @Field(about="their share")
    def share(self) -> float:
        """Return the first agent's share of wins."""
        return self.wins / self.games

    @property
    @Field("", Format(json=INTERVAL.csv or ()), "its 95 % interval")
    def ci95(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval of the share."""
        return wilson(self.wins, self.games)

    @property
    def cell(self) -> str:
        """Return the share with its interval, for a table."""
        low, high = self.ci95
        return f"{self.share:.2%} ({100 * low:.2f} to {100 * high:.2f})"


def names_of(agents: Sequence[Agent]) -> list[str]:
    """Return the names of agents."""
    return [agent.name for agent in agents]


HABITS = Fields(
    Field(about="what is measured", key="title"),
    Field(about="over all the agent's games", key="mean"),
    Field(about="standard deviation of single games", key="sd"),
    Field(kind=INTERVAL, about="95 % interval of the mean", key="ci95"),
)


@dataclass(frozen=True)
class Match(Result, function="match"):
    """The result of a match: every pair once, and each agent's habits if they were observed.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.match(["random", "greedy"], games=20, seed=1)
    >>> found.share(found.agents[1], found.agents[0]).wins
    20
    """

    schema = "urcx.match/1"
    parts: ClassVar = {"habits.AGENT.HABIT": HABITS}
    lists = ("pairs",)
    brief = 2
    rules: GameRules
    agents: Annotated[tuple[Agent, ...], Field(about="names of the agents", of=names_of)]
    pairs: Annotated[tuple[Pair, ...], "those that have played"]
    games: Annotated[int, Field(about="games of each pair")]
    seed: Annotated[int, Field(about="the seed")]
    first: ClassVar[Annotated[str, Field(about="who begins")]] = "coin"
    exactness: ClassVar[Annotated[str, Field(about="of all shares and means")]] = "estimate"
    habits: Annotated[
        dict[str, tuple[Measure, ...]],
        "by the agent's name, over all its games, including those against itself (both sides)",
    ]
    interrupted: Annotated[bool, Field(about="whether it was interrupted")]
    notes: Annotated[tuple[str, ...], "on what was computed"]

    @property
    def unfinished(self) -> str:
        """Return how many pairs played before an interrupt, empty if all did."""
        return f"{len(self.pairs)} pairs" if self.interrupted else ""

    def share(self, agent: Agent, opponent: Agent) -> Pair | None:
        """Return the result of an agent against another, None if they have not played."""
        for pair in self.pairs:
            if (pair.agent, pair.opponent) == (agent, opponent):
                return pair
            if (pair.opponent, pair.agent) == (agent, opponent):
                return Pair(agent, opponent, pair.games, pair.games - pair.wins)
        return None

    @property
    def answer(self) -> str:
        """Return what the strongest agent wins of its games against the others."""

        def against(item: Agent) -> Pair | None:
            found = [self.share(item, other) for other in self.agents if other != item]
            played = [pair for pair in found if pair is not None]
            if not played:
                return self.share(item, item)
            games, wins = (sum(getattr(p, name) for p in played) for name in ("games", "wins"))
            return Pair(item, played[0].opponent, games, wins)

        pairs = [pair for pair in map(against, self.agents) if pair is not None]
        best = max(pairs, key=lambda pair: pair.share)
        others = len(self.agents) - 1
        whom = best.opponent.name if others == 1 else f"the {others} others"
        low, high = (percent_text(end) for end in best.ci95)
        return (
            f"{catalogue.game_name(self.rules)}: {best.agent.name} wins {percent_text(best.share)} "
            f"of its games against {whom if others else 'itself'} (95 % interval {low} to {high}; "
            f"{count_text(self.games, 'game')} of each pair, seed {self.seed})"
        )

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object, with habits if they were observed."""
        habits = {
            name: {measure.name: HABITS.record(measure) for measure in measures}
            for name, measures in self.habits.items()
        }
        return super().document() | ({"habits": habits} if habits else {})

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each pair, and for each habit."""
        pairs = super().records()
        if not self.habits:
            return pairs
        return [{**row, "kind": "pair"} for row in pairs] + [
            {"kind": "habit", "agent": name, "habit": measure.name, **HABITS.flat(measure)}
            for name, measures in self.habits.items()
            for measure in measures
        ]

    def tables(self) -> list[Table]:
        """Return every agent's share of wins against each, and the habits."""
        cells = [
            [
                one.name,
                *(pair.cell if (pair := self.share(one, other)) else "" for other in self.agents),
            ]
            for one in self.agents
        ]
        notes = [
            (
                "the row's share of wins against the column (in brackets its 95 % interval); "
                "half the games with each colour, a coin decides who begins"
            ),
            (
                "an agent against itself: the wins of one of two copies, the one that is light in "
                "the first half of the games"
            ),
        ]
        if self.interrupted:
            notes.append("interrupted: pairs that had not played are left empty")
        # A column of its own for each, whatever a user's agent is called.
        columns: list[str | Column] = ["<agent", *(Column(one.name) for one in self.agents)]
        return [Table("", columns, cells, notes), *([self._habits()] if self.habits else [])]

    def _habits(self) -> Table:
        columns = [
            {measure.name: measure for measure in measures} for measures in self.habits.values()
        ]
        titles = {
            measure.name: measure.title for measures in self.habits.values() for measure in measures
        }
        return Table(
            "How they play, over all their games",
            [Column("habit", text=True, least=32), *map(Column, self.habits)],
            [
                [title, *(_mean(column.get(key)) for column in columns)]
                for key, title in titles.items()
            ],
        )


def _mean(measure: Measure | None) -> str:
    return "" if measure is None else with_interval(measure.mean, measure.ci95, 3)


def match(  # noqa: PLR0913 - as `urcx.games.simulator.simulate`
    agents: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent],
    rules: str | RuleSet = "finkel",
    *,
    games: int = 10_000,
    habits: bool = False,
    seed: int = 1,
    method: str = "auto",
    no_cache: bool = False,
    threads: int | None = None,
    executor: Executor | None = None,
    stage: Stage = no_progress,
) -> Match:
    """Play every two agents against each other: shares of wins.

    Each agent has each colour in half the games of a pair; a coin decides who begins.

    Parameters
    ----------
    agents
        ``NAME[:DEPTH][:LEAF][:TIES]``, ``engine:COMMAND`` or ``FILE.py:NAME``. Such texts, or
        agents, from one to `MAX_AGENTS` different ones; each plays against itself too.
    rules
        A rule set or its name.
    games
        Games of each pair, from 2 to 100,000,000. An agent is light in one more if it is odd.
    habits
        Also print habits of the agents.
    seed
        From 0; every pair and colour has games of its own.
    method, no_cache, threads, executor, stage
        As `urcx.simulate` takes them.

    Returns
    -------
    Match

    Raises
    ------
    UsageError
        If there is no agent, too many, the same twice, or fewer than 2 games; and what
        `urcx.games.simulator.simulate` raises.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.match(["random", "greedy"], games=20, seed=1)
    >>> [(pair.agent.name, pair.opponent.name, pair.games) for pair in found.pairs]
    [('random', 'random', 20), ('random', 'greedy', 20), ('greedy', 'greedy', 20)]
    >>> found.to_dict()["wins"].tolist()
    [11, 0, 9]
    """
    check_functions(stage=stage)
    check_booleans(habits=habits, no_cache=no_cache)
    games, seed = catalogue.as_integer("games", games), catalogue.as_integer("seed", seed)
    players = _players(agents, games)
    chosen = catalogue.ruleset(rules)
    ready = Policies(
        chosen, games * len(players), method=method, keep=not no_cache, threads=threads,
        stage=stage,
    )  # fmt: skip
    seen: dict[str, list[tuple[Counts, Counts]]] = {player.name: [] for player in players}
    pairs: list[Pair] = []
    couples = list(combinations_with_replacement(players, 2))
    for one, other in couples:
        label = f"{one.name} - {other.name} ({len(pairs) + 1} of {len(couples)})"
        halves = []
        for half, both in enumerate(((one, other), (other, one))):
            number = games // 2 if half else games - games // 2
            played = simulated(
                ready, both, number, pair_seed(seed, *both, half), "coin", habits=habits,
                executor=executor, stage=partial(labelled, stage, label),
            )  # fmt: skip
            halves.append(played)
            if played.interrupted:
                break
        if played.interrupted:
            if not pairs:
                raise InterruptedRunError("interrupted before the first pair had played")
            break
        wins = sum(part.wins(SIDES[half]) for half, part in enumerate(halves))
        pairs.append(Pair(one, other, games, wins))
        if habits:
            for half, part in enumerate(halves):
                for side, player in ((half, one), (1 - half, other)):
                    seen[player.name].append((part.side(SIDES[side]).habits, part.plies))
    found = {
        name: play_statistics(*(np.concatenate(parts) for parts in zip(*rows, strict=True)))
        for name, rows in seen.items()
        if rows
    }
    return Match(
        chosen,
        players,
        tuple(pairs),
        games,
        seed,
        found,
        interrupted=len(pairs) < len(couples),
        notes=tuple(ready.notes),
    )


def _players(
    agents: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent], games: int
) -> tuple[Agent, ...]:
    """Return the agents, checked together with the number of games; raises `UsageError`."""
    players = tuple(agent(item) for item in as_several(agents))
    names = names_of(players)
    if not 1 <= len(players) <= MAX_AGENTS:
        raise UsageError(f"{len(players)} agents: a match takes from 1 to {MAX_AGENTS}")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"agent {twice} is there twice")
    if not 2 <= games <= MAX_GAMES:
        raise UsageError(f"{games:,} games: play from 2 to {MAX_GAMES:,} of each pair")
    return players


def labelled(stage: Stage, label: str, _: str, total: int, unit: str) -> Callable[[int], None]:
    """Begin a stage with its label replaced."""
    return stage(label, total, unit)


def pair_seed(seed: int, light: Named, dark: Named, half: int) -> int:
    """Return the seed of a pair's games with one assignment of colours."""
    text = f"{seed} {light.name} {dark.name} {half}"
    return (
        int.from_bytes(hashlib.sha256(text.encode(errors="surrogateescape")).digest()[:8], "big")
        >> 1
    )
