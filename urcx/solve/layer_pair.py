"""Two layers of the solver, (i, j) and (j, i), in one array, and one sweep over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import for_chunks
from urcx.engine.vector_kernels import LANES
from urcx.solve import layer_kernels
from urcx.solve.order import IntArray, Layer, LayerOrder

SMALL = 50_000  # states, below which threads do not pay
PARTS = 16  # that a layer is divided into for each thread

Values = NDArray[np.float64]
Changes = NDArray[np.float32]
NO_CHANGE = np.empty(0, np.float32)
NO_BASE = np.empty(0)


class Source(Protocol):
    """Where solved layers come from; values are chances of winning of the player to move."""

    def get(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values and gap, None if it is not there."""


@dataclass(frozen=True)
class LayerProgram:
    """What each row of a layer reads; see `urcx.solve.layer_kernels.program`.

    ``cuts`` divide the patterns into parts of about as many states.
    """

    layer: Layer
    patterns: IntArray
    cuts: list[int]
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

    def _program(self, layer: Layer) -> LayerProgram:
        order, (i, j) = self.order, layer
        pieces = order.rules.pieces
        here = order.offsets(layer)
        beyond = order.offsets((i + 1, j)) if i + 1 < pieces else here
        patterns = order.by_progress[here[order.by_progress] >= 0]
        rows = order.width[pieces - i - order.on_lane[0][patterns]]
        columns = order.width[pieces - j - order.on_lane[1][patterns]]
        cuts = _cuts(np.cumsum(rows * columns), PARTS * self.threads)
        first_row = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
        arguments = (
            order.tables.ways,
            order.pattern,
            order.tables.rolls,
            patterns,
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
        return LayerProgram(layer, patterns, cuts, first_row, first_op, ops)

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
            self._turn((j, i + 1), found[0], part)  # minus the chance of the other
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

    def _turn(self, layer: Layer, source: Values, out: Values) -> None:
        """Write U of the layer with the sides exchanged from V of a layer."""
        order, (i, j) = self.order, layer
        pieces = order.rules.pieces

        here = order.offsets(layer)
        cuts = _cuts(np.maximum.accumulate(here[order.by_progress]), PARTS * self.threads)

        def part(_: int, first: int, last: int) -> None:
            layer_kernels.turn(
                order.pattern,
                order.by_progress,
                order.width,
                pieces - i,
                pieces - j,
                here,
                order.offsets((j, i)),
                source,
                out,
                cuts[first],
                cuts[last],
            )

        for_chunks(len(cuts) - 1, 1, part, self.threads)

    def renew_turned(self, values: Values, other: Values | None = None) -> None:
        """Make U of both layers what V says; with two arrays, each U what the other's V says."""
        arrays = [(values, values)] if other is None else [(values, other), (other, values)]
        for source, out in arrays:
            for i, j in self.layers:
                at, to = self.at["V", (i, j)], self.at["U", (j, i)]
                size = self.order.size((i, j))
                self._turn((i, j), source[at : at + size], out[to : to + size])

    def turn_raised(self, values: Values, raised: Values) -> None:
        """Raise U of both layers by what V of both is raised by."""
        for i, j in self.layers:
            at, to = self.at["V", (i, j)], self.at["U", (j, i)]
            size = self.order.size((i, j))
            source = 2.0 * values[at : at + size] - raised[at : at + size]
            self._turn((i, j), source, raised[to : to + size])

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
        for program in self.programs:
            part = partial(self._part, program, (values, mirror, shift, change, base), moved)
            parts = len(program.cuts) - 1
            if self.order.size(program.layer) < SMALL:
                part(0, 0, parts)
            else:
                for_chunks(parts, 1, part, self.threads)
        rises, falls = zip(*moved, strict=True)
        return max(rises), max(falls)

    def _part(
        self,
        program: LayerProgram,
        arrays: tuple[Values, Values, float, Changes, Values],
        moved: list[tuple[float, float]],
        thread: int,
        first: int,
        last: int,
    ) -> None:
        order, (i, j) = self.order, program.layer
        pieces = order.rules.pieces
        values, mirror, shift, change, base = arrays
        moved.append(
            layer_kernels.sweep(
                values,
                mirror,
                order.pattern,
                program.patterns,
                program.first_row,
                program.first_op,
                program.ops,
                order.tables.chance,
                order.width,
                pieces - i,
                pieces - j,
                order.offsets((i, j)),
                self.at["V", (i, j)],
                order.offsets((j, i)),
                self.at["U", (j, i)],
                shift,
                self.tiles[thread],
                change,
                base,
                program.cuts[first],
                program.cuts[last],
            )
        )
