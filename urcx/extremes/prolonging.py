"""The longest expected game if both players prolong it, by parts of layers.

T(V)(s) = 1 + sum_r P(r) max_a V(s after a) are the plies still to come, and nothing for a finished
game. Parts of layers (`urcx.extremes.parts`) are settled from the end of the game, each by policy
iteration (R. A. Howard, 1960): the best moves by the values known are kept, and the values of these
moves are computed by sweeps in place, extrapolated by secants (`urcx.extremes.secants`). With the
moves kept, values solve a linear system, which takes some ten to a hundred sweeps for finkel,
although players stay in a part for millions of plies. Where moves may change in every sweep,
secants of one choice of moves mislead the next, and values creep.

Values are kept as y = V - B - H. The best value B that follows the part is subtracted, as it may
be many times what the part lasts; and so is the greatest value H of the part, as players who stay
for long have almost that value wherever they are: what tells these states apart would be lost to
rounding beside it.

Bounds. If T changes no y by more than e plies, bounds follow as in `urcx.extremes.courses`.
Rounding adds at most some 2^-50 of the least y to e, so that values can be up to some 10^14. Where
moves are counted, and passes not, a ply of a state counts the chance g of a legal move; all is the
same with e times the least g.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from urcx.engine.threads import sweeps_as_states
from urcx.engine.vector_types import LANES
from urcx.errors import UrcxError
from urcx.extremes.courses import LongestLayer, SettledGame
from urcx.extremes.pair_rows import PairRows
from urcx.extremes.parts import LastTiles, Part, parts_of
from urcx.extremes.secants import Secants
from urcx.rules.position import Position
from urcx.solving.layered.certificate import rounding_of
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import NO_CHANGE, Values

FIRST_PLIES = 20.0  # that a part lasts longer than what follows, at first
BEFORE = 60  # sweeps before moves are kept
PERIOD = 8  # sweeps from one extrapolation to the next
DEPTH = 24  # secants that are kept
ENOUGH = 0.01  # of what the best moves change: what sweeps with the moves kept still may
UNITS = ("plies", "moves")  # moves are plies that are no passes
MOST_POLICIES, MOST_SWEEPS = 500, 400  # sweeps for each at first
FINER = 0.1  # of the tolerance: what they still may change, whatever the best moves do
# Times that values do not settle and the best moves change no less; each doubles the sweeps.
MOST_FAILURES = 5
# What sweeps and extrapolations may still change, in what rounding adds to a value: where values
# are so large that rounding alone changes more than the tolerance, no sweep comes below it.
NOISE, ACCEPTED = 1.0, 2.0
LONGEST = 1e14  # plies
STORED = 2.0**-50  # part of a value by which storing and reading it for another part can change it
DOWN = 1e-6  # part of a value that covers the rounding of sweeps from below


@dataclass(frozen=True)
class SettledPair:
    """A pair of layers: its values, its parts, the sweeps of one at most, the greatest change."""

    values: dict[Layer, Values]
    parts: int
    sweeps: int
    change: float


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
    store: dict[Layer, Values] = {}
    last = LastTiles(order)
    found, done, parts = SettledGame(), 0, 0
    for layers in order.pairs:
        states = sum(order.size(layer) for layer in layers)
        swept = sweeps_as_states(progress, done, states)
        pair = settle_pair(order, last, layers, store.__getitem__, tolerance, threads, swept, unit)
        store = {key: of for key, of in store.items() if sum(key) <= sum(layers[0]) + 1}
        store |= pair.values
        most = max(float(values.max()) for values in pair.values.values())
        found.layers.append(LongestLayer(layers, states, pair.sweeps, most))
        found.change = max(found.change, pair.change)
        parts += pair.parts
        done += states
        progress(done)
    found.change += parts * STORED
    found.start = [float(store[0, 0][order.place(Position())[1]])]
    return found


def settle_pair(
    order: LayerOrder,
    last: LastTiles,
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
    rows = PairRows(order, layers, threads)
    values = rows.filled(later)
    parts = sweeps = 0
    change = 0.0
    for part in parts_of(rows, last, values, unit):
        taken, moved = _Settling(part, tolerance, swept).settle(values)
        parts, sweeps, change = parts + 1, max(sweeps, taken), max(change, moved)
    return SettledPair(rows.values_of(values), parts, sweeps, change)


def least_of_pair(
    order: LayerOrder,
    last: LastTiles,
    layers: tuple[Layer, ...],
    later: Callable[[Layer], Values],
    sweeps: int,
    threads: int,
    unit: str = "plies",
) -> dict[Layer, Values]:
    """Return lower bounds of a pair's values, from lower bounds of later layers.

    Sweeps begin with 0, which is too little, so all that follows is too little as well. It is
    rounded down by `DOWN`, as rounding of each evaluation may have raised it.
    """
    rows = PairRows(order, layers, threads)
    values = rows.filled(later)
    for part in parts_of(rows, last, values, unit):
        y = np.zeros(2 * part.size + LANES)
        for _ in range(sweeps):
            part.renew(y, 0.0)
        y *= 1.0 - DOWN
        part.hand_back(y, 0.0, values)
    return rows.values_of(values)


class _Settling:
    """Sweeps over a part until its values are known as well as is asked for."""

    def __init__(self, part: Part, tolerance: float, swept: Callable[[], None]) -> None:
        self.part, self.tolerance, self.swept = part, tolerance, swept
        self.y, self.height = np.full(2 * part.size + LANES, FIRST_PLIES), 0.0
        self.least = float(part.gains.min())  # that a ply counts
        # Twice: subtracting the height from what leaves the part rounds once more.
        self.rounding = 2.0 * rounding_of(part.pair.order.tables.chance)

    def settle(self, values: Values) -> tuple[int, float]:
        """Settle the part and write it to the pair's values; return the sweeps, and the change."""
        best = self.part.lower_exits()
        for _ in range(BEFORE):
            self.part.renew(self.y, self.height)
            self.swept()
        sweeps, failures, before, taken, most = BEFORE, 0, math.inf, 0, MOST_SWEEPS
        for _ in range(MOST_POLICIES):
            self._measure_from_highest()
            change, rounded = self._change()
            if change <= max(self.tolerance, ACCEPTED * rounded) and change + rounded < 1.0:
                self.part.hand_back(self.y, self.height, values, best)
                return sweeps, change + rounded
            if taken == most and not change < before:
                failures, most = failures + 1, 2 * most
            if failures > MOST_FAILURES or not self.y.max() + self.height < LONGEST:
                break
            before = change
            self.part.choose(self.y, self.height)
            taken = self._follow(
                max(ENOUGH * change, FINER * self.tolerance, NOISE * rounded), most
            )
            sweeps += taken
        pair = self.part.pair
        raise UrcxError(
            f"values of layer {pair.layers[0]} of {pair.order.rules.name} do not settle: its "
            "games may never have to end"
        )

    def _change(self) -> tuple[float, float]:
        """Return by how many plies a sweep changes a value at most, and what rounding adds."""
        change = max(self.part.renew(self.y, self.height, kept=False)) / self.least
        return change, self.rounding * (1.0 - float(self.y.min())) / self.least

    def _measure_from_highest(self) -> None:
        highest = float(self.y.max())
        self.y -= highest
        self.height += highest

    def _follow(self, enough: float, most: int) -> int:
        """Sweep with the moves kept until a sweep changes no value by more; return the sweeps.

        There are at most ``most``.
        """
        part, n = self.part, self.part.size
        secants = Secants([n], part.pair.threads, None, DEPTH)
        sweep = 0
        for sweep in range(1, most + 1):
            last = sweep % PERIOD == 0
            moved = part.follow(self.y, self.height, secants.changes[0] if last else NO_CHANGE)
            self.swept()
            if last:
                if not moved > enough * self.least:
                    break
                if secants.extrapolate([self.y[:n]]):
                    part.turn(self.y)
        return sweep
