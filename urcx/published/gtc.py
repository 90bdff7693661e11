"""Game-tree complexity in every convention, from games, from exact means or both.

The figures of published sources that apply stand beside.

Exact means of whole rule sets are computed once and kept in ``data/exact.toml``: the means over all
games of an agent against itself, with the bounds of their errors, the command that computes them
and the commit it was run with. `benchmarks/exact_table.py` writes the file. Where games of such an
agent are simulated, the exact means are the truth that an interval should cover.
``data/longest.toml`` has proven bounds of the longest expected game.
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
    OTHER_GAMES,
    Estimate,
    constants,
    convention_estimates,
    other_games,
    symbols,
    tree_answer,
    with_interval,
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
from urcx.results.numbers import count_text, rounded_bound
from urcx.results.result import Result
from urcx.results.tables import Column, Note, Table
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

if TYPE_CHECKING:
    from urcx.agents.own_agents import CustomAgent

__all__ = ["gtc"]

AGENTS = ("random", "greedy", "optimal")
EXACT_FILES = (".urcx", ".play")  # of perfect play; other files hold rounded values

Mean = tuple[float, float]  # a mean and the bound of its error


@dataclass(frozen=True)
class ExactMeans:
    """The means over all games of an agent against itself, if each side begins half of them.

    ``measures`` and ``gtc`` are by the names that `urcx.exact_measures` and the conventions of
    game-tree complexity have; each has a mean and the bound of its error, as has ``first_wins``,
    the chance that the side wins which begins.
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

    The ``unit`` is plies, or moves: then passes do not count. ``upper`` is None where only a lower
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
    found = package_toml("published/data/longest.toml")
    return tuple(LongestMean(**{"upper": None} | one) for one in found["longest"])


@cache
def exact_table() -> tuple[ExactMeans, ...]:
    """Return all entries, in the order of the file."""
    return tuple(map(_entry, package_toml("published/data/exact.toml").get("means", [])))


def _entry(item: dict[str, Any]) -> ExactMeans:
    pairs = {
        name: {key: tuple(map(float, pair)) for key, pair in item[name].items()}
        for name in ("measures", "gtc")
    }
    return ExactMeans(**item | pairs | {"first_wins": tuple(map(float, item["first_wins"]))})


def exact_means(rules: RuleSet, light: Agent, dark: Agent) -> ExactMeans | None:
    """Return what is known of all games of two agents, or None."""
    if light != dark or light.depth is not None or light.kind not in AGENTS:
        return None
    if light.table is not None and PurePath(light.table).suffix not in EXACT_FILES:
        return None
    for one in exact_table():
        if (one.rules, one.pieces, one.agent, one.ties) == (
            rules.name, rules.pieces, light.kind, light.ties
        ) and rules == catalogue.ruleset(rules.name):  # fmt: skip
            return one
    return None


BESIDE = ("plies", "choices_per_ply")  # means that stand beside those of other rule sets
FIRST = "first_mover"
SIZE = 2000  # as many as Raposo and Lamont's
TAIL = 1e-6  # probability of longer games than those whose lengths are drawn


EXACTLY = Fields(
    Field(
        about="the mean over all games, where it is known: what the interval should cover",
        of=itemgetter(0),
        key="exact",
    ),
    Field(about="by how much that is off at most", of=itemgetter(1), key="bound"),
)


