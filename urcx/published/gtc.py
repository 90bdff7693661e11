"""Game-tree complexity in every convention, from games, from exact means or both.

The result also has the published figures that apply.

Exact means are computed once and recorded in ``data/exact.toml``: the means over all games of an
agent against itself, with their error bounds, the command that computes them, and the commit of
that run. `benchmarks/exact_table.py` writes the file. If games of such an agent are simulated, the
intervals should cover the exact means. ``data/longest.toml`` has proven bounds of the longest
expected game.
"""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cache, cached_property
from operator import itemgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from urcx.agents.agents import Agent, agent, players
from urcx.agents.policies import Policies
from urcx.complexity import tiles
from urcx.complexity.game_tree import (
    ESTIMATE,
    LOG10,
    OTHER_GAMES,
    Estimate,
    constants,
    convention_estimates,
    other_games,
    symbols,
    tree_answer,
)
from urcx.engine.threads import Stage, no_progress
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import check_booleans, check_functions
from urcx.expectations.choices import ALL_STATES
from urcx.expectations.expected import Expected, expected_by
from urcx.expectations.lengths import Lengths, lengths_by
from urcx.games import statistics
from urcx.games.records import Games
from urcx.games.simulator import simulated
from urcx.games.statistics import (
    GTC_NAME,
    MEASURE,
    Sample,
    begins,
    flat,
    flat_estimate,
    interval_words,
    measure_table,
    measured,
    measures,
)
from urcx.published.quantities.games import PublishedMeasure, published_measures
from urcx.reading import package_toml
from urcx.results.fields import Field, Fields, column, fields_of
from urcx.results.numbers import count_text, percent_text, with_interval
from urcx.results.result import Result
from urcx.results.tables import Column, Note, Table
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

if TYPE_CHECKING:
    from urcx.agents.own_agents import CustomAgent

__all__ = ["gtc"]

AGENTS = ("random", "greedy", "optimal")
EXACT_FILES = (".urcx", ".play")  # files of optimal play. Other files have rounded values

Mean = tuple[float, float]  # a mean and its error bound


@dataclass(frozen=True)
class ExactMeans:
    """The means over all games of an agent against itself. Each side is first in half of them.

    The keys of ``measures`` are the names of `urcx.exact_measures`, and the keys of ``gtc`` the
    names of conventions. Each value is a mean with its error bound. So is ``first_wins``, the win
    probability of the first player.
    """

    rules: str
    pieces: int
    agent: str
    ties: str
    states: int
    first_wins: Mean
    measures: dict[str, Mean]
    gtc: dict[str, Mean]
    command: str
    commit: str


@dataclass(frozen=True)
class LongestMean:
    """The longest expected game, if both players prolong it, between proven bounds.

    The ``unit`` is plies or moves. Moves do not include passes. ``upper`` is None if only a lower
    bound was computed.
    """

    rules: str
    pieces: int
    unit: str
    lower: float
    upper: float | None
    command: str
    commit: str


@cache
def longest_table() -> tuple[LongestMean, ...]:
    """Return all bounds of longest games, in the order of the file."""
    table = package_toml("published/data/longest.toml")
    return tuple(LongestMean(**{"upper": None} | entry) for entry in table["longest"])


@cache
def exact_table() -> tuple[ExactMeans, ...]:
    """Return all exact means, in the order of the file."""
    return tuple(map(_entry, package_toml("published/data/exact.toml").get("means", [])))


def _entry(item: dict[str, Any]) -> ExactMeans:
    pairs = {
        name: {key: tuple(map(float, pair)) for key, pair in item[name].items()}
        for name in ("measures", "gtc")
    }
    return ExactMeans(**item | pairs | {"first_wins": tuple(map(float, item["first_wins"]))})


def exact_means(rules: RuleSet, light: Agent, dark: Agent) -> ExactMeans | None:
    """Return the exact means over all games of two agents, or None if there are none."""
    if light != dark or light.depth is not None or light.kind not in AGENTS:
        return None
    if light.table is not None and PurePath(light.table).suffix not in EXACT_FILES:
        return None
    for means in exact_table():
        if (means.rules, means.pieces, means.agent, means.ties) == (
            rules.name, rules.pieces, light.kind, light.ties
        ) and rules == catalogue.ruleset(rules.name):  # fmt: skip
            return means
    return None


