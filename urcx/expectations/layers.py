"""Following games by layers, for paths that cross no tile twice and are the same for both sides.

The layers (i, j) and (j, i) are followed together, from the start of the game to its end. In each
pair the expected visit counts x of the states solve a linear system, x = b + P'x. They are the
visits from earlier layers, plus the visits by moves from other states of the pair. In-place sweeps,
in the order in which moves lead, approximate the solution in single precision. Every few sweeps
`urcx.sweeps.acceleration` combines the iterates. The residual b + P'x - x is computed in double
precision and replaces b in the next round.

Stay of games in a pair. The expected number v of plies until a game leaves the pair solves v = 1 +
Pv. Any v with v >= 1 + Pv is at least as great, so its greatest value bounds the plies from every
state. In-place sweeps of v = `PLIES` + Pv need little accuracy for that: if no value changed by
more than m in a sweep, the values satisfy v >= PLIES - m + Pv.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.memory import check_memory
from urcx.engine.threads import for_chunks
from urcx.engine.vector_types import LANES
from urcx.errors import UrcxError
from urcx.expectations import tally_kernels as tallies
from urcx.expectations import visit_kernels as kernels
from urcx.expectations.choices import choose_moves
from urcx.expectations.tally import (
    COUNTED,
    SUMS,
    UNIT,
    DecisionTally,
    Followed,
    Tally,
    TallyOptions,
)
from urcx.rules.position import Position
from urcx.solving.files.tablebase import TablebaseLayers
from urcx.solving.layered.estimates import rows_of
from urcx.solving.layered.order import IntArray, Layer, LayerOrder, solve_order
from urcx.solving.layered.pair import LayerPair, LayerShape, LayerSource
from urcx.solving.ties import tie_width
from urcx.sweeps.acceleration import BLOCK_OF_STATES, extrapolate
from urcx.sweeps.blocks import LEAST_PART, NO_CHANGE, PARTS, SMALL, Changes, cuts_of
from urcx.sweeps.layout_kernels import MARGIN, Picks, row_begins
from urcx.sweeps.sweep_kernels import PolicyMean, way_of

ROWS = 1 << 12  # rows whose moves a thread follows at a time
SPAN = 2  # sweeps that an extrapolation combines (more take memory and do not save sweeps)
MOST_SWEEPS = 20_000
MUCH = 1.0  # times the mean change of a site: sites above it are visited twice in a sweep
# Share of the allowed residual: sites whose changes add up to less are visited only in sweeps over
# all sites.
LITTLE = 0.1
LARGEST = 2.0**100  # counts of a round, scaled
# Because of rounding, the residual does not settle below this share of all visits, by precision.
SETTLED = {np.dtype(np.float64): 2.0**-51, np.dtype(np.float32): 2.0**-22}
ALONE = 1 << 18  # counts of a system that is solved in double precision alone
ROUND = 1e-5  # factor by which a round of sweeps in single precision reduces the residual
MOST_ROUNDS = 50
HEIGHT = 40  # the residual is scaled by a power of two so that it adds up to about 2**HEIGHT
PLIES = 3.0  # added in bounding a stay (more need fewer sweeps, but give a weaker bound)
START = 25.0  # plies (other numbers only take longer)
ROUNDED = 2.0**-20  # rounding of a value in evaluating it and storing it in 32 bits
ROW_BYTES, SOURCE_BYTES = 250, 500  # of a row: its reads, and its sources for a policy
VISITED = 1e-9  # visits per game: states with fewer are not counted or searched for bad moves

Array = NDArray[np.float64]
Waiting = dict[tuple[int, Layer], Array]  # visits to come, by side to move and layer in its view


class Layers:
    """The games of two policies, light's and dark's, whose moves a solution judges."""

    def __init__(
        self,
        order: LayerOrder,
        policies: tuple[Any, Any],
        threads: int,
        solution: LayerSource | None,
        options: TallyOptions,
    ) -> None:
        self.order, self.policies, self.threads = order, policies, threads
        self.solution, self.options = solution, options
        self.states = 2 * order.states(order.layers)  # with either side to move
        check_memory(
            flow_memory(order, judged=solution is not None, alike=policies[0] is policies[1]),
            f"following all games of {order.rules.name}",
            "take fewer pieces, or play games",
        )

    def follow(
        self, begins: Sequence[float], total: Tally, progress: Callable[[int], None]
    ) -> Iterator[Followed]:
        """Follow games pair by pair, add up their sums, and yield the accuracy of each pair."""
        order, options = self.order, self.options
        waiting: Waiting = {}
        for side, share in enumerate(begins):
            if share:
                waiting[side, (0, 0)] = np.zeros(order.size((0, 0)))
                waiting[side, (0, 0)][order.place(Position())[1]] = share
        most = parts = 0  # additions of a term of a sum, in a pair and between parts
        for layers, states, swept in solve_order(order, order.pairs[::-1], progress, views=2):
            pair = PairFlow(order, layers, self.policies, self.threads)
            enough = options.tolerance * states / self.states
            x, moved = pair.solve(waiting, enough, swept)
            # Each count is rounded, and so is the probability that leaves the pair, at most 1.
            # Errors e of the mean and f of half the difference are errors e + f and e - f of the
            # sides. |e + f| + |e - f| is twice the greater of |e| and |f|, which is the error of
            # the mean because no count is negative.
            left = moved + pair.additions * UNIT * (1.0 + float(x.sum()))
            pair.leave(x, waiting)
            stay = pair.longest_stay()
            del pair.sources
            counts = Tally.empty(order.rules)
            pair.account(x, counts)
            most = max(most, pair.tallied)
            if self.solution is not None:
                pair.judge(x, self.solution, counts, options)
                most = max(most, pair.tallied_in_judging)
            total.add(counts, options.decisions)
            parts += 1 + sum(map(len, pair.pair.cuts))
            yield Followed(layers, left, stay)
        total.additions = most + parts


class PairFlow:
    """The visits of the states of a pair of layers, for two policies.

    Arrays over states have a part of ``stride`` entries for each side to move, in its view, with
    `MARGIN` entries before the first state and after the last. `urcx.expectations.visit_kernels`
    describes rows, sources and sites.
    """

    def __init__(
        self, order: LayerOrder, layers: tuple[Layer, ...], policies: tuple[Any, Any], threads: int
    ) -> None:
        self.order = order
        self.pair = LayerPair(order, layers, threads)
        self.stride = self.pair.states + 2 * MARGIN
        self._number_rows()
        self.alike = policies[0] is policies[1]
        light = choose_moves(policies[0], self.pair)
        self.chosen = [light, light if self.alike else choose_moves(policies[1], self.pair)]
        self.sources = self._sources()
        del self.links
        self.sites = self._sites()
        self.at = [MARGIN + self.pair.at["V", layer] for layer in layers]
        self.changes: Changes | None = None
        # The change of each site in a sweep, and its number of visits in the next sweep.
        sites = len(self.sites.rows[0].rows)
        self.moves, self.times = np.zeros(sites), np.ones(sites, np.uint8)

    def _number_rows(self) -> None:
        """Give numbers to the rows of V, U and later layers, and compute the row of each read."""
        pair, of = self.pair, self.pair.rows
        own, columns = row_begins(of.begin, of.rows, of.columns), np.repeat(of.columns, of.rows)
        begins, widths = [own, pair.states + own], [columns, columns]
        # Later layers, and the number of the first row of each.
        self.beyond: list[tuple[LayerShape, int]] = []
        for layer, part in pair.later():
            shape = pair.shape(layer[::-1])
            self.beyond.append((shape, sum(map(len, begins))))
            begins.append(part.start + row_begins(shape.begin, shape.rows, shape.columns))
            widths.append(np.repeat(shape.columns, shape.rows))
        # Winning moves lead to no row. One more row, which no read reaches, ends the search.
        begins.append(np.array([pair.won, pair.size + LANES]))
        widths.append(np.array([0, 0]))
        starts = np.concatenate(begins)
        self.rows = len(starts) - 2
        buckets = np.arange(0, pair.size + kernels.BUCKET, kernels.BUCKET)
        first_rows = (np.searchsorted(starts, buckets, side="right") - 1).astype(np.int32)
        to = np.empty(len(pair.ops), np.int32)
        self.links = kernels.Links(pair.row_ops, pair.ops, to, starts, np.concatenate(widths))
        rolls, rows = len(self.order.tables.rolls), len(own)
        pair.in_parts(
            [*range(0, rows, ROWS), rows],
            lambda _, first, last: kernels.find_rows(self.links, rolls, first_rows, first, last),
        )

    def _sources(self) -> tuple[kernels.Predecessors, kernels.Predecessors]:
        """Return the sources of each row by each side's moves, the same object if they agree."""
        sides = self.chosen[: 1 if self.alike else 2]
        made: list[Any] = [None] * len(sides)

        def make(_: int, first: int, last: int) -> None:
            for side in range(first, last):
                made[side] = self._sources_of(sides[side])

        if self.pair.states * self.pair.threads > LEAST_PART:
            for_chunks(len(sides), 1, make, self.pair.threads)
        else:
            make(0, 0, len(sides))
        most = max(int(np.diff(of.starts[:: kernels.GROUPS]).max()) for of in made)
        self.additions = 2 * most + 8  # of a term of a count
        return made[0], made[-1]

    def _sources_of(self, side: Picks) -> kernels.Predecessors:
        starts = np.zeros(kernels.GROUPS * (self.rows + 1) + 1, np.int64)
        chances = kernels.source_chances(side, self.order.tables.chance)
        types = np.uint32, np.uint32, np.uint16, np.uint16, np.uint16

        def written(number: int, ends: IntArray) -> kernels.Predecessors:
            arrays = [np.empty(number, kind) for kind in types]
            result = kernels.Predecessors._make([starts, *arrays, chances, side])
            kernels.write_sources(self.links, side, len(self.order.tables.rolls), ends, result)
            return result

        written(0, starts[1:])  # counts them
        np.cumsum(starts, out=starts)
        return written(int(starts[-1]), starts.copy())

    def _sites(self) -> kernels.Sites:
        """Return the sites of both layers, the least sum of steps first.

        If both sides choose the same moves, the sites of the second layer are the sites of the
        first with the sides exchanged, and are left out. In a layer with the same number of pieces
        home of both sides, this holds for half of the patterns.
        """
        pair, rows, patterns = self.pair, self.pair.rows, self.pair.patterns
        mirror = np.searchsorted(rows.begin, rows.turned - pair.states)
        sites = np.arange(len(patterns))
        if self.alike:  # a pattern and its mirror are one site
            alone = len(pair.layers) == 1
            sites = np.flatnonzero(patterns[mirror] >= patterns if alone else pair.layer_of == 0)
        of = patterns[sites]
        sites = sites[np.lexsort([pair.layer_of[sites], of, self.order.progress[of]])]
        sides = rows.of(sites), rows.of(mirror[sites])
        n = min(PARTS * pair.threads, 1 + 2 * pair.states // LEAST_PART)
        self.cuts = cuts_of(np.cumsum(sides[0].rows * sides[0].columns), n)
        # Rows of U follow all rows of V.
        passed = len(pair.row_ops) + np.stack([sides[1].first_row, sides[0].first_row])
        return kernels.Sites(sides, passed)

    def solve(
        self, waiting: Waiting, enough: float, swept: Callable[[], None]
    ) -> tuple[Array, float]:
        """Return the visits of all states, and a bound of the residual.

        The visits ``waiting`` for these layers are removed there. The bound is of the sum of
        absolute residuals of the system. It is at most ``enough``, unless rounding causes more, or
        negative counts, which are replaced by 0. ``swept`` is called after each sweep.
        """
        self.pair.swept = swept
        b = np.zeros(2 * self.stride)
        for side in (0, 1):
            for layer, at in zip(self.pair.layers, self.at, strict=True):
                visits = waiting.pop((side, layer), None)
                if visits is not None:
                    b[side * self.stride + at :][: len(visits)] = visits
                del visits
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
        # Both sides have the residual of the mean, and the residual of half the difference.
        return b, 2.0 * (moved + by + clipped)

    def _converged(
        self, b: Array, parts: tuple[int, int], passing: float, enough: float
    ) -> tuple[Array, float]:
        """Return the solution of a system, and the sum of its absolute residuals.

        The sum is at most ``enough``, or as small as rounding allows. Each round solves the system
        for the residual in single precision, which is less to read and write, adds the solution to
        the counts so far, and computes the next residual in double precision. Small systems are
        solved in double precision alone, because the kernels for single precision take longer to
        compile than they save.
        """
        x = np.zeros(len(b))
        left = size = self._summed(len(b), partial(kernels.absolute_sum, b))
        if left <= enough:
            return x, left
        small = len(b) < ALONE
        correction = x if small else np.zeros(len(b), np.float32)
        scale = 1.0 if small else _scale(left)
        rest = (scale * b).astype(np.float32)
        for _ in range(MOST_ROUNDS):
            goal = scale * max(enough / 2.0, ROUND * left)
            self._settle(correction, b if small else rest, parts, passing, goal)
            if small:
                size = self._summed(len(x), partial(kernels.absolute_sum, x))
            else:
                size = self._summed(len(x), partial(kernels.add_found, x, correction, 1.0 / scale))
                scale = _scale(goal / scale)
            self.times[:] = 1
            left = self._sweep(x, b, parts, passing, NO_CHANGE, rest, scale)
            if left <= max(enough, SETTLED[x.dtype] * size):
                return x, left
        raise UrcxError(f"games do not end: {left:.1e} of them stay in layer {self.pair.layers[0]}")

    def _settle(
        self,
        x: NDArray[Any],
        b: NDArray[Any],
        parts: tuple[int, int],
        passing: float,
        enough: float,
    ) -> None:
        """Sweep until a sweep over all sites changes counts by at most ``enough``, or rounding.

        After each sweep over all sites, `SPAN` sweeps leave out sites that change little, and are
        then extrapolated.
        """
        if self.changes is None:
            self.changes = np.zeros((SPAN, len(x)), np.float32)
        changes, moves, times = self.changes, self.moves, self.times
        stored = 0
        for _ in range(MOST_SWEEPS):
            if not stored:
                np.maximum(times, 1, out=times)
            change = changes[stored - 1] if stored else NO_CHANGE
            moved = self._sweep(x, b, parts, passing, change, NO_CHANGE, 1.0)
            if not stored:
                size = self._summed(len(x), partial(kernels.absolute_sum, x))
                if moved <= max(enough, SETTLED[x.dtype] * size):
                    return
                times[:] = 1
                times[moves > MUCH * moves.mean()] = 2
                times[moves <= LITTLE * enough / len(times)] = 0
            elif stored == SPAN:
                extrapolate(changes, x, LARGEST, self.pair.threads)
            stored = 0 if stored == SPAN or (stored and moved <= enough / 2.0) else stored + 1
        raise UrcxError(f"games do not end: they may stay in layer {self.pair.layers[0]}")

    def _sweep(
        self, x: NDArray[Any], b: NDArray[Any], parts: tuple[int, int], passing: float,
        change: Changes, left: Changes, scale: float,
    ) -> float:  # fmt: skip
        """Update counts once. Return the sum of the changes. See `kernels.visit_states`."""
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
        """Return the sum of ``work(first, last)`` over all parts of a range."""
        sums: list[float] = []
        cuts = [*range(0, number, BLOCK_OF_STATES), number]
        self.pair.in_parts(cuts, lambda _, first, last: sums.append(work(first, last)))
        return math.fsum(sums)

    def leave(self, x: Array, waiting: Waiting) -> None:
        """Add the visits that leave for later layers to the visits waiting there."""
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

    def longest_stay(self) -> float:
        """Return a bound of the expected plies from any state of the pair until games leave it."""
        pair = self.pair
        values = np.zeros((1 if self.alike else 2, pair.size), np.float32)
        values[:, : 2 * pair.states] = START
        way = way_of(pair.rows, PLIES)
        means = PolicyMean(way, self.chosen[0]), PolicyMean(way, self.chosen[1])
        arguments = (values[0], values[-1]), self.sites.rows, means, self.alike
        moves: list[float] = []

        def part(thread: int, first: int, last: int) -> None:
            moves.append(kernels.stay(*arguments, pair.tiles[thread][0], last, first))

        for _ in range(MOST_SWEEPS):
            moves.clear()
            pair.in_parts(self.cuts[::-1], part)  # the last sites first
            most = float(values.max())
            if max(moves, default=0.0) <= PLIES - 1.0 - ROUNDED * most:
                return most
        raise UrcxError(f"games do not end: they may stay in layer {pair.layers[0]}")

    def _each(self, x: Array, work: Callable[..., Any]) -> Iterator[tuple[int, Any]]:
        """Yield each side with the results of ``work`` for the parts of the pair.

        The calls are ``work(picks, visits, first, last)``.
        """
        for side, picks in enumerate(self.chosen):
            visits = x[side * self.stride : (side + 1) * self.stride]
            results: list[Any] = []

            def part(
                _: int, *patterns: int, value: Any = (picks, visits), results: list[Any] = results
            ) -> None:
                results.append(work(*value, *patterns))

            self.pair.each_layer(part)
            for result in results:
                yield side, result

    def account(self, x: Array, total: Tally) -> None:
        """Add up the counts of all states."""
        logs = np.log10(np.maximum(np.arange(self.order.rules.path.length + 2), 1))
        rows, diagrams = self.pair.rows, self.pair.diagrams()

        def count(picks: Picks, visits: Array, *part: int) -> Any:
            counts = [np.zeros_like(getattr(total, name)[0]) for name in COUNTED]
            return *counts, *tallies.account(
                diagrams, rows, picks, logs, visits, VISITED, *part, *counts
            )

        for side, counts in self._each(x, count):
            for name, more in zip(SUMS, counts, strict=True):
                getattr(total, name)[side] += more

    @property
    def tallied(self) -> int:
        """Return the number of additions of a term of a sum over all states."""
        rolls = len(self.order.tables.rolls)
        in_pattern = int(self.order.width[-1]) * rolls * (self.order.rules.path.length + 3)
        return in_pattern + self._patterns

    @property
    def tallied_in_judging(self) -> int:
        """Return the number of additions of a term of a sum in `judge`.

        A vector has a term for each roll and move of every row. If the agent plays a single move
        for a roll, the other moves' terms are 0.
        """
        width, rules = int(self.order.width[-1]), self.order.rules
        moves = min(rules.pieces, rules.path.length + 1)
        terms = len(self.order.tables.rolls) * (
            moves if any(of.shared or of.astray for of in self.chosen) else 1
        )
        return width * -(-width // LANES) * terms + LANES + self._patterns

    @property
    def _patterns(self) -> int:
        """Return the most patterns that one thread adds up at a time."""
        alone = self.pair.states < SMALL  # one thread does it all
        return max(
            cuts[-1] - cuts[0] if alone else int(np.diff(cuts).max()) for cuts in self.pair.cuts
        )

    def judge(self, x: Array, solution: LayerSource, total: Tally, options: TallyOptions) -> None:
        """Add up the losses of the moves by the solution, and store the greatest decisions."""
        pair = self.pair
        values, gap = pair.solved(solution)
        if isinstance(solution, TablebaseLayers):
            solution.release()
        equal = 2.0 * tie_width(gap)  # values are between -1 and 1
        least = equal if options.by == tallies.BY_LOSS else 0.0

        def weigh(picks: Picks, visits: Array, *part: int) -> Any:
            sums, n = np.zeros(tallies.N_SUMS), options.decisions
            places, figures = np.zeros((n, 4), np.int64), np.zeros((n, 2))
            ranked = tallies.Ranked(options.by, VISITED, np.full(n, least), places, figures)
            tallies.tally_regret(pair.rows, picks, values, equal, visits, *part, sums, ranked)
            visited = visits[MARGIN + places[:, 0]]
            rows = zip(places.tolist(), ranked.scores, visited, figures.tolist(), strict=True)
            return sums, [row for row in rows if row[1] > least]

        decisions: tuple[list[Any], ...] = ([], [])
        for side, (sums, more) in self._each(x, weigh):
            total.sums[side] += sums
            decisions[side].extend(more)
        for side, every in enumerate(decisions):
            greatest = sorted(every, key=lambda item: (-item[1], item[0]))[: options.decisions]
            total.keep(side, [self._decided(*item) for item in greatest], options.decisions)

    def _decided(
        self, place: Sequence[int], score: float, visits: float, figures: Sequence[float]
    ) -> DecisionTally:
        state, roll, move, best = place
        loss, often = figures
        own = self.pair.ranked(state)
        return DecisionTally(*own, roll, move, best, loss / 2.0, float(visits), often, float(score))


def _scale(left: float) -> float:
    """Return the power of two that scales a sum to about 2**HEIGHT."""
    return math.ldexp(1.0, HEIGHT - math.frexp(left)[1])


def flow_memory(order: LayerOrder, *, judged: bool, alike: bool) -> int:
    """Return the most bytes that the propagation takes, for two different or equal policies."""
    most = 0
    sides = 1 if alike else 2
    for layers in order.pairs:
        states = order.states(layers)
        beyond = order.beyond(layers)
        rows = rows_of(order, layers)
        masks = sides * len(order.tables.rolls) * states
        tables = rows * (ROW_BYTES + sides * SOURCE_BYTES)
        # The waiting visits and the counts, in both precisions, and the changes of the counts.
        solving = states * (2 * 8 + 2 * 8 + sides * (2 * 4 + 4 * SPAN))
        judging = 2 * 8 * states + (8 * (2 * states + beyond) if judged else 0)
        most = max(most, masks + tables + max(solving, judging) + 2 * 8 * beyond)
    return most + 250_000_000
