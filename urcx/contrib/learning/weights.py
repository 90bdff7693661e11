"""Networks in training: weights in one flat array, steps of the optimiser, threads.

`Trainer.step` takes one step of Adam on a batch. The bits of the result depend only on the samples
and the state, not on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import (
    AHEAD,
    PATH_ONLY,
    Network,
    by_steps,
    chances_of_rolls,
    number_of_inputs,
    open_steps,
)
from urcx.contrib.learning.checkpoints import MOST_SLOPE, MOST_WEIGHT, Kept
from urcx.contrib.learning.gradient_kernels import (
    BLOCK,
    MOST_MOVES,
    AdamState,
    AdamStep,
    Room,
    Samples,
    Weights,
    adam,
    value_gradient,
)
from urcx.contrib.learning.input_kernels import Ahead
from urcx.engine.threads import for_chunks
from urcx.errors import UsageError
from urcx.rules.model import RuleSet

PART = 512  # samples of a batch with a common array of gradients
STEADY, UNEVEN, TINY = 0.9, 0.999, 1e-8  # Adam's values, recommended by its authors

# CPU seconds of a position's value and gradient on a server, for each unit of the first layer and
# for each pair of units of both layers, and the share of this time for a value alone.
A_UNIT, A_PAIR, VALUE = 3.4e-9, 5.6e-11, 0.45

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Shape:
    """The sizes of a network: inputs of 0 or 1, dense inputs, units of each hidden layer.

    ``seen`` names the kind of inputs, like `Network.inputs`.
    """

    inputs: int
    units: int
    later: int = 0
    dense: int = 0
    squared: bool = True
    seen: str = PATH_ONLY

    @property
    def sizes(self) -> list[tuple[int, ...]]:
        """Return the shapes of the arrays of `Weights`, in order."""
        units, later = self.units, self.later
        rows = self.inputs + self.dense
        return [(rows, units), (units,), (units, later), (later,), (later or units,), (1,)]

    @property
    def parameters(self) -> int:
        """Return the number of weights and biases."""
        return sum(math.prod(size) for size in self.sizes)


def seconds_of(units: int, later: int) -> float:
    """Return an estimate of the CPU seconds of a position's value and gradient."""
    return units * (A_UNIT + A_PAIR * later)


def shape_for(
    rules: RuleSet, units: int, later: int = 0, *, squared: bool = True, inputs: str = PATH_ONLY
) -> Shape:
    """Return the shape of a rule set's network. Inputs that look ahead are dense."""
    plain = number_of_inputs(rules)
    return Shape(plain, units, later, number_of_inputs(rules, inputs) - plain, squared, inputs)


def most_moves(rules: RuleSet) -> int:
    """Return the greatest number of moves that a roll can allow."""
    return min(rules.pieces, rules.path.length + 1)


def most_inputs(rules: RuleSet) -> int:
    """Return the greatest number of inputs of 0 or 1 that can be 1 at once."""
    return 2 * min(rules.pieces, rules.path.length) + 4


def ahead_for(rules: RuleSet, inputs: str) -> Ahead:
    """Return the data for inputs that look one roll ahead, for one thread."""
    steps = open_steps(rules)
    hits = np.zeros(steps.bit_count() if inputs == AHEAD else 0, np.int32)
    return Ahead(steps, by_steps(rules), *chances_of_rolls(rules), hits)


def views(flat: Floats, shape: Shape) -> Weights:
    """Return views of a flat array as a network's weights."""
    arrays, at = [], 0
    for size in shape.sizes:
        number = math.prod(size)
        arrays.append(flat[at : at + number].reshape(size))
        at += number
    return Weights(*arrays)


def room_for(shape: Shape) -> Room:
    """Return working memory for one thread."""
    first, second = (BLOCK, shape.units), (BLOCK, shape.later)
    sizes = [first] * 3 + [second] * 3 + [(BLOCK,)] * 2 + [(shape.later, shape.units)]
    arrays: list[Any] = [np.zeros(size, np.float32) for size in sizes]
    return Room._make([*arrays, np.zeros((3, MOST_MOVES))])


def samples_for(number: int, most: int, dense: int = 0) -> Samples:
    """Return zeros for the inputs of samples, of which at most ``most`` are 1 at once."""
    return Samples(
        np.zeros((number, most), np.int16),
        np.zeros(number, np.int16),
        np.zeros((number, dense), np.float32),
    )


def started(shape: Shape, generator: np.random.Generator, ones: int) -> Floats:
    """Return initial weights.

    Units begin in the middle of [0, 1], where their slopes are not 0. In both layers, the sums of a
    unit spread by about 1/4 around 1/2, if ``ones`` inputs are 1. All values begin near 1/2.
    """
    flat = np.zeros(shape.parameters, np.float32)
    net = views(flat, shape)
    net.first[:] = generator.normal(0.0, 0.25 / math.sqrt(ones), net.first.shape)
    net.first_bias[:] = 0.5
    if shape.later:
        net.second[:] = generator.normal(0.0, 0.5 / math.sqrt(shape.units), net.second.shape)
        net.second_bias[:] = 0.5
    net.last[:] = generator.normal(0.0, 0.1 / math.sqrt(len(net.last)), net.last.shape)
    return flat


def kept_weights(flat: Floats) -> Kept:
    """Return weights for a checkpoint."""
    return Kept(flat, -MOST_WEIGHT, MOST_WEIGHT)


# Adds a part's gradient, and returns its loss: (part, net, room, gradient) -> loss.
Gradient = Callable[[int, Weights, Room, Weights], float]


