"""The longest expected game if both players prolong it, by parts of layers.

The plies still to come are V = T(V), with T(V)(s) = 1 + sum_r P(r) max_a V(s after a), and V = 0
for a finished game. Parts of layers (`urcx.contrib.extremes.parts`) are settled from the end of the
game, each by policy iteration (R. A. Howard, 1960). The best moves by the current values are
stored, and Gauss-Seidel sweeps compute the values of these moves, extrapolated by secants
(`urcx.sweeps.acceleration`). With fixed moves, values solve a linear system. It takes between ten
and a hundred sweeps for finkel, although games stay in a part for millions of plies. If moves could
change in every sweep, secants of one choice of moves would mislead the next, and values would
converge slowly.

Values are floats as long as rounding is small compared with the change of a sweep, and as long as
they settle: with a tolerance of 10^-3 up to 10^11 plies, with 10^-6 up to 10^8. Then they become
double-doubles of 106 bits (`urcx.contrib.extremes.part_values`), which take half as long again.

Bounds. Let T change no value V by more than e < 1 plies, including rounding. Then T(V) <= V + e, so
V / (1 - e) is a supersolution: one more sweep does not raise it, and no way of playing takes
longer. V / (1 + e) is a subsolution: the best moves by V take at least as long. This holds over all
layers together, each read in its stored form, with the greatest e of all. If moves are counted, and
passes are not, a ply of a state counts the probability g of a legal move. Then all of this holds
with e times the least g.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Annotated

from urcx.contrib.extremes.part_values import PartValues
from urcx.contrib.extremes.parts import Part, parts_of
from urcx.errors import OutOfDomainError, UrcxError
from urcx.results.fields import COUNT, Field, Format
from urcx.results.tables import key
from urcx.rules.position import Position
from urcx.solving.layered.order import Layer, LayerOrder, solve_order
from urcx.solving.layered.pair import LayerPair
from urcx.sweeps.blocks import NO_CHANGE, Values

FIRST_PLIES = 20.0  # initial value of a part, above the values after it
BEFORE = 60  # sweeps before moves are stored
PERIOD = 8  # sweeps from one extrapolation to the next
DEPTH = 24  # number of secants
ENOUGH = 0.01  # sweeps with fixed moves end at this part of the best moves' change
UNITS = ("plies", "moves")  # moves are plies that are not passes
MOST_POLICIES, MOST_SWEEPS = 500, 400  # sweeps per policy at first
FINER = 0.1  # sweeps with fixed moves end at this part of the tolerance at the latest
ROUNDED = 0.1  # the greatest rounding of floats, in parts of the tolerance
LEAST_KNOWN = 0.5  # the greatest rounding, in plies
LONGEST = 1e27  # plies
# Failures are policies whose values do not settle, without a smaller change by the best moves. Each
# failure doubles the sweeps.
MOST_FAILURES = 5
STORED = 2.0**-50  # the greatest relative change of a value by storing and reading it


def mean_plies(plies: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a mean for tables, with about ten digits."""
    if plies >= 1e12:
        return f"{Context(10, rounding).create_decimal(plies):.9e}"
    places = 6 if plies < 1e6 else 3
    return f"{Decimal(plies).quantize(Decimal(1).scaleb(-places), rounding):,}"


def _home(layers: tuple[Layer, ...]) -> str:
    return ", ".join(f"{i}-{j}" for i, j in layers)


PLIES = Format(mean_plies)


@dataclass(frozen=True)
class LongestLayer:
    """A pair of layers, with its size, sweeps and greatest mean."""

    layers: Annotated[
        tuple[Layer, ...], Field(key("pieces home"), about="pieces home", key="home", of=_home)
    ]
    states: Annotated[int, Field("states", COUNT, "states of these layers")]
    sweeps: Annotated[int, Field("sweeps", about="sweeps until their values settled")]
    most: Annotated[
        float, Field("most to come", PLIES, "greatest mean number of plies or moves to come")
    ]


@dataclass
class SettledPair:
    """A pair of layers: its values, parts, most sweeps of a part, and greatest change."""

    values: dict[Layer, Values]
    parts: int
    sweeps: int
    change: float


@dataclass
class SettledGame:
    """The plies to come from the start, and their precision.

    ``change`` is the greatest change of a value in the last sweep, including rounding. ``layers``
    go from the end of the game to its start.
    """

    start: float = 0.0
    change: float = 0.0
    layers: list[LongestLayer] = field(default_factory=list)