@dataclass(frozen=True)
class Played(Sample):
    """Games with their measures, the conventions' figures, and the published figures that apply.

    ``exact`` are the means over all games of the same agents, if they are known.
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
        """Return the members of the JSON object on the games."""
        games, known = self.games, self.exact
        means, figures = ({}, {}) if known is None else (known.measures, known.gtc)

        def exactly(name: str, known: dict[str, Mean]) -> dict[str, Any]:
            return EXACTLY.record(known[name]) if name in known else {}

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
        """Return the rows of CSV: measures, conventions, who wins."""
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
        """Return conventions, measures, who wins, published figures and other games."""
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
        """Return the size of the tree, with what it is made of."""
        means = {measure.name: measure for measure in self.measures}
        plies, moves = means["plies"], means["choices_per_ply"]
        of, (first, *_) = self.games, self.estimates
        size = with_interval(first.log10, first.ci95, 1)
        size = f"10^{size}" if first.ci95 is None else f"10^({size})"
        return tree_answer(
            of.rules,
            size,
            [estimate.log10 for estimate in self.estimates],
            f"{count_text(len(of), 'game')} of {players(of.light, of.dark)}, seed {of.seed}, "
            + interval_words(len(of)),
            (f"{plies.mean:.1f}", f"{moves.mean:.2f}"),
        )

    def _measure_table(self) -> Table:
        games, known = self.games, self.exact
        playing = players(games.light, games.dark, sides=True)
        shown = measure_table(
            f"Measures: {count_text(len(games), 'game')} of {playing}, "
            f"{catalogue.game_name(games.rules)}, "
            f"seed {games.seed}, {begins(games.first)}",
            games,
            self.measures,
            "a ply is one roll with its move or pass; a turn is a run of plies by one player",
        )
        if known is None:
            return shown
        rows = [
            [*row[:3], _to_six(m.name, known.measures), *row[3:]]
            for row, m in zip(shown.rows, self.measures, strict=True)
        ]
        wins, bound = known.first_wins
        note = (
            f"exactly: over all games, by {known.command}; who begins wins with {wins:.10f}, "
            f"off by at most {rounded_bound(bound)}"
        )
        heads = [*shown.columns[:3], Column("exactly"), *shown.columns[3:]]
        return Table(shown.title, heads, rows, [*shown.notes, Note(note, "exactly")])

    def _wins_table(self) -> Table:
        won = Fields(column("<", lambda tally: statistics.WINNERS[tally.name])) + statistics.WINS
        cells = [won.cells(tally) for tally in statistics.wins(self.games)]
        cells += [statistics.ROLLS.cells(tally) for tally in statistics.rolls(self.games)]
        columns = ["<", "number", "share", "95 % interval, or chance of the dice"]
        return Table("Wins and rolls", columns, cells)

    def _conventions_table(self) -> Table:
        shown = ESTIMATE.pick("convention", "formula", "log10", "ci95")
        if self.exact is not None:
            known = self.exact.gtc
            shown += Fields(column("exactly", lambda item: _to_six(item.convention.name, known)))
        shown += ESTIMATE.pick("games95", "counts")
        notes = [
            symbols(self.games.rules),
            "the interval is the figure's own, by the jackknife over games",
            Note("95 % of games: what 95 % of single games give", "95 % of games"),
        ]
        if len(self.games) == 1:
            shown, notes = shown.without("ci95", "games95"), notes[:1]
        return shown.table("", self.estimates, notes)

    def games_table(self) -> Table:
        """Return the table that compares the game with others."""
        by_name = {e.convention.name: e.log10 for e in self.estimates}
        rules = self.games.rules
        own_ssc = math.log10(tiles.diagrams(rules.path, rules.pieces))
        figures = (by_name[name] for name in ("raposo-lamont", "raposo-lamont-both", "allis"))
        own = [f"{rules.name}, here", *(f"{size:.1f}" for size in (own_ssc, *figures))]
        others = OTHER_GAMES.without("source", "counts") + Fields(
            column(
                Column("what it counts", text=True, least=24),
                lambda game: f"{game.counts} ({game.source})",
            )
        )
        rows = [[*own, "games above; state space: diagrams, exact"]]
        rows += [others.cells(game) for game in other_games()]
        return Table(
            "Beside other games, log10: Raposo and Lamont's Table 1, and with plies counted alike",
            others.columns,
            rows,
            [
                (
                    "as in Table 1: for the Royal Game of Ur the plies of one player, for the "
                    "others those of both; both, dice: (b c)^d; both, no dice: b^d, or b^m with "
                    "passes"
                ),
            ],
        )


def _to_six(name: str, known: dict[str, Mean]) -> str:
    """Return the exact mean of a name with six decimals, empty if it is not known."""
    return f"{known[name][0]:.6f}" if name in known else ""


@dataclass(frozen=True)
class GameTree(Result, function="gtc"):
    """The complexity of the game tree of two agents, as log10 in every convention.

    Attributes
    ----------
    played : Played or None
        Games with their ``measures``, the ``estimates`` of every convention with their intervals,
        and ``published`` figures that they are compared with; None if none were played.
    expected : Expected or None
        The means over all games, if they were followed.
    lengths : Lengths or None
        How likely each number of plies is, for the figure of exact means.
    notes : tuple of str
        What is to be said of how it was computed.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.gtc("random", rules=urcx.ruleset("finkel", pieces=1), exact=True)
    >>> log10, bound = found.exact["raposo-lamont-both"]
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
        """Return how many games were played before an interrupt, empty if all were."""
        return "" if self.played is None else self.played.games.unfinished

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Return every convention's estimate from the games, with its intervals; () without."""
        return () if self.played is None else self.played.estimates

    @property
    def published(self) -> tuple[PublishedMeasure, ...]:
        """Return published figures, with what the games give and how far that is off."""
        return () if self.played is None else self.played.published

    @cached_property
    def exact(self) -> dict[str, Mean]:
        """Return exact figures and the bounds of their errors, by the names of conventions.

        Conventions that are means over single games have none. Where games were not followed, it
        has what is known of such games: of whole rule sets between copies of some agents.
        """
        if self.expected is not None:
            return self.expected.conventions
        known = None if self.played is None else self.played.exact
        return {} if known is None else known.gtc

    @property
    def shown(self) -> Result:
        """Return the exact means, compared with games if there are any, or games alone."""
        if self.expected is None:
            assert self.played is not None
            return self.played
        return replace(self.expected, sample=self.played)


