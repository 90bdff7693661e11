"""The pair of layers (i, j) and (j, i) in one array, and sweeps over it.

A sweep is a row of waves. What a wave computes does not depend on the order in which threads take
its parts, nor on their number, so all results are the same to the last bit. V of layer (i, j) is
computed from U of that layer, which is written together with V of (j, i), and, after an extra roll,
from V of the layer itself. So if i and j differ, a sweep first renews one layer, then the other: V,
and turned U of the other layer, which nothing reads meanwhile. If i = j, it first renews the
patterns on which the mover's pieces are further along than the other side's, then those on which
both are as far, then the rest; U is written once all V of a wave are. What remains are extra rolls.
A wave is divided into groups such that they lead only to the same group or to other waves, and one
thread renews a group; see `urcx.solving.layered.order.LayerOrder.groups`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import for_chunks, in_phases
from urcx.engine.vector_types import LANES, MOST_LANES
from urcx.solving.layered import kernels as layer_kernels
from urcx.solving.layered.order import IntArray, Layer, LayerOrder
from urcx.solving.layered.waves import Sequence, phase_of, shares_of, waves_of
from urcx.sweeps.layout_kernels import Diagrams, StateRows

SMALL = 100_000  # states; with fewer, threads do not pay off

Values = NDArray[np.float64]
Changes = NDArray[np.float32]
Floats = TypeVar("Floats", Values, Changes)
NO_CHANGE = np.empty(0, np.float32)
NO_TILE = np.empty(0)


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
    """The reads of each row of a layer; see `urcx.solving.layered.kernels.program`.

    ``in_pair`` has the rows as they are in the pair's arrays, counted over both layers.
    """

    first_row: IntArray
    first_op: IntArray
    in_pair: StateRows


def _of_mover(values: Values, part: slice) -> Values:
    """Return a part of winning probabilities, perhaps in a file, on the scale from -1 to 1."""
    found: Values = 2.0 * values[part]
    found -= 1.0
    return found


def in_parts(states: int, parts: int, part: Callable[[int, int, int], None], threads: int) -> None:
    """Process parts, by ``part(thread, first, last)``; in parallel if they have enough states."""
    if states < SMALL:
        part(0, 0, parts)
    else:
        for_chunks(parts, 1, part, threads)


class LayerPair:
    """Layers (i, j) and (j, i) in one array: V and U of both, then their successors, then ones.

    If ``grouped``, patterns are in the order of `LayerOrder.by_group` there, in which sweeps are
    faster; else in that of files.
    """

    def __init__(
        self,
        order: LayerOrder,
        layers: tuple[Layer, ...],
        threads: int,
        *,
        grouped: bool = False,
    ) -> None:
        self.order, self.layers, self.threads, self.grouped = order, layers, threads, grouped
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
        self.size = end + width + MOST_LANES
        stride = -(-width // LANES) * LANES
        self.tiles = [np.empty((width + LANES) * stride) for _ in range(threads)]
        shapes = [self.shape(layer) for layer in layers]
        # Room for the greatest number of moves; pages never written take no memory.
        movable = [min(pieces - i, order.rules.path.length + 1) for i, _ in layers]
        mosts = [len(order.tables.rolls) * (1 + number) for number in movable]
        numbers = [int(shape.rows.sum()) for shape in shapes]
        rooms = [number * most for number, most in zip(numbers, mosts, strict=True)]
        self.ops = np.empty(sum(rooms), np.uint32)
        # Where the reads of each row begin, of the rows of both layers in turn.
        self.row_ops = np.empty(sum(numbers), np.int64)
        self.programs = [
            self._program(shape, sum(numbers[:k]), sum(rooms[:k]), most)
            for k, (shape, most) in enumerate(zip(shapes, mosts, strict=True))
        ]
        self.sequence = self._sequence()

    def in_parts(self, parts: int, part: Callable[[int, int, int], None]) -> None:
        """Process parts of the pair, in parallel if there are enough states."""
        in_parts(self.states, parts, part, self.threads)

    def _sequence(self) -> Sequence:
        """Return the update order of all patterns."""
        order, alike = self.order, len(self.layers) == 1
        keys = []
        for number, program in enumerate(self.programs):
            of = program.patterns
            own, other = (order.steps_of[side][of] for side in (0, 1))
            half = 1 + np.sign(other - own) if alike else np.full(len(of), number)
            keys.append([of, -order.progress[of], *order.groups[:, of], half])
        rows, by = self.rows_by(keys)
        # Where a group begins, a wave, and a half of the sweep.
        found = np.concatenate(keys, axis=1)[:, by]
        new = [np.any(np.diff(found[k:], axis=1), axis=0) for k in (2, 3, 4)]
        return Sequence(rows, waves_of(rows.rows * rows.columns, new, self.threads), alike)

    def rows_by(self, keys: Sequences[Any]) -> tuple[StateRows, IntArray]:
        """Return the rows of all patterns in an order, and the order.

        ``keys`` are those of each layer's patterns, for `numpy.lexsort`.
        """
        by = np.lexsort(np.concatenate(keys, axis=1))
        parts = [program.in_pair[:-2] for program in self.programs]
        found = np.ascontiguousarray(np.concatenate(parts, axis=1)[:, by])
        return StateRows._make([*found, self.ops, self.order.tables.chance]), by

    def _program(self, shape: LayerShape, row: int, room: int, most: int) -> LayerProgram:
        """Return a layer's program.

        Its first row is number ``row`` of the pair, its reads begin at ``room``, and ``most`` is
        the greatest length of a row's part.
        """
        first_row = np.concatenate([[0], np.cumsum(shape.rows)]).astype(np.int64)
        first_op = self.row_ops[row : row + int(first_row[-1])]
        diagrams, layer = self.diagrams(shape), shape.layer
        i, j = layer
        further = i + 1 < self.order.rules.pieces
        targets = layer_kernels.Targets(
            self.at["V", layer],
            self.at["U", layer],
            self._offsets((i + 1, j)) if further else diagrams.here,
            self.at["beyond", layer],
            self.won,
        )

        def part(_: int, begin: int, end: int) -> None:
            layer_kernels.program(
                diagrams, targets, room, most, first_row, first_op, self.ops, begin, end
            )

        self._for_waves([(shape.cuts, part)])
        at, to = (place.start for place in self.places(shape))
        begins = first_row[:-1]
        in_pair = StateRows(
            shape.rows, shape.columns, at + shape.begin, to + shape.turned, row + begins,
            first_op[begins], self.ops, self.order.tables.chance,
        )  # fmt: skip
        return LayerProgram(**vars(shape), first_row=first_row, first_op=first_op, in_pair=in_pair)

    def diagrams(self, shape: LayerShape) -> Diagrams:
        """Return the diagrams of a layer, as kernels take them."""
        order = self.order
        return Diagrams(
            order.tables.ways,
            order.pattern,
            order.tables.rolls,
            shape.patterns,
            order.width,
            order.mask,
            order.number,
            shape.layer,
            self._offsets(shape.layer),
        )

    def _offsets(self, layer: Layer) -> IntArray:
        return self.order.offsets(layer, grouped=self.grouped)

    def shape(self, layer: Layer, *, stored: bool = False) -> LayerShape:
        """Return a layer's shape; a ``stored`` one begins where its patterns do in a store."""
        order, (i, j) = self.order, layer
        pieces = order.rules.pieces
        grouped = self.grouped and not stored
        here = order.offsets(layer, grouped=grouped)
        by = order.by_group if grouped else order.by_progress
        patterns = by[here[by] >= 0]
        rows = order.width[pieces - i - order.on_lane[0][patterns]]
        columns = order.width[pieces - j - order.on_lane[1][patterns]]
        turned = self._offsets((j, i))[order.turned[patterns]]
        cuts = shares_of(np.cumsum(rows * columns), order.size(layer), self.threads)
        return LayerShape(layer, patterns, rows, columns, here[patterns], turned, cuts)

    def gap(self, store: LayerSource) -> float:
        """Return the widest gap of the later layers that these read, on the scale from -1 to 1."""
        last = self.order.rules.pieces - 1
        ahead = [(j, i + 1) for i, j in self.layers if i < last]
        return max((2.0 * found[1] for a in ahead if (found := store.get(a))), default=0.0)

    def fill(self, store: LayerSource, values: Floats) -> Floats:
        """Return the array, after writing the values of later layers and of won games to it."""
        values[self.won :] = 1.0
        for layer, part in self.later():
            found = store.get(layer)
            assert found is not None
            shape = self.shape(layer, stored=True)
            self.turn(shape, partial(_of_mover, found[0]), values[part])
        return values

    def later(self) -> Iterator[tuple[Layer, slice]]:
        """Yield the later layers that moves lead to, and where they are, the sides exchanged."""
        for i, j in self.layers:
            if i + 1 < self.order.rules.pieces:
                at = self.at["beyond", (i, j)]
                yield (j, i + 1), slice(at, at + self.order.size((i + 1, j)))

    def solved(self, solution: LayerSource) -> tuple[Values, float]:
        """Return the array filled from a solution with all layers, and their widest gap."""
        values = self.fill(solution, np.zeros(self.size))
        return values, self.take(solution, values)

    def take(self, solution: LayerSource, values: Values) -> float:
        """Set V and U of both layers from a solution; return its widest gap there."""
        gap = 0.0
        for layer in self.layers:
            found = solution.get(layer)
            assert found is not None
            at = self.at["V", layer]
            own = values[at : at + len(found[0])]
            self.rearrange(layer, partial(_of_mover, found[0]), own, stored=True)
            gap = max(gap, found[1])
        self.update_turned(values)
        return gap

    def rearrange(
        self, layer: Layer, source: Callable[[slice], Values], out: Values, *, stored: bool
    ) -> None:
        """Copy a layer, fetched in parts, from the order of a store to that of this array or back.

        ``stored`` says that the source is in the order of a store.
        """
        shape = self.shape(layer, stored=stored)
        to = self.order.offsets(layer, grouped=stored and self.grouped)[shape.patterns]

        def part(these: slice, at: slice) -> None:
            layer_kernels.rearrange(
                shape.rows[these], shape.columns[these], shape.begin[these] - at.start, to[these],
                source(at), out,
            )  # fmt: skip

        self._for_patterns(shape, part)

    def turn(
        self, shape: LayerShape, source: Callable[[slice], Values], out: Values | Changes
    ) -> None:
        """Write U of the layer with the sides exchanged from V of a layer, fetched in parts."""

        def part(these: slice, at: slice) -> None:
            layer_kernels.turn(
                shape.rows[these], shape.columns[these], shape.begin[these] - at.start,
                shape.turned[these], source(at), NO_CHANGE, NO_TILE, out,
                0, these.stop - these.start,
            )  # fmt: skip

        self._for_patterns(shape, part)

    def _for_patterns(self, shape: LayerShape, part: Callable[[slice, slice], None]) -> None:
        """Process a layer in parts: some of its patterns, and where their states are."""
        ends = np.append(shape.begin, self.order.size(shape.layer))

        def work(_: int, first: int, last: int) -> None:
            these = slice(shape.cuts[first], shape.cuts[last])
            part(these, slice(int(ends[these.start]), int(ends[these.stop])))

        for_chunks(len(shape.cuts) - 1, 1, work, self.threads)

    def update_turned(
        self, values: Values | Changes, excess: Changes = NO_CHANGE, *, last: bool = False
    ) -> None:
        """Set U of both layers from V, both raised by ``excess``; or only from `last_wave`."""
        own = self.sequence
        begin = self.last_wave.start if last else 0
        waves = [wave for wave in own.waves if own.rows.begin[wave[0]] >= begin]
        cuts = sorted({cut for wave in waves for cut in wave})
        self._for_waves([(cuts, partial(self._turn_part, values, excess))])

    def _turn_part(
        self, values: Values | Changes, excess: Changes, thread: int, first: int, last: int
    ) -> None:
        layer_kernels.turn(
            *self.sequence.rows[:4], values, excess, self.tiles[thread], values, first, last
        )

    def places(self, shape: LayerShape) -> tuple[slice, slice]:
        """Return the slices of a layer's V, and of U of the layer with the sides exchanged."""
        i, j = shape.layer
        at, to, size = self.at["V", (i, j)], self.at["U", (j, i)], self.order.size((i, j))
        return slice(at, at + size), slice(to, to + size)

    def widen(self, values: Values, excess: Changes, by: float) -> None:
        """Raise the values of later layers and of won games, and set U as `update_turned` does."""
        values[2 * self.states :] += by
        self.update_turned(values, excess)

    def forget_programs(self) -> None:
        """Free what sweeps do without: where each row's reads begin, and the layers' shapes."""
        self.programs, self.row_ops = [], np.empty(0, np.int64)

    def forget_moves(self) -> None:
        """Free the moves of all rows, after the last sweep."""
        self.forget_programs()
        self.ops = np.empty(0, np.uint32)
        self.sequence = replace(self.sequence, rows=self.sequence.rows._replace(ops=self.ops))

    @property
    def last_wave(self) -> slice:
        """The part of V that decides all other values when a sweep begins.

        If the layers differ, it is that of the second: the first is computed from it.
        """
        return slice(self.at["V", self.layers[-1]], self.states)

    def sweep(
        self,
        values: Values | Changes,
        shift: float = 0.0,
        change: Changes = NO_CHANGE,
        excess: Changes = NO_CHANGE,
        *,
        kept: bool = True,
    ) -> tuple[float, float]:
        """Update all values once; return the largest increase and the largest decrease.

        ``shift`` is added to every value; ``change`` receives the changes in `last_wave`;
        ``excess`` is that of `urcx.solving.layered.kernels.sweep`. Unless ``kept``, no value is
        written.
        """
        own = self.sequence
        moved = [(0.0, 0.0)]
        begin = self.last_wave.start

        def part(thread: int, first: int, last: int) -> None:
            told = change if own.rows.begin[first] >= begin else NO_CHANGE
            rise_and_fall = layer_kernels.sweep(
                values, own.rows, shift, told, begin, excess, kept, first, last
            )
            moved.append(rise_and_fall)
            if kept and not own.apart:
                self._turn_part(values, excess, thread, first, last)

        waves: list[tuple[list[int], Callable[[int, int, int], None]]] = []
        for cuts in own.waves:
            waves.append((cuts, part))
            if kept and own.apart:
                waves.append((cuts, partial(self._turn_part, values, excess)))
        self._for_waves(waves)
        self.swept()
        rises, falls = zip(*moved, strict=True)
        return max(rises), max(falls)

    def _for_waves(self, waves: list[tuple[list[int], Callable[[int, int, int], None]]]) -> None:
        """Process the parts of several waves, one wave after the other.

        The parts of a wave are processed in parallel if there are enough states.
        """
        if self.states < SMALL or all(len(cuts) == 2 for cuts, _ in waves):
            for cuts, part in waves:
                part(0, cuts[0], cuts[-1])
            return
        in_phases([phase_of(cuts, part) for cuts, part in waves], self.threads)
