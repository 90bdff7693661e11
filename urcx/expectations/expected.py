"""Exact expectations over all games of two agents.

Instead of playing games, probability is propagated from the start: the probability in a state is
passed on over all rolls and all moves that the agent to move would choose, until practically all of
it has reached won games. The expected visit count of a state times what happens there, summed over
all states, is the expectation of anything counted ply by ply: plies, turns, moves, passes, choices
and their logarithms, captures, wins. Nothing is sampled. Very long games are truncated; the
probability of that is bounded, rounding in 64 bits included, and so is what it can change in each
mean (`urcx.expectations.flow`).

If several moves are equally good to an agent, its tie rule decides, as in games: the least or the
most advanced piece, or each with equal probability.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agents import Agent, DarkAgent, LightAgent, players
from urcx.agents.own_agents import CustomAgent
from urcx.agents.policies import Policies
from urcx.complexity.game_tree import (
    CONVENTIONS,
    Z95,
    Convention,
    Measured,
    at_means,
    constants,
    entropy,
    symbols,
    tree_answer,
)
from urcx.engine.compiling import CompiledResult, compute_clock
from urcx.engine.threads import Stage, no_progress
from urcx.errors import WrongObjectError, check_booleans, check_functions, check_name
from urcx.expectations.choices import ALL_STATES, built_in_agent, make_policies
from urcx.expectations.flow import Flow, flow_order
from urcx.expectations.tally import SIDE, Accuracy, Side, Tally, of_conventions, of_ratio
from urcx.game import SIDES
from urcx.games.simulator import FIRST_MOVERS
from urcx.games.statistics import (
    GTC_NAME,
    MEASURE,
    MEASURES,
    WINNERS,
    Measure,
    Measures,
    Sample,
    wins,
)
from urcx.results.fields import COUNT, Field, Fields, Format, column, decimals, fields_of
from urcx.results.numbers import number, power_of_ten, rounded_bound
from urcx.results.tables import Column, Table
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet

__all__ = ["exact_measures", "expected"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ExactFigure:
    """A convention's figure by exact means: log10, with its bound, and that of a sample."""

    convention: Annotated[Convention, "the convention", *fields_of(Convention)]
    log10: Annotated[
        float | None, Field("log10", decimals(8, none="needs games"), "the size of the tree")
    ]
    ci95: ClassVar[Annotated[None, Field(about="its 95 % interval")]] = None
    bound: Annotated[
        float | None,
        Field(
            "off by at most",
            Format(rounded_bound),
            "by how much log10 is off at most, null without it",
        ),
    ]
    sampled: Annotated[
        float | None,
        Field("in games", decimals(2), "the figure of games played beside, null without"),
    ]


FIGURES = fields_of(ExactFigure)
EXACTLY = Fields(  # the cells of exact means
    column(Column("measure", text=True, least=32), lambda item: str(item.title)),
    column("mean", lambda item: f"{item.mean:.10f}"),
    column("off by at most", lambda item: rounded_bound(item.bound)),
)
EXACT_MEASURE = MEASURE.pick("title", "mean") + Fields(
    Field(about="by how much that is off at most", key="bound"),
    *(Field(about="null", key=name, of=lambda _: None) for name in ("sd", "ci95", "quartiles")),
)