def measure_games(games: Games) -> Played:
    """Return the measures of games, with the published figures that apply to them."""
    found = measures(games)
    estimates = convention_estimates(measured(games), constants(games.rules))
    exact = exact_means(games.rules, games.light, games.dark)
    return Played(games, found, estimates, published_measures(games, found, estimates), exact)


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
    """Play games and print game-tree complexity in every convention.

    The default repeats Raposo and Lamont's experiment: 2,000 games of their agent, which looks 7
    plies ahead. Agents are those of urcx agents, with a file where they need one (optimal:FILE,
    net:FILE), or a Python function or object of your own (FILE.py:NAME).

    Parameters
    ----------
    light, dark
        Who plays: ``NAME[:DEPTH][:LEAF][:TIES]`` or ``FILE.py:NAME``. Such texts, or agents; dark
        is as light by default.
    rules
        A rule set or its name.
    games
        Games to play, from 1 to 100,000,000. By default 2000, none if ``--exact``.
    exact
        Exact means over all games, without sampling; with ``--games``, both. See `urcx.expected`.
    first
        Who begins: ``light``, ``dark``, ``alternate`` or ``coin``.
    seed
        Of the games, from 0 to 2^63 - 1.
    method, no_cache
        How agents look ahead, and whether levels are kept; see `urcx.simulate`.
    threads
        By default as many as there are cores; they change no game, and means in their last digits.
    executor
        What plays the games in place of threads of this process; see :doc:`/executors`.
    drawn
        Whether to compute what the figure needs besides: with ``exact``, the lengths of games.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    GameTree

    Raises
    ------
    UrcxError
        As `urcx.simulate` and `urcx.expected` do.
    UsageError
        If an argument is out of range.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.gtc("greedy", games=100)
    >>> [(e.convention.name, round(e.log10, 1)) for e in found.estimates][:2]
    [('raposo-lamont', 55.3), ('raposo-lamont-both', 110.6)]
    """
    check_functions(stage=stage)
    check_booleans(exact=exact, no_cache=no_cache, drawn=drawn)
    chosen = catalogue.ruleset(rules)
    one = agent(light)
    both = one, one if dark is None else agent(dark)
    number = number_of_games(games, exact=exact)
    drawn = drawn and exact and not layer_obstacle(chosen)
    ready = Policies(
        chosen, ALL_STATES if exact else number, method=method, keep=not no_cache, threads=threads,
        stage=stage,
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
    """Return how many games are played: as many as asked for, or by default; 0 for none."""
    if games is None:
        return 0 if exact else SIZE
    return catalogue.as_integer("games", games)
