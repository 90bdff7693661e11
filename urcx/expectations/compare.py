"""Comparing rule sets: a row for each rule set and number of pieces, in a single table.

The number of configurations is always exact. The other columns are about optimal play. They are
exact if the rule set is small enough to be solved on the fly (`urcx.solving.files.kept`). If a
larger rule set has a saved solution, the win probability and the choice of moves come from it, and
the means are estimated from games. Without a solution, all columns are estimated from games of the
agent ``greedy``. Each row names its agent. Optimal players lose nothing by decisions, so the dice's
share is computed for ``greedy``, and only for small rule sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, Any, NamedTuple

from urcx.agents.agents import Agent, agent
from urcx.complexity import tiles
from urcx.complexity.game_tree import constants, convention_estimates
from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import UsageError, WrongObjectError, check_functions
from urcx.expectations.expected import exact_measures, expected
from urcx.expectations.luck import luck
from urcx.games import statistics
from urcx.games.simulator import MAX_GAMES, simulate
from urcx.games.statistics import Measure, measured, measures
from urcx.results.fields import COUNT, Field, Format, fields_of
from urcx.results.numbers import count_text, percent_text, percent_with_interval, with_interval
from urcx.results.result import Rows
from urcx.results.tables import Column, key
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.files.kept import can_be_solved, saved_solution
from urcx.solving.files.tablebase import open_tablebase

__all__ = ["compare"]

START = "-/-/0-0/L"
GREEDY = "greedy"  # a fast agent: plays if there is no solution, and its luck is split
LEAST = 2  # games, the fewest with an interval
MOST_NAMED = 3  # rows in the sentence of the answer


class Figure(NamedTuple):
    """A number of a comparison: exact, or an estimate with its 95 % interval."""

    value: float
    ci95: tuple[float, float] | None = None


def _written(digits: int, *, percent: bool = False) -> Format:
    """Return the format of a figure, with half the width of its interval if it has one."""

    def cell(figure: Figure) -> str:
        if percent:
            return percent_with_interval(figure.value, figure.ci95)
        return with_interval(figure.value, figure.ci95, digits)

    def end(k: int) -> Callable[[Figure], float | None]:
        return lambda figure: None if figure.ci95 is None else figure.ci95[k]

    value = ("", attrgetter("value"))
    ends = (("_low", end(0)), ("_high", end(1)))
    return Format(cell, (value, ("_ci95", attrgetter("ci95"))), (value, *ends), none="-")


@dataclass(frozen=True)
class ComparedRules:
    """A rule set with a number of pieces. ``games`` is None if all figures are exact."""

    rules: Annotated[
        RuleSet,
        Field(key("rules"), about="name of the rule set", of="name"),
        Field(Column("pieces", key=True), key="pieces", about="pieces per side", of="pieces"),
    ]
    diagrams: Annotated[
        int, Field("configurations", COUNT, "configurations, both sides home included")
    ]
    first_wins: Annotated[
        Figure,
        Field(
            "first player wins", _written(2, percent=True), "win probability of the first player"
        ),
    ]
    plies: Annotated[Figure, Field("plies", _written(2), "plies of a game")]
    choices: Annotated[
        Figure | None,
        Field(
            "moves per decision",
            _written(3),
            "legal moves of a decision, null if there is never a decision",
        ),
    ]
    raposo_lamont: Annotated[
        Figure,
        Field("tree, log10, with dice", _written(2), "(b c)^(d/2), as Raposo and Lamont print it"),
    ]
    allis: Annotated[
        Figure,
        Field("tree, log10, moves", _written(2), "b^m, van den Herik's and Allis's convention"),
    ]
    dice_share: Annotated[
        float | None,
        Field(
            "dice's share",
            Format(percent_text, none="-"),
            "the dice's share of the movement in win probability in games of greedy (squares), "
            "null if not computed",
        ),
    ]
    agent: Annotated[Agent, Field("<play", about="the agent that plays both sides", of="name")]
    games: Annotated[
        int | None, Field("games", Format(none="all"), "games played, null for all games, exactly")
    ]


class Comparison(Rows[ComparedRules], function="compare"):
    """Rule sets compared: a tuple of `ComparedRules`.

    Attributes
    ----------
    seed : int
        The seed of the games.
    requested : int
        The requested number of rows. After an interrupt there are fewer.
    notes : tuple of str
        The saved solutions that were used.

    Examples
    --------
    >>> import urcx
    >>> rows = urcx.compare(["finkel", "blitz"], 1)
    >>> [(row.rules.name, round(row.plies.value, 2), row.games) for row in rows]
    [('finkel', 17.06, None), ('blitz', 18.95, None)]
    """

    schema = "urcx.compare/2"
    seed: Annotated[int, Field(about="the seed of the games")]
    requested: int
    notes: tuple[str, ...]

    @property
    def unfinished(self) -> str:
        """Return the number of rows before an interrupt as text, empty if all are there."""
        done = len(self)
        return (
            "" if done == self.requested else f"{done} of {count_text(self.requested, 'rule set')}"
        )

    @property
    def legend(self) -> list[str]:
        """Return notes on the columns."""
        notes = [
            "play: the agent that plays both sides; each side begins in half of the games",
            "± is half of a 95 % interval; numbers without it are exact",
            (
                "tree: (b c)^(d/2) counts chance by c outcomes, as Raposo and Lamont print it; "
                "b^m counts moves alone"
            ),
            (
                "dice's share: of the movement in win probability in games of greedy (sum of "
                "squared changes); - if not computed"
            ),
        ]
        if self.unfinished:
            notes.insert(0, f"interrupted after {self.unfinished}")
        return notes

    @property
    def answer(self) -> str:
        """Return the first player's win probability in the first rows and the last."""
        wins = fields_of(ComparedRules)["first_wins"]
        parts = [f"{wins.cell(row)} in {row.rules.with_pieces} ({row.agent.name})" for row in self]
        if len(parts) > MOST_NAMED:
            parts = [*parts[: MOST_NAMED - 1], "...", parts[-1]]
        return f"The first player wins {'; '.join(parts)}"


