"""TD(lambda) and expert iteration: learning from self-play alone.

Many games are played side by side by the network's own choices, some moves drawn at random. What
each position teaches is its backup, the mean over rolls of the best move's value, and, weighted by
lambda, what was learned later in the same game (`urcx.learn.game_kernels`). In the last iterations
backups look two plies ahead. The network is trained on the positions of an iteration, in batches
that take the same plies of all games, while games go on with the weights of the iteration's
beginning. Nothing is known of the solution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import ACTIVATIONS, Network, number_of_inputs
from urcx.engine.moves import tables
from urcx.engine.threads import for_chunks
from urcx.errors import UsageError
from urcx.games.game_kernels import stream
from urcx.games.simulator import dice_slots
from urcx.learn.game_kernels import Bench, Rolls, play_on
from urcx.learn.settings import setting
from urcx.learn.weights import PART, Shape, Trainer, samples_for, shape_for, started, views
from urcx.rules.model import RuleSet

CHUNK = 16  # games that a thread plays at a time
# Processor seconds of a position and its one-ply backup, by units; measured on the desk.
A_POSITION, A_UNIT, A_PAIR, MORE = 3e-7, 8e-9, 3e-10, 10
GRADIENT = 0.25  # of that, for the gradient of a position
A_SAMPLE = 60  # bytes
FULL = 1 << 32


@dataclass(frozen=True)
class TdSettings:
    """What ``urcx train td`` takes; each setting with its meaning and range."""

    units: int = setting(384, "units of the first hidden layer", 1, 1024)
    later: int = setting(0, "units of the second hidden layer, 0 for none", 0, 1024)
    activation: str = setting("squared", "squared or clipped", among=ACTIVATIONS)
    iterations: int = setting(1600, "iterations", 1, 10**7)
    games: int = setting(256, "games side by side", 1, 65_536)
    plies: int = setting(64, "plies of each game in an iteration", 1, 4096)
    rate: float = setting(4e-3, "learning rate at the beginning", 0.0, 1.0)
    last_rate: float = setting(1e-5, "learning rate at the end", 0.0, 1.0)
    batch: int = setting(256, "positions of a batch at the beginning", 1, 1 << 24)
    last_batch: int = setting(4096, "positions of a batch at the end", 1, 1 << 24)
    passes: int = setting(4, "how often the positions of an iteration are trained on", 1, 1000)
    trace: float = setting(0.8, "lambda", 0.0, 1.0)
    explore: float = setting(0.02, "share of moves that are drawn at random", 0.0, 1.0)
    two_plies: float = setting(
        0.0, "share of the iterations, the last ones, whose backups look two plies ahead", 0.0, 1.0
    )
    average: float = setting(
        0.1, "over which share of the steps taken the weights are averaged", 0.0, 1.0
    )


class TdSession:
    """A training by `td`, an iteration at a time.

    Parameters
    ----------
    rules
        With a path that is alike for both sides.
    settings, seed
        What all results depend on.
    threads
        On which they do not.
    """

    unit = "iterations"

    def __init__(self, rules: RuleSet, settings: TdSettings, seed: int, threads: int) -> None:
        self.rules, self.settings, self.threads = rules, settings, threads
        self.total, self.done = settings.iterations, 0
        squared = settings.activation == "squared"
        self.shape: Shape = shape_for(rules, settings.units, settings.later, squared=squared)
        most = 2 * min(rules.pieces, rules.path.length) + 4
        flat = started(self.shape, np.random.default_rng(seed), most)
        self.trainer = Trainer(self.shape, flat, threads)
        self._tables = tables(rules)
        self._dice = Rolls(self._tables.rolls, self._tables.chance, dice_slots(rules.dice))
        with np.errstate(over="ignore"):  # streams wrap; compiled code does not warn
            streams = [int(stream(seed, game)) for game in range(settings.games)]
        self._streams = np.array(streams, np.uint64)
        self._positions = np.zeros((settings.games, 4), np.int64)
        self._ended = np.zeros(settings.games, np.int64)
        number = settings.games * settings.plies
        self._samples = samples_for(number, most)
        self._targets = np.zeros(number, np.float32)
        self._weights = np.ones(number, np.float32)
        self._benches = [self._bench() for _ in range(threads)]

    def _bench(self) -> Bench:
        units, later, plies = self.shape.units, self.shape.later, self.settings.plies
        return Bench(
            np.zeros((2, units), np.float32),
            np.zeros((2, units), np.float32),
            np.zeros((2, units), np.float32),
            np.zeros(units, np.float32),
            np.zeros(later, np.float32),
            np.zeros(later, np.float32),
            np.zeros((2, len(self._tables.rolls)), np.int64),
            np.zeros(plies),
            np.zeros(plies),
            np.zeros(plies),
        )

    def begin_with(self, network: Network) -> None:
        """Begin with a network's weights.

        Raises
        ------
        UsageError
            If the network has another shape.
        """
        settings = self.settings
        shape = network.first.shape[1], network.second.shape[1], network.activation
        wanted = settings.units, settings.later, settings.activation
        if shape != wanted or network.first.shape[0] != self.shape.inputs:
            raise UsageError(
                f"the network to begin with has units={shape[0]}, later={shape[1]}, activation="
                f"{shape[2]}; give the same"
            )
        net = views(self.trainer.flat, self.shape)
        for name in ("first", "first_bias", "second", "second_bias", "last", "last_bias"):
            getattr(net, name)[...] = getattr(network, name)
        self.trainer.average[:] = self.trainer.flat

    def advance(self) -> None:
        """Play an iteration's games on, and train on it."""
        settings = self.settings
        share = self.done / self.total
        depth = 2 if share >= 1 - settings.two_plies else 1
        self._play(depth)
        rate = _between(settings.rate, settings.last_rate, share)
        batch = round(_between(settings.batch, settings.last_batch, share))
        number = len(self._targets)
        batches = max(1, round(number / batch))
        for step in range(settings.passes * batches):
            k = step % batches
            first, last = k * number // batches, (k + 1) * number // batches
            self.trainer.step(
                self._samples, self._targets, self._weights, first, last, rate, self._keep()
            )
        self.done += 1

    def _keep(self) -> float:
        return 1 - 1 / max(self.settings.average * (self.trainer.steps + 1), 1.0)

    def _play(self, depth: int) -> None:
        net = views(self.trainer.flat, self.shape)
        settings = self.settings
        explore = int(settings.explore * FULL)

        def work(thread: int, first: int, last: int) -> None:
            with np.errstate(over="ignore"):
                play_on(
                    self._tables.ways, self._dice, net, self.shape.squared, self._benches[thread],
                    depth, settings.trace, explore, first, last, self._positions, self._streams,
                    self._ended, self._samples, self._targets,
                )  # fmt: skip

        for_chunks(settings.games, CHUNK, work, self.threads)

    def network(self) -> Network:
        """Return the network of averaged weights."""
        return self.trainer.network(self.rules)

    def figures(self) -> dict[str, int]:
        """Return what was done so far, for the data card."""
        return {
            "iterations": self.done,
            "games": int(self._ended.sum()),
            "positions": self.done * len(self._targets),
            "steps": self.trainer.steps,
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a checkpoint keeps; `restore` fills them."""
        trainer = self.trainer
        return {
            "flat": trainer.flat,
            "mean": trainer.mean,
            "square": trainer.square,
            "average": trainer.average,
            "positions": self._positions,
            "streams": self._streams,
            "ended": self._ended,
        }

    def counters(self) -> dict[str, int]:
        """Return the counters that a checkpoint keeps."""
        return {"done": self.done, "steps": self.trainer.steps}

    def restore(self, counters: dict[str, int]) -> None:
        """Go on from a checkpoint's counters, its arrays having been written into `arrays`."""
        self.done, self.trainer.steps = counters["done"], counters["steps"]


def _between(first: float, last: float, share: float) -> float:
    """Return what lies at a share of the way, in equal ratios; in equal steps from or to 0."""
    if first <= 0 or last <= 0:
        return first + (last - first) * share
    return math.exp(math.log(first) * (1 - share) + math.log(last) * share)


def td_seconds(_rules: RuleSet, settings: TdSettings) -> float:
    """Return about how many processor seconds a training takes."""
    each = A_POSITION + settings.units * (A_UNIT + A_PAIR * settings.later)
    each *= 1 + (MORE - 1) * settings.two_plies + GRADIENT * settings.passes
    return settings.iterations * settings.games * settings.plies * each


def td_memory(rules: RuleSet, settings: TdSettings) -> float:
    """Return about how many bytes of memory a training takes."""
    positions = settings.games * settings.plies
    weights = (number_of_inputs(rules) + settings.later) * settings.units * 4
    parts = 6 + min(max(settings.batch, settings.last_batch), positions) / PART
    return positions * A_SAMPLE + weights * parts
