"""Exact expectations over all games of two agents.

Instead of playing games, probability is propagated from the start. The probability in a state is
passed on over all rolls and all moves that the agent to move would choose, until practically all of
it has reached won games. Anything counted ply by ply has an expectation: the count in a state times
the expected visit count of the state, summed over all states. Examples are plies, turns, moves,
passes, choices and their logarithms, captures and wins. Nothing is sampled. Very long games are
truncated. The probability of a truncated game is bounded, including rounding in 64 bits, and so is
its effect on each mean (`urcx.expectations.flow`).

If several moves are equally good to an agent, its tie-breaking rule decides, as in games: the least
or the most advanced piece, or each with equal probability.
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
from urcx.expectations.choices import ALL_STATES, exact_agent, make_policies
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
    kinds_of_plies,
    wins,
)
from urcx.results.fields import COUNT, Field, Fields, Format, column, decimals, fields_of
from urcx.results.numbers import number, percent_text, power_of_ten, rounded_bound
from urcx.results.tables import Column, Table
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet

__all__ = ["exact_measures", "expected"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ExactFigure:
    """A convention's figure by exact means: log10 with its bound, and the figure of a sample."""

    convention: Annotated[Convention, "the convention", *fields_of(Convention)]
    log10: Annotated[
        float | None, Field("log10", decimals(8, none="needs games"), "the size of the tree")
    ]
    ci95: ClassVar[Annotated[None, Field(about="its 95 % interval")]] = None
    bound: Annotated[
        float | None,
        Field("error bound", Format(rounded_bound), "error bound of log10, null if log10 is null"),
    ]
    sampled: Annotated[
        float | None,
        Field("in games", decimals(2), "the figure of a sample of games, null without a sample"),
    ]


FIGURES = fields_of(ExactFigure)
EXACTLY = Fields(  # of exact means
    column(Column("measure", text=True, least=32), lambda item: str(item.title)),
    column("mean", lambda item: f"{item.mean:.10f}"),
    column("error bound", lambda item: rounded_bound(item.bound)),
)
EXACT_MEASURE = MEASURE.pick("title", "mean") + Fields(
    Field(about="its error bound", key="bound"),
    *(Field(about="null", key=name, of=lambda _: None) for name in ("sd", "ci95", "quartiles")),
)


