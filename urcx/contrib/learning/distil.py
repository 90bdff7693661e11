"""Distillation: learning from a tablebase what to play.

What decides play is how a position's moves compare, not how near their values are: a network whose
errors are alike for all moves of a position plays perfectly. So a step of the training takes
decisions, positions with a roll and all moves that it allows, with the mover's exact chances after
each (`urcx.contrib.learning.distil_kernels`), and its loss compares them: in the first part of a
training the differences between a decision's moves are learned, in the last part what is lost by
choosing among them. Decisions come from games that are played nearly perfectly, a share of them
from all positions alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from urcx.agents.networks import ACTIVATIONS, INPUTS, Network
from urcx.contrib.learning.checkpoints import Kept
from urcx.contrib.learning.decisions import (
    DIFFERENCES,
    DecisionSampler,
    decision_seconds,
    regret_loss,
    waning,
)
from urcx.contrib.learning.distil_kernels import Loss
from urcx.contrib.learning.settings import setting
from urcx.contrib.learning.strength import perfect_policy
from urcx.contrib.learning.weights import PART, trainer_for
from urcx.engine.files.sealed import Members
from urcx.rules.model import RuleSet

LOSSES = ("regret", "differences", "values", "best")
SHARPNESS = 8.0  # of choices among which the best is made likely, by logit


@dataclass(frozen=True)
class DistilSettings:
    """What ``urcx train distil`` takes; each setting with its meaning and range."""

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
    """A training by `distil`, some steps at a time.

    Parameters
    ----------
    rules
        With a path that is alike for both sides and crossed once.
    settings, seed
        What all results depend on.
    threads
        On which they do not.
    tablebase
        The solution's file; None for rule sets small enough to be solved for this.
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
            # Slopes of another loss have another size, to which the optimiser adapts slowly.
            self.trainer.restart()
        share = self.done / self.total
        rate = waning(settings.rate, settings.last_rate, share)
        span = settings.average * (self.done + 1)
        # Spread evenly over the steps.
        uniform = int((self.done + 1) * settings.uniform) > int(self.done * settings.uniform)
        self.drawn.learn(self.perfect, self._loss(), rate, span, uniform=uniform)
        self.done += 1

    @property
    def _turn(self) -> int:
        """Return the step with which the last part of the training begins."""
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
        """Return what was done so far, for the data card."""
        return {
            "decisions": self.done * PART * self.settings.batch,
            "steps": self.done,
        }

    def arrays(self) -> dict[str, Kept]:
        """Return the arrays that a checkpoint keeps."""
        return {**self.trainer.kept(), **self.drawn.arrays()}

    def counters(self) -> dict[str, int]:
        """Return the counters that a checkpoint keeps."""
        return {"done": self.done, "fresh": self.trainer.fresh}

    def restore(self, counters: Members) -> None:
        """Go on from a checkpoint's counters, its arrays having been written into `arrays`."""
        self.done = counters.whole("done", 0, self.total)
        self.trainer.fresh = counters.whole("fresh", 0, self.done)


def distil_seconds(_rules: RuleSet, settings: DistilSettings) -> float:
    """Return about how many processor seconds a training takes."""
    each = decision_seconds(settings.units, settings.later)
    return settings.iterations * settings.batch * PART * each
