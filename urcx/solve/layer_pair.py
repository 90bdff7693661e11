"""Two layers of the solver, (i, j) and (j, i), in one array, and one sweep over them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import for_chunks
from urcx.engine.vector_kernels import LANES
from urcx.solve import layer_kernels
from urcx.solve.order import IntArray, Layer, LayerOrder

SMALL = 50_000  # states, below which threads do not pay
PARTS = 16  # that a layer is divided into for each thread
LEAST_PART = 8_000  # states, below which a call costs more than what it does

Values = NDArray[np.float64]
Changes = NDArray[np.float32]
NO_CHANGE = np.empty(0, np.float32)
NO_BASE = np.empty(0)


class Source(Protocol):
    """Where solved layers come from; values are chances of winning of the player to move."""

    def get(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values and gap, None if it is not there."""


@dataclass(frozen=True)
class LayerShape:
    """A layer's patterns in the order in which they lie, with the rows and columns of each.

    ``begin`` is where each begins, ``turned`` where it does in the layer (j, i), with the sides
    exchanged. ``cuts`` divide the patterns into parts of about as many states.
    """

    layer: Layer
    patterns: IntArray
    rows: IntArray
    columns: IntArray
    begin: IntArray
    turned: IntArray
    cuts: list[int]


@dataclass(frozen=True)
class LayerProgram(LayerShape):
    """What each row of a layer reads; see `urcx.solve.layer_kernels.program`."""

    first_row: IntArray
    first_op: IntArray
    ops: NDArray[np.uint32]


def _cuts(ends: IntArray, parts: int) -> list[int]:
    """Return indices that divide what ``ends`` adds up into about equal parts, ends included."""
    total = int(ends[-1]) if len(ends) else 0
    inner = np.searchsorted(ends, np.linspace(0, total, parts + 1)[1:-1])
    return sorted({0, *(int(cut) for cut in inner), len(ends)})