@dataclass(frozen=True)
class Expected(CompiledResult, function="expected"):
    """Expectations over all games of two agents.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.expected("random", rules=urcx.ruleset("finkel", pieces=1))
    >>> round(result.first_wins, 6), result.states
    (0.53005, 434)
    """

    schema = GTC_NAME
    parts: ClassVar = {
        "measures.NAME": EXACT_MEASURE,
        "gtc": FIGURES,
        "wins.NAME": Fields(
            Field(about="the probability", key="share"),
            Field(about="its error bound", key="bound"),
        ),
        "sides.SIDE": SIDE + Fields(Field(about="error bound of all of these", key="bound")),
        "legal_moves": Fields(
            Field(about="a number of legal moves", key="legal_moves"),
            Field(about="plies per game with this number", key="plies"),
            Field(about="their share of all plies", key="share"),
        ),
    }
    when = "with ``--exact``; ``sample`` has the fields without ``--exact``, of a sample of games"
    rules: GameRules
    light: LightAgent
    dark: DarkAgent
    first: Annotated[str, Field(about="the first player")]
    exactness: ClassVar[Annotated[str, Field(about="of all means")]] = (
        "exact but for rounding in 64 bits and left_out"
    )
    sides: Annotated[tuple[Side, Side], "the expectations of light and dark per game"]
    first_wins: Annotated[float, "the win probability of the first player"]
    left_out: Annotated[
        float,
        Field(about="bound of the probability of games not followed to their end, and of rounding"),
    ]
    accuracy: Annotated[Accuracy, "error bounds of all means"]
    states: Annotated[int, Field("", COUNT, "states that were followed, with either side to move")]
    seconds: Annotated[float, Field(about="wall time")]
    notes: Annotated[tuple[str, ...], "notes on the computation"] = ()
    sample: Annotated[Sample | None, "games to compare the means with"] = None

    @property
    @Field(about="tie-breaking rules of light and dark", after="dark")
    def ties(self) -> dict[str, str]:
        """Return the tie-breaking rules of light and dark."""
        return {"light": self.light.ties, "dark": self.dark.ties}

    @property
    def wins(self) -> dict[str, float]:
        """Return the win probabilities of light, dark and the first player (``first_mover``)."""
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
        """Return the error bound of each of `measured`."""
        most = self.by_choices.shape[1] - 1  # legal moves
        per_ply = [1.0, 1.0, float(most), math.log10(most), math.log10(most)]
        return Measured(*(np.array(self.accuracy.counted(each)) for each in per_ply))

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
        """Return each convention's figure, with the figure of a sample of games if there is one."""
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
        """Return the fields of the JSON object, compared with a sample if there is one."""
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
        """Return the rows of CSV: measures, conventions, win probabilities."""
        off = self.accuracy.wins
        return [
            {"kind": kind, "name": name, "mean": mean, "bound": bound}
            for kind, rows in (
                ("measure", [(item.name, item.mean, item.bound) for item in exact_measures(self)]),
                (
                    "gtc",
                    [
                        (figure.convention.name, figure.log10, figure.bound)
                        for figure in self.figures
                    ],
                ),
                ("wins", [(name, share, off) for name, share in self.wins.items()]),
            )
            for name, mean, bound in rows
        ]

    def tables(self) -> list[Table]:
        """Return conventions, measures and wins, compared with a sample if there is one."""
        columns = FIGURES.pick("convention", "formula", "log10", "bound")
        columns += FIGURES.pick(*([] if self.sample is None else ["sampled"]), "counts")
        return [
            columns.table("", self.figures, [symbols(self.rules)]),
            self._measure_table(),
            self._wins_table(),
        ]

    @property
    def answer(self) -> str:
        """Return the size of the game tree, with the plies and choices of a game."""
        (size, bound), *_ = self.conventions.values()
        means = {item.name: item.mean for item in exact_measures(self)}
        return tree_answer(
            self.rules,
            f"10^{size:.6f}",
            [log10 for log10, _ in self.conventions.values()],
            f"all games of {players(self.light, self.dark)}, exact, ± {rounded_bound(bound)}",
            (f"{means['plies']:.4f}", f"{means['choices_per_ply']:.4f}"),
        )

    def _measure_table(self) -> Table:
        columns, sample = EXACTLY, self.sample
        if sample is not None:
            seen = {measure.name: measure for measure in sample.measures}
            columns += Fields(
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
        return columns.table(title, exact_measures(self), notes)

    def _wins_table(self) -> Table:
        columns, bound = ["<", "win probability", "error bound"], rounded_bound(self.accuracy.wins)
        cells = [[WINNERS[name], percent_text(p, 10), bound] for name, p in self.wins.items()]
        if self.sample is not None:
            columns += ["in games", "standard errors off"]
            for cell, seen in zip(cells, wins(self.sample.games), strict=True):
                off = share_off(self.wins[str(seen.name)], seen.share, seen.total)
                cell += [f"{seen.share:.4f}", _off(off)]
        return Table("Wins", columns, cells)


def mean_off(exact: float, sample: Measure) -> float | None:
    """Return the deviation of a sample's mean in standard errors, None if it has no interval."""
    interval = sample.ci95
    if interval is None or interval[0] == interval[1]:
        return None
    return (sample.mean - exact) / ((interval[1] - interval[0]) / 2 / Z95)


def share_off(exact: float, seen: float, games: int) -> float | None:
    """Return the deviation of a share of games in standard errors, None if it is certain."""
    error = math.sqrt(exact * (1 - exact) / games)
    return (seen - exact) / error if error else None


def _off(errors: float | None) -> str:
    return "" if errors is None else f"{errors:+.1f}"


TIES = {"first": "the least advanced", "last": "the most advanced", "random": "each equally likely"}


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
    """Return exact means over all games of two agents, without playing games.

    Parameters
    ----------
    light, dark
        Agents, or strings that `urcx.agents.agents.agent` reads. By default dark is the same as
        light.
    rules
        A rule set or its name.
    first
        The first player: ``light``, ``dark``, or ``alternate`` or ``coin`` for half of the games
        each.
    method, no_cache
        The search method of agents that look ahead, and whether depth-k value tables are not
        cached, as for `urcx.simulate`.
    threads
        By default as many as there are cores. Except for rounding, the means do not depend on it.
    stage
        Called when each part of the work begins.

    Returns
    -------
    urcx.expectations.expected.Expected

    Raises
    ------
    UsageError
        If an argument is out of range, or an agent is another program. A user's own agent is asked
        in every state, and must not fail or answer differently to the same question.
    UnknownNameError
        If there is no such agent or rule set.
    TooLargeError
        If memory does not suffice.
    UrcxError
        If games do not end, or the win probabilities do not add up to 1.

    Examples
    --------
    >>> import urcx
    >>> short = urcx.ruleset("finkel", pieces=2)
    >>> result = urcx.expected("greedy", "random", rules=short)
    >>> round(result.sides[0].wins, 6), round(result.sides[1].wins, 6)
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
    """Follow games of light against dark like `expected`, with policies that calls share."""
    rules = ready.rules
    players = exact_agent(agents[0]), exact_agent(agents[1])
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
    if len(runs) < len(begins):  # for equal agents, games that dark begins mirror the others
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
    """Return every measure's mean over all games, with the names of `measures`, and its bound.

    Parameters
    ----------
    result
        The result of `urcx.expected`.

    Returns
    -------
    ExactMeasures
        A tuple of `Measure`, whose ``sd``, ``ci95`` and ``quartiles`` are None. ``bound`` is the
        error bound of the mean.

    Raises
    ------
    UsageError
        If ``result`` is anything else.

    Examples
    --------
    >>> import urcx
    >>> short = urcx.ruleset("finkel", pieces=1)
    >>> means = urcx.exact_measures(urcx.expected("random", rules=short))
    >>> means[0].name, round(means[0].mean, 6)
    ('plies', 17.061881)
    """
    if not isinstance(result, Expected):
        raise WrongObjectError("result", Expected, result)
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
    counts |= kinds_of_plies(
        counts,
        sum(side.entered for side in result.sides),
        sum(float(side.moved[-1]) for side in result.sides),
    )
    most = len(by_choices) - 1  # legal moves
    log = math.log10(most)
    each = {"choices": most, "choices of decisions": most, "sum_log10_choices": log}
    each["entropy"] = log + entropy(result.rules.dice)
    each["moves on the board"] = 3.0  # a difference of three sums
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
