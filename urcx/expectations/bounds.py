"""Bounds of the errors of exact expectations.

Let x be the expected visit counts and y those computed. A measure that counts at most c in any ply
is off by at most c times the sum of |x - y|, besides the rounding of its own sum. That sum is
bounded as `urcx.expectations.expected_layers` says; what is derived from several means has bounds
derived from theirs.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from urcx.complexity.game_tree import Constants, Measured, at_means

UNIT = 2.0**-53  # rounding of one operation, as a part of its result


@dataclass(frozen=True)
class Accuracy:
    """How far expectations are off at most.

    ``wins`` bounds the error of probabilities of winning, ``visits`` the sum of the errors of all
    expected visit counts, and ``additions`` the number of additions that a term of a sum over all
    states passed through. ``plies`` are those of a game.
    """

    wins: float
    visits: float
    additions: int
    plies: float

    def counted(self, most: float = 1.0) -> float:
        """Return the bound of a mean of what is counted at most ``most`` times in a ply.

        It holds for differences of two such means as well if these count different things.
        """
        return most * (self.visits + 4.0 * self.additions * UNIT * self.plies)


def of_ratio(above: float, below: float, above_off: float, below_off: float) -> float:
    """Return the bound of a ratio of two numbers from their bounds; infinite if it has none."""
    if below <= below_off:
        return math.inf
    return (above_off + abs(above / below) * below_off) / (below - below_off)


def of_conventions(x: Measured, off: Measured, fixed: Constants) -> dict[str, float]:
    """Return the bounds of the conventions' figures at means, from the bounds of the means.

    Each formula is linear, or d log(b c) with b = choices / d, which is concave in both. Over a box
    a concave function is least in a corner, and exceeds its value in the middle by no more than it
    falls below that in the opposite point. So it suffices to look at the corners.
    """
    middle = at_means(x, fixed)
    found = {name: 16.0 * UNIT * abs(value) for name, value in middle.items()}
    for signs in itertools.product((-1.0, 1.0), repeat=len(vars(x))):
        corner = Measured(
            *(
                np.maximum(mean + sign * by, np.finfo(float).tiny)
                for sign, mean, by in zip(signs, vars(x).values(), vars(off).values(), strict=True)
            )
        )
        for name, value in at_means(corner, fixed).items():
            found[name] = max(found[name], abs(value - middle[name]) + 16.0 * UNIT * abs(value))
    return found