class LayerPair:
    """Layers (i, j) and (j, i) in one array: V of both, U of both, what they lead to, ones."""

    def __init__(self, order: LayerOrder, layers: tuple[Layer, ...], threads: int) -> None:
        self.order, self.layers, self.threads = order, layers, threads
        pieces = order.rules.pieces
        self.at: dict[tuple[str, Layer], int] = {}
        end = 0
        for part in "VU":
            for layer in layers:
                self.at[part, layer] = end
                end += order.size(layer)
        self.states = sum(order.size(layer) for layer in layers)
        for i, j in layers:
            self.at["beyond", (i, j)] = end
            if i + 1 < pieces:
                end += order.size((i + 1, j))
        self.won = end
        width = int(order.width[-1])
        self.size = end + width + LANES
        self.tiles = [np.empty(width * width + LANES) for _ in range(threads)]
        self.programs = [self._program(layer) for layer in layers]
        # Both layers by turns, as what one of them is renewed to leads back from the other.
        self._parts = [
            (program, begin, end)
            for cuts in zip_longest(*[list(pairwise(p.cuts)) for p in self.programs])
            for program, cut in zip(self.programs, cuts, strict=True)
            if cut
            for begin, end in [cut]
        ]

    def _program(self, layer: Layer) -> LayerProgram:
        order, (i, j) = self.order, layer
        pieces = order.rules.pieces
        here = order.offsets(layer)
        beyond = order.offsets((i + 1, j)) if i + 1 < pieces else here
        shape = self._shape(layer)
        first_row = np.concatenate([[0], np.cumsum(shape.rows)]).astype(np.int64)
        arguments = (
            order.tables.ways,
            order.pattern,
            order.tables.rolls,
            shape.patterns,
            order.width,
            order.number,
            order.mask,
            i,
            pieces - i,
            pieces - j,
            here,
            self.at["V", layer],
            self.at["U", layer],
            beyond,
            self.at["beyond", layer],
            self.won,
        )
        room = layer_kernels.program(*arguments, np.empty(0, np.int64), np.empty(0, np.uint32))
        first_op = np.empty(first_row[-1], np.int64)
        ops = np.empty(room, np.uint32)
        layer_kernels.program(*arguments, first_op, ops)
        return LayerProgram(**vars(shape), first_row=first_row, first_op=first_op, ops=ops)

    def _shape(self, layer: Layer) -> LayerShape:
        order, (i, j) = self.order, layer
        pieces = order.rules.pieces
        here = order.offsets(layer)
        patterns = order.by_progress[here[order.by_progress] >= 0]
        rows = order.width[pieces - i - order.on_lane[0][patterns]]
        columns = order.width[pieces - j - order.on_lane[1][patterns]]
        turned = order.offsets((j, i))[order.turned[patterns]]
        parts = min(PARTS * self.threads, 1 + order.size(layer) // LEAST_PART)
        cuts = _cuts(np.cumsum(rows * columns), parts)
        return LayerShape(layer, patterns, rows, columns, here[patterns], turned, cuts)

    def gap(self, store: Source) -> float:
        """Return the widest gap of the layers that these lead to, on the scale from -1 to 1."""
        last = self.order.rules.pieces - 1
        ahead = [(j, i + 1) for i, j in self.layers if i < last]
        return max((2.0 * found[1] for a in ahead if (found := store.get(a))), default=0.0)

    def fill(self, store: Source, widen: float = 0.0) -> Values:
        """Return the array with what the layers lead to, a win included, raised by ``widen``."""
        order = self.order
        values = np.zeros(self.size)
        values[self.won :] = 1.0 + widen
        pieces = order.rules.pieces
        for i, j in self.layers:
            if i + 1 == pieces:
                continue
            found = store.get((j, i + 1))
            assert found is not None  # noqa: S101 - solved before
            at = self.at["beyond", (i, j)]
            size = order.size((i + 1, j))
            part = values[at : at + size]
            self._turn(self._shape((j, i + 1)), found[0], part)  # minus the chance of the other
            part *= 2.0
            part += 1.0 + widen
        return values

    def solved(self, solution: Source) -> tuple[Values, float]:
        """Return the array filled from a solution that has all layers, and their widest gap."""
        values = self.fill(solution)
        gap = 0.0
        for layer in self.layers:
            found = solution.get(layer)
            assert found is not None  # noqa: S101 - solved
            at = self.at["V", layer]
            values[at : at + len(found[0])] = 2.0 * found[0] - 1.0
            gap = max(gap, found[1])
        self.renew_turned(values)
        return values, gap

    def _turn(self, shape: LayerShape, source: Values, out: Values) -> None:
        """Write U of the layer with the sides exchanged from V of a layer."""

        def part(_: int, first: int, last: int) -> None:
            begin, end = shape.cuts[first], shape.cuts[last]
            layer_kernels.turn(
                shape.rows, shape.columns, shape.begin, shape.turned, source, out, begin, end
            )

        for_chunks(len(shape.cuts) - 1, 1, part, self.threads)

    def renew_turned(self, values: Values, other: Values | None = None) -> None:
        """Make U of both layers what V says; with two arrays, each U what the other's V says."""
        arrays = [(values, values)] if other is None else [(values, other), (other, values)]
        for source, out in arrays:
            for program in self.programs:
                at, to = self._places(program)
                self._turn(program, source[at], out[to])

    def turn_raised(self, values: Values, raised: Values) -> None:
        """Raise U of both layers by what V of both is raised by."""
        for program in self.programs:
            at, to = self._places(program)
            self._turn(program, 2.0 * values[at] - raised[at], raised[to])

    def _places(self, shape: LayerShape) -> tuple[slice, slice]:
        """Return where V of a layer lies, and U of the one with the sides exchanged."""
        i, j = shape.layer
        at, to, size = self.at["V", (i, j)], self.at["U", (j, i)], self.order.size((i, j))
        return slice(at, at + size), slice(to, to + size)

    def sweep(
        self,
        values: Values,
        mirror: Values,
        shift: float = 0.0,
        change: Changes = NO_CHANGE,
        base: Values = NO_BASE,
    ) -> tuple[float, float]:
        """Renew all values once; return the largest rise and the largest fall.

        The arguments are what `urcx.solve.layer_kernels.sweep` takes.
        """
        moved = [(0.0, 0.0)]

        def part(thread: int, first: int, last: int) -> None:
            for program, begin, end in self._parts[first:last]:
                arrays = values, mirror, shift, change, base
                moved.append(self._part(program, arrays, thread, begin, end))

        if self.states < SMALL:
            part(0, 0, len(self._parts))
        else:
            for_chunks(len(self._parts), 1, part, self.threads)
        rises, falls = zip(*moved, strict=True)
        return max(rises), max(falls)

    def _part(
        self,
        program: LayerProgram,
        arrays: tuple[Values, Values, float, Changes, Values],
        thread: int,
        first: int,
        last: int,
    ) -> tuple[float, float]:
        values, mirror, shift, change, base = arrays
        at, to = self._places(program)
        found: tuple[float, float] = layer_kernels.sweep(
            values,
            mirror,
            program.rows,
            program.columns,
            program.turned,
            to.start,
            program.ops,
            self.order.tables.chance,
            at.start + int(program.begin[first]),
            int(program.first_op[program.first_row[first]]),
            shift,
            self.tiles[thread],
            change,
            base,
            first,
            last,
        )
        return found
