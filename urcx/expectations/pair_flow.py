"""Expected visit counts of the states of a pair of layers, and what is counted in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import for_chunks
from urcx.engine.vector_kernels import LANES
from urcx.errors import UrcxError
from urcx.expectations import tally_kernels as tallies
from urcx.expectations import visit_kernels as kernels
from urcx.expectations.pair_choices import Chosen, chosen, in_parts
from urcx.expectations.side_means import Farthest, Visits
from urcx.solving.files.tablebase import TablebaseLayers
from urcx.solving.layered.extrapolation import BLOCK_OF_STATES, extrapolate
from urcx.solving.layered.order import IntArray, Layer, LayerOrder
from urcx.solving.layered.pair import (
    LEAST_PART,
    NO_CHANGE,
    PARTS,
    LayerPair,
    LayerProgram,
    LayerShape,
    LayerSource,
    cuts_of,
)

SPAN = 4  # sweeps that an extrapolation combines
MOST_SWEEPS = 20_000
MUCH = 1.0  # times the mean move of a block: blocks that moved by more are visited twice in a sweep
# Of what may be left out: blocks that all moved by no more are visited in each sweep over all only.
LITTLE = 0.1
LARGEST = 2.0**100  # counts of a round, scaled
# Rounding stops what is left from settling below so much of all visits, in either precision.
SETTLED = {np.dtype(np.float64): 2.0**-51, np.dtype(np.float32): 2.0**-22}
ROUND = 1e-5  # of what was left before a round of sweeps in single precision is left after it
MOST_ROUNDS = 50
HEIGHT = 40  # what is left is multiplied by a power of two that makes it add up to about 2**HEIGHT
EQUAL = 1e-15  # values that differ by rounding only
VISITED = 1e-9  # visits a game; states with fewer are not counted, nor searched for bad moves

Array = NDArray[np.float64]
Singles = NDArray[np.float32]
Waiting = dict[tuple[int, Layer], Array]  # visits to come, by side to move and layer in its view


class PairFlow:
    """The visits of the states of a pair of layers, of two policies.

    Arrays over states have a part of ``stride`` entries for each side to move, in its view, with
    `LANES` entries before the first state and after the last.
    """

    def __init__(
        self, order: LayerOrder, layers: tuple[Layer, ...], policies: tuple[Any, Any], threads: int
    ) -> None:
        self.order = order
        self.pair = LayerPair(order, layers, threads)
        self.stride = self.pair.states + 2 * LANES
        self.at = [LANES + self.pair.at["V", layer] for layer in layers]
        self._number_rows()
        self.alike = policies[0] is policies[1]
        light = chosen(policies[0], self.pair)
        self.chosen = [light, light if self.alike else chosen(policies[1], self.pair)]
        self.sources = self._sources(same=self.alike)
        del self.to
        self.sites = self._sites()
        self.tiles = [np.zeros((2, LANES * LANES)) for _ in range(threads)]
        self.changes: Singles | None = None
        # By how much each block moved in a sweep, and how often the next one visits it.
        self.moves, self.times = np.zeros(self.blocks), np.ones(self.blocks, np.uint8)

    def _number_rows(self) -> None:
        """Give rows of V, U and later layers numbers, and find the row that each read leads to."""
        pair = self.pair
        begins, columns = [], []

        def add(shape: LayerShape, at: int) -> None:
            begins.append(at + row_begins(shape))
            columns.append(np.repeat(shape.columns, shape.rows))

        for name in "VU":
            for program in pair.programs:
                add(program, pair.at[name, program.layer])
        first = np.cumsum([0] + [len(rows) for rows in begins])
        count = len(pair.layers)
        self.first_v = dict(zip(pair.layers, first[:count].tolist(), strict=True))
        self.first_u = dict(zip(pair.layers, first[count:-1].tolist(), strict=True))
        self.beyond: dict[Layer, tuple[LayerShape, int]] = {}
        for i, j in pair.layers:
            if i + 1 < self.order.rules.pieces:
                self.beyond[i, j] = pair.shape((i + 1, j)), sum(map(len, begins))
                add(self.beyond[i, j][0], pair.at["beyond", (i, j)])
        # What wins leads to no row; one more, which no read reaches, ends the search for rows.
        begins.append(np.array([pair.won, pair.size + LANES]))
        columns.append(np.array([0, 0]))
        self.columns = np.concatenate(columns)
        starts = np.concatenate(begins)
        self.rows = len(starts) - 2
        buckets = np.arange(0, pair.size + kernels.BUCKET, kernels.BUCKET)
        found = (np.searchsorted(starts, buckets, side="right") - 1).astype(np.int32)
        self.to = [np.empty(len(program.ops), np.int32) for program in pair.programs]
        for program, to in zip(pair.programs, self.to, strict=True):

            def part(
                _: int,
                first: int,
                last: int,
                p: LayerProgram = program,
                to: NDArray[np.int32] = to,
            ) -> None:
                kernels.find_rows(
                    p.first_op, p.ops, len(self.order.tables.rolls), starts, found,
                    p.first_row[p.cuts[first]], p.first_row[p.cuts[last]], to,
                )  # fmt: skip

            in_parts(pair, len(program.cuts) - 1, part)

    def _sources(self, *, same: bool) -> kernels.Sources:
        """Return what leads to each row; if both policies are the same, once for both sides."""
        sides = self.chosen[:1] if same else self.chosen
        made: list[Any] = [None] * len(sides)

        def make(_: int, first: int, last: int) -> None:
            for side in range(first, last):
                made[side] = self._sources_of(sides[side])

        if self.pair.states * self.pair.threads > LEAST_PART:
            for_chunks(len(sides), 1, make, self.pair.threads)
        else:
            make(0, 0, len(sides))
        starts, state, place, bit, chance, skipped = zip(*made, strict=True)
        most = max(int(np.diff(of[:: kernels.GROUPS]).max()) for of in starts)
        self.additions = 2 * most + 8  # that a term of a count passes through
        second = 0 if same else len(starts[0])
        masks = [one.masks[0] for one in sides if not one.by_row]
        at_masks = [0, 0 if same or sides[0].by_row else len(sides[0].masks[0])]
        both = [starts[0], *(more + starts[0][-1] for more in starts[1:])]
        return kernels.Sources(
            np.array([0, second]),
            joined(both),
            joined(state),
            joined(place),
            joined(bit),
            joined(chance),
            joined(skipped),
            joined(masks) if masks else np.zeros(LANES, np.uint8),
            np.array(at_masks),
            np.array([one.shared for one in self.chosen]),
        )

    def _sources_of(self, side: Chosen) -> tuple[NDArray[Any], ...]:
        pair = self.pair
        chance = self.order.tables.chance
        starts = np.zeros(kernels.GROUPS * (self.rows + 1) + 1, np.int64)
        for k, program in enumerate(pair.programs):
            columns = np.repeat(program.columns, program.rows)
            kernels.count_sources(
                program.first_op, program.ops, self.to[k], columns, self.columns, len(chance),
                side.any_of[k], side.by_row, starts[1:],
            )  # fmt: skip
        np.cumsum(starts, out=starts)
        number = int(starts[-1])
        arrays = (
            np.empty(number, np.uint32),
            np.empty(number, np.uint32),
            np.empty(number, np.uint16),
            np.empty(number),
            np.empty(number, np.uint16),
        )
        ends = starts.copy()
        for k, program in enumerate(pair.programs):
            columns = np.repeat(program.columns, program.rows)
            kernels.write_sources(
                program.first_op, program.ops, self.to[k], columns, self.columns, len(chance),
                side.any_of[k], side.by_row, pair.at["V", program.layer] + row_begins(program),
                chance, self.stride, ends, *arrays,
            )  # fmt: skip
        return starts, *arrays

    def _sites(self) -> kernels.Sites:
        """Return the sites of both layers: those with the least sum of steps first.

        If the sides choose alike, the sites of the second layer are those of the first, with the
        sides exchanged; in a layer with as many pieces home of either side, so are those of the
        patterns with the greater numbers.
        """
        pair, order = self.pair, self.order
        once = self.alike and len(pair.layers) == 1  # a pattern and its mirror are one site
        keys, parts = [], []
        for number, program in enumerate(pair.programs[: 1 if self.alike else None]):
            i, j = program.layer
            (mirror,) = (other for other in pair.programs if other.layer == (j, i))
            place = np.empty(order.patterns, np.int64)
            place[mirror.patterns] = np.arange(len(mirror.patterns))
            keep = order.turned[program.patterns] >= (program.patterns if once else 0)
            turned = place[order.turned[program.patterns]]
            rows, other_rows = program.first_row[:-1], mirror.first_row[turned]
            parts.append([
                program.rows, program.columns,
                pair.at["V", (i, j)] + program.begin, pair.at["V", (j, i)] + mirror.begin[turned],
                self.first_v[i, j] + rows, self.first_v[j, i] + other_rows,
                self.first_u[j, i] + other_rows, self.first_u[i, j] + rows,
            ])  # fmt: skip
            parts[-1] = [part[keep] for part in parts[-1]]
            of = program.patterns[keep]
            keys.append([np.full(len(of), number), of, order.progress[of]])
        by = np.lexsort(np.concatenate(keys, axis=1))
        found = np.ascontiguousarray(np.concatenate(parts, axis=1)[:, by])
        n = min(PARTS * pair.threads, 1 + 2 * pair.states // LEAST_PART)
        self.cuts = cuts_of(np.cumsum(found[0] * found[1]), n)
        blocks = -(-found[0] // LANES) * -(-found[1] // LANES)
        self.blocks = int(blocks.sum())
        return kernels.Sites(
            found[0], found[1], found[2:4], found[4:6], found[6:8], np.cumsum(blocks) - blocks
        )

    def solve(
        self, waiting: Waiting, enough: float, swept: Callable[[], None]
    ) -> tuple[Array, float]:
        """Return the visits of all states, and a bound of what is left out.

        What is ``waiting`` for these layers is removed there. The bound is of the sum of absolute
        residuals of the system; it is at most ``enough``, unless rounding causes more, or negative
        counts, which are replaced by 0.
        """
        b = np.zeros(2 * self.stride)
        for side in (0, 1):
            for layer, at in zip(self.pair.layers, self.at, strict=True):
                found = waiting.pop((side, layer), None)
                if found is not None:
                    b[side * self.stride + at :][: len(found)] = found
                del found
        if not self.alike:
            x, moved = self._converged(b, (0, self.stride), 1.0, enough, swept)
            self.changes = None
            clipped = self._summed(len(x), partial(kernels.clip, x))
            return x, moved + 2.0 * clipped
        light, dark = b[: self.stride], b[self.stride :]
        dark -= light
        dark *= -0.5  # half of the difference
        light -= dark  # the mean
        mean, moved = self._converged(light, (0, 0), 1.0, enough / 4.0, swept)
        half, by = self._converged(dark, (0, 0), -1.0, enough / 4.0, swept)
        self.changes = None
        clipped = self._summed(self.stride, partial(kernels.join_sides, mean, half, b))
        # Both parts of the arrays have the residual of the mean, and that of half the difference.
        return b, 2.0 * (moved + by + clipped)

    def _converged(
        self, b: Array, parts: tuple[int, int], passing: float, enough: float,
        swept: Callable[[], None],
    ) -> tuple[Array, float]:  # fmt: skip
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
            self._settle(found, rest, parts, passing, goal, swept)
            size = self._summed(len(x), partial(kernels.add_found, x, found, 1.0 / scale))
            self.times[:] = 1
            scale = _scale(goal / scale)
            left = self._sweep(x, b, parts, passing, NO_CHANGE, rest, scale)
            swept()
            if left <= max(enough, SETTLED[x.dtype] * size):
                return x, left
        raise UrcxError(f"games do not end: {left:.1e} of them stay in {self.pair.layers[0]}")

    def _settle(
        self, x: Singles, b: Singles, parts: tuple[int, int], passing: float, enough: float,
        swept: Callable[[], None],
    ) -> None:  # fmt: skip
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
            swept()
            if not kept:
                size = self._summed(len(x), partial(kernels.absolute_sum, x))
                if moved <= max(enough, SETTLED[x.dtype] * size):
                    return
                times[:] = 1
                times[moves > MUCH * moves.mean()] = 2
                times[moves <= LITTLE * enough / self.blocks] = 0
            elif kept == SPAN:
                extrapolate(changes, x, LARGEST, self.pair.threads)
            kept = 0 if kept == SPAN or (kept and moved <= enough / 2.0) else kept + 1
        raise UrcxError(f"games do not end: they may stay in {self.pair.layers[0]}")

    def _sweep(
        self, x: NDArray[Any], b: NDArray[Any], parts: tuple[int, int], passing: float,
        change: Singles, left: Singles, scale: float,
    ) -> float:  # fmt: skip
        """Renew counts once; return by how much they moved in all. See `kernels.visit`."""
        total = []

        def part(thread: int, first: int, last: int) -> None:
            moved = kernels.visit(
                self.sources, self.sites, x, b, parts, passing, change, left, scale,
                self.times, self.moves, *self.tiles[thread], self.cuts[first], self.cuts[last],
            )  # fmt: skip
            total.append(moved)

        in_parts(self.pair, len(self.cuts) - 1, part)
        return float(sum(total))

    def _summed(self, number: int, work: Callable[[int, int], float]) -> float:
        """Return the sum of what ``work(first, last)`` returns for all parts of a range."""
        found = np.zeros(-(-number // BLOCK_OF_STATES))

        def part(_: int, first: int, last: int) -> None:
            found[first] = work(first * BLOCK_OF_STATES, min(last * BLOCK_OF_STATES, number))

        in_parts(self.pair, len(found), part)
        return math.fsum(found)

    def leave(self, x: Array, waiting: Waiting) -> None:
        """Add what leaves for later layers to what is waiting there."""
        for side in (0, 1):
            for (i, j), (shape, first) in self.beyond.items():
                size = self.order.size((i + 1, j))
                out = waiting.setdefault((1 - side, (j, i + 1)), np.zeros(size))
                first_row = first + np.cumsum(shape.rows) - shape.rows

                def part(
                    thread: int, begin: int, end: int, side: int = side, shape: LayerShape = shape,
                    first_row: IntArray = first_row, out: Array = out,
                ) -> None:  # fmt: skip
                    kernels.leave(
                        self.sources, side, shape.rows, shape.columns, shape.turned, first_row, x,
                        self.stride, self.tiles[thread][0], shape.cuts[begin], shape.cuts[end], out,
                    )  # fmt: skip

                in_parts(self.pair, len(shape.cuts) - 1, part)

    def account(self, x: Array, total: Visits) -> None:
        """Add up the counts of all states."""
        order, pair = self.order, self.pair
        logs = np.log10(np.maximum(np.arange(order.rules.path.length + 2), 1))
        for side, of in enumerate(self.chosen):
            visits = x[side * self.stride : (side + 1) * self.stride]
            for k, program in enumerate(pair.programs):
                found: list[Any] = []

                def part(
                    _: int, first: int, last: int, k: int = k, program: LayerProgram = program,
                    of: Chosen = of, visits: Array = visits, found: list[Any] = found,
                ) -> None:  # fmt: skip
                    counts = np.zeros_like(total.by_choices[0]), np.zeros(tallies.N_SUMS)
                    wins, states = tallies.account(
                        order.tables.ways, order.pattern, order.tables.rolls, program.patterns,
                        order.width, order.mask, program.layer, order.offsets(program.layer),
                        program.first_row, order.tables.chance, of.masks[k], of.by_row, of.shared,
                        of.stride[k], logs, pair.at["V", program.layer], visits, VISITED,
                        program.cuts[first], program.cuts[last], *counts,
                    )  # fmt: skip
                    found.append((*counts, wins, states))

                in_parts(pair, len(program.cuts) - 1, part)
                for by_choices, sums, wins, states in found:
                    total.by_choices[side] += by_choices
                    total.sums[side] += sums
                    total.wins[side] += wins
                    total.states[side] += states

    @property
    def tallied(self) -> int:
        """The number of additions that a term of a sum over all states passes through."""
        rolls = len(self.order.tables.rolls)
        in_pattern = int(self.order.width[-1]) * rolls * (self.order.rules.path.length + 3)
        return in_pattern + max(int(np.diff(of.cuts).max()) for of in self.pair.programs)

    def judge(self, x: Array, solution: LayerSource, total: Visits) -> None:
        """Add up the regret of the moves by the solution."""
        pair, chance = self.pair, self.order.tables.chance
        values, gap = pair.solved(solution)
        if isinstance(solution, TablebaseLayers):
            solution.release()
        for side, of in enumerate(self.chosen):
            visits = x[side * self.stride : (side + 1) * self.stride]
            for k, program in enumerate(pair.programs):
                found: list[Any] = []

                def part(
                    _: int, first: int, last: int, k: int = k, program: LayerProgram = program,
                    of: Chosen = of, visits: Array = visits, found: list[Any] = found,
                ) -> None:  # fmt: skip
                    sums, place = np.zeros(tallies.N_SUMS), np.zeros(4, np.int64)
                    worst = np.full(1, 4 * gap + EQUAL)
                    tallies.judge(
                        program.rows, program.columns, program.begin, program.first_row,
                        program.first_op, program.ops, chance, of.masks[k], of.by_row, of.shared,
                        of.stride[k], 4 * gap + EQUAL, pair.at["V", program.layer], values, visits,
                        VISITED, program.cuts[first], program.cuts[last], sums, worst, place,
                    )  # fmt: skip
                    at = LANES + pair.at["V", program.layer] + int(place[0])
                    found.append((sums, float(worst[0]), place, float(visits[at])))

                in_parts(pair, len(program.cuts) - 1, part)
                for sums, worst, place, visited in found:
                    total.sums[side] += sums
                    known = total.worst[side]
                    if worst > 4 * gap + EQUAL and (known is None or worst / 2.0 > known.loss):
                        state, roll, move, best = map(int, place)
                        total.worst[side] = Farthest(
                            program.layer, state, roll, move, best, worst / 2.0, visited
                        )


def row_begins(shape: LayerShape) -> IntArray:
    """Return the offset of each row of a layer."""
    before = np.cumsum(shape.rows) - shape.rows
    numbers = np.arange(int(shape.rows.sum())) - np.repeat(before, shape.rows)
    found: IntArray = np.repeat(shape.begin, shape.rows) + numbers * np.repeat(
        shape.columns, shape.rows
    )
    return found


def joined(parts: Any) -> NDArray[Any]:
    """Return arrays as one, without copying a single one."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _scale(left: float) -> float:
    """Return the power of two that makes a sum about 2**HEIGHT."""
    return math.ldexp(1.0, HEIGHT - math.frexp(left)[1])
