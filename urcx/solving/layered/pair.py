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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol, TypeVar

import numpy as np

from urcx.engine.threads import for_chunks, in_phases
from urcx.engine.vector_types import LANES, MOST_LANES
from urcx.solving.layered import kernels as layer_kernels
from urcx.solving.layered.order import IntArray, Layer, LayerOrder
from urcx.sweeps import blocks
from urcx.sweeps.blocks import (
    NO_CHANGE,
    NO_TILE,
    Block,
    Changes,
    Values,
    Work,
    in_parts,
    phase_of,
    shares_of,
    waves_of,
)
from urcx.sweeps.layout_kernels import Diagrams, StateRows
from urcx.sweeps.sweep_kernels import turn

Floats = TypeVar("Floats", Values, Changes)


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


def _of_mover(values: Values, part: slice) -> Values:
    """Return a part of winning probabilities, perhaps in a file, on the scale from -1 to 1."""
    result: Values = 2.0 * values[part]
    result -= 1.0
    return result


class LayerPair:
    """Layers (i, j) and (j, i) in one array: V and U of both, then their successors, then ones.

    If ``grouped``, patterns are in the order of `LayerOrder.by_group` there, in which sweeps are
    faster; else in that of files. ``rows`` and ``patterns`` are in the order of the array,
    ``layer_of`` says which of the layers a pattern is of, and ``cuts`` divide those of each layer
    into parts. ``row_ops`` has where the reads of each row begin.
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
        self.states = order.states(layers)
        for i, j in layers:
            self.at["beyond", (i, j)] = end
            if i + 1 < pieces:
                end += order.size((i + 1, j))
        self.won = end
        width = int(order.width[-1])
        self.size = end + width + MOST_LANES
        stride = -(-width // LANES) * LANES
        self.tiles = [np.empty((2, (width + LANES) * stride)) for _ in range(threads)]
        shapes = [self.shape(layer) for layer in layers]
        counts = [len(shape.patterns) for shape in shapes]
        self.patterns = np.concatenate([shape.patterns for shape in shapes])
        self.layer_of = np.repeat(np.arange(len(layers)), counts)
        self.cuts = [
            [sum(counts[:k]) + cut for cut in shape.cuts] for k, shape in enumerate(shapes)
        ]
        self.rows = self._read_rows()
        self._order_sweeps()

    def in_parts(self, cuts: Sequence[int], part: Work) -> None:
        """Process what cuts divide, in parallel if there are enough states."""
        in_parts(self.states, cuts, part, self.threads)

    def each_layer(self, part: Work) -> None:
        """Process the patterns of one layer, then those of the other."""
        for cuts in self.cuts:
            self.in_parts(cuts, part)

    def _order_sweeps(self) -> None:
        """Find the order in which the solver renews the patterns, and its waves.

        ``waves`` has for each wave the indices that divide its patterns into parts, of whole groups
        and with about equal numbers of states.
        """
        order, of = self.order, self.patterns
        own, other = order.steps_of[:, of]
        half = 1 + np.sign(other - own) if len(self.layers) == 1 else self.layer_of
        keys = np.stack([of, -order.progress[of], *order.groups[:, of], half])
        by = np.lexsort(keys)
        # Where a group begins, a wave, and a half of the sweep.
        new = [np.any(np.diff(keys[k:, by], axis=1), axis=0) for k in (2, 3, 4)]
        self.in_waves = self.rows.of(by)
        self.waves = waves_of(self.in_waves.rows * self.in_waves.columns, new, self.threads)

    @cached_property
    def block(self) -> Block:
        """The pair for sweeps over what is to come: those with the greatest sum of steps first."""
        by = np.lexsort([self.layer_of, self.patterns, -self.order.progress[self.patterns]])
        return Block(self.rows.of(by), self.threads, self.tiles)

    def _read_rows(self) -> StateRows:
        """Return the rows of both layers, once it is found what each of them reads."""
        order, pieces = self.order, self.order.rules.pieces
        here = np.stack([self.at["V", of] + self._offsets(of) for of in self.layers])
        beyond = np.zeros_like(here)
        for k, (i, j) in enumerate(self.layers):
            if i + 1 < pieces:
                beyond[k] = self.at["beyond", (i, j)] + self._offsets((i + 1, j))
        left = pieces - np.array(self.layers)[self.layer_of]
        rows, columns = (
            order.width[left[:, side] - order.on_lane[side][self.patterns]] for side in (0, 1)
        )
        turned = self.states + here[::-1][self.layer_of, order.turned[self.patterns]]
        # Room for the greatest number of moves; pages never written take no memory.
        movable = np.minimum(left[:, 0], order.rules.path.length + 1)
        rooms = rows * len(order.tables.rolls) * (1 + movable)
        row_ends, ends = np.cumsum(rows), np.cumsum(rooms)
        self.ops = np.empty(int(ends[-1]) + layer_kernels.AHEAD, np.uint32)
        self.row_ops = np.empty(int(row_ends[-1]), np.int64)
        given = (
            self.diagrams(), layer_kernels.Targets(here, self.states, beyond, self.won),
            ends - rooms, row_ends - rows, self.row_ops, self.ops,
        )  # fmt: skip
        cuts = sorted({cut for of in self.cuts for cut in of})
        self._for_waves([(cuts, lambda _, i, j: layer_kernels.program(*given, i, j))])
        return StateRows(
            rows, columns, here[self.layer_of, self.patterns], turned, row_ends - rows,
            self.row_ops[row_ends - rows], self.ops, order.tables.chance,
        )  # fmt: skip

    def diagrams(self) -> Diagrams:
        """Return the diagrams of both layers, as kernels take them."""
        order = self.order
        return Diagrams(
            order.tables.ways,
            order.pattern,
            order.tables.rolls,
            self.patterns,
            order.width,
            order.mask,
            order.number,
            self.layer_of,
            np.array(self.layers),
        )

    def own(self, layer: Layer) -> slice:
        """Return where V of a layer is."""
        at = self.at["V", layer]
        return slice(at, at + self.order.size(layer))

    def ranked(self, state: int) -> tuple[Layer, int]:
        """Return the layer of a state, and its rank there."""
        last = self.layers[-1]
        layer = last if state >= self.at["V", last] else self.layers[0]
        return layer, state - self.at["V", layer]

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

        def source(layer: Layer) -> Callable[[slice], Values]:
            found = store.get(layer)
            assert found is not None
            return partial(_of_mover, found[0])

        values[self.won :] = 1.0
        self.turn_later(source, values)
        return values

    def filled(self, later: Callable[[Layer], Values]) -> Values:
        """Return an array of what is to come: that of later layers, 0 for finished games."""
        values = np.zeros(self.size)
        self.turn_later(lambda layer: later(layer).__getitem__, values)
        beyond = values[2 * self.states : self.won]
        np.negative(beyond, out=beyond)  # turning negates
        return values

    def turn_later(
        self, source: Callable[[Layer], Callable[[slice], Values]], values: Values | Changes
    ) -> None:
        """Write the later layers' values, each fetched in parts from its source, to an array."""
        for layer, part in self.later():
            self.turn(self.shape(layer, stored=True), source(layer), values[part])

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
            own = values[self.own(layer)]
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
            turn(
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
        begin = self.last_wave.start if last else 0
        waves = [wave for wave in self.waves if self.in_waves.begin[wave[0]] >= begin]
        cuts = sorted({cut for wave in waves for cut in wave})
        self._for_waves([(cuts, partial(self._turn_part, values, excess))])

    def _turn_part(
        self, values: Values | Changes, excess: Changes, thread: int, first: int, last: int
    ) -> None:
        turn(*self.in_waves[:4], values, excess, self.tiles[thread][0], values, first, last)

    def values_of(self, values: Values) -> dict[Layer, Values]:
        """Return copies of the values of both layers."""
        return {layer: values[self.own(layer)].copy() for layer in self.layers}

    def widen(self, values: Values, excess: Changes, by: float) -> None:
        """Raise the values of later layers and of won games, and set U as `update_turned` does."""
        values[2 * self.states :] += by
        self.update_turned(values, excess)

    def forget_rows(self) -> None:
        """Free what sweeps do without: where each row's reads begin, and the order of the array."""
        del self.rows, self.patterns, self.layer_of, self.row_ops

    def forget_moves(self) -> None:
        """Free the moves of all rows, after the last sweep."""
        del self.ops, self.in_waves

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
        rows = self.in_waves
        moved = [(0.0, 0.0)]
        begin = self.last_wave.start
        apart = len(self.layers) == 1  # U is written once all V of a wave are

        def part(thread: int, first: int, last: int) -> None:
            told = change if rows.begin[first] >= begin else NO_CHANGE
            tile = self.tiles[thread][0] if kept and not apart else NO_TILE
            rise_and_fall = layer_kernels.sweep(
                values, rows, shift, told, begin, excess, tile, kept, first, last
            )
            moved.append(rise_and_fall)

        waves: list[tuple[list[int], Work]] = []
        for cuts in self.waves:
            waves.append((cuts, part))
            if kept and apart:
                waves.append((cuts, partial(self._turn_part, values, excess)))
        self._for_waves(waves)
        self.swept()
        rises, falls = zip(*moved, strict=True)
        return max(rises), max(falls)

    def _for_waves(self, waves: list[tuple[list[int], Work]]) -> None:
        """Process the parts of several waves, one wave after the other.

        The parts of a wave are processed in parallel if there are enough states.
        """
        if self.states < blocks.SMALL or all(len(cuts) == 2 for cuts, _ in waves):
            for cuts, part in waves:
                part(0, cuts[0], cuts[-1])
            return
        in_phases([phase_of(cuts, part) for cuts, part in waves], self.threads)
