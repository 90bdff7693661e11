"""The pair of layers (i, j) and (j, i) in one array, and sweeps over it.

A sweep is a sequence of waves. The result of a wave does not depend on the order in which threads
take its parts, or on their number, so all results are the same to the last bit. V of layer (i, j)
is computed from U of that layer, which is written together with V of (j, i), and after an extra
roll from V of the layer itself.

If i and j differ, a sweep first updates one layer, then the other: V, and turned U of the other
layer, which no part of the wave reads. If i = j, it first updates the patterns on which the mover's
pieces are ahead of the other side's, then the patterns on which both are equal, then the rest. U is
written after all V of a wave. This leaves extra rolls: a wave is divided into groups, and extra
rolls lead only to the same group or to other waves. One thread updates a group
(`urcx.solving.layered.order.LayerOrder.groups`).
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
    """A source of solved layers, whose values are the mover's win probabilities."""

    def get(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values and gap, or None if it is missing."""


@dataclass(frozen=True)
class LayerShape:
    """A layer's patterns in their order, with the numbers of rows and columns of each.

    ``begin`` is the offset of each pattern, ``turned`` the offset, in the layer (j, i), of the
    pattern with the sides exchanged. ``cuts`` divide the patterns into parts with about equal
    numbers of states.
    """

    layer: Layer
    patterns: IntArray
    rows: IntArray
    columns: IntArray
    begin: IntArray
    turned: IntArray
    cuts: list[int]


def _of_mover(values: Values, part: slice) -> Values:
    """Return a part of win probabilities, perhaps in a file, on the scale from -1 to 1."""
    result: Values = 2.0 * values[part]
    result -= 1.0
    return result


class LayerPair:
    """Layers (i, j) and (j, i) in one array: V and U of both, then their successors, then ones.

    If ``grouped``, patterns are in the order of `LayerOrder.by_group`, in which sweeps are faster,
    else in the order of files. ``rows`` and ``patterns`` are in the order of the array.
    ``layer_of`` has the index of each pattern's layer, and ``cuts`` divide the patterns of each
    layer into parts. ``row_ops`` has the places at which the reads of each row begin.
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
        """Process the parts between cuts, in parallel if there are enough states."""
        in_parts(self.states, cuts, part, self.threads)

    def each_layer(self, part: Work) -> None:
        """Process the patterns of one layer, then of the other."""
        for cuts in self.cuts:
            self.in_parts(cuts, part)

    def _order_sweeps(self) -> None:
        """Compute the order in which the solver updates the patterns, and its waves.

        ``waves`` has the indices that divide the patterns of each wave into parts. A part has
        complete groups, and all parts have about the same number of states.
        """
        order, of = self.order, self.patterns
        own, other = order.steps_of[:, of]
        half = 1 + np.sign(other - own) if len(self.layers) == 1 else self.layer_of
        keys = np.stack([of, -order.progress[of], *order.groups[:, of], half])
        by = np.lexsort(keys)
        # The beginnings of groups, of waves, and of the halves of the sweep.
        new = [np.any(np.diff(keys[k:, by], axis=1), axis=0) for k in (2, 3, 4)]
        self.in_waves = self.rows.of(by)
        self.waves = waves_of(self.in_waves.rows * self.in_waves.columns, new, self.threads)

    @cached_property
    def block(self) -> Block:
        """Return the pair for sweeps over expected plies: the greatest sum of steps first."""
        by = np.lexsort([self.layer_of, self.patterns, -self.order.progress[self.patterns]])
        return Block(self.rows.of(by), self.threads, self.tiles)

    def _read_rows(self) -> StateRows:
        """Compute the reads of both layers' rows, and return the rows."""
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
        # Room for the greatest number of moves. Pages that are never written take no memory.
        movable = np.minimum(left[:, 0], order.rules.path.length + 1)
        rooms = rows * len(order.tables.rolls) * (1 + movable)
        row_ends, ends = np.cumsum(rows), np.cumsum(rooms)
        self.ops = np.empty(int(ends[-1]) + layer_kernels.AHEAD, np.uint32)
        self.row_ops = np.empty(int(row_ends[-1]), np.int64)
        arguments = (
            self.diagrams(), layer_kernels.Targets(here, self.states, beyond, self.won),
            ends - rooms, row_ends - rows, self.row_ops, self.ops,
        )  # fmt: skip
        cuts = sorted({cut for of in self.cuts for cut in of})
        self._for_waves([(cuts, lambda _, i, j: layer_kernels.program(*arguments, i, j))])
        return StateRows(
            rows, columns, here[self.layer_of, self.patterns], turned, row_ends - rows,
            self.row_ops[row_ends - rows], self.ops, order.tables.chance,
        )  # fmt: skip

    def diagrams(self) -> Diagrams:
        """Return the configurations of both layers, for kernels."""
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
        """Return the slice of a layer's V."""
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
        """Return a layer's shape, if ``stored`` with the offsets of patterns in a store."""
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
        return max((2.0 * later[1] for a in ahead if (later := store.get(a))), default=0.0)

    def fill(self, store: LayerSource, values: Floats) -> Floats:
        """Write the values of later layers and of won games to the array, and return it."""

        def source(layer: Layer) -> Callable[[slice], Values]:
            stored = store.get(layer)
            assert stored is not None
            return partial(_of_mover, stored[0])

        values[self.won :] = 1.0
        self.turn_later(source, values)
        return values

    def filled(self, later: Callable[[Layer], Values]) -> Values:
        """Return an array of expectations: of later layers, and 0 for finished games."""
        values = np.zeros(self.size)
        self.turn_later(lambda layer: later(layer).__getitem__, values)
        beyond = values[2 * self.states : self.won]
        np.negative(beyond, out=beyond)  # turning negates
        return values

    def turn_later(
        self, source: Callable[[Layer], Callable[[slice], Values]], values: Values | Changes
    ) -> None:
        """Write the later layers' values to an array. Each source returns a part of a layer."""
        for layer, part in self.later():
            self.turn(self.shape(layer, stored=True), source(layer), values[part])

    def later(self) -> Iterator[tuple[Layer, slice]]:
        """Yield the later layers, with the sides exchanged, and their slices of the array."""
        for i, j in self.layers:
            if i + 1 < self.order.rules.pieces:
                at = self.at["beyond", (i, j)]
                yield (j, i + 1), slice(at, at + self.order.size((i + 1, j)))

    def solved(self, solution: LayerSource) -> tuple[Values, float]:
        """Return the array filled from a complete solution, and the widest gap of both layers."""
        values = self.fill(solution, np.zeros(self.size))
        return values, self.take(solution, values)

    def take(self, solution: LayerSource, values: Values) -> float:
        """Set V and U of both layers from a solution, and return their widest gap."""
        gap = 0.0
        for layer in self.layers:
            solved = solution.get(layer)
            assert solved is not None
            own = values[self.own(layer)]
            self.rearrange(layer, partial(_of_mover, solved[0]), own, stored=True)
            gap = max(gap, solved[1])
        self.update_turned(values)
        return gap

    def rearrange(
        self, layer: Layer, source: Callable[[slice], Values], out: Values, *, stored: bool
    ) -> None:
        """Copy a layer, in parts, from the order of a store to the order of this array or back.

        If ``stored``, the source is in the order of a store.
        """
        shape = self.shape(layer, stored=stored)
        to = self.order.offsets(layer, grouped=stored and self.grouped)[shape.patterns]

        def part(patterns: slice, at: slice) -> None:
            layer_kernels.rearrange(
                shape.rows[patterns], shape.columns[patterns], shape.begin[patterns] - at.start,
                to[patterns], source(at), out,
            )  # fmt: skip

        self._for_patterns(shape, part)

    def turn(
        self, shape: LayerShape, source: Callable[[slice], Values], out: Values | Changes
    ) -> None:
        """Write U of the layer with the sides exchanged, from V of a layer in parts."""

        def part(patterns: slice, at: slice) -> None:
            turn(
                shape.rows[patterns], shape.columns[patterns], shape.begin[patterns] - at.start,
                shape.turned[patterns], source(at), NO_CHANGE, NO_TILE, out,
                0, patterns.stop - patterns.start,
            )  # fmt: skip

        self._for_patterns(shape, part)

    def _for_patterns(self, shape: LayerShape, part: Callable[[slice, slice], None]) -> None:
        """Process a layer in parts: slices of its patterns, and of their states."""
        ends = np.append(shape.begin, self.order.size(shape.layer))

        def work(_: int, first: int, last: int) -> None:
            patterns = slice(shape.cuts[first], shape.cuts[last])
            part(patterns, slice(int(ends[patterns.start]), int(ends[patterns.stop])))

        for_chunks(len(shape.cuts) - 1, 1, work, self.threads)

    def update_turned(
        self, values: Values | Changes, excess: Changes = NO_CHANGE, *, last: bool = False
    ) -> None:
        """Set U of both layers from V, or only from `last_wave`, both raised by ``excess``."""
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
        """Raise the values of later layers and of won games, and set U with `update_turned`."""
        values[2 * self.states :] += by
        self.update_turned(values, excess)

    def forget_rows(self) -> None:
        """Free the arrays that sweeps do not need: row and pattern tables."""
        del self.rows, self.patterns, self.layer_of, self.row_ops

    def forget_moves(self) -> None:
        """Free the moves of all rows, after the last sweep."""
        del self.ops, self.in_waves

    @property
    def last_wave(self) -> slice:
        """Return the part of V that decides all other values when a sweep begins.

        If the layers differ, it is the second layer, from which the first is computed.
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
        """Update all values once, and return the largest increase and the largest decrease.

        ``shift`` is added to every value. ``change`` receives the changes in `last_wave`.
        ``excess`` is described in `urcx.solving.layered.kernels.sweep`. Unless ``kept``, no value
        is written.
        """
        rows = self.in_waves
        moved = [(0.0, 0.0)]
        begin = self.last_wave.start
        apart = len(self.layers) == 1  # U is written after all V of a wave

        def part(thread: int, first: int, last: int) -> None:
            recorded = change if rows.begin[first] >= begin else NO_CHANGE
            tile = self.tiles[thread][0] if kept and not apart else NO_TILE
            rise_and_fall = layer_kernels.sweep(
                values, rows, shift, recorded, begin, excess, tile, kept, first, last
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
