"""Exact expectations over all games of two agents.

Instead of playing games, probability is propagated from the start: the probability in a state is
passed on over all rolls and all moves that the agent to move would choose, until practically all of
it has reached won games. The expected visit count of a state times what happens there, summed over
all states, is the expectation of anything counted ply by ply: plies, turns, moves, passes, choices
and their logarithms, captures, wins. Nothing is sampled. Very long games are truncated; the
probability of that is bounded, rounding in 64 bits included, and so is what it can change in each
mean (`urcx.expectations.bounds`).

Pieces home stay there, so the layers by pieces home are processed one after the other from the
start of the game, (i, j) together with (j, i): in `urcx.expectations.expected_layers` for paths
that are crossed once and alike for both sides, in `urcx.expectations.expected_tiles` for every
path.

If several moves are equally good to an agent, its tie rule decides, as in games: the least or the
most advanced piece, or each with equal probability.
"""

from __future__ import annotations

import contextlib
import math
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_texts import agent
from urcx.agents.agents import Agent
from urcx.agents.own_agents import Chooser
from urcx.agents.policies import Policies
from urcx.complexity.game_tree import Measured, entropy
from urcx.engine.compiling import clock
from urcx.engine.executors import checked
from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.enumerate.rankings.pattern_ranking import why_no_layers
from urcx.errors import UrcxError, UsageError, WrongObjectError, check_name, member
from urcx.expectations.bounds import Accuracy, of_ratio
from urcx.expectations.expected_layers import LayerFlow
from urcx.expectations.expected_tiles import TileFlow
from urcx.expectations.flow_graph import GraphFlow
from urcx.expectations.pair_choices import ALL_STATES, prepared
from urcx.expectations.side_means import Side, Visits
from urcx.games.simulator import FIRST_MOVERS
from urcx.games.statistics import MEASURES, Measure, Measures
from urcx.results.result import Result
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerSource

LOST = 1e-10  # of probability, through rounding in 64 bits

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Expected(Result, function="expected"):
    """Expectations over all games of two agents.

    Attributes
    ----------
    rules : RuleSet
    light, dark : Agent
    first : str
        Who begins, as in `urcx.simulate`.
    sides : tuple of Side
        What light and what dark do in a game, on average.
    first_wins : float
        The winning probability of the side that begins.
    judged : bool
        Whether the moves were compared with a solution.
    left_out : float
        The probability of games that were not followed to their end; a bound of the error of
        probabilities of winning, rounding included.
    accuracy : Accuracy
        Bounds of the errors of all means.
    states : int
        The number of states, with either side to move.
    seconds : float
    notes : tuple of str

    Examples
    --------
    >>> import urcx
    >>> found = urcx.expected("random", rules=urcx.ruleset("finkel", pieces=1))
    >>> round(found.first_wins, 6), found.states
    (0.53005, 434)
    """

    rules: RuleSet
    light: Agent
    dark: Agent
    first: str
    sides: tuple[Side, Side]
    first_wins: float
    judged: bool
    left_out: float
    accuracy: Accuracy
    states: int
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def by_choices(self) -> Array:
        """Return the plies of both sides by roll and number of legal moves."""
        found: Array = self.sides[0].by_choices + self.sides[1].by_choices
        return found

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