BESIDE = ("plies", "choices_per_ply")  # means that are compared with other rule sets
FIRST = "first_mover"
SIZE = 2000  # games, like Raposo and Lamont
TAIL = 1e-6  # probability of games longer than the figure shows


EXACTLY = Fields(
    Field(
        about="the exact mean over all games, if known; the interval should cover it",
        of=itemgetter(0),
        key="exact",
    ),
    Field(about="error bound of the exact mean", of=itemgetter(1), key="bound"),
)


@dataclass(frozen=True)
class Played(Sample):
    """Games with their measures, the conventions' figures, and the published figures that apply.

    ``exact`` has the exact means over all games of the same agents, if they are known.
    """

    published: tuple[PublishedMeasure, ...]
    exact: ExactMeans | None = None
    schema = GTC_NAME
    parts: ClassVar = {
        "": fields_of(Games),
        "measures.NAME": MEASURE.without("bound") + EXACTLY,
        "gtc": ESTIMATE + EXACTLY,
        "published": fields_of(PublishedMeasure),
        "wins.NAME": statistics.WINS,
        "rolls": statistics.ROLLS,
        "legal_moves": statistics.LEGAL_MOVES,
        "other_games": OTHER_GAMES,
    }

    @property
    def seed(self) -> int:
        """Return the seed of the games."""
        return self.games.seed

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object."""
        games, exact = self.games, self.exact
        means, figures = ({}, {}) if exact is None else (exact.measures, exact.gtc)

        def exactly(name: str, values: dict[str, Mean]) -> dict[str, Any]:
            return EXACTLY.record(values[name]) if name in values else {}

        return {
            **fields_of(Games).record(games),
            "measures": {m.name: m.record() | exactly(m.name, means) for m in self.measures},
            "gtc": [
                ESTIMATE.record(estimate) | exactly(estimate.convention.name, figures)
                for estimate in self.estimates
            ],
            "published": fields_of(PublishedMeasure).records(self.published),
            "wins": {str(won.name): statistics.WINS.record(won) for won in statistics.wins(games)},
            "rolls": statistics.ROLLS.records(statistics.rolls(games)),
            "legal_moves": statistics.LEGAL_MOVES.records(statistics.legal_move_counts(games)),
            "other_games": OTHER_GAMES.records(other_games()),
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of CSV: measures, conventions, wins."""
        data = self.document()
        records = [
            {"kind": "measure", "name": name, **flat(row)} for name, row in data["measures"].items()
        ]
        records += [flat_estimate(row) for row in data["gtc"]]
        return records + [
            {"kind": "wins", "name": name, "mean": row["share"], **flat(row)}
            for name, row in data["wins"].items()
        ]

    def tables(self) -> list[Table]:
        """Return the tables: conventions, measures, wins, published figures and other games."""
        published = fields_of(PublishedMeasure).table("Published figures", self.published)
        return [
            self._conventions_table(),
            self._measure_table(),
            self._wins_table(),
            *([published] if self.published else []),
            self.games_table(),
        ]

    @property
    def answer(self) -> str:
        """Return the sentence on the size of the tree."""
        means = {measure.name: measure for measure in self.measures}
        plies, moves = means["plies"], means["choices_per_ply"]
        games, (first, *_) = self.games, self.estimates
        size = with_interval(first.log10, first.ci95, 1)
        size = f"10^{size}" if first.ci95 is None else f"10^({size})"
        return tree_answer(
            games.rules,
            size,
            [estimate.log10 for estimate in self.estimates],
            f"{count_text(len(games), 'game')} of {players(games.light, games.dark)}, seed "
            f"{games.seed}, {interval_words(len(games))}",
            (f"{plies.mean:.1f}", f"{moves.mean:.2f}"),
        )

    def _measure_table(self) -> Table:
        games, exact = self.games, self.exact
        playing = players(games.light, games.dark, sides=True)
        table = measure_table(
            f"Measures: {count_text(len(games), 'game')} of {playing}, "
            f"{catalogue.game_name(games.rules)}, "
            f"seed {games.seed}, {begins(games.first)}",
            games,
            self.measures,
            "a ply is one roll with its move or pass; a turn is a run of plies by one player",
        )
        if exact is None:
            return table
        rows = [
            [*row[:2], _to_six(m.name, exact.measures), *row[2:]]
            for row, m in zip(table.rows, self.measures, strict=True)
        ]
        wins, bound = exact.first_wins
        note = (
            f"exact mean: over all games, by {exact.command}; the first player wins "
            f"{percent_text(wins)} of games (proven, ± {bound:.1e})"
        )
        heads = [*table.columns[:2], Column("exact mean"), *table.columns[2:]]
        return Table(table.title, heads, rows, [*table.notes, Note(note, "exact mean")])

    def _wins_table(self) -> Table:
        won = Fields(
            column("<", lambda tally: statistics.WINNERS[tally.name]),
            *statistics.WINS.pick("games"),
            statistics.WON,
        )
        cells = [[*won.cells(tally), ""] for tally in statistics.wins(self.games)]
        cells += [statistics.ROLLS.cells(tally) for tally in statistics.rolls(self.games)]
        columns = ["<", "number", "share", "probability"]
        return Table("Wins and rolls", columns, cells)

    def wide_tables(self) -> list[Table]:
        """Return the tables, with the spread of single games."""
        return [self._conventions_table(spread=True), *self.tables()[1:]]

    def _conventions_table(self, *, spread: bool = False) -> Table:
        fields = Fields(*ESTIMATE.pick("convention", "formula"), LOG10)
        if self.exact is not None:
            exact = self.exact.gtc
            fields += Fields(column("exact", lambda item: _to_six(item.convention.name, exact)))
        notes = [symbols(self.games.rules)]
        if len(self.games) > 1:
            notes.append("±: half of the figure's 95 % interval, by the jackknife over games")
            if spread:
                fields += ESTIMATE.pick("games95")
                notes.append("95 % of games: interval that contains 95 % of single games")
        fields += ESTIMATE.pick("counts")
        return fields.table("", self.estimates, notes)

    def games_table(self) -> Table:
        """Return the table that compares the game with other games."""
        by_name = {e.convention.name: e.log10 for e in self.estimates}
        rules = self.games.rules
        own_ssc = math.log10(tiles.diagrams(rules.path, rules.pieces))
        one, both, choices = ("raposo-lamont", "raposo-lamont-both", "allis")
        figures = (by_name[name] for name in (one, one, both, choices))
        own = [f"{rules.name}, here", *(f"{size:.1f}" for size in (own_ssc, *figures))]
        others = OTHER_GAMES.without("source", "counts") + Fields(
            column(
                Column("description", text=True, least=24),
                lambda game: f"{game.counts} ({game.source})",
            )
        )
        rows = [[*own, "the games above; states: configurations, exact"]]
        rows += [others.cells(game) for game in other_games()]
        return Table(
            "Compared with other games, log10: Raposo and Lamont's Table 1, and plies of both",
            others.columns,
            rows,
            [
                (
                    "as in Table 1: plies of one player for the Royal Game of Ur, plies of both "
                    "players for the other games; one, dice: (b c)^(d/2); both, dice: (b c)^d; "
                    "both, no dice: b^d, or b^m "
                    "with passes"
                ),
            ],
        )