def compare(
    rules: str | RuleSet | Sequence[str | RuleSet],
    pieces: int | Sequence[int] | None = None,
    *,
    games: int = 2000,
    seed: int = 1,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Comparison:
    """Compare rule sets: states, win probability, length, choices, game tree, the dice's share.

    A row is exact if the rule set is small enough to be solved on the fly. Larger rule sets are
    estimated from games: of optimal play if ``urcx solve`` has saved the solution, else of the
    agent greedy.

    Parameters
    ----------
    rules
        Rule sets or their names.
    pieces
        Pieces per side, from 1 to 255, or several numbers. By default the rule set's.
    games
        Games to play for an estimated row, from 2 to 100,000,000.
    seed
        The seed of the games, from 0 to 2^63 - 1.
    threads
        By default as many as there are cores. They change only the last digits of exact means.
    stage
        Called when each part of the work begins.

    Returns
    -------
    Comparison
        A tuple with a row for each rule set and number of pieces.

    Raises
    ------
    UnknownNameError
        If there is no such rule set.
    UsageError
        If there is no rule set, or a number is out of range.
    UrcxError
        If memory does not suffice, or a saved solution cannot be read.

    Examples
    --------
    >>> import urcx
    >>> row, = urcx.compare("finkel", 2)
    >>> row.diagrams, f"{row.first_wins.value:.2%}", row.first_wins.ci95
    (13112, '51.86%', None)
    """
    check_functions(stage=stage)
    threads = chosen_threads(threads)
    games, seed = catalogue.as_integer("games", games), catalogue.as_seed(seed)
    if not LEAST <= games <= MAX_GAMES:
        raise UsageError(f"games {games:,}: must be from {LEAST} to {MAX_GAMES:,}")
    chosen = rule_sets(rules, pieces)
    rows: list[ComparedRules] = []
    notes: list[str] = []
    try:
        rows.extend(_row(item, games, seed, threads, stage, notes) for item in chosen)
    except KeyboardInterrupt:
        if not rows:
            raise
    return Comparison(rows, seed=seed, requested=len(chosen), notes=tuple(dict.fromkeys(notes)))


def rule_sets(
    rules: str | RuleSet | Sequence[str | RuleSet], pieces: int | Sequence[int] | None
) -> list[RuleSet]:
    """Return each rule set with each number of pieces, without repeats.

    Raises
    ------
    UsageError
        If there is no rule set.
    """
    listed = [rules] if isinstance(rules, str | RuleSet) else rules
    if not isinstance(listed, Iterable):
        raise WrongObjectError("rules", RuleSet, rules, "a list of names such as 'finkel'")
    numbers: Any = pieces
    if not isinstance(numbers, Iterable) or isinstance(numbers, str | bytes):
        numbers = [numbers]
    chosen = [catalogue.ruleset(name, pieces=number) for name in listed for number in numbers]
    if not chosen:
        raise UsageError("no rule set to compare: name at least one")
    return list(dict.fromkeys(chosen))


def compared_player(rules: RuleSet) -> Agent:
    """Return the agent that plays both sides of a rule set."""
    return agent("optimal" if can_be_solved(rules) or saved_solution(rules) else GREEDY)


def _row(
    rules: RuleSet, games: int, seed: int, threads: int | None, stage: Stage, notes: list[str]
) -> ComparedRules:
    """Return the row of a rule set, exact if it is small, else estimated. Add notes."""

    def labelled(text: str, total: int, unit: str) -> Callable[[int], None]:
        return stage(f"{rules.with_pieces}: {text}", total, unit)

    player, share = compared_player(rules), None
    means: Iterable[Measure]
    if exact := can_be_solved(rules):
        followed = expected(player, rules=rules, threads=threads, stage=labelled)
        wins, means = Figure(followed.first_wins), exact_measures(followed)
        trees = {name: Figure(log10) for name, (log10, _) in followed.conventions.items()}
        notes += followed.notes
        if not layer_obstacle(rules):
            share = luck(GREEDY, rules=rules, threads=threads, stage=labelled).share
    else:
        played = simulate(
            player, rules=rules, games=games, seed=seed, threads=threads, stage=labelled
        )
        if played.interrupted:
            raise KeyboardInterrupt
        first = next(tally for tally in statistics.wins(played) if tally.name == "first_mover")
        wins, means = Figure(first.share, first.ci95), measures(played)
        trees = {
            item.convention.name: Figure(item.log10, item.ci95)
            for item in convention_estimates(measured(played), constants(rules))
        }
        notes += played.notes
        if (file := saved_solution(rules)) is not None:
            with open_tablebase(file) as base:
                wins = Figure(base.probe(START))
    by_name = {mean.name: Figure(mean.mean, mean.ci95) for mean in means}
    return ComparedRules(
        rules, tiles.diagrams(rules.path, rules.pieces), wins, by_name["plies"],
        by_name.get("choices_per_decision"), trees["raposo-lamont"], trees["allis"], share, player,
        None if exact else games,
    )  # fmt: skip