def expected(  # noqa: PLR0913 - all but the agents and rules by name
    light: str | Agent | Chooser = "panda",
    dark: str | Agent | Chooser | None = None,
    rules: str | RuleSet = "finkel",
    *,
    first: str = "alternate",
    solution: LayerSource | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    layers: str | Path | None = None,
    policies: Policies | None = None,
    stage: Stage = silent,
) -> Expected:
    """Return what happens in games of two agents on average, without playing any.

    Parameters
    ----------
    light, dark
        Agents, or texts as `urcx.agents.agent_texts.agent` reads them; dark is as light by default.
    rules
        A rule set or its name.
    first
        Who begins: ``light``, ``dark``, or ``alternate`` or ``coin`` for half of the games each.
    solution
        The layers of the solved rule set, to judge the agents' moves by; for paths that are crossed
        once and alike for both sides.
    threads
        By default as many as there are cores; figures are the same but for rounding.
    executor
        What follows the games through pairs of layers, in place of threads of this process;
        ``threads`` are then those of each worker, and agents are made ready there. Not with a
        ``solution``. See :doc:`/executors`.
    layers
        With an executor, a directory that all its workers share, for what passes between layers; by
        default one among this machine's temporary files.
    policies
        Where agents are made ready; see `urcx.agents.policies`.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    urcx.expectations.expected.Expected

    Raises
    ------
    UsageError
        If an argument is out of range, or an agent is one of the user's: what it would play
        is not known without asking it in every state; or if there is an executor and a solution,
        or a cluster without a directory for layers.
    UnknownNameError
        If there is no such agent or rule set.
    OutOfDomainError
        If there is a solution, or an executor, of a path that has no layers.
    TooLargeError
        If memory does not suffice.
    UrcxError
        If games do not end, or the chances of winning do not add up to 1; or if workers fail, share
        no directory, or have another urcx.

    Examples
    --------
    >>> import urcx
    >>> short = urcx.ruleset("finkel", pieces=2)
    >>> found = urcx.expected("greedy", "random", rules=short)
    >>> round(found.sides[0].wins, 6), round(found.sides[1].wins, 6)
    (0.622778, 0.377222)
    """
    chosen = catalogue.ruleset(rules)
    players = (agent(light), agent(light if dark is None else dark))
    check_name("first mover", first, FIRST_MOVERS)
    for player in players:
        check_built_in(player)
    given, executor = threads, checked(executor)
    if executor is not None and solution is not None:
        raise UsageError("workers cannot be told a solution; let urcx.regret have a tablebase")
    threads = chosen_threads(threads)
    began = clock()
    ready = policies or Policies(chosen, ALL_STATES, threads=threads, stage=stage)
    begins = {"light": (0,), "dark": (1,)}.get(first, (0, 1))
    alike = players[0] == players[1] and chosen.path.symmetric
    runs = []
    with contextlib.ExitStack() as stack:
        flow: LayerFlow | TileFlow | GraphFlow
        if executor is not None:
            flow = GraphFlow(chosen, players, executor, directory=layers, threads=given)
        else:
            one = prepared(players[0], ready, stack)
            other = one if players[0] == players[1] else prepared(players[1], ready, stack)
            flow = _flow(chosen, (one, other), solution, threads)
        for side in begins[:1] if alike else begins:
            text = f"following {players[0].name} against {players[1].name}"
            runs.append(flow.run((1 - side, side), stage(text, flow.states, "states")))
        if isinstance(flow, GraphFlow):
            ready.notes += [note for note in flow.notes if note not in ready.notes]
    if len(runs) < len(begins):  # for equal agents, dark's beginning mirrors light's
        runs.append(runs[0].turned())
    mean = Visits.mean(runs)
    if not abs(1.0 - mean.wins.sum()) <= mean.left + LOST:
        raise UrcxError(
            f"games end in wins with a probability of {mean.wins.sum()}, not 1: that is a fault of "
            "urcx; please report it with what you asked for"
        )
    return Expected(
        chosen,
        *players,
        first,
        (mean.side(0), mean.side(1)),
        math.fsum(run.wins[side] for run, side in zip(runs, begins, strict=True)) / len(runs),
        solution is not None,
        mean.left,
        Accuracy(mean.left, mean.visits_left, mean.additions, float(mean.by_choices.sum())),
        flow.states,
        clock() - began,
        tuple(ready.notes),
    )


def check_built_in(player: Agent) -> None:
    """Raise `UsageError` for an agent of the user's own."""
    if player.is_own:
        what = "an object" if member(player.function, "choose") is not None else "a function"
        raise UsageError(
            f"agent {player.name} is {what} of yours: exact figures need a built-in agent"
        )


def _flow(
    rules: RuleSet, made: tuple[Any, Any], solution: LayerSource | None, threads: int
) -> LayerFlow | TileFlow:
    if why_no_layers(rules) and solution is None:
        return TileFlow(rules, made)
    return LayerFlow(LayerOrder(rules), made, solution, threads)


class ExactMeasures(Measures, function="exact_measures"):
    """Means over all games, in the order of `Measures`."""


def exact_measures(found: Expected) -> ExactMeasures:
    """Return every measure's mean over all games, by the same names as `measures`, with its bound.

    Parameters
    ----------
    found
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
    if not isinstance(found, Expected):
        raise WrongObjectError("found", Expected, found)
    x = found.measured
    by_choices = found.by_choices.sum(axis=0)
    several = by_choices[2:].sum()
    zero = np.array([roll == 0 for roll in found.rules.dice.rolls])
    plies = float(x.plies)
    counts: dict[str, float] = {
        "plies": plies,
        "turns": sum(side.turns for side in found.sides),
        "moves": float(x.moves),
        "passes": plies - float(x.moves),
        "decisions": float(several),
        "captures": sum(side.captures for side in found.sides),
        "rosettes": sum(side.landed for side in found.sides),
        "choices": float(x.choices),
        "rolls": float(found.by_choices[~zero].sum()),
        "choices of decisions": float(by_choices[2:] @ np.arange(2, len(by_choices))),
        "sum_log10_choices": float(x.log_choices),
        "entropy": float(x.log_picks) + plies * entropy(found.rules.dice),
    }
    most = len(by_choices) - 1  # legal moves
    log = math.log10(most)
    each = {"choices": most, "choices of decisions": most, "sum_log10_choices": log}
    each["entropy"] = log + entropy(found.rules.dice)
    off = {name: found.accuracy.counted(each.get(name, 1.0)) for name in counts}
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
