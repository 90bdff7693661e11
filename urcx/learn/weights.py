"""Networks in training: weights in one flat array, steps of the optimiser, threads.

`Trainer.step` takes one step of Adam on a batch. Its bits depend on the samples and the state
alone: not on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from urcx.agents.network_kernels import direct
from urcx.agents.networks import (
    AHEAD,
    PATH_ONLY,
    Network,
    chances_of_rolls,
    number_of_inputs,
    open_steps,
)
from urcx.engine.moves import tables
from urcx.engine.threads import for_chunks
from urcx.errors import UsageError
from urcx.learn.checkpoints import MOST_SLOPE, MOST_WEIGHT, Kept
from urcx.learn.gradient_kernels import BLOCK, Room, Samples, Weights, adam, value_gradient
from urcx.learn.input_kernels import Ahead
from urcx.rules.model import RuleSet

PART = 512  # samples of a batch whose gradients are added up in one array
STEADY, UNEVEN, TINY = 0.9, 0.999, 1e-8  # Adam's, as its authors recommend

# Processor seconds of a position's value and gradient on one core of a server, for each unit of the
# first layer and each pair of units of both; and what share of that a value alone takes.
A_UNIT, A_PAIR, VALUE = 3.4e-9, 5.6e-11, 0.45

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Shape:
    """The sizes of a network: inputs of 0 or 1, dense inputs, units of each hidden layer."""

    inputs: int
    units: int
    later: int = 0
    dense: int = 0
    squared: bool = True

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
    """Return about how many processor seconds a position's value and gradient take."""
    return units * (A_UNIT + A_PAIR * later)


def shape_for(
    rules: RuleSet, units: int, later: int = 0, *, squared: bool = True, inputs: str = PATH_ONLY
) -> Shape:
    """Return the shape of a rule set's network; inputs that look ahead are dense."""
    plain = number_of_inputs(rules)
    return Shape(plain, units, later, number_of_inputs(rules, inputs) - plain, squared)


def ahead_for(rules: RuleSet, inputs: str) -> Ahead:
    """Return what kernels need for inputs that look one roll ahead; for one thread."""
    steps = open_steps(rules)
    hits = np.zeros(steps.bit_count() if inputs == AHEAD else 0, np.int32)
    return Ahead(steps, bool(direct(tables(rules).ways)), *chances_of_rolls(rules), hits)


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
    return Room(*(np.zeros(size, np.float32) for size in sizes))


def samples_for(number: int, most: int, dense: int = 0) -> Samples:
    """Return room for the inputs of samples, of which at most ``most`` are 1 at once."""
    return Samples(
        np.zeros((number, most), np.int16),
        np.zeros(number, np.int16),
        np.zeros((number, dense), np.float32),
    )


