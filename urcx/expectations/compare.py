"""Rule sets compared: a row for each rule set and number of pieces, in one table.

The number of configurations is always exact. The other columns are about optimal play. They are
exact where the rule set is small enough to be solved at once (`urcx.solving.files.kept`). Where a
larger rule set has a saved solution, the win probability and the choice of moves come from it, and
the means are estimated from games. Without a solution all of them are estimated from games of the
agent ``greedy``, and each row names its agent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from urcx.agents.agent_texts import agent
from urcx.agents.agents import Agent
from urcx.complexity import tiles
from urcx.complexity.game_tree import constants, convention_estimates, with_interval
from urcx.engine.threads import Stage, silent
from urcx.enumerate.rankings.pattern_ranking import why_no_layers
from urcx.errors import UsageError, WrongObjectError
from urcx.expectations.expected import exact_measures, expected
from urcx.expectations.luck import luck
from urcx.games import tallies
from urcx.games.simulator import simulate
from urcx.games.statistics import Measure, measured, measures
from urcx.results.fields import (
    COUNT,
    Kind,
    Schema,
    fields_of,
    member,
    percents_of,
)
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.result import Rows
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.files.kept import can_be_solved, kept
from urcx.solving.files.tablebase import open_tablebase

__all__ = ["Comparison", "compare"]

START = "-/-/0-0/L"
WITHOUT_SOLUTION = "greedy"  # who plays where there is no solution: fast in every rule set
TREES = ("raposo-lamont", "allis")  # with chance, as printed; and without
MOST_NAMED = 3  # rows in the sentence of the answer


class Figure(NamedTuple):
    """A number of a comparison: exact, or an estimate with its 95 % interval."""

    value: float
    ci95: tuple[float, float] | None = None


def _written(digits: int, *, percent: bool = False) -> Kind:
    """Return how a figure is written: with half the width of its interval if it has one."""

    def cell(figure: Figure) -> str:
        scale = 100.0 if percent else 1.0
        low, high = figure.ci95 or (0.0, 0.0)
        pair = None if figure.ci95 is None else (scale * low, scale * high)
        return with_interval(scale * figure.value, pair, digits) + (" %" if percent else "")

    def end(k: int) -> object:
        return lambda figure: None if figure.ci95 is None else figure.ci95[k]

    value = ("", lambda figure: figure.value)
    ends = (("_low", end(0)), ("_high", end(1)))
    return Kind(cell, (value, ("_ci95", lambda figure: figure.ci95)), (value, *ends))


@dataclass(frozen=True)
class ComparedRules:
    """One rule set with one number of pieces.

    ``games`` is None where all figures but the trees' are exact.
    """

    rules: Annotated[
        RuleSet,
        member("<rules", about="name of the rule set", of="name"),
        member("pieces", key="pieces", about="pieces a side", of="pieces"),
    ]
    diagrams: Annotated[
        int, member("configurations", COUNT, "configurations, both sides home included")
    ]
    first_wins: Annotated[
        Figure,
        member(
            "first player wins", _written(2, percent=True), "win probability of the first player"
        ),
    ]
    plies: Annotated[Figure, member("plies", _written(2), "plies of a game")]
    choices: Annotated[
        Figure, member("moves a decision", _written(3), "legal moves where there are two or more")
    ]
    raposo_lamont: Annotated[
        Figure,
        member("tree, log10, with dice", _written(2), "(b c)^(d/2), as Raposo and Lamont print it"),
    ]
    allis: Annotated[
        Figure,
        member("tree, log10, moves", _written(2), "b^m, van den Herik's and Allis's convention"),
    ]
    dice: Annotated[
        float | None,
        member(
            "dice's share",
            percents_of(2, none="-"),
            "the dice's share of squared changes, null if not computed",
        ),
    ]
    agent: Annotated[Agent, member("<play", about="the agent that plays both sides", of="name")]
    games: Annotated[
        int | None, member("games", Kind(none="all"), "games played, null for all games, exactly")
    ]


class Comparison(Rows[ComparedRules], function="compare"):
    """Rule sets compared: a tuple of `ComparedRules`.

    Attributes
    ----------
    seed : int
        Of the games.

    Examples
    --------
    >>> import urcx
    >>> rows = urcx.compare(["finkel", "blitz"], 1)
    >>> [(row.rules.name, round(row.plies.value, 2), row.games) for row in rows]
    [('finkel', 16.84, None), ('blitz', 18.41, None)]
    """

    seed: int

    def report(self) -> Report:
        """Return the table of all rows."""
        notes = [
            "play: the agent that plays both sides; the first player is each side in half of the games",
            "first player wins: under optimal play if that is who plays",
            "± is half of a 95 % interval; numbers without it are exact",
            "tree: (b c)^(d/2) counts chance by c outcomes, as Raposo and Lamont print it; b^m counts moves alone",
            "dice's share: of the squared changes in win probability; - where it is not computed",
        ]
        table = FIELDS.table(f"{counted(len(self), 'rule set')} compared", self, notes)
        return Report.of(COMPARE, self, [table], rows=self, answer=self.answer)

    @property
    def answer(self) -> str:
        """Return the first player's win probability in the first rows and the last."""
        parts = [
            f"{FIELDS['first_wins'].cell(row)} in {row.rules.with_pieces} ({row.agent.name})"
            for row in self
        ]
        if len(parts) > MOST_NAMED:
            parts = [*parts[: MOST_NAMED - 1], "...", parts[-1]]
        return f"The first player wins {'; '.join(parts)}"