def _to_six(name: str, exact: dict[str, Mean]) -> str:
    """Return the exact mean of a name with six decimals, empty if it is not known."""
    return f"{exact[name][0]:.6f}" if name in exact else ""


@dataclass(frozen=True)
class GameTree(Result, function="gtc"):
    """The complexity of the game tree of two agents, as log10 in every convention.

    Attributes
    ----------
    played : Played or None
        Games with their ``measures``, the ``estimates`` of every convention with intervals, and
        the ``published`` figures that apply. None if no games were played.
    expected : Expected or None
        The exact means over all games, if they were computed.
    lengths : Lengths or None
        The probability of each number of plies, for the figure of exact means.
    notes : tuple of str
        Notes on the computation.

    Examples
    --------
    >>> import urcx
    >>> tree = urcx.gtc("random", rules=urcx.ruleset("finkel", pieces=1), exact=True)
    >>> log10, bound = tree.exact["raposo-lamont-both"]
    >>> round(log10, 6), bound < 1e-9
    (10.678391, True)
    """

    schema = GTC_NAME
    played: Played | None
    expected: Expected | None
    lengths: Lengths | None = None
    notes: tuple[str, ...] = ()

    @property
    def unfinished(self) -> str:
        """Return the number of games played before an interrupt, as text, empty without one."""
        return "" if self.played is None else self.played.games.unfinished

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Return each convention's estimate from the games, with intervals, () without games."""
        return () if self.played is None else self.played.estimates

    @property
    def published(self) -> tuple[PublishedMeasure, ...]:
        """Return the published figures, with the games' figures and their deviations."""
        return () if self.played is None else self.played.published

    @cached_property
    def exact(self) -> dict[str, Mean]:
        """Return exact figures with their error bounds, by the names of conventions.

        Conventions that are means over single games have none. If exact means were not computed,
        the figures come from the recorded means, which exist for some agents against themselves.
        """
        if self.expected is not None:
            return self.expected.conventions
        recorded = None if self.played is None else self.played.exact
        return {} if recorded is None else recorded.gtc

    @property
    def shown(self) -> Result:
        """Return the exact means, compared with the games if there are any, or the games alone."""
        if self.expected is None:
            assert self.played is not None
            return self.played
        return replace(self.expected, sample=self.played)


