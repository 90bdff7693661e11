"""Values of a part of layers as floats, or as pairs of floats, and what is done with them.

Sweeps that keep values run in one thread: what secants say of sweeps holds only if they do the same
each time, and threads should change no number.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from urcx.contrib.extremes.parts import Part
from urcx.engine.vector_types import LANES
from urcx.sweeps.acceleration import Secants
from urcx.sweeps.blocks import NO_CHANGE, Changes, Values
from urcx.sweeps.sweep_kernels import Choosing, Greatest, PolicyMean, Way


class PartValues:
    """Values as floats y = V - H, where V is still to come and H is the ``height``; or as pairs.

    Players who stay for long have almost the same V wherever they are: what tells these states
    apart would be lost to rounding beside it. At first V is ``first`` in every state, and so is H.
    ``y`` has a row, and a second one once floats are pairs, which are fine enough without a height.
    """

    def __init__(self, part: Part, first: float) -> None:
        self.part, self.height = part, first
        self.y = np.zeros((1, 2 * part.states + LANES))

    @property
    def in_pairs(self) -> bool:
        """Return whether values are pairs of floats."""
        return len(self.y) == 2

    def make_pairs(self) -> None:
        """Make values pairs of floats, exactly, as in `urcx.engine.vector_kernels.sum_of`."""
        (y,) = self.y
        total = y + self.height
        of_height = total - y
        self.y = np.stack([total, y - (total - of_height) + (self.height - of_height)])
        self.height = 0.0

    def _sweep(self, operator: type, change: Changes = NO_CHANGE) -> float:
        """Compute values, those of `Choosing` without keeping them; return the largest change."""
        part, kept = self.part, operator is not Choosing
        way = Way(part.gains, part.exits, self.height)
        picks = () if operator is Greatest else (part.kept,)
        values = tuple(self.y) if self.in_pairs else self.y[0]
        return part.renew(values, values, operator(way, *picks), change, kept=kept, alone=kept)

    def renew(self) -> None:
        """Compute all values once."""
        self._sweep(Greatest)

    def choose(self) -> float:
        """Keep for each state and roll what has the greatest value.

        Returns by how much computing all values with these moves would change one at most.
        """
        return self._sweep(Choosing)

    def follow(self, change: Changes = NO_CHANGE) -> float:
        """Compute all values once, with the moves that were kept; return the largest change.

        Unless empty, ``change`` receives the changes.
        """
        return self._sweep(PolicyMean, change)

    def secants(self, depth: int) -> Secants:
        """Return no secants yet, for `extrapolate`."""
        return Secants([self.part.states], self.part.pair.threads, None, depth, pairs=self.in_pairs)

    def extrapolate(self, secants: Secants) -> None:
        """Extrapolate the values, which were swept once since they were changed."""
        y = self.y[:, : self.part.states]
        if secants.extrapolate([y if self.in_pairs else y[0]]):
            for of in self.y:
                self.part.turn(of, of)

    def measure_from_highest(self) -> None:
        """Make the height of floats the greatest value."""
        if not self.in_pairs:
            height = self.height + float(self._known.max())
            self.y -= height - self.height
            self.height = height

    @property
    def _known(self) -> Values:
        known: Values = self.y[0, : 2 * self.part.states]
        return known

    def rounding(self) -> float:
        """Return the greatest error of computing a value once.

        Let u be 2^-53, and 1 + size the greatest of what is read and the sums. Of floats,
        subtracting the height, the products, and probabilities that are no floats leave out at most
        u each, as does each of the R sums, and the change. One hundredth more covers products of
        errors.

        Of pairs, let the greatest value be 1. By `pair_plus_times`, the r-th of R rolls, of
        probability p, leaves out at most u^2 (3 p + 1 + 2 p + (r + 2)); comparing moves and the
        change each may be off by 2 u^2. Together that is less than u^2 (R + 3)^2. Probabilities
        that are no floats are off by more; those of binary dice are floats. That the change and
        what moves count are themselves off by some u of what they are is less than what `STORED`
        and `urcx.contrib.extremes.prolonging.least_and_most` leave.
        """
        order = self.part.pair.order
        rolls = len(order.tables.chance)
        if not self.in_pairs:
            return 1.01 * 2.0**-53 * (rolls + 4) * (1.0 + self.size())
        tabled = [Fraction(float(p)) for p in order.tables.chance]
        off = zip(tabled, order.rules.dice.probabilities, strict=True)
        inexact = float(sum(abs(a - b) for a, b in off))
        return ((2.0**-53 * (rolls + 3)) ** 2 + inexact) * (1.0 + self.size())

    def size(self) -> float:
        """Return how large what is read can be; what leaves the part is at least 0."""
        exits = max(self.height, self.part.best_exit - self.height)
        return max(-float(self._known.min()), float(self._known.max()), exits)

    def hand_back(self, values: Values) -> None:
        """Write V, of pairs rounded to floats, to the pair's values."""
        numbers, number = self.part.numbers, self.part.states
        there = np.flatnonzero(numbers >= 0)
        values[there] = self.height + self.y[0, numbers[there]]
        values[len(numbers) + there] = self.height + self.y[0, number + numbers[there]]
