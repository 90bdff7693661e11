"""The pair of layers (i, j) and (j, i) in one array, and sweeps over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import for_chunks
from urcx.engine.vector_kernels import LANES
from urcx.solving.layered import kernels as layer_kernels
from urcx.solving.layered.order import IntArray, Layer, LayerOrder

SMALL = 50_000  # states; with fewer, threads do not pay off
PARTS = 16  # into which a layer is divided for each thread
LEAST_PART = 8_000  # states; with fewer, a call costs more than its work

Values = NDArray[np.float64]
Changes = NDArray[np.float32]
NO_CHANGE = np.empty(0, np.float32)
NO_BASE = np.empty(0)


class LayerSource(Protocol):
    """Supplies solved layers; values are the mover's winning probabilities."""

    def get(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values and gap, or None if it is missing."""


@dataclass(frozen=True)
class LayerShape:
    """A layer's patterns in their order, with the numbers of rows and columns of each.

    ``begin`` is the offset of each pattern, ``turned`` that of the pattern with the sides exchanged
    in the layer (j, i). ``cuts`` divide the patterns into parts with about equal numbers of states.
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
    """The reads of each row of a layer; see `urcx.solving.layered.kernels.program`."""

    first_row: IntArray
    first_op: IntArray
    ops: NDArray[np.uint32]


@dataclass(frozen=True)
class Sequence:
    """Patterns of both layers in the order of their updates, alternating between the layers.

    Updates in one layer read values from the other. ``begin`` is the offset of each pattern's V,
    ``turned`` that of the corresponding U, ``first_op`` that of the pattern's reads. ``cuts`` are
    as in `LayerShape`.
    """

    rows: IntArray
    columns: IntArray
    begin: IntArray
    turned: IntArray
    first_op: IntArray
    cuts: list[int]


def cuts_of(ends: IntArray, parts: int) -> list[int]:
    """Return indices that divide the cumulative sums ``ends`` into about equal parts."""
    total = int(ends[-1]) if len(ends) else 0
    inner = np.searchsorted(ends, np.linspace(0, total, parts + 1)[1:-1])
    return sorted({0, *(int(cut) for cut in inner), len(ends)})


def _copied(values: Values, part: slice) -> Values:
    """Return a copy of a part of values, which may be read only or in a mapped file."""
    return values[part].copy()


def _lowered(values: Values, raised: Values, part: slice) -> Values:
    """Return values lowered by as much as ``raised`` exceeds them; negated, they rise as well."""
    return 2.0 * values[part] - raised[part]


class LayerPair:
    """Layers (i, j) and (j, i) in one array: V and U of both, then their successors, then ones."""

    def __init__(self, order: LayerOrder, layers: tuple[Layer, ...], threads: int) -> None:
        self.order, self.layers, self.threads = order, layers, threads
        self.swept: Callable[[], None] = lambda: None  # called after each sweep
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
        stride = -(-width // LANES) * LANES
        self.tiles = [np.empty((width + LANES) * stride) for _ in range(threads)]
        shapes = [self.shape(layer) for layer in layers]
        # Room for the greatest number of moves; pages never written take no memory.
        movable = [min(pieces - i, order.rules.path.length + 1) for i, _ in layers]
        mosts = [len(order.tables.rolls) * (1 + number) for number in movable]
        rooms = [int(s.rows.sum()) * most for s, most in zip(shapes, mosts, strict=True)]
        self.ops = np.empty(sum(rooms), np.uint32)
        self.kept = self.ops  # until `narrow` is called
        firsts = [0, *np.cumsum(rooms)]
        self.programs = [
            self._program(shape, self.ops[first : first + room], most)
            for shape, first, room, most in zip(shapes, firsts, rooms, mosts, strict=False)
        ]
        self.sequence = self._sequence(firsts)

    def _sequence(self, firsts: list[int]) -> Sequence:
        """Return the update order of all patterns; the programs begin at ``firsts`` in ``ops``."""
        keys, parts = [], []
        for number, (program, first) in enumerate(zip(self.programs, firsts, strict=False)):
            of = program.patterns
            keys.append([np.full(len(of), number), of, -self.order.progress[of]])
            at, to = (place.start for place in self.places(program))
            op = first + program.first_op[program.first_row[:-1]]
            begin, turned = at + program.begin, to + program.turned
            parts.append([program.rows, program.columns, begin, turned, op])
        by = np.lexsort(np.concatenate(keys, axis=1))
        rows, columns, begin, turned, op = np.concatenate(parts, axis=1)[:, by]
        n = min(PARTS * self.threads, 1 + self.states // LEAST_PART)
        return Sequence(rows, columns, begin, turned, op, cuts_of(np.cumsum(rows * columns), n))

    def _program(self, shape: LayerShape, ops: NDArray[np.uint32], most: int) -> LayerProgram:
        """Return a layer's program; ``most`` is the greatest length of a row's part."""
        first_row = np.concatenate([[0], np.cumsum(shape.rows)]).astype(np.int64)
        first_op = np.empty(first_row[-1], np.int64)
        arguments = self._arguments(shape)

        def part(_: int, first: int, last: int) -> None:
            begin, end = shape.cuts[first], shape.cuts[last]
            layer_kernels.program(*arguments, most, first_row, first_op, ops, begin, end)

        self._for_parts(len(shape.cuts) - 1, part)
        return LayerProgram(**vars(shape), first_row=first_row, first_op=first_op, ops=ops)

    def _arguments(self, shape: LayerShape) -> tuple[Any, ...]:
        """Return the input arguments of `urcx.solving.layered.kernels.program`."""
        order, layer = self.order, shape.layer
        i, j = layer
        pieces = order.rules.pieces
        here = order.offsets(layer)
        return (
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
            order.offsets((i + 1, j)) if i + 1 < pieces else here,
            self.at["beyond", layer],
            self.won,
        )

    def shape(self, layer: Layer) -> LayerShape:
        """Return a layer's shape."""
        order, (i, j) = self.order, layer
        pieces = order.rules.pieces
        here = order.offsets(layer)
        patterns = order.by_progress[here[order.by_progress] >= 0]
        rows = order.width[pieces - i - order.on_lane[0][patterns]]
        columns = order.width[pieces - j - order.on_lane[1][patterns]]
        turned = order.offsets((j, i))[order.turned[patterns]]
        parts = min(PARTS * self.threads, 1 + order.size(layer) // LEAST_PART)
        cuts = cuts_of(np.cumsum(rows * columns), parts)
        return LayerShape(layer, patterns, rows, columns, here[patterns], turned, cuts)

    def gap(self, store: LayerSource) -> float:
        """Return the widest gap of the later layers that these read, on the scale from -1 to 1."""
        last = self.order.rules.pieces - 1
        ahead = [(j, i + 1) for i, j in self.layers if i < last]
        return max((2.0 * found[1] for a in ahead if (found := store.get(a))), default=0.0)

    def fill(self, store: LayerSource, widen: float = 0.0) -> Values:
        """Return the array filled with the later layers and won games, raised by ``widen``."""
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
            # Minus the other side's probability.
            self.turn(self.shape((j, i + 1)), partial(_copied, found[0]), part)
            part *= 2.0
            part += 1.0 + widen
        return values

    def solved(self, solution: LayerSource) -> tuple[Values, float]:
        """Return the array filled from a solution with all layers, and their widest gap."""
        values = self.fill(solution)
        return values, self.take(solution, values)

    def take(self, solution: LayerSource, values: Values) -> float:
        """Set V and U of both layers from a solution; return its widest gap there."""
        gap = 0.0
        for layer in self.layers:
            found = solution.get(layer)
            assert found is not None  # noqa: S101 - solved
            at = self.at["V", layer]
            own = values[at : at + len(found[0])]
            np.multiply(found[0], 2.0, out=own)  # without a copy: layers are large
            own -= 1.0
            gap = max(gap, found[1])
        self.update_turned(values)
        return gap

    def turn(self, shape: LayerShape, source: Callable[[slice], Values], out: Values) -> None:
        """Write U of the layer with the sides exchanged from V of a layer, fetched in parts."""
        ends = np.append(shape.begin, self.order.size(shape.layer))

        def part(_: int, first: int, last: int) -> None:
            these = slice(shape.cuts[first], shape.cuts[last])
            at = slice(int(ends[these.start]), int(ends[these.stop]))
            layer_kernels.turn(
                shape.rows[these],
                shape.columns[these],
                shape.begin[these] - at.start,
                shape.turned[these],
                source(at),
                out,
            )

        for_chunks(len(shape.cuts) - 1, 1, part, self.threads)

    def update_turned(self, values: Values, other: Values | None = None) -> None:
        """Set U of both layers from V; with two arrays, each U from the other array's V."""
        arrays = [(values, values)] if other is None else [(values, other), (other, values)]
        for source, out in arrays:
            for program in self.programs:
                at, to = self.places(program)
                self.turn(program, source[at].__getitem__, out[to])

    def turn_raised(self, values: Values, raised: Values) -> None:
        """Raise U of both layers by as much as V of both is raised."""
        for program in self.programs:
            at, to = self.places(program)
            self.turn(program, partial(_lowered, values[at], raised[at]), raised[to])

    def places(self, shape: LayerShape) -> tuple[slice, slice]:
        """Return the slices of a layer's V, and of U of the layer with the sides exchanged."""
        i, j = shape.layer
        at, to, size = self.at["V", (i, j)], self.at["U", (j, i)], self.order.size((i, j))
        return slice(at, at + size), slice(to, to + size)

    def narrow(self, values: Values, within: float) -> None:
        """Select the moves for narrowed sweeps: those within a margin of the best in some state."""
        own = self.sequence
        if self.kept is self.ops:
            self.kept = np.empty_like(self.ops)

        def part(_: int, first: int, last: int) -> None:
            layer_kernels.narrow(
                values,
                own.rows,
                own.columns,
                own.first_op,
                self.ops,
                len(self.order.tables.chance),
                within,
                self.kept,
                own.cuts[first],
                own.cuts[last],
            )

        self._for_parts(len(own.cuts) - 1, part)

    def sweep(
        self,
        values: Values,
        mirror: Values,
        shift: float = 0.0,
        change: Changes = NO_CHANGE,
        base: Values = NO_BASE,
        *,
        narrowed: bool = False,
    ) -> tuple[float, float]:
        """Update all values once; return the largest increase and the largest decrease.

        The arguments are those of `urcx.solving.layered.kernels.sweep`. If ``narrowed``, only the
        moves selected by `narrow` are compared.
        """
        moved = [(0.0, 0.0)]

        own = self.sequence

        def part(thread: int, first: int, last: int) -> None:
            rise_and_fall = layer_kernels.sweep(
                values,
                mirror,
                own.rows,
                own.columns,
                own.begin,
                own.turned,
                own.first_op,
                self.kept if narrowed else self.ops,
                self.order.tables.chance,
                shift,
                self.tiles[thread],
                change,
                base,
                own.cuts[first],
                own.cuts[last],
            )
            moved.append(rise_and_fall)

        self._for_parts(len(own.cuts) - 1, part)
        self.swept()
        rises, falls = zip(*moved, strict=True)
        return max(rises), max(falls)

    def _for_parts(self, parts: int, part: Callable[[int, int, int], None]) -> None:
        """Process all parts, in parallel if there are enough states."""
        if self.states < SMALL:
            part(0, 0, parts)
        else:
            for_chunks(parts, 1, part, self.threads)