def measure_games(games: Games) -> Played:
    """Return the measures of games, with the published figures that apply to them."""
    means = measures(games)
    estimates = convention_estimates(measured(games), constants(games.rules))
    exact = exact_means(games.rules, games.light, games.dark)
    return Played(games, means, estimates, published_measures(games, means, estimates), exact)


def gtc(  # noqa: PLR0913 - all but the agents and rules by name
    light: str | Agent | CustomAgent = "panda",
    dark: str | Agent | CustomAgent | None = None,
    rules: str | RuleSet = "finkel",
    *,
    games: int | None = None,
    exact: bool = False,
    first: str = "alternate",
    seed: int = 1,
    method: str = "auto",
    no_cache: bool = False,
    threads: int | None = None,
    executor: Executor | None = None,
    drawn: bool = False,
    stage: Stage = no_progress,
) -> GameTree:
    """Return game-tree complexity in every convention, from games, exact means or both.

    The default repeats Raposo and Lamont's experiment: 2,000 games of their agent, which looks 7
    plies ahead.

    Parameters
    ----------
    light, dark
        Agents, or strings: ``NAME[:DEPTH][:LEAF][:TIES]``, with a file for some agents
        (``optimal:FILE``, ``net:FILE``), or ``FILE.py:NAME`` for a Python function or object of
        yours. By default dark is the same agent as light.
    rules
        A rule set or its name.
    games
        Number of games, from 1 to 100,000,000. By default 2000, or 0 with ``exact``.
    exact
        Whether to compute exact means over all games, without sampling (see `urcx.expected`). With
        ``games``, the result has both.
    first
        The first player: ``light``, ``dark``, ``alternate`` or ``coin``.
    seed
        Seed of the games, from 0 to 2^63 - 1.
    method, no_cache
        How agents look ahead, and whether value tables are cached (see `urcx.simulate`).
    threads
        Number of threads, by default one per core. Games do not depend on it, and exact means only
        in their last digits.
    executor
        An executor that plays the games instead of threads of this process (see :doc:`/executors`).
    drawn
        Whether to compute data that only the figure needs: with ``exact``, the lengths of games.
    stage
        A function that is called as each part of the work begins.

    Returns
    -------
    GameTree

    Raises
    ------
    UrcxError
        As in `urcx.simulate` and `urcx.expected`.
    UsageError
        If an argument is out of range.

    Examples
    --------
    >>> import urcx
    >>> tree = urcx.gtc("greedy", games=100)
    >>> [(e.convention.name, round(e.log10, 1)) for e in tree.estimates][:2]
    [('raposo-lamont', 55.3), ('raposo-lamont-both', 110.6)]
    """
    check_functions(stage=stage)
    check_booleans(exact=exact, no_cache=no_cache, drawn=drawn)
    rule_set = catalogue.ruleset(rules)
    light_agent = agent(light)
    both = light_agent, light_agent if dark is None else agent(dark)
    number = number_of_games(games, exact=exact)
    drawn = drawn and exact and not layer_obstacle(rule_set)
    ready = Policies(
        rule_set, ALL_STATES if exact else number, method=method, keep=not no_cache,
        threads=threads, stage=stage,
    )  # fmt: skip
    means = plies = played = None
    if exact:
        means = expected_by(ready, both, first)
    if drawn:
        plies = lengths_by(ready, both, first, TAIL)
    if number or not exact:
        played = measure_games(simulated(ready, both, number, seed, first, executor=executor))
    return GameTree(played, means, plies, tuple(ready.notes))


def number_of_games(games: int | None, *, exact: bool) -> int:
    """Return the number of games to play: the number requested, or the default."""
    if games is None:
        return 0 if exact else SIZE
    return catalogue.as_integer("games", games)