def started(shape: Shape, generator: np.random.Generator, ones: int) -> Floats:
    """Return weights to begin with.

    Units begin in the middle of [0, 1], where their slopes are not 0: sums of ``ones`` inputs
    that are 1 spread by about 1/4 around 1/2 in the first layer, likewise in the second. All
    values begin near 1/2.
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
    """Return weights as a checkpoint keeps them."""
    return Kept(flat, -MOST_WEIGHT, MOST_WEIGHT)


# A part's gradient: (part, net, squared, room, gradient, flat) -> loss.
Gradient = Callable[[int, Weights, bool, Room, Weights, Floats], float]


@dataclass
class Trainer:
    """A network in training, with the optimiser's state.

    Attributes
    ----------
    flat, mean, square, average : ndarray of float32, shape (parameters,)
        The weights, Adam's averages, and the average of the weights over past steps.
    steps, fresh : int
        Steps taken, in all and since the optimiser's averages began.
    """

    shape: Shape
    flat: Floats
    threads: int = 1
    steps: int = 0
    fresh: int = 0
    mean: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    square: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    average: Floats = field(default_factory=lambda: np.zeros(0, np.float32))

    def __post_init__(self) -> None:
        size = self.shape.parameters
        if not self.mean.size:
            self.mean, self.square = np.zeros(size, np.float32), np.zeros(size, np.float32)
            self.average = self.flat.copy()
        self._rooms = [room_for(self.shape) for _ in range(self.threads)]
        self._gradients = np.zeros((0, size), np.float32)

    def begin_with(self, network: Network, inputs: str) -> None:
        """Begin with a network's weights.

        A smaller network is widened: its units keep their weights, and the others begin as those of
        a new network but have no say, so that all values are the network's until training changes
        them.

        Raises
        ------
        UsageError
            If the network is larger, or has one hidden layer where two are trained, or another
            activation, or other inputs.
        """
        shape = self.shape
        units, later = network.first.shape[1], network.second.shape[1]
        fits = units <= shape.units and later <= shape.later and bool(later) == bool(shape.later)
        squared = network.activation == "squared"
        if not fits or squared != shape.squared or network.inputs != inputs:
            raise UsageError(
                f"the network to begin with has units={units}, later={later}, activation="
                f"{network.activation}, inputs={network.inputs}; give the same, or more units"
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
        weights: Floats,
        first: int,
        last: int,
        rate: float,
        keep: float,
    ) -> float:
        """Take a step on the cross entropy of samples; return its mean."""

        def gradient(
            part: int, net: Weights, squared: bool, room: Room, own: Weights, flat: Floats
        ) -> float:
            start = first + part * PART
            end = min(start + PART, last)
            found: float = value_gradient(
                net, squared, samples, targets, weights, start, end, room, own, flat
            )
            return found

        number = last - first
        return self.step_by(gradient, -(-number // PART), number, rate, keep)

    def kept(self) -> dict[str, Kept]:
        """Return the arrays that a checkpoint keeps."""
        return {
            "flat": kept_weights(self.flat),
            "mean": Kept(self.mean, -MOST_SLOPE, MOST_SLOPE, self._is_mean),
            "square": Kept(self.square, 0.0, MOST_SLOPE**2),
            "average": kept_weights(self.average),
        }

    def _is_mean(self) -> bool:
        """Return whether ``mean`` and ``square`` can be averages of the same slopes.

        By Cauchy and Schwarz, ``mean`` is less than 7.3 times the root of ``square``; the rest is
        for rounding, and for squares that are too small for 32 bits.
        """
        return bool((np.abs(self.mean) <= 8 * np.sqrt(self.square) + np.float32(1e-12)).all())

    def restart(self) -> None:
        """Begin the optimiser's averages anew, for another loss, whose slopes have another size."""
        self.mean[:] = self.square[:] = 0
        self.fresh = 0

    def step_by(
        self, gradient: Gradient, parts: int, number: int, rate: float, keep: float
    ) -> float:
        """Take a step by any loss on a batch of so many parts and samples; return its mean.

        ``gradient(part, net, squared, room, own, flat)`` writes the gradient of a part into
        ``own``, views of ``flat``, and returns the part's loss.
        """
        net = views(self.flat, self.shape)
        if len(self._gradients) < parts:
            self._gradients = np.zeros((parts, self.flat.size), np.float32)
        losses = np.zeros(parts)

        def work(thread: int, low: int, high: int) -> None:
            for part in range(low, high):
                flat = self._gradients[part]
                own = views(flat, self.shape)
                room = self._rooms[thread]
                losses[part] = gradient(part, net, self.shape.squared, room, own, flat)

        threads = min(self.threads, parts)
        if threads == 1:
            work(0, 0, parts)
        else:
            for_chunks(parts, 1, work, threads)
        self.fresh += 1
        self.steps += 1
        right = math.sqrt(1 - UNEVEN**self.fresh)
        adam(
            self._gradients[:parts],
            np.float32(1 / number),
            np.float32(rate * right / (1 - STEADY**self.fresh)),
            np.float32(STEADY),
            np.float32(UNEVEN),
            np.float32(TINY * right),
            np.float32(keep),
            self.flat,
            self.mean,
            self.square,
            self.average,
        )
        return float(losses.sum() / number)

    def network(self, rules: RuleSet, *, averaged: bool = True) -> Network:
        """Return the network, of averaged weights or the present ones."""
        net = views((self.average if averaged else self.flat).copy(), self.shape)
        return Network(
            rules,
            first=net.first,
            first_bias=net.first_bias,
            second=net.second,
            second_bias=net.second_bias,
            last=net.last,
            last_bias=float(net.last_bias[0]),
            activation="squared" if self.shape.squared else "clipped",
        )
