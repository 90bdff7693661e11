"""The longest game in the mean if both players prolong it, by parts of layers.

T(V)(s) = 1 + sum_r P(r) max_a V(s after a) are the plies still to come, and nothing for a finished
game. Parts of layers (`urcx.extremes.parts`) are settled from the end of the game. Players stay in
a part for long, up to thousands of times as long as it takes until it no longer matters where they
came to it. So plain sweeps raise all values of a part by little more than a few plies each, while
the differences between states settle soon. Two methods settle a part.

Sweeps, extrapolated by secants (`urcx.extremes.secants`), do where a part lasts for no more than
some thousands of plies, however long what follows it is. They begin with the best value B that
follows.

Elsewhere the greatest value is taken out, that is C plies more than B: with

    V = B + C (1 + y), y <= 0,    y(s) = 1/C + sum_r P(r) max_a y(s after a),

where a move that leaves the part to a state with V' has y = (V' - B) / C - 1, the rate 1/C is what
makes the greatest y 0. That is relative value iteration (D. J. White, 1963) for the least rate at
which two players can be driven out of a part. After each sweep, the greatest y is subtracted, and
the rate is raised by it over `PLIES`. Values and rate together are extrapolated by secants. Without
B, and C nearly V, this would take thousands of sweeps: a change of the rate then changes most of
all what leaves the part. A part that lasts for less than what its players lose by leaving it has no
C above 0; plain sweeps settle nearly all of these, and the others are settled with 0 for B.

Bounds. A sweep that changes no y by more than e / C changes no V by more than e plies, and bounds
follow as in `urcx.extremes.courses`. Rounding adds at most some 2^-50 of the greatest y, in
absolute value, to e / C, so that values can be up to some 10^14. Plain sweeps are computed in the
same form, with `PLAIN_RATE` for the rate. Where moves are counted, and passes not, a ply of a state
counts the chance g of a legal move; all is the same with e / C times the least g.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from urcx.engine.vector_kernels import LANES
from urcx.errors import UrcxError
from urcx.extremes.courses import Followed
from urcx.extremes.pair_rows import PairRows
from urcx.extremes.parts import LastTiles, Part, parts_of
from urcx.extremes.secants import Secants
from urcx.rules.position import Position
from urcx.solving.layered.certificate import rounding_of
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import NO_CHANGE, Values
from urcx.solving.layered.solver import sweeps_as_states

FIRST_PLIES = 20.0  # that a part lasts longer than what follows, at first
PLAIN_RATE = 1e-3
MOST_PLAIN, LONGEST_PLAIN = 1500, 5e4  # plain sweeps, and plies that a part lasts, for them
PLIES = 6.0  # by which a sweep advances games, about: more than it does settles, only slower
PERIOD = 4  # sweeps from one extrapolation to the next
DEPTH = 16  # secants that are kept
BEFORE = 20  # sweeps without extrapolation
EVALUATED = 10  # sweeps from one proof to the next
SWEEPS_ABOVE = 3_000  # above B, after which values are taken from 0 on
MOST_SWEEPS = 20_000
TIMES = 2.0  # by which the rate changes at most in a sweep
TIMES_AT_ONCE = 3.0  # by which an extrapolation may change it
LEAST_RATE = 1e-15  # 1 / plies
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
) -> Followed:
    """Return the longest mean from the start, in plies.

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

    Raises
    ------
    UrcxError
        If values do not settle.
    """
    store: dict[Layer, Values] = {}
    last = LastTiles(order)
    found, done, parts = Followed(), 0, 0
    for layers in order.pairs:
        states = sum(order.size(layer) for layer in layers)
        swept = sweeps_as_states(progress, done, states)
        pair = settle_pair(order, last, layers, store.__getitem__, tolerance, threads, swept)
        store = {key: of for key, of in store.items() if sum(key) <= sum(layers[0]) + 1}
        store |= pair.values
        most = max(float(values.max()) for values in pair.values.values())
        found.rows.append((layers, states, pair.sweeps, most))
        found.change = max(found.change, pair.change)
        parts += pair.parts
        done += states
        progress(done)
    found.change += parts * STORED
    found.start = [[float(store[0, 0][order.place(Position())[1]])]]
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
    each part. The ``unit`` is plies, or moves: then passes do not count.
    """
    rows = PairRows(order, layers, threads)
    values = rows.filled(later, 0.0)
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
    values = rows.filled(later, 0.0)
    for part in parts_of(rows, last, values, unit):
        y = np.full(2 * part.size + LANES, -1.0)
        rate = 1.0 / (float(part.exits.max()) + FIRST_PLIES)
        for _ in range(sweeps):
            part.renew(y, rate)
        y -= DOWN * (1.0 + y)
        part.hand_back(y, rate, values)
    return rows.values_of(values)


