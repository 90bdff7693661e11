"""Distillation: learning from a tablebase which moves to play.

The comparison between the moves of a position decides play, not the accuracy of their values. A
network with the same error for all moves of a position plays optimally. So a training step takes
decisions, and its loss compares their moves (`urcx.contrib.learning.distil_kernels`). In the first
part of a training the network learns the differences between the moves of a decision, and in the
last part it reduces the regret of choosing among them. Decisions come from games of nearly optimal
play. A share of the steps can draw them uniformly from all positions instead.

A decision is a position with a roll that allows two or more moves, with the mover's win probability
after each move. It comes from a table of all states: a solution, or the values that a network
computes by looking ahead (`urcx.contrib.learning.td`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import TablePolicy
from urcx.agents.networks import ACTIVATIONS, INPUTS, Network, chances_of_rolls
from urcx.contrib.learning import distil_kernels as kernels
from urcx.contrib.learning.checkpoints import ANY_NUMBER, MOST_COUNT, Kept, are_positions
from urcx.contrib.learning.distil_kernels import Loss
from urcx.contrib.learning.gradient_kernels import MOST_MOVES, Room, Weights
from urcx.contrib.learning.settings import setting
from urcx.contrib.learning.strength import perfect_policy
from urcx.contrib.learning.weights import (
    PART,
    Trainer,
    ahead_for,
    most_inputs,
    most_moves,
    samples_for,
    seconds_of,
    trainer_for,
)
from urcx.engine.files.sealed import Members
from urcx.engine.moves import tables
from urcx.enumerate.rankings.ranking import PatternRanking
from urcx.errors import OutOfDomainError, UsageError
from urcx.games.game_kernels import stream
from urcx.games.simulator import dice_arrays
from urcx.rules.model import RuleSet

STREAMS = 64  # games side by side for each part of a batch
A_DECISION, MOVES = 1e-6, 3  # CPU seconds to draw a decision, and its mean number of moves
WARM = 200  # the first steps, in which the learning rate grows
DIFFERENCES = kernels.Loss(1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class DecisionSampler:
    """Draws decisions, in parts of a batch. Each part has its own games.

    Parameters
    ----------
    rules
        Rules with a symmetric path that crosses no tile twice.
    trainer
        The trainer of the network that learns from the decisions.
    parts
        The number of parts of a batch.
    explore
        The highest temperature of the games, in win probability.
    seed, first
        The games use the random streams of the seed from number ``first`` on.

    Raises
    ------
    OutOfDomainError
        If no roll ever allows two moves.
    UsageError
        If a roll may allow more than `MOST_MOVES` moves.
    """

    def __init__(
        self,
        rules: RuleSet,
        trainer: Trainer,
        parts: int,
        explore: float,
        seed: int,
        first: int = 0,
    ) -> None:
        moves = most_moves(rules)
        if moves == 1:
            raise OutOfDomainError("with one piece per side there are no decisions to learn")
        if moves > MOST_MOVES:
            raise UsageError(
                f"training on decisions needs rules with at most {MOST_MOVES} moves per roll, "
                f"and these allow {moves}"
            )
        self.explore, self._rules, self.trainer = explore, rules, trainer
        self._ways, self._dice = tables(rules).ways, dice_arrays(rules)
        self.counts = np.zeros((parts, 3))
        self.decisions = [decisions_for(rules, trainer, PART, n) for n in self.counts]
        self._ahead = [ahead_for(rules, trainer.shape.seen) for _ in range(parts)]
        games = parts * STREAMS
        with np.errstate(over="ignore"):  # streams wrap, and compiled code does not warn
            numbers = [int(stream(seed, first + game)) for game in range(games)]
        self._streams = kernels.Streams(
            np.zeros((games, 4), np.int64), np.array(numbers, np.uint64), np.zeros(games)
        )
        self._size = PatternRanking(rules.path, rules.pieces, None, "diagrams").size

    def draw(
        self, values: TablePolicy, part: int, number: int, *, uniform: bool = False
    ) -> kernels.Decisions:
        """Write decisions into a part of a batch, and return them, valid until the next call.

        ``values`` plays the games and gives the win probabilities after moves. With ``uniform`` all
        positions and rolls are equally likely instead.
        """
        first = part * STREAMS
        ahead, out = self._ahead[part], self.decisions[part]
        with np.errstate(over="ignore"):  # random streams wrap, and compiled code does not warn
            if uniform:
                moving = chances_of_rolls(self._rules)[0]
                kernels.draw_uniformly(
                    values, self._ways, moving, ahead, self._size, self._streams, first, number, out
                )
            else:
                kernels.draw_from_games(
                    values, self._ways, self._dice, ahead, self.explore, self._streams, first,
                    first + STREAMS, number, out,
                )  # fmt: skip
        return out

    def learn(
        self,
        values: TablePolicy,
        loss: kernels.Loss,
        rate: float,
        span: float,
        *,
        uniform: bool = False,
    ) -> None:
        """Draw a batch of decisions as in `draw`, and take a training step on it."""

        def decisions_of(part: int) -> tuple[kernels.Decisions, int, int]:
            return self.draw(values, part, PART, uniform=uniform), 0, PART

        parts = len(self.decisions)
        learn(self.trainer, loss, decisions_of, parts, PART * parts, rate, span)

    def arrays(self) -> dict[str, Kept]:
        """Return the arrays of a checkpoint."""
        streams = self._streams
        return {
            "positions": Kept(
                streams.positions,
                0,
                1 << self._rules.path.length,
                lambda: are_positions(self._rules, streams.positions),
            ),
            "random": Kept(streams.random, *ANY_NUMBER),
            "temperature": Kept(streams.temperature, 0.0, self.explore),
            "counts": Kept(self.counts, 0.0, MOST_COUNT),
        }


def learn(
    trainer: Trainer,
    loss: kernels.Loss,
    value: Callable[[int], tuple[kernels.Decisions, int, int]],
    parts: int,
    number: int,
    rate: float,
    span: float,
) -> None:
    """Take a training step on a number of decisions.

    ``value(part)`` returns the decisions of a part of the batch, with the first and the end of the
    range to use. Steps are shorter after a restart of the optimiser.
    """

    def gradient(part: int, net: Weights, room: Room, own: Weights) -> float:
        decisions, low, high = value(part)
        squared = trainer.shape.squared
        result: float = kernels.distil_gradient(net, squared, loss, decisions, low, high, room, own)
        return result

    warm = min(1.0, (trainer.fresh + 1) / WARM)
    trainer.step_by(gradient, parts, number, rate * warm, span)


def decisions_for(
    rules: RuleSet, trainer: Trainer, number: int, counts: NDArray[np.float64]
) -> kernels.Decisions:
    """Return zeros for decisions from which a network learns."""
    rows = number * most_moves(rules)
    return kernels.Decisions(
        np.zeros(number + 1, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows),
        samples_for(rows, most_inputs(rules), trainer.shape.dense),
        counts,
    )


def regret_loss(first: float, last: float, late: float) -> kernels.Loss:
    """Return the loss of the last part of a training, at a share ``late`` of this part.

    ``first`` and ``last`` are the temperatures of the choices whose regret is reduced.
    """
    return kernels.Loss(0.02, 0.02, 1.0, between(first, last, late), 0.0, 0.0, 0.0)


def decision_seconds(units: int, later: int) -> float:
    """Return an estimate of the CPU seconds to draw and learn a decision."""
    return A_DECISION + MOVES * seconds_of(units, later)


def waning(first: float, last: float, share: float) -> float:
    """Return the value at a share of the way from first to last, along half a cosine wave."""
    return last + (first - last) * (1 + math.cos(math.pi * share)) / 2


def between(first: float, last: float, share: float) -> float:
    """Return the value at a share of the way: geometric, or linear if one end is 0."""
    if first <= 0 or last <= 0:
        return first + (last - first) * share
    return math.exp(math.log(first) * (1 - share) + math.log(last) * share)


LOSSES = ("regret", "differences", "values", "best")
SHARPNESS = 8.0  # the factor of logits in the loss `best`


@dataclass(frozen=True)
class DistilSettings:
    """The settings of ``urcx train distil``, each with its meaning and range."""

    units: int = setting(96, "units of the first hidden layer", 1, 1024)
    later: int = setting(32, "units of the second hidden layer, 0 for none", 0, 1024)
    activation: str = setting("squared", "squared or clipped", among=ACTIVATIONS)
    inputs: str = setting("path", "path or path+threats", among=INPUTS)
    iterations: int = setting(30_000, "steps", 1, 10**8)
    batch: int = setting(2, "decisions of a step, in units of 512", 1, 1024)
    rate: float = setting(2e-3, "learning rate at the beginning", 0.0, 1.0)
    last_rate: float = setting(1e-5, "learning rate at the end", 0.0, 1.0)
    loss: str = setting(
        "regret",
        "what is made small: values, differences, best; regret: first differences, then regret",
        among=LOSSES,
    )
    finish: float = setting(
        0.35, "share of the steps, the last ones, in which regret is made small", 0.0, 1.0
    )
    temperature: float = setting(
        0.002, "of the choices whose regret is made small, at first, in chances", 1e-6, 1.0
    )
    last_temperature: float = setting(5e-4, "of these choices at the end", 1e-6, 1.0)
    explore: float = setting(
        0.02, "highest temperature of the games from which decisions come, in chances", 1e-6, 100.0
    )
    uniform: float = setting(0.0, "share of the steps on positions drawn uniformly", 0.0, 1.0)
    average: float = setting(
        0.03, "over which share of the steps taken the weights are averaged", 0.0, 1.0
    )


class DistilSession:
    """A training by `distil`.

    Parameters
    ----------
    rules
        Rules with a symmetric path that crosses no tile twice.
    settings, seed
        All results depend on them alone.
    threads
        The number of threads. Results do not depend on it.
    tablebase
        The solution's file, or None for rule sets small enough to be solved in memory.
    """

    unit = "steps"

    def __init__(
        self,
        rules: RuleSet,
        settings: DistilSettings,
        seed: int,
        threads: int,
        tablebase: str | None = None,
    ) -> None:
        self.perfect: Any = perfect_policy(rules, tablebase, threads)
        self.trainer = trainer_for(rules, settings, seed, threads)
        self.drawn = DecisionSampler(rules, self.trainer, settings.batch, settings.explore, seed)
        self.rules, self.settings = rules, settings
        self.total, self.done = settings.iterations, 0
        self.begin_with = self.trainer.begin_with

    def advance(self) -> None:
        """Take a step."""
        settings = self.settings
        if settings.loss == "regret" and self.done == self._turn:
            # The slopes of another loss have other sizes, to which the optimiser adapts slowly.
            self.trainer.restart()
        share = self.done / self.total
        rate = waning(settings.rate, settings.last_rate, share)
        span = settings.average * (self.done + 1)
        # Uniform steps are spread evenly over all steps.
        uniform = int((self.done + 1) * settings.uniform) > int(self.done * settings.uniform)
        self.drawn.learn(self.perfect, self._loss(), rate, span, uniform=uniform)
        self.done += 1

    @property
    def _turn(self) -> int:
        """Return the first step of the last part of the training."""
        return round(self.total * (1 - self.settings.finish))

    def _loss(self) -> Loss:
        """Return the loss of the next step."""
        settings = self.settings
        if settings.loss == "values":
            return Loss(1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        if settings.loss == "best":
            return Loss(0.01, 0.0, 0.0, 1.0, 1.0, 0.0, SHARPNESS)
        if settings.loss == "differences" or self.done < self._turn:
            return DIFFERENCES
        late = (self.done - self._turn) / (self.total - self._turn)
        return regret_loss(settings.temperature, settings.last_temperature, late)

    def network(self) -> Network:
        """Return the network of averaged weights."""
        return self.trainer.network(self.rules)

    def figures(self) -> dict[str, int]:
        """Return the counts of the training so far, for the data card."""
        return {
            "decisions": self.done * PART * self.settings.batch,
            "steps": self.done,
        }

    def arrays(self) -> dict[str, Kept]:
        """Return the arrays of a checkpoint."""
        return {**self.trainer.checkpoint_arrays(), **self.drawn.arrays()}

    def counters(self) -> dict[str, int]:
        """Return the counters of a checkpoint."""
        return {"done": self.done, "fresh": self.trainer.fresh}

    def restore(self, counters: Members) -> None:
        """Continue from a checkpoint's counters. Its arrays are already in `arrays`."""
        self.done = counters.whole("done", 0, self.total)
        self.trainer.fresh = counters.whole("fresh", 0, self.done)


def distil_seconds(_rules: RuleSet, settings: DistilSettings) -> float:
    """Return an estimate of the CPU seconds of a training."""
    per_decision = decision_seconds(settings.units, settings.later)
    return settings.iterations * settings.batch * PART * per_decision
