"""Matches: round-robin tournaments of agents, with their win rates.

Kwan and Hartemink describe the set-up (section V): each agent of a pair plays half of the games
with each colour, and a coin decides the first player.

Their section VI names the play statistics (habits):

- the frequency of each kind of move, in plies with two or more legal moves that allow it
- the time that a piece stays on the centre rosette
- the time that pieces stay on shared tiles, where they can be captured
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations, combinations_with_replacement
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agents import Agent, Named, agent, as_several
from urcx.agents.own_agents import CustomAgent
from urcx.agents.policies import Policies
from urcx.complexity.game_tree import wilson
from urcx.engine.threads import Stage, no_progress
from urcx.errors import InterruptedRunError, UsageError, check_booleans, check_functions
from urcx.game import SIDES
from urcx.games import game_kernels as k
from urcx.games.ratings import Rating, Ratings, elo
from urcx.games.records import Games
from urcx.games.simulator import MAX_GAMES, simulated
from urcx.games.statistics import Measure, Tally, ratio
from urcx.results.fields import COUNT, INTERVAL, Field, Fields, Format, fields_of
from urcx.results.numbers import (
    count_text,
    percent_text,
    percent_with_interval,
    with_interval,
)
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
SHARES = {*(f"{name}_chosen" for name in KINDS), "centre_held"}  # statistics in percent


def play_statistics(counts: Counts, plies: NDArray[np.generic]) -> tuple[Measure, ...]:
    """Return the play statistics of one player from its rows of `Games.habits`.

    The result omits statistics that cannot be measured, such as statistics of the centre rosette
    on a path without one.

    Parameters
    ----------
    counts
        ``habits[:, side]`` of games with recorded habits, or such rows of several games.
    plies
        The plies of both players in each of these games.
    """
    ratios: list[tuple[str, str, NDArray[np.generic], NDArray[np.generic]]] = [
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
    ratios += [
        ("centre_stay", "own plies that a piece stays on the centre rosette", stayed, landed),
        ("centre_held", "share of all plies that it holds the centre rosette", held, plies),
        ("shared_stay", "plies of both on shared tiles for each entry", exposed, entries),
        ("shared_pieces", "pieces on shared tiles, mean over all plies", exposed, plies),
    ]
    return tuple(ratio(*item) for item in ratios if np.any(item[3]))


@dataclass(frozen=True)
class Pair:
    """One agent against another.

    If an agent plays itself, the wins are the wins of the copy that is light in the first half.

    ``splits`` has the wins of the agent in the games in which it is ``light`` or ``dark``, and in
    the games in which it moves ``first`` or ``second``.
    """

    agent: Annotated[Agent, Field("<agent", about="an agent", of="name")]
    opponent: Annotated[Agent, Field("<opponent", about="its opponent", of="name")]
    games: Annotated[int, Field("", COUNT, "number of games")]
    wins: Annotated[int, Field("", COUNT, "number of games that the agent won")]
    splits: Annotated[Mapping[str, Tally], "wins by colour and by first player"] = field(
        default_factory=dict
    )

    @property
    @Field(about="the agent's win rate")
    def share(self) -> float:
        """Return the first agent's win rate."""
        return self.wins / self.games

    @property
    @Field("", Format(json=INTERVAL.csv or ()), "95 % interval of the win rate")
    def ci95(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval of the win rate."""
        return wilson(self.wins, self.games)

    @property
    def cell(self) -> str:
        """Return the win rate in percent with its interval, for a table."""
        return percent_with_interval(self.share, self.ci95, unit="")

    @property
    def turned(self) -> Pair:
        """Return the opponent's result against the agent."""
        splits = {
            name: Tally(name, split.total - split.number, split.total)
            for name, other in OTHERS.items()
            if (split := self.splits.get(other))
        }
        return Pair(self.opponent, self.agent, self.games, self.games - self.wins, splits)


def split_games(halves: Sequence[Games]) -> dict[str, Tally]:
    """Return the wins of an agent, light in the first half, by colour and by first player."""
    rows = [part.results[:, :2] ^ half for half, part in enumerate(halves)]
    began, won = (
        np.concatenate(columns) == 0 for columns in zip(*(r.T for r in rows), strict=True)
    )
    light = np.arange(len(won)) < len(rows[0])
    cases = {"light": light, "dark": ~light, "first": began, "second": ~began}
    return {
        name: Tally(name, int(won[case].sum()), int(case.sum())) for name, case in cases.items()
    }


def split_fields(name: str, words: str) -> tuple[Field, ...]:
    """Return the fields of one split of a pair's games, with the cell of its table first."""

    def of(attribute: str) -> Callable[[Pair], Any]:
        def value(pair: Pair) -> Any:
            split = pair.splits[name]
            return getattr(split, attribute) if split.total else None

        return value

    games = f"games in which the agent {words}"
    return (
        Field(
            kind=COUNT, about=games, key=f"{name}_games", of=lambda pair: pair.splits[name].total
        ),
        Field(
            kind=COUNT, about="its wins in these games", key=f"{name}_wins",
            of=lambda pair: pair.splits[name].number,
        ),
        Field(words, Format(cell=percent_text), "its win rate there", f"{name}_share", of("share")),
        Field(kind=Format(json=INTERVAL.csv or ()), about="95 % interval", key=f"{name}_ci95",
              of=of("ci95")),
    )  # fmt: skip


SPLIT_NOTE = "win rates of the agent in these games; --json has numbers and intervals"
OTHERS = {"light": "dark", "dark": "light", "first": "second", "second": "first"}
SPLITS = Fields(
    *split_fields("light", "is light"),
    *split_fields("dark", "is dark"),
    *split_fields("first", "moves first"),
    *split_fields("second", "moves second"),
)


def names_of(agents: Sequence[Agent]) -> list[str]:
    """Return the names of agents."""
    return [agent.name for agent in agents]


HABITS = Fields(
    Field(about="description of the statistic", key="title"),
    Field(about="mean over all the agent's games", key="mean"),
    Field(about="standard deviation of single games", key="sd"),
    Field(kind=INTERVAL, about="95 % interval of the mean", key="ci95"),
)


@dataclass(frozen=True)
class Match(Result, function="match"):
    """The result of a match: every pair once, and each agent's play statistics if recorded.

    ``ratings`` are the Elo ratings of the agents, empty if only one agent has played.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.match(["random", "greedy"], games=20, seed=1)
    >>> result.share(result.agents[1], result.agents[0]).wins
    20
    """

    schema = "urcx.match/1"
    parts: ClassVar = {
        "rows": Fields(lambda: fields_of(Pair), SPLITS),
        "ratings": Fields(lambda: fields_of(Rating)),
        "habits.AGENT.HABIT": HABITS,
    }
    lists = ("pairs",)
    rules: GameRules
    agents: Annotated[tuple[Agent, ...], Field(about="names of the agents", of=names_of)]
    pairs: Annotated[tuple[Pair, ...], "pairs that have played"]
    games: Annotated[int, Field(about="games per pair")]
    seed: Annotated[int, Field(about="the seed")]
    first: ClassVar[Annotated[str, Field(about="the rule for the first player")]] = "coin"
    exactness: ClassVar[Annotated[str, Field(about="exactness of all win rates and means")]] = (
        "estimate"
    )
    habits: Annotated[
        dict[str, tuple[Measure, ...]],
        "play statistics by the agent's name, over all its games, with both sides of games "
        "against itself",
    ]
    interrupted: Annotated[bool, Field(about="whether the match was interrupted")]
    notes: Annotated[tuple[str, ...], "notes on the computation"]

    @property
    def unfinished(self) -> str:
        """Return the number of pairs played before an interrupt, as text, empty without one."""
        return f"{len(self.pairs)} pairs" if self.interrupted else ""

    @property
    def brief(self) -> int:
        """Return the number of tables that are shown without ``--wide``: all but the splits."""
        return len(self.tables()) - 1

    @cached_property
    def ratings(self) -> Ratings:
        """Return the Elo ratings by the games of different agents, as `urcx.elo` does."""
        pairs = [pair for pair in self.pairs if pair.agent != pair.opponent]
        shares = {(pair.agent.name, pair.opponent.name): pair.share for pair in pairs}
        return elo(shares, self.games) if shares else Ratings(adjusted=False)

    def share(self, agent: Agent, opponent: Agent) -> Pair | None:
        """Return the result of an agent against another, None if they have not played."""
        for pair in self.pairs:
            if (pair.agent, pair.opponent) == (agent, opponent):
                return pair
            if (pair.opponent, pair.agent) == (agent, opponent):
                return pair.turned
        return None

    @property
    def answer(self) -> str:
        """Return the sentence on the win rate of the strongest agent against the others."""

        def against(item: Agent) -> Pair | None:
            opponents = [other for other in self.agents if other != item]
            results = [self.share(item, other) for other in opponents]
            played = [pair for pair in results if pair is not None]
            if not played:
                return self.share(item, item)
            games, wins = (sum(getattr(p, name) for p in played) for name in ("games", "wins"))
            return Pair(item, played[0].opponent, games, wins)

        pairs = [pair for pair in map(against, self.agents) if pair is not None]
        best = max(pairs, key=lambda pair: pair.share)
        others = len(self.agents) - 1
        opponent = best.opponent.name if others == 1 else f"the {others} others"
        low, high = (percent_text(end) for end in best.ci95)
        return (
            f"{catalogue.game_name(self.rules)}: {best.agent.name} wins {percent_text(best.share)} "
            f"of its games against {opponent if others else 'itself'} (95 % interval {low} to "
            f"{high}; {count_text(self.games, 'game')} per pair, seed {self.seed})"
        )

    def document(self) -> dict[str, Any]:
        """Return the fields of the JSON object, with habits if they were recorded."""
        habits = {
            name: {measure.name: HABITS.record(measure) for measure in measures}
            for name, measures in self.habits.items()
        }
        document = super().document() | ({"habits": habits} if habits else {})
        return document | {"ratings": self.members()["ratings"].records(self.ratings)}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each pair and each play statistic."""
        pairs = super().records()
        if not self.habits:
            return pairs
        return [{**row, "kind": "pair"} for row in pairs] + [
            {"kind": "habit", "agent": name, "habit": measure.name, **HABITS.flat(measure)}
            for name, measures in self.habits.items()
            for measure in measures
        ]

    def tables(self) -> list[Table]:
        """Return the tables of win rates, Elo ratings, play statistics and splits."""
        cells = [
            [
                row.name,
                *(pair.cell if (pair := self.share(row, other)) else "" for other in self.agents),
            ]
            for row in self.agents
        ]
        notes = [
            (
                "win rate of the row's agent against the column's in percent, ± half of its 95 % "
                "interval, or with both ends; half the games with each colour, a coin decides the "
                "first player"
            ),
        ]
        if any(pair.agent == pair.opponent for pair in self.pairs):
            notes.append(
                "an agent against itself: win rate of the copy that is light in the first half of "
                "the games"
            )
        if self.interrupted:
            notes.append("interrupted: cells of pairs that have not played are empty")
        # In a string, a first character such as < sets the layout. A `Column` has no marks.
        columns: list[str | Column] = ["<agent", *(Column(agent.name) for agent in self.agents)]
        ratings, fields = self.ratings, self.members()
        splits = fields["rows"].pick("agent", "opponent") + SPLITS
        return [
            Table("", columns, cells, notes),
            *([replace(table, title="Elo") for table in ratings.tables()] if ratings else []),
            *([self._habits()] if self.habits else []),
            splits.table("By colour and by first player", self.pairs, [SPLIT_NOTE]),
        ]

    def _habits(self) -> Table:
        columns = [
            {measure.name: measure for measure in measures} for measures in self.habits.values()
        ]
        titles = {
            measure.name: measure.title for measures in self.habits.values() for measure in measures
        }
        return Table(
            "Play statistics, over all games of each agent",
            [Column("statistic", text=True, least=32), *map(Column, self.habits)],
            [
                [title, *(_mean(column.get(key)) for column in columns)]
                for key, title in titles.items()
            ],
        )


def _mean(measure: Measure | None) -> str:
    """Return the mean of a play statistic for a table, shares in percent."""
    if measure is None:
        return ""
    if measure.name not in SHARES:
        return with_interval(measure.mean, measure.ci95, 3)
    return percent_with_interval(measure.mean, measure.ci95)


def match(  # noqa: PLR0913 - like `urcx.games.simulator.simulate`
    agents: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent],
    rules: str | RuleSet = "finkel",
    *,
    games: int = 10_000,
    against_itself: bool = False,
    habits: bool = False,
    seed: int = 1,
    method: str = "auto",
    no_cache: bool = False,
    threads: int | None = None,
    executor: Executor | None = None,
    stage: Stage = no_progress,
) -> Match:
    """Play every two agents against each other and return their win rates and Elo ratings.

    Each agent of a pair plays half the games with each colour. A coin decides the first player.

    Parameters
    ----------
    agents
        From one to `MAX_AGENTS` different agents, each an object or a string:
        ``NAME[:DEPTH][:LEAF][:TIES]``, ``engine:COMMAND`` or ``FILE.py:NAME``. A single agent
        plays against itself.
    rules
        A rule set or its name.
    games
        Games per pair, from 2 to 100,000,000. If odd, the first agent is light in one game more.
    against_itself
        Whether each agent also plays against itself.
    habits
        Whether to record play statistics of the agents too.
    seed
        Seed of the games, at least 0. Each pair and colour has different games.
    method, no_cache, threads, executor, stage
        As in `urcx.simulate`.

    Returns
    -------
    Match

    Raises
    ------
    UsageError
        If there are too few or too many agents, an agent twice, or fewer than 2 games, or as in
        `urcx.games.simulator.simulate`.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.match(["random", "greedy"], games=20, seed=1)
    >>> [(pair.agent.name, pair.opponent.name, pair.games) for pair in result.pairs]
    [('random', 'greedy', 20)]
    >>> result.to_dict()["wins"].tolist()
    [0]
    """
    check_functions(stage=stage)
    check_booleans(against_itself=against_itself, habits=habits, no_cache=no_cache)
    games, seed = catalogue.as_integer("games", games), catalogue.as_integer("seed", seed)
    players = _players(agents, games)
    rule_set = catalogue.ruleset(rules)
    ready = Policies(
        rule_set, games * len(players), method=method, keep=not no_cache, threads=threads,
        stage=stage,
    )  # fmt: skip
    habit_rows: dict[str, list[tuple[Counts, Counts]]] = {player.name: [] for player in players}
    pairs: list[Pair] = []
    couples = pairs_of(players, against_itself=against_itself)
    for player, opponent in couples:
        label = f"{player.name} - {opponent.name} ({len(pairs) + 1} of {len(couples)})"
        halves = []
        for half, both in enumerate(((player, opponent), (opponent, player))):
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
                raise InterruptedRunError("interrupted before the end of the first pair's games")
            break
        wins = sum(part.wins(SIDES[half]) for half, part in enumerate(halves))
        pairs.append(Pair(player, opponent, games, wins, split_games(halves)))
        if habits:
            for half, part in enumerate(halves):
                for side, item in ((half, player), (1 - half, opponent)):
                    habit_rows[item.name].append((part.side(SIDES[side]).habits, part.plies))
    statistics = {
        name: play_statistics(*(np.concatenate(parts) for parts in zip(*rows, strict=True)))
        for name, rows in habit_rows.items()
        if rows
    }
    return Match(
        rule_set,
        players,
        tuple(pairs),
        games,
        seed,
        statistics,
        interrupted=len(pairs) < len(couples),
        notes=tuple(ready.notes),
    )


def pairs_of(agents: Sequence[Agent], *, against_itself: bool = False) -> list[tuple[Agent, Agent]]:
    """Return the pairs that play. A single agent plays against itself."""
    every = combinations_with_replacement if against_itself or len(agents) == 1 else combinations
    return list(every(agents, 2))


def _players(
    agents: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent], games: int
) -> tuple[Agent, ...]:
    """Return the agents, or raise `UsageError` for wrong agents or numbers of games."""
    players = tuple(agent(item) for item in as_several(agents))
    names = names_of(players)
    if not 1 <= len(players) <= MAX_AGENTS:
        raise UsageError(f"agents: must be from 1 to {MAX_AGENTS}, not {len(players)}")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"agent {twice} is listed twice. Leave out one")
    if not 2 <= games <= MAX_GAMES:
        raise UsageError(f"games {games:,}: must be from 2 to {MAX_GAMES:,} per pair")
    return players


def labelled(stage: Stage, label: str, _: str, total: int, unit: str) -> Callable[[int], None]:
    """Begin a stage with another label."""
    return stage(label, total, unit)


def pair_seed(seed: int, light: Named, dark: Named, half: int) -> int:
    """Return the seed of a pair's games with one assignment of colours."""
    text = f"{seed} {light.name} {dark.name} {half}"
    return (
        int.from_bytes(hashlib.sha256(text.encode(errors="surrogateescape")).digest()[:8], "big")
        >> 1
    )
