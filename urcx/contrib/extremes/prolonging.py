"""The longest expected game if both players prolong it, by parts of layers.

T(V)(s) = 1 + sum_r P(r) max_a V(s after a) are the plies still to come, and nothing for a finished
game. Parts of layers (`urcx.contrib.extremes.parts`) are settled from the end of the game, each by
policy iteration (R. A. Howard, 1960): the best moves by the values known are kept, and the values
of these moves are computed by sweeps in place, extrapolated by secants
(`urcx.sweeps.acceleration`). With the moves kept, values solve a linear system, which takes some
ten to a hundred sweeps for finkel, although players stay in a part for millions of plies. Where
moves may change in every sweep, secants of one choice of moves mislead the next, and values creep.

Values are floats as long as rounding adds little to what a sweep changes, and as long as they
settle: with a tolerance of 10^-3 up to 10^11 plies, with 10^-6 up to 10^8. Then they are pairs of
floats of 106 bits (`urcx.contrib.extremes.part_values`), which take half as long again.

Bounds. Let T change no value V by more than e < 1 plies, rounding included. Then T(V) <= V + e, so
V / (1 - e) is a supersolution: one more sweep does not raise it, and no way of playing takes
longer. V / (1 + e) is a subsolution: the best moves by V take at least as long. This holds over all
layers together, each read as it was stored, with the greatest e of all. Where moves are counted,
and passes not, a ply of a state counts the chance g of a legal move; all is the same with e times
the least g.
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

FIRST_PLIES = 20.0  # that a part lasts longer than what follows, at first
BEFORE = 60  # sweeps before moves are kept
PERIOD = 8  # sweeps from one extrapolation to the next
DEPTH = 24  # secants that are kept
ENOUGH = 0.01  # of what the best moves change: what sweeps with the moves kept still may
UNITS = ("plies", "moves")  # moves are plies that are no passes
MOST_POLICIES, MOST_SWEEPS = 500, 400  # sweeps for each at first
FINER = 0.1  # of the tolerance: what they still may change, whatever the best moves do
ROUNDED = 0.1  # of the tolerance: what rounding may add where values are floats
LEAST_KNOWN = 0.5  # plies that rounding may add at most
LONGEST = 1e27  # plies
# Times that values do not settle and the best moves change no less; each doubles the sweeps.
MOST_FAILURES = 5
STORED = 2.0**-50  # part of a value by which storing and reading it for another part can change it


def mean_plies(plies: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a mean as tables have it, to ten digits or so."""
    if plies >= 1e12:
        return f"{Context(10, rounding).create_decimal(plies):.9e}"
    places = 6 if plies < 1e6 else 3
    return f"{Decimal(plies).quantize(Decimal(1).scaleb(-places), rounding):,}"


def _home(layers: tuple[Layer, ...]) -> str:
    return ", ".join(f"{i}-{j}" for i, j in layers)


PLIES = Format(mean_plies)


@dataclass(frozen=True)
class LongestLayer:
    """A pair of layers, and what it took to settle."""

    layers: Annotated[
        tuple[Layer, ...], Field(key("pieces home"), about="pieces home", key="home", of=_home)
    ]
    states: Annotated[int, Field("states", COUNT, "states of these layers")]
    sweeps: Annotated[int, Field("sweeps", about="sweeps until their values settled")]
    most: Annotated[
        float, Field("most to come", PLIES, "the most mean plies or moves that a state has to come")
    ]


@dataclass
class SettledPair:
    """A pair of layers: its values, parts, the sweeps of one at most, the greatest change."""

    values: dict[Layer, Values]
    parts: int
    sweeps: int
    change: float


@dataclass
class SettledGame:
    """The plies to come from the start, and how well they are known.

    ``change`` is the greatest change of a value in the last sweep, rounding included; ``layers`` go
    from the end of the game to its start.
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
        By how many plies values may change in the sweep that proves the bounds.
    threads
        The number of threads.
    progress
        Called with the number of states done.
    unit
        What is counted, of `UNITS`.

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
    """Settle a pair of layers, with the values of later ones.

    The bounds of all pairs together follow from the greatest ``change`` of any, plus `STORED` for
    each part. The ``unit`` is one of `UNITS`.
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
    """Sweeps over a part until its values are known as well as is asked for."""

    def __init__(self, part: Part, tolerance: float, swept: Callable[[], None]) -> None:
        self.part, self.tolerance, self.swept = part, tolerance, swept
        self.least = float(part.gains.min())  # that a ply counts
        if not self.least > 0.0:
            raise OutOfDomainError(
                f"{part.pair.order.rules.name} has positions with no legal move by any roll, where "
                "plies are not bounded by moves: count plies"
            )
        self.found = PartValues(self.part, self.part.best_exit + FIRST_PLIES)
        for _ in range(BEFORE):
            self.found.renew()
            self.swept()

    def settle(self, values: Values) -> tuple[int, float]:
        """Settle the part and write it to the pair's values; return the sweeps, and the change."""
        sweeps, failures, before, taken, most = BEFORE, 0, math.inf, 0, MOST_SWEEPS
        for _ in range(MOST_POLICIES):
            change, rounded = self._choose()
            if not (rounded < LEAST_KNOWN and self.found.size() < LONGEST):
                break
            if change <= self.tolerance:
                self.found.hand_back(values)
                return sweeps, change + rounded
            if taken == most and not change < before:
                failures, most = failures + 1, 2 * most
                if not self.found.in_pairs:  # extrapolating may amplify rounding
                    self.found.make_pairs()
            if failures > MOST_FAILURES:
                break
            before = change
            taken = self._follow(max(ENOUGH * change, FINER * self.tolerance), most)
            sweeps += taken
        pair = self.part.pair
        raise UrcxError(
            f"values of layer {pair.layers[0]} of {pair.order.rules.name} do not settle: its "
            "games may never have to end, or be too long to compute"
        )

    def _choose(self) -> tuple[float, float]:
        """Keep the best moves; return the plies by which values change at most, and by rounding."""
        self.found.measure_from_highest()
        rounded = self.found.rounding() / self.least
        if rounded > ROUNDED * self.tolerance and not self.found.in_pairs:
            self.found.make_pairs()
            rounded = self.found.rounding() / self.least
        return self.found.choose() / self.least, rounded

    def _follow(self, enough: float, most: int) -> int:
        """Sweep with the moves kept until a sweep changes no value by more; return the sweeps.

        There are at most ``most``.
        """
        secants = self.found.secants(DEPTH)
        sweep = 0
        for sweep in range(1, most + 1):
            last = sweep % PERIOD == 0
            moved = self.found.follow(secants.changes[0] if last else NO_CHANGE)
            self.swept()
            if last:
                if not moved > enough * self.least:
                    break
                self.found.extrapolate(secants)
        return sweep


def least_and_most(value: float, change: float) -> tuple[float, float]:
    """Return the bounds of an expected number of plies whose values change by so much at most.

    Raises
    ------
    UrcxError
        If the change says nothing.
    """
    if not change < 1.0:
        raise UrcxError(f"values still change by {change:.2g} plies, which bounds nothing")
    slack = 2.0**-50
    return value / (1.0 + change) * (1.0 - slack), value / (1.0 - change) * (1.0 + slack)