@dataclass(frozen=True)
class Expected(CompiledResult, function="expected"):
    """Expectations over all games of two agents.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.expected("random", rules=urcx.ruleset("finkel", pieces=1))
    >>> round(found.first_wins, 6), found.states
    (0.53005, 434)
    """

    schema = GTC_NAME
    parts: ClassVar = {
        "measures.NAME": EXACT_MEASURE,
        "gtc": FIGURES,
        "wins.NAME": Fields(
            Field(about="the probability", key="share"),
            Field(about="by how much that is off at most", key="bound"),
        ),
        "sides.SIDE": SIDE
        + Fields(Field(about="by how much any of these is off at most", key="bound")),
        "legal_moves": Fields(
            Field(about="a number of legal moves", key="legal_moves"),
            Field(about="plies of a game that have so many", key="plies"),
            Field(about="their share of all plies", key="share"),
        ),
    }
    when = "with ``--exact``; ``sample`` are the members without it, of games played beside"
    rules: GameRules
    light: LightAgent
    dark: DarkAgent
    first: Annotated[str, Field(about="who begins")]
    exactness: ClassVar[Annotated[str, Field(about="of all means")]] = (
        "exact but for rounding in 64 bits and left_out"
    )
    sides: Annotated[tuple[Side, Side], "what light and what dark do in a game, on average"]
    first_wins: Annotated[float, "the winning probability of the side that begins"]
    left_out: Annotated[
        float,
        Field(about="bound of the probability of games not followed to their end, and of rounding"),
    ]
    accuracy: Annotated[Accuracy, "bounds of the errors of all means"]
    states: Annotated[int, Field("", COUNT, "how many were followed, with either side to move")]
    seconds: Annotated[float, Field(about="how long that took")]
    notes: Annotated[tuple[str, ...], "what is to be said of how it was computed"] = ()
    sample: Annotated[Sample | None, "games that the means are compared with"] = None

    @property
    @Field(about="of light and dark: which of equally good moves they play", after="dark")
    def ties(self) -> dict[str, str]:
        """Return which of equally good moves light and dark play."""
        return {"light": self.light.ties, "dark": self.dark.ties}

    @property
    def wins(self) -> dict[str, float]:
        """Return the probability that light, dark and who begins (``first_mover``) win."""
        light, dark = self.sides
        return {"light": light.wins, "dark": dark.wins, "first_mover": self.first_wins}

    @property
    def by_choices(self) -> Array:
        """Return the plies of both sides by roll and number of legal moves."""
        result: Array = self.sides[0].by_choices + self.sides[1].by_choices
        return result

    @property
    def measured(self) -> Measured:
        """Return the inputs of the conventions of game-tree complexity, as expectations."""
        plies = self.by_choices.sum(axis=0)
        number = np.arange(len(plies))
        return Measured(
            np.array(plies.sum()),
            np.array(plies[1:].sum()),
            np.array(plies @ number),
            np.array(plies @ np.log10(np.maximum(number, 1))),
            np.array(self.sides[0].log_picks + self.sides[1].log_picks),
        )

    @property
    def measured_off(self) -> Measured:
        """Return by how much each of `measured` is off at most."""
        most = self.by_choices.shape[1] - 1  # legal moves
        found = [1.0, 1.0, float(most), math.log10(most), math.log10(most)]
        return Measured(*(np.array(self.accuracy.counted(each)) for each in found))

    @cached_property
    def conventions(self) -> dict[str, tuple[float, float]]:
        """Return the conventions' figures, log10, with their bounds, by name.

        Conventions that are means over single games are left out.
        """
        fixed = constants(self.rules)
        off = of_conventions(self.measured, self.measured_off, fixed)
        return {k: (log10, off[k]) for k, log10 in at_means(self.measured, fixed).items()}

    @property
    def figures(self) -> list[ExactFigure]:
        """Return each convention's figure, with that of a sample of games if there is one."""
        games = () if self.sample is None else self.sample.estimates
        estimates = {game.convention.name: game.log10 for game in games}
        exactly: dict[str, tuple[float | None, float | None]] = {**self.conventions}
        return [
            ExactFigure(
                convention,
                *exactly.get(convention.name, (None, None)),
                estimates.get(convention.name),
            )
            for convention in CONVENTIONS
        ]

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object, compared with a sample if there is one."""
        means, off, sample = exact_measures(self), self.accuracy.wins, self.sample
        sampled = {} if sample is None else {m.name: m for m in sample.measures}
        rows = {mean.name: EXACT_MEASURE.record(mean) for mean in means}
        for mean in means:
            if mean.name in sampled:
                seen = sampled[mean.name]
                rows[mean.name] |= {"sampled": seen.mean}
                rows[mean.name] |= {"standard_errors_off": mean_off(mean.mean, seen)}
        plies = self.by_choices.sum(axis=0)
        return {
            **fields_of(Expected).record(self),
            "measures": rows,
            "gtc": FIGURES.records(self.figures),
            "wins": {name: {"share": share, "bound": off} for name, share in self.wins.items()},
            "sides": {
                name: SIDE.record(side) | {"bound": max(off, self.accuracy.counted())}
                for name, side in zip(SIDES, self.sides, strict=True)
            },
            "legal_moves": [
                {"legal_moves": k, "plies": float(n), "share": float(n / self.measured.plies)}
                for k, n in enumerate(plies)
            ],
            **({} if sample is None else {"sample": sample.document()}),
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of CSV: measures, conventions, who wins."""
        off = self.accuracy.wins
        return [
            {"kind": kind, "name": name, "mean": mean, "bound": bound}
            for kind, found in (
                ("measure", [(one.name, one.mean, one.bound) for one in exact_measures(self)]),
                (
                    "gtc",
                    [
                        (figure.convention.name, figure.log10, figure.bound)
                        for figure in self.figures
                    ],
                ),
                ("wins", [(name, share, off) for name, share in self.wins.items()]),
            )
            for name, mean, bound in found
        ]

    def tables(self) -> list[Table]:
        """Return conventions, measures and who wins, compared with a sample if there is one."""
        shown = FIGURES.pick("convention", "formula", "log10", "bound")
        shown += FIGURES.pick(*([] if self.sample is None else ["sampled"]), "counts")
        return [
            shown.table("", self.figures, [symbols(self.rules)]),
            self._measure_table(),
            self._wins_table(),
        ]

    @property
    def answer(self) -> str:
        """Return the size of the tree, with what it is made of."""
        (size, bound), *_ = self.conventions.values()
        means = {one.name: one.mean for one in exact_measures(self)}
        return tree_answer(
            self.rules,
            f"10^{size:.6f}",
            [log10 for log10, _ in self.conventions.values()],
            f"all games of {players(self.light, self.dark)}, off by at most {rounded_bound(bound)}",
            (f"{means['plies']:.4f}", f"{means['choices_per_ply']:.4f}"),
        )

    def _measure_table(self) -> Table:
        shown, sample = EXACTLY, self.sample
        if sample is not None:
            seen = {measure.name: measure for measure in sample.measures}
            shown += Fields(
                column(
                    f"{len(sample.games):,} games",
                    lambda m: f"{seen[m.name].mean:.4f}" if m.name in seen else "",
                ),
                column(
                    "standard errors off",
                    lambda m: _off(mean_off(m.mean, seen[m.name])) if m.name in seen else "",
                ),
            )
        ties = dict.fromkeys(f"{a.name}: {TIES[a.ties]}" for a in (self.light, self.dark))
        playing = players(self.light, self.dark, sides=True)
        left = power_of_ten(self.left_out)
        notes = [
            (
                f"over all {number(self.states)} states; probability not followed to its end: "
                f"at most {left:.0e}"
            ),
            f"of equal moves, {'; '.join(ties)}",
        ]
        title = f"Measures of all games of {playing}, {self.rules.with_pieces}, exactly"
        return shown.table(title, exact_measures(self), notes)

    def _wins_table(self) -> Table:
        columns, bound = ["<", "probability", "off by at most"], rounded_bound(self.accuracy.wins)
        cells = [[WINNERS[name], f"{p:.12f}", bound] for name, p in self.wins.items()]
        if self.sample is not None:
            columns += ["in games", "standard errors off"]
            for cell, seen in zip(cells, wins(self.sample.games), strict=True):
                off = share_off(self.wins[str(seen.name)], seen.share, seen.total)
                cell += [f"{seen.share:.4f}", _off(off)]
        return Table("Wins", columns, cells)