def prolong(
    order: LayerOrder,
    tolerance: float,
    threads: int,
    progress: Callable[[int], None] = lambda _: None,
    unit: str = "plies",
) -> SettledGame:
    """Return the longest mean from the start.

    Parameters
    ----------
    order
        The order of the rule set.
    tolerance
        The greatest change of a value in the sweep that proves the bounds, in plies.
    threads
        The number of threads.
    progress
        Called with the number of states done.
    unit
        One of `UNITS`.

    Raises
    ------
    UrcxError
        If values do not settle.
    """
    game, values, parts = SettledGame(), dict[Layer, Values](), 0
    for layers, states, swept in solve_order(order, order.pairs, progress):
        pair = settle_pair(order, layers, values.__getitem__, tolerance, threads, swept, unit)
        for old in [layer for layer in values if sum(layer) > sum(layers[0]) + 1]:
            del values[old]
        values |= pair.values
        most = max(float(part.max()) for part in pair.values.values())
        game.layers.append(LongestLayer(layers, states, pair.sweeps, most))
        game.change = max(game.change, pair.change)
        parts += pair.parts
    game.start = float(values[0, 0][order.place(Position())[1]])
    game.change += parts * STORED
    return game


def settle_pair(
    order: LayerOrder,
    layers: tuple[Layer, ...],
    later: Callable[[Layer], Values],
    tolerance: float,
    threads: int,
    swept: Callable[[], None] = lambda: None,
    unit: str = "plies",
) -> SettledPair:
    """Settle a pair of layers, with the values of later layers.

    The bounds of all pairs together follow from the greatest ``change`` of any pair, plus `STORED`
    for each part. The ``unit`` is one of `UNITS`.
    """
    pair = LayerPair(order, layers, threads)
    values = pair.filled(later)
    parts = sweeps = 0
    change = 0.0
    for part in parts_of(pair, values, unit):
        taken, moved = _Settling(part, tolerance, swept).settle(values)
        parts, sweeps, change = parts + 1, max(sweeps, taken), max(change, moved)
    return SettledPair(pair.values_of(values), parts, sweeps, change)


class _Settling:
    """Sweeps over a part until its values have the required precision."""

    def __init__(self, part: Part, tolerance: float, swept: Callable[[], None]) -> None:
        self.part, self.tolerance, self.swept = part, tolerance, swept
        self.least = float(part.gains.min())  # the least count of a ply
        if not self.least > 0.0:
            raise OutOfDomainError(
                f"{part.pair.order.rules.name} has positions with no legal move by any roll, so "
                "moves do not bound plies. Try: --unit plies"
            )
        self.values = PartValues(self.part, self.part.best_exit + FIRST_PLIES)
        for _ in range(BEFORE):
            self.values.renew()
            self.swept()

    def settle(self, pair_values: Values) -> tuple[int, float]:
        """Settle the part and write it to the pair's values. Return the sweeps and the change."""
        sweeps, failures, before, taken, most = BEFORE, 0, math.inf, 0, MOST_SWEEPS
        for _ in range(MOST_POLICIES):
            change, rounded = self._choose()
            if not (rounded < LEAST_KNOWN and self.values.size() < LONGEST):
                break
            if change <= self.tolerance:
                self.values.hand_back(pair_values)
                return sweeps, change + rounded
            if taken == most and not change < before:
                failures, most = failures + 1, 2 * most
                if not self.values.in_pairs:  # extrapolation may amplify rounding
                    self.values.make_pairs()
            if failures > MOST_FAILURES:
                break
            before = change
            taken = self._follow(max(ENOUGH * change, FINER * self.tolerance), most)
            sweeps += taken
        pair = self.part.pair
        raise UrcxError(
            f"values of layer {pair.layers[0]} of {pair.order.rules.name} do not settle: games "
            "may never have to end, or they are too long to compute"
        )

    def _choose(self) -> tuple[float, float]:
        """Store the best moves, and return the greatest change and the rounding, in plies."""
        self.values.measure_from_highest()
        rounded = self.values.rounding() / self.least
        if rounded > ROUNDED * self.tolerance and not self.values.in_pairs:
            self.values.make_pairs()
            rounded = self.values.rounding() / self.least
        return self.values.choose() / self.least, rounded

    def _follow(self, enough: float, most: int) -> int:
        """Sweep with fixed moves until a sweep changes no value by more than ``enough``.

        Returns the number of sweeps, at most ``most``.
        """
        secants = self.values.secants(DEPTH)
        sweep = 0
        for sweep in range(1, most + 1):
            last = sweep % PERIOD == 0
            moved = self.values.follow(secants.changes[0] if last else NO_CHANGE)
            self.swept()
            if last:
                if not moved > enough * self.least:
                    break
                self.values.extrapolate(secants)
        return sweep


def least_and_most(value: float, change: float) -> tuple[float, float]:
    """Return the bounds of an expected number of plies, from the greatest change of a value.

    Raises
    ------
    UrcxError
        If the change is 1 ply or more.
    """
    if not change < 1.0:
        raise UrcxError(f"values still change by {change:.2g} plies, so there is no bound")
    slack = 2.0**-50
    return value / (1.0 + change) * (1.0 - slack), value / (1.0 - change) * (1.0 + slack)