FIELDS = fields_of(ComparedRules)
COMPARE = Schema(
    "urcx.compare/2",
    {"": fields_of(Comparison), "rows": FIELDS},
)


def compare(
    rules: str | RuleSet | Iterable[str | RuleSet],
    pieces: int | Iterable[int] | None = None,
    *,
    games: int = 2000,
    seed: int = 1,
    threads: int | None = None,
    stage: Stage = silent,
) -> Comparison:
    """Compare rule sets: states, win probability, length, choices, game tree, the dice's share.

    A row is exact where the rule set is small enough to be solved at once. Larger ones are
    estimated from games: of optimal play if ``urcx solve`` has saved the solution, else of the
    agent greedy.

    Parameters
    ----------
    rules
        Rule sets or their names.
    pieces
        Pieces a side, from 1 to 255, or several numbers. By default the rule set's.
    games
        Games to play where a row is estimated, from 1 to 100,000,000.
    seed
        Of the games, from 0 to 2^63 - 1.
    threads
        By default as many as there are cores; they change exact means in their last digits only.
    stage
        What to call as each part of the work begins.

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
    (13061, '50.74%', None)
    """
    games = catalogue.whole("games", games)
    rows = [_row(chosen, games, seed, threads, stage) for chosen in rule_sets(rules, pieces)]
    return Comparison(rows, seed=seed)


def rule_sets(
    rules: str | RuleSet | Iterable[str | RuleSet], pieces: int | Iterable[int] | None
) -> list[RuleSet]:
    """Return each rule set with each number of pieces, without repeats.

    Raises
    ------
    UsageError
        If there is none.
    """
    listed = [rules] if isinstance(rules, str | RuleSet) else rules
    if not isinstance(listed, Iterable):
        raise WrongObjectError("rules", RuleSet, rules, "a list of names such as 'finkel'")
    numbers: list[int | None] = [*pieces] if isinstance(pieces, Iterable) else [pieces]
    chosen = [catalogue.ruleset(name, pieces=number) for name in listed for number in numbers]
    if not chosen:
        raise UsageError("there is no rule set to compare")
    return list(dict.fromkeys(chosen))


def _row(rules: RuleSet, games: int, seed: int, threads: int | None, stage: Stage) -> ComparedRules:
    """Return the row of a rule set: exact if it is small, else estimated."""

    def labelled(text: str, total: int, unit: str) -> object:
        return stage(f"{rules.name}, p = {rules.pieces}: {text}", total, unit)

    if can_be_solved(rules):
        return _exact_row(rules, threads, labelled)
    file = kept(rules)
    player = agent(WITHOUT_SOLUTION if file is None else "optimal")
    played = simulate(player, rules=rules, games=games, seed=seed, threads=threads, stage=labelled)
    means = {measure.name: measure for measure in measures(played)}
    sizes = {
        estimate.convention.name: Figure(estimate.log10, estimate.ci95)
        for estimate in convention_estimates(measured(played), constants(rules))
    }
    first = next(tally for tally in tallies.wins(played) if tally.name == "first_mover")
    wins = Figure(first.share, first.ci95)
    if file is not None:
        with open_tablebase(file) as base:
            wins = Figure(base.probe(START))
    return ComparedRules(
        rules, tiles.diagrams(rules.path, rules.pieces), wins, _figure(means["plies"]),
        _figure(means.get("choices_per_decision")), *(sizes[name] for name in TREES), None, player,
        len(played),
    )  # fmt: skip


def _exact_row(rules: RuleSet, threads: int | None, stage: Stage) -> ComparedRules:
    player = agent("optimal")
    found = expected(player, rules=rules, threads=threads, stage=stage)
    means = {measure.name: measure for measure in exact_measures(found)}
    sizes = {name: Figure(log10) for name, (log10, _) in found.conventions.items()}
    share = None
    if not why_no_layers(rules):
        share = luck(player, rules=rules, threads=threads, stage=stage).share
    return ComparedRules(
        rules, tiles.diagrams(rules.path, rules.pieces), Figure(found.first_wins),
        _figure(means["plies"]), _figure(means.get("choices_per_decision")),
        *(sizes[name] for name in TREES), share, player, None,
    )  # fmt: skip


def _figure(measure: Measure | None) -> Figure | None:
    """Return a measure as a figure; None if there is none, as of games without decisions."""
    return None if measure is None else Figure(measure.mean, measure.ci95)
