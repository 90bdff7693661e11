"""Values of a part of layers as floats or as double-doubles, and their sweeps.

Sweeps that store values run in one thread, because secants assume that each sweep does the same,
and the number of threads must not change the result.
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
    """Values as floats y = V - H, where V is still to come and H is the ``height``, or as pairs.

    In a part in which games stay for a long time, V is almost the same in all states, and rounding
    would lose the differences. At first V is ``first`` in every state, and H is equal to it. ``y``
    has one row, or two rows for double-doubles, which are fine enough without a height.
    """

    def __init__(self, part: Part, first: float) -> None:
        self.part, self.height = part, first
        self.y = np.zeros((1, 2 * part.states + LANES))

    @property
    def in_pairs(self) -> bool:
        """Return whether values are double-doubles."""
        return len(self.y) == 2

    def make_pairs(self) -> None:
        """Make values double-doubles, exactly, as in `urcx.engine.vector_kernels.sum_of`."""
        (y,) = self.y
        total = y + self.height
        of_height = total - y
        self.y = np.stack([total, y - (total - of_height) + (self.height - of_height)])
        self.height = 0.0

    def _sweep(self, operator: type, change: Changes = NO_CHANGE) -> float:
        """Compute values, which `Choosing` does not store, and return the largest change."""
        part, store = self.part, operator is not Choosing
        way = Way(part.gains, part.exits, self.height)
        picks = () if operator is Greatest else (part.kept,)
        values = tuple(self.y) if self.in_pairs else self.y[0]
        return part.renew(values, values, operator(way, *picks), change, kept=store, alone=store)

    def renew(self) -> None:
        """Compute all values once."""
        self._sweep(Greatest)

    def choose(self) -> float:
        """Store the move of the greatest value for each state and roll.

        Returns the greatest change of a value if all values were computed with these moves.
        """
        return self._sweep(Choosing)

    def follow(self, change: Changes = NO_CHANGE) -> float:
        """Compute all values once with the stored moves, and return the largest change.

        ``change`` receives the changes, unless it is empty.
        """
        return self._sweep(PolicyMean, change)

    def secants(self, depth: int) -> Secants:
        """Return empty secants for `extrapolate`."""
        return Secants([self.part.states], self.part.pair.threads, None, depth, pairs=self.in_pairs)

    def extrapolate(self, secants: Secants) -> None:
        """Extrapolate the values after a sweep."""
        y = self.y[:, : self.part.states]
        if secants.extrapolate([y if self.in_pairs else y[0]]):
            for of in self.y:
                self.part.turn(of, of)

    def measure_from_highest(self) -> None:
        """Make the height equal to the greatest value, unless values are double-doubles."""
        if not self.in_pairs:
            height = self.height + float(self._first_row.max())
            self.y -= height - self.height
            self.height = height

    @property
    def _first_row(self) -> Values:
        row: Values = self.y[0, : 2 * self.part.states]
        return row

    def rounding(self) -> float:
        """Return the greatest error of computing a value once.

        Let u be 2^-53, and let 1 + size be a bound of all values read and of the sums. For floats,
        the subtraction of the height, the products, and rounded probabilities have an error of at
        most u each. So do each of the R sums, and the change. One hundredth more covers products of
        errors.

        For double-doubles, let the greatest value be 1. By `pair_plus_times`, the r-th of R rolls,
        of probability p, has an error of at most u^2 (3 p + 1 + 2 p + (r + 2)). Comparing moves and
        computing the change have an error of at most 2 u^2 each. The sum is less than
        u^2 (R + 3)^2. Probabilities that are not floats add a greater error. The probabilities of
        binary dice are floats. The relative errors of a few u in the change and in the gains are
        less than the margins of `STORED` and of
        `urcx.contrib.extremes.prolonging.least_and_most`.
        """
        order = self.part.pair.order
        rolls = len(order.tables.chance)
        if not self.in_pairs:
            return 1.01 * 2.0**-53 * (rolls + 4) * (1.0 + self.size())
        float_chances = [Fraction(float(p)) for p in order.tables.chance]
        pairs = zip(float_chances, order.rules.dice.probabilities, strict=True)
        inexact = float(sum(abs(a - b) for a, b in pairs))
        return ((2.0**-53 * (rolls + 3)) ** 2 + inexact) * (1.0 + self.size())

    def size(self) -> float:
        """Return a bound of all values read. Values outside the part are at least 0."""
        exits = max(self.height, self.part.best_exit - self.height)
        return max(-float(self._first_row.min()), float(self._first_row.max()), exits)

    def hand_back(self, values: Values) -> None:
        """Write V to the values of the pair of layers. Double-doubles are rounded to floats."""
        numbers, number = self.part.numbers, self.part.states
        there = np.flatnonzero(numbers >= 0)
        values[there] = self.height + self.y[0, numbers[there]]
        values[len(numbers) + there] = self.height + self.y[0, number + numbers[there]]