class _Settling:
    """Sweeps over a part until its values are known as well as is asked for."""

    def __init__(self, part: Part, tolerance: float, swept: Callable[[], None]) -> None:
        self.part, self.tolerance, self.swept = part, tolerance, swept
        self.y = np.empty(2 * part.size + LANES)
        self.rate = PLAIN_RATE
        # The rate stands among the values as one more, with about the weight of all others.
        self.weight = PLIES * float(np.sqrt(part.size))
        self.secants = self._none()
        # Twice: what leaves the part is computed with two roundings more.
        self.rounding = 2.0 * rounding_of(part.pair.order.tables.chance)

    def _none(self) -> Secants:
        return Secants([self.part.size, 1], self.part.pair.threads, None, DEPTH)

    def settle(self, values: Values) -> tuple[int, float]:
        """Settle the part and write it to the pair's values; return the sweeps, and the change."""
        best = self.part.lower_exits()
        sweeps, change = self._plainly(values, best)
        if change is None:
            more, change = self._by_rate(values, best, SWEEPS_ABOVE)
            sweeps += more
        if change is None:
            self.part.lower_exits(-best)
            more, change = self._by_rate(values, 0.0, MOST_SWEEPS)
            sweeps += more
        if change is None:
            pair = self.part.pair
            raise UrcxError(
                f"values of layer {pair.layers[0]} of {pair.order.rules.name} do not settle: its "
                "games may need not end"
            )
        return sweeps, change

    def _change(self) -> tuple[float, float]:
        """Return by how many plies a sweep changes a value at most, and what rounding adds."""
        least = self.rate * float(self.part.gains.min())  # that a ply counts in y
        change = max(self.part.renew(self.y, self.rate, kept=False)) / least
        greatest = max(1.0, float(self.y.max()), -float(self.y.min()))
        return change, self.rounding * greatest / least

    def _plainly(self, values: Values, best: float) -> tuple[int, float | None]:
        """Settle the part by plain sweeps, if they settle it soon; no change if they do not."""
        part, n = self.part, self.part.size
        self.y[:] = FIRST_PLIES * self.rate - 1.0
        secants = Secants([n], part.pair.threads, None, DEPTH)
        sweep = 0
        for sweep in range(1, MOST_PLAIN + 1):
            last = sweep % PERIOD == 0
            part.renew(self.y, self.rate, secants.changes[0] if last else NO_CHANGE)
            self.swept()
            if last and sweep <= BEFORE:
                secants.keep([self.y[:n]])
            elif last and secants.extrapolate([self.y[:n]]):
                part.turn(self.y)
            if sweep % EVALUATED == 0:
                change, rounded = self._change()
                if change <= self.tolerance + rounded < 1.0:
                    part.hand_back(self.y, self.rate, values, best)
                    return sweep, change + rounded
                if not self.y[:n].max() < LONGEST_PLAIN * self.rate:
                    break
        return sweep, None

    def _by_rate(self, values: Values, base: float, most: int) -> tuple[int, float | None]:
        """Settle the part with its greatest value taken out, in so many sweeps at most.

        ``base`` is what was subtracted from the values of moves that leave. No change if it fails.
        """
        part = self.part
        self.y[:] = 0.0
        self.rate = 1.0 / (float(part.exits.max()) + (LONGEST_PLAIN if base else FIRST_PLIES))
        self.secants = self._none()
        for sweep in range(1, most + 1):
            self._sweep(sweep)
            self.swept()
            if base and self.rate * FIRST_PLIES > 1.0:  # nothing lasts longer than B
                break
            if sweep % EVALUATED:
                continue
            change, rounded = self._change()
            if change <= self.tolerance + rounded < 1.0:
                part.hand_back(self.y, self.rate, values, base)
                return sweep, change + rounded
            if self.rate <= LEAST_RATE and sweep > 2 * BEFORE:
                break
        return sweep, None

    def _sweep(self, number: int) -> None:
        part, n = self.part, self.part.size
        last = number % PERIOD == 0
        before = self.rate
        part.renew(self.y, self.rate, self.secants.changes[0] if last else NO_CHANGE)
        most = float(self.y[:n].max())
        self.y[: 2 * n] -= most
        rate = self.rate - most / PLIES
        self.rate = max(LEAST_RATE, min(max(rate, before / TIMES), before * TIMES))
        if last:
            self.secants.changes[0] -= np.float32(most)
            self.secants.changes[1][0] = (self.rate - before) * self.weight
            self._extrapolate(number)

    def _extrapolate(self, number: int) -> None:
        n = self.part.size
        height = np.array([self.rate * self.weight])
        own = self.y[:n]
        if number <= BEFORE:
            self.secants.keep([own, height])
        elif self.secants.extrapolate([own, height]):
            rate = float(height[0]) / self.weight
            if self.rate / TIMES_AT_ONCE < rate < self.rate * TIMES_AT_ONCE:
                self.rate = rate
            else:
                own[:] = self.secants.before(0)
                self.secants = self._none()
            self.part.turn(self.y)
