"""Expected visit counts of the states of a pair of layers, and what is counted in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.vector_types import LANES
from urcx.errors import UrcxError
from urcx.expectations import tally_kernels as tallies
from urcx.expectations import visit_kernels as kernels
from urcx.expectations.pair_system import PairSystem
from urcx.expectations.side_means import COUNTED, SUMS, Decided, Visits, Wanted
from urcx.solving.files.tablebase import TablebaseLayers
from urcx.solving.layered.order import IntArray, Layer, LayerOrder
from urcx.solving.layered.pair import LayerShape, LayerSource
from urcx.solving.ties import tie_width
from urcx.sweeps.acceleration import BLOCK_OF_STATES, extrapolate
from urcx.sweeps.blocks import NO_CHANGE, SMALL, Changes
from urcx.sweeps.layout_kernels import MARGIN, Picks

SPAN = 2  # sweeps that an extrapolation combines; more save none, and take memory
MOST_SWEEPS = 20_000
MUCH = 1.0  # times the mean move of a site: sites that moved by more are visited twice in a sweep
# Of what may be left out: sites that all moved by no more are visited in each sweep over all only.
LITTLE = 0.1
LARGEST = 2.0**100  # counts of a round, scaled
# Rounding stops what is left from settling below so much of all visits, in either precision.
SETTLED = {np.dtype(np.float64): 2.0**-51, np.dtype(np.float32): 2.0**-22}
ROUND = 1e-5  # of what was left before a round of sweeps in single precision is left after it
MOST_ROUNDS = 50
HEIGHT = 40  # what is left is multiplied by a power of two that makes it add up to about 2**HEIGHT
VISITED = 1e-9  # visits a game; states with fewer are not counted, nor searched for bad moves

Array = NDArray[np.float64]
Waiting = dict[tuple[int, Layer], Array]  # visits to come, by side to move and layer in its view


class PairFlow(PairSystem):
    """The visits of the states of a pair of layers, of two policies."""

    def __init__(
        self, order: LayerOrder, layers: tuple[Layer, ...], policies: tuple[Any, Any], threads: int
    ) -> None:
        super().__init__(order, layers, policies, threads)
        self.at = [MARGIN + self.pair.at["V", layer] for layer in layers]
        self.changes: Changes | None = None
        # By how much each site moved in a sweep, and how often the next one visits it.
        sites = len(self.sites.rows[0].rows)
        self.moves, self.times = np.zeros(sites), np.ones(sites, np.uint8)

    def solve(
        self, waiting: Waiting, enough: float, swept: Callable[[], None]
    ) -> tuple[Array, float]:
        """Return the visits of all states, and a bound of what is left out.

        What is ``waiting`` for these layers is removed there. The bound is of the sum of absolute
        residuals of the system; it is at most ``enough``, unless rounding causes more, or negative
        counts, which are replaced by 0. ``swept`` is called after each sweep.
        """
        self.pair.swept = swept
        b = np.zeros(2 * self.stride)
        for side in (0, 1):
            for layer, at in zip(self.pair.layers, self.at, strict=True):
                found = waiting.pop((side, layer), None)
                if found is not None:
                    b[side * self.stride + at :][: len(found)] = found
                del found
        if not self.alike:
            x, moved = self._converged(b, (0, self.stride), 1.0, enough)
            self.changes = None
            clipped = self._summed(len(x), partial(kernels.clip, x))
            return x, moved + 2.0 * clipped
        light, dark = b[: self.stride], b[self.stride :]
        dark -= light
        dark *= -0.5  # half of the difference
        light -= dark  # the mean
        mean, moved = self._converged(light, (0, 0), 1.0, enough / 4.0)
        half, by = self._converged(dark, (0, 0), -1.0, enough / 4.0)
        self.changes = None
        clipped = self._summed(self.stride, partial(kernels.join_sides, mean, half, b))
        # Both parts of the arrays have the residual of the mean, and that of half the difference.
        return b, 2.0 * (moved + by + clipped)

    def _converged(
        self, b: Array, parts: tuple[int, int], passing: float, enough: float
    ) -> tuple[Array, float]:
        """Return the solution of a system, and the sum of what is left of it.

        That is at most ``enough``, or not more than rounding causes. Each round solves the system
        of what is left in single precision, which is less to read and write, adds the solution to
        what was found before, and computes what is left then in double precision.
        """
        x = np.zeros(len(b))
        left = size = self._summed(len(b), partial(kernels.absolute_sum, b))
        if left <= enough:
            return x, left
        found = np.zeros(len(b), np.float32)
        scale = _scale(left)
        rest = (scale * b).astype(np.float32)
        for _ in range(MOST_ROUNDS):
            goal = scale * max(enough / 2.0, ROUND * left)
            self._settle(found, rest, parts, passing, goal)
            size = self._summed(len(x), partial(kernels.add_found, x, found, 1.0 / scale))
            self.times[:] = 1
            scale = _scale(goal / scale)
            left = self._sweep(x, b, parts, passing, NO_CHANGE, rest, scale)
            if left <= max(enough, SETTLED[x.dtype] * size):
                return x, left
        raise UrcxError(f"games do not end: {left:.1e} of them stay in {self.pair.layers[0]}")

    def _settle(
        self, x: Changes, b: Changes, parts: tuple[int, int], passing: float, enough: float
    ) -> None:
        """Sweep until a sweep over all moves by at most ``enough``, or no more than rounding does.

        After each sweep over all, `SPAN` sweeps leave out what moves little, and are then
        extrapolated.
        """
        if self.changes is None:
            self.changes = np.zeros((SPAN, len(x)), np.float32)
        changes, moves, times = self.changes, self.moves, self.times
        kept = 0
        for _ in range(MOST_SWEEPS):
            if not kept:
                np.maximum(times, 1, out=times)
            change = changes[kept - 1] if kept else NO_CHANGE
            moved = self._sweep(x, b, parts, passing, change, NO_CHANGE, 1.0)
            if not kept:
                size = self._summed(len(x), partial(kernels.absolute_sum, x))
                if moved <= max(enough, SETTLED[x.dtype] * size):
                    return
                times[:] = 1
                times[moves > MUCH * moves.mean()] = 2
                times[moves <= LITTLE * enough / len(times)] = 0
            elif kept == SPAN:
                extrapolate(changes, x, LARGEST, self.pair.threads)
            kept = 0 if kept == SPAN or (kept and moved <= enough / 2.0) else kept + 1
        raise UrcxError(f"games do not end: they may stay in {self.pair.layers[0]}")

    def _sweep(
        self, x: NDArray[Any], b: NDArray[Any], parts: tuple[int, int], passing: float,
        change: Changes, left: Changes, scale: float,
    ) -> float:  # fmt: skip
        """Renew counts once; return by how much they moved in all. See `kernels.visit`."""
        total = []
        light, dark = (of._replace(chances=of.chances.astype(x.dtype)) for of in self.sources)

        def part(thread: int, first: int, last: int) -> None:
            system = kernels.VisitSystem(
                x, b, parts, passing, change, left, scale, *self.pair.tiles[thread].view(x.dtype)
            )
            moved = kernels.visit_states(
                system, (light, dark), self.sites, self.times, self.moves, first, last
            )
            total.append(moved)

        self.pair.in_parts(self.cuts, part)
        self.pair.swept()
        return float(sum(total))

    def _summed(self, number: int, work: Callable[[int, int], float]) -> float:
        """Return the sum of what ``work(first, last)`` returns for all parts of a range."""
        found: list[float] = []
        cuts = [*range(0, number, BLOCK_OF_STATES), number]
        self.pair.in_parts(cuts, lambda _, first, last: found.append(work(first, last)))
        return math.fsum(found)

    def leave(self, x: Array, waiting: Waiting) -> None:
        """Add what leaves for later layers to what is waiting there."""
        for side in (0, 1):
            for shape, first in self.beyond:
                size = self.order.size(shape.layer)
                out = waiting.setdefault((1 - side, shape.layer[::-1]), np.zeros(size))
                first_row = first + np.cumsum(shape.rows) - shape.rows

                def part(
                    thread: int, begin: int, end: int, side: int = side, shape: LayerShape = shape,
                    first_row: IntArray = first_row, out: Array = out,
                ) -> None:  # fmt: skip
                    kernels.leave_patterns(
                        self.sources[side], shape.rows, shape.columns, shape.turned, first_row,
                        x[side * self.stride :], self.pair.tiles[thread][0], begin, end, out,
                    )  # fmt: skip

                self.pair.in_parts(shape.cuts, part)

    def _each(self, x: Array, work: Callable[..., Any]) -> Iterator[tuple[int, Any]]:
        """Yield what is made of parts of the pair with each side to move, and the side.

        That is ``work(picks, visits, first, last)``.
        """
        for side, picks in enumerate(self.chosen):
            visits = x[side * self.stride : (side + 1) * self.stride]
            found: list[Any] = []

            def part(
                _: int, *these: int, given: Any = (picks, visits), found: list[Any] = found
            ) -> None:
                found.append(work(*given, *these))

            self.pair.each_layer(part)
            for one in found:
                yield side, one

    def account(self, x: Array, total: Visits) -> None:
        """Add up the counts of all states."""
        logs = np.log10(np.maximum(np.arange(self.order.rules.path.length + 2), 1))
        rows, diagrams = self.pair.rows, self.pair.diagrams()

        def count(picks: Picks, visits: Array, *part: int) -> Any:
            counts = [np.zeros_like(getattr(total, name)[0]) for name in COUNTED]
            return *counts, *tallies.account(
                diagrams, rows, picks, logs, visits, VISITED, *part, *counts
            )

        for side, found in self._each(x, count):
            for name, more in zip(SUMS, found, strict=True):
                getattr(total, name)[side] += more

    @property
    def tallied(self) -> int:
        """The number of additions that a term of a sum over all states passes through."""
        rolls = len(self.order.tables.rolls)
        in_pattern = int(self.order.width[-1]) * rolls * (self.order.rules.path.length + 3)
        return in_pattern + self._patterns

    @property
    def tallied_in_judging(self) -> int:
        """The same of a sum of `judge`: a vector has a term of each roll and move of every row.

        But for agents with several moves of a roll, all terms but one are 0.
        """
        width, rules = int(self.order.width[-1]), self.order.rules
        moves = min(rules.pieces, rules.path.length + 1)
        terms = len(self.order.tables.rolls) * (
            moves if any(of.shared or of.astray for of in self.chosen) else 1
        )
        return width * -(-width // LANES) * terms + LANES + self._patterns

    @property
    def _patterns(self) -> int:
        """The most patterns that one thread adds up at a time."""
        alone = self.pair.states < SMALL  # one thread does it all
        return max(
            cuts[-1] - cuts[0] if alone else int(np.diff(cuts).max()) for cuts in self.pair.cuts
        )

    def judge(self, x: Array, solution: LayerSource, total: Visits, wanted: Wanted) -> None:
        """Add up the regret of the moves by the solution, and keep decisions."""
        pair = self.pair
        values, gap = pair.solved(solution)
        if isinstance(solution, TablebaseLayers):
            solution.release()
        equal = 2.0 * tie_width(gap)  # values are between -1 and 1
        least = equal if wanted.by == tallies.BY_LOSS else 0.0

        def weigh(picks: Picks, visits: Array, *part: int) -> Any:
            sums, n = np.zeros(tallies.N_SUMS), wanted.decisions
            places, figures = np.zeros((n, 4), np.int64), np.zeros((n, 2))
            ranked = tallies.Ranked(wanted.by, VISITED, np.full(n, least), places, figures)
            tallies.tally_regret(pair.rows, picks, values, equal, visits, *part, sums, ranked)
            visited = visits[MARGIN + places[:, 0]]
            found = zip(places.tolist(), ranked.scores, visited, figures.tolist(), strict=True)
            return sums, [one for one in found if one[1] > least]

        kept: tuple[list[Any], ...] = ([], [])
        for side, (sums, found) in self._each(x, weigh):
            total.sums[side] += sums
            kept[side].extend(found)
        for side, every in enumerate(kept):
            greatest = sorted(every, key=lambda one: (-one[1], one[0]))[: wanted.decisions]
            total.keep(side, [self._decided(*one) for one in greatest], wanted.decisions)

    def _decided(
        self, place: Sequence[int], score: float, visits: float, figures: Sequence[float]
    ) -> Decided:
        state, roll, move, best = place
        loss, often = figures
        own = self.pair.ranked(state)
        return Decided(*own, roll, move, best, loss / 2.0, float(visits), often, float(score))


def _scale(left: float) -> float:
    """Return the power of two that makes a sum about 2**HEIGHT."""
    return math.ldexp(1.0, HEIGHT - math.frexp(left)[1])