class Trainer:
    """A network in training, with the optimiser's state.

    Attributes
    ----------
    flat, mean, square, average : ndarray of float32, shape (parameters,)
        The weights, Adam's averages, and the average of the weights over past steps.
    steps, fresh : int
        Steps taken, in total and since the start of the optimiser's averages.
    """

    def __init__(self, shape: Shape, flat: Floats, threads: int = 1) -> None:
        self.shape, self.flat, self.threads = shape, flat, threads
        self.mean, self.square, self.average = np.zeros_like(flat), np.zeros_like(flat), flat.copy()
        self.steps = self.fresh = 0
        self._rooms = [room_for(shape) for _ in range(threads)]
        self._gradients = np.zeros((0, flat.size), np.float32)

    def begin_with(self, network: Network) -> None:
        """Begin with a network's weights.

        A smaller network is widened: its units keep their weights, and additional units begin like
        a new network's, but with output weights of 0. So all values are equal to the network's
        until training changes them.

        Raises
        ------
        UsageError
            If the network has more units, another number of hidden layers, another activation, or
            other inputs.
        """
        shape = self.shape
        units, later = network.first.shape[1], network.second.shape[1]
        fits = units <= shape.units and later <= shape.later and bool(later) == bool(shape.later)
        squared = network.activation == "squared"
        if not fits or squared != shape.squared or network.inputs != shape.seen:
            raise UsageError(
                f"the network to begin with has units={units}, later={later}, activation="
                f"{network.activation}, inputs={network.inputs}. Use the same settings, or more "
                "units"
            )
        net = views(self.flat, shape)
        net.second[units:, :later] = 0
        net.last[...] = 0
        net.first[:, :units] = network.first
        net.first_bias[:units] = network.first_bias
        net.second[:units, :later] = network.second
        net.second_bias[:later] = network.second_bias
        net.last[: len(network.last)] = network.last
        net.last_bias[:] = network.last_bias
        self.average[:] = self.flat

    def step(
        self,
        samples: Samples,
        targets: Floats,
        first: int,
        last: int,
        rate: float,
        span: float,
    ) -> float:
        """Take a step on the cross entropy of samples, and return its mean."""

        def gradient(part: int, net: Weights, room: Room, own: Weights) -> float:
            start = first + part * PART
            end = min(start + PART, last)
            squared = self.shape.squared
            result: float = value_gradient(net, squared, samples, targets, start, end, room, own)
            return result

        number = last - first
        return self.step_by(gradient, -(-number // PART), number, rate, span)

    def checkpoint_arrays(self) -> dict[str, Kept]:
        """Return the arrays of a checkpoint."""
        return {
            "flat": kept_weights(self.flat),
            "mean": Kept(self.mean, -MOST_SLOPE, MOST_SLOPE, self._is_mean),
            "square": Kept(self.square, 0.0, MOST_SLOPE**2),
            "average": kept_weights(self.average),
        }

    def _is_mean(self) -> bool:
        """Return whether ``mean`` and ``square`` can be averages of the same slopes.

        By the Cauchy-Schwarz inequality, ``mean`` is less than 7.3 times the root of ``square``.
        The margin is for rounding, and for squares that are too small for 32 bits.
        """
        return bool((np.abs(self.mean) <= 8 * np.sqrt(self.square) + np.float32(1e-12)).all())

    def restart(self) -> None:
        """Reset the optimiser's averages, for another loss, whose slopes have other sizes."""
        self.mean[:] = self.square[:] = 0
        self.fresh = 0

    def step_by(
        self, gradient: Gradient, parts: int, number: int, rate: float, span: float
    ) -> float:
        """Take a step with any loss on a batch, and return its mean.

        The batch has ``parts`` parts and ``number`` samples. Weights are averaged over about
        ``span`` steps.
        """
        net = views(self.flat, self.shape)
        if len(self._gradients) < parts:
            self._gradients = np.zeros((parts, self.flat.size), np.float32)
        losses = np.zeros(parts)

        def work(thread: int, low: int, high: int) -> None:
            for part in range(low, high):
                self._gradients[part] = 0
                own = views(self._gradients[part], self.shape)
                losses[part] = gradient(part, net, self._rooms[thread], own)

        threads = min(self.threads, parts)
        if threads == 1:
            work(0, 0, parts)
        else:
            for_chunks(parts, 1, work, threads)
        self.fresh += 1
        self.steps += 1
        right = math.sqrt(1 - UNEVEN**self.fresh)
        size = rate * right / (1 - STEADY**self.fresh)
        keep = 1 - 1 / max(span, 1.0)
        step = (1 / number, size, STEADY, UNEVEN, TINY * right, keep)
        state = AdamState(self.flat, self.mean, self.square, self.average)
        adam(self._gradients[:parts], AdamStep._make(map(np.float32, step)), state)
        return float(losses.sum() / number)

    def network(self, rules: RuleSet) -> Network:
        """Return the network of averaged weights."""
        arrays = views(self.average.copy(), self.shape)._asdict()
        last_bias = float(arrays.pop("last_bias")[0])
        activation = "squared" if self.shape.squared else "clipped"
        return Network(
            rules, last_bias=last_bias, activation=activation, inputs=self.shape.seen, **arrays
        )


def trainer_for(rules: RuleSet, settings: Any, seed: int, threads: int) -> Trainer:
    """Return the trainer of a new network. Settings determine units, activation and inputs."""
    squared, inputs = settings.activation == "squared", settings.inputs
    shape = shape_for(rules, settings.units, settings.later, squared=squared, inputs=inputs)
    flat = started(shape, np.random.default_rng(seed), most_inputs(rules))
    return Trainer(shape, flat, threads)