def mean_off(exact: float, sample: Measure) -> float | None:
    """Return the deviation of a sample's mean in standard errors; None if it has no interval."""
    interval = sample.ci95
    if interval is None or interval[0] == interval[1]:
        return None
    return (sample.mean - exact) / ((interval[1] - interval[0]) / 2 / Z95)


def share_off(exact: float, seen: float, games: int) -> float | None:
    """Return the deviation of a share of games in standard errors; None if it is certain."""
    error = math.sqrt(exact * (1 - exact) / games)
    return (seen - exact) / error if error else None


def _off(errors: float | None) -> str:
    return "" if errors is None else f"{errors:+.1f}"


TIES = {"first": "the least advanced", "last": "the most advanced", "random": "each as likely"}


def expected(
    light: str | Agent | CustomAgent = "panda",
    dark: str | Agent | CustomAgent | None = None,
    rules: str | RuleSet = "finkel",
    *,
    first: str = "alternate",
    method: str = "auto",
    no_cache: bool = False,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Expected:
    """Return what happens in games of two agents on average, without playing any.

    Parameters
    ----------
    light, dark
        Agents, or texts as `urcx.agents.agents.agent` reads them; dark is as light by default.
    rules
        A rule set or its name.
    first
        Who begins: ``light``, ``dark``, or ``alternate`` or ``coin`` for half of the games each.
    method, no_cache
        How agents look ahead, and whether levels are kept; see `urcx.simulate`.
    threads
        By default as many as there are cores; figures are the same but for rounding.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    urcx.expectations.expected.Expected

    Raises
    ------
    UsageError
        If an argument is out of range, or an agent is one of the user's: what it would play
        is not known without asking it in every state.
    UnknownNameError
        If there is no such agent or rule set.
    TooLargeError
        If memory does not suffice.
    UrcxError
        If games do not end, or the chances of winning do not add up to 1.

    Examples
    --------
    >>> import urcx
    >>> short = urcx.ruleset("finkel", pieces=2)
    >>> found = urcx.expected("greedy", "random", rules=short)
    >>> round(found.sides[0].wins, 6), round(found.sides[1].wins, 6)
    (0.622778, 0.377222)
    """
    check_functions(stage=stage)
    check_booleans(no_cache=no_cache)
    ready = Policies(
        catalogue.ruleset(rules), ALL_STATES, method=method, keep=not no_cache, threads=threads,
        stage=stage,
    )  # fmt: skip
    return expected_by(ready, (light, light if dark is None else dark), first)


def expected_by(
    ready: Policies,
    agents: tuple[str | Agent | CustomAgent, str | Agent | CustomAgent],
    first: str,
) -> Expected:
    """Follow games of light against dark as `expected` does, by policies that calls share."""
    rules = ready.rules
    players = built_in_agent(agents[0]), built_in_agent(agents[1])
    check_name("first mover", first, FIRST_MOVERS)
    began = compute_clock()
    begins = {"light": (0,), "dark": (1,)}.get(first, (0, 1))
    alike = players[0] == players[1] and rules.path.symmetric
    runs = []
    with contextlib.ExitStack() as stack:
        policies = make_policies(players, ready, stack)
        flow = Flow(flow_order(rules), policies, ready.threads)
        for side in begins[:1] if alike else begins:
            text = f"following {players[0].name} against {players[1].name}"
            runs.append(flow.run((1 - side, side), ready.stage(text, flow.states, "states")))
    if len(runs) < len(begins):  # for equal agents, dark's beginning mirrors light's
        runs.append(runs[0].turned())
    mean = Tally.mean(runs)
    first_wins = math.fsum(run.wins[side] for run, side in zip(runs, begins, strict=True))
    return Expected(
        rules, *players, first, (mean.side(0), mean.side(1)), first_wins / len(runs), mean.left,
        mean.accuracy, flow.states, compute_clock() - began, tuple(ready.notes),
    )  # fmt: skip


class ExactMeasures(Measures, function="exact_measures"):
    """Means over all games, in the order of `Measures`."""

    def tables(self) -> list[Table]:
        """Return the table of the means with their bounds."""
        return [EXACTLY.table("Measures, exactly", self)]


def exact_measures(result: Expected) -> ExactMeasures:
    """Return every measure's mean over all games, by the same names as `measures`, with its bound.

    Parameters
    ----------
    result
        What `urcx.expected` returns.

    Returns
    -------
    ExactMeasures
        A tuple of `Measure`, whose ``sd``, ``ci95`` and ``quartiles`` are None, and whose means
        are off by at most ``bound``.

    Raises
    ------
    UsageError
        If it is anything else.

    Examples
    --------
    >>> import urcx
    >>> short = urcx.ruleset("finkel", pieces=1)
    >>> means = urcx.exact_measures(urcx.expected("random", rules=short))
    >>> means[0].name, round(means[0].mean, 6)
    ('plies', 17.061881)
    """
    if not isinstance(result, Expected):
        raise WrongObjectError("found", Expected, result)
    x = result.measured
    by_choices = result.by_choices.sum(axis=0)
    several = by_choices[2:].sum()
    zero = np.array([roll == 0 for roll in result.rules.dice.rolls])
    plies = float(x.plies)
    counts: dict[str, float] = {
        "plies": plies,
        "turns": sum(side.turns for side in result.sides),
        "moves": float(x.moves),
        "passes": plies - float(x.moves),
        "decisions": float(several),
        "captures": sum(side.captures for side in result.sides),
        "rosettes": sum(side.landed for side in result.sides),
        "choices": float(x.choices),
        "rolls": float(result.by_choices[~zero].sum()),
        "choices of decisions": float(by_choices[2:] @ np.arange(2, len(by_choices))),
        "sum_log10_choices": float(x.log_choices),
        "entropy": float(x.log_picks) + plies * entropy(result.rules.dice),
    }
    most = len(by_choices) - 1  # legal moves
    log = math.log10(most)
    each = {"choices": most, "choices of decisions": most, "sum_log10_choices": log}
    each["entropy"] = log + entropy(result.rules.dice)
    off = {name: result.accuracy.counted(each.get(name, 1.0)) for name in counts}
    return ExactMeasures(
        Measure(
            name,
            title,
            counts[above] if below is None else counts[above] / counts[below],
            None,
            None,
            None,
            bound=off[above]
            if below is None
            else of_ratio(counts[above], counts[below], off[above], off[below]),
        )
        for name, title, above, below in MEASURES
        if below is None or counts[below] > 0.0
    )
