"""Parts of a pair of layers: states with the same pieces on the last private tiles.

A piece that has left the shared tiles cannot be captured, and so never returns. So games pass
through the parts of a pair in one direction, as they do through the layers, and parts can be
settled one after another. Within a part, captures lead back and forth.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property, reduce
from operator import or_

import numpy as np

from urcx.contrib.extremes import part_kernels
from urcx.engine.vector_types import LANES
from urcx.expectations.choices import no_picks
from urcx.solving.layered.order import IntArray, Layer, LayerOrder
from urcx.solving.layered.pair import LayerPair
from urcx.sweeps.blocks import Block, Values
from urcx.sweeps.layout_kernels import Picks, StateRows

NO_EXITS = np.empty(0)

Kind = tuple[int, int]  # kinds of the mover's and the other side's pieces on the last tiles


class LastTiles:
    """The private tiles after the last shared tile, and the rows of patterns by their contents.

    ``masks`` are the possible contents of these tiles. `urcx.contrib.extremes.part_kernels`
    describes ``lists`` and ``counts``, by the index of a mask and a number of rows or columns.
    """

    def __init__(self, order: LayerOrder) -> None:
        shared = reduce(or_, (int(mask) for mask in order.lane[0]))
        width = int(order.width[-1])
        steps = order.pattern.own_steps[0]
        last = [int(steps[mask]) >> shared.bit_length() for mask in order.mask[:width]]
        self.masks = sorted(set(last))
        self.lists = np.zeros((len(self.masks), width + 1, width), np.int64)
        self.counts = np.zeros((len(self.masks), width + 1), np.int64)
        for of in {int(number) for number in order.width}:
            for k in range(of):
                # Masks are stored in descending order of their numbers.
                kind = self.masks.index(last[of - 1 - k])
                self.lists[kind, of, self.counts[kind, of]] = k
                self.counts[kind, of] += 1

    def kinds(self, layers: tuple[Layer, ...]) -> list[Kind]:
        """Return the kinds of parts of a pair of layers, the last ones of games first."""
        number = len(self.masks)
        symmetric = len(layers) == 1
        result = [(a, b) for a in range(number) for b in range(a if symmetric else 0, number)]
        # Pieces enter the last tiles and move forwards there, so the sum of their steps grows.
        far = [sum(s + 1 for s in range(m.bit_length()) if m >> s & 1) for m in self.masks]
        return sorted(result, key=lambda kind: -far[kind[0]] - far[kind[1]])


class Part(Block):
    """A part of a pair of layers: the rows of its patterns, and their operations.

    ``gains`` is the count of a ply by row: 1, or ``moving``, the probability of a legal move.
    ``best_exit`` is the greatest value of a move that leaves the part. ``numbers`` has the number
    in the part of each of the pair's states, or -1 for states outside it.
    """

    def __init__(self, pair: LayerPair, kind: Kind, values: Values) -> None:
        self.pair = pair
        last = last_tiles(pair.order)
        e = self._entries(last, kind)
        rows, columns = (
            last.counts[e.of_rows, e.rows.rows],
            last.counts[e.of_columns, e.rows.columns],
        )
        begin, first_row = np.cumsum(rows * columns) - rows * columns, np.cumsum(rows) - rows
        states = pair.states
        self.numbers = np.full(states, -1, np.int32)
        part_kernels.number_states(e, begin, self.numbers)
        # The place in the part of the first state of each entry with exchanged sides.
        corner = (
            e.rows.turned - states
            + last.lists[e.of_columns, e.rows.columns, 0] * e.rows.rows
            + last.lists[e.of_rows, e.rows.rows, 0]
        )  # fmt: skip
        turned = int((rows * columns).sum()) + self.numbers[corner].astype(np.int64)
        reads = np.zeros_like(rows), np.empty(0, np.uint32)  # none yet
        shape = StateRows(rows, columns, begin, turned, first_row, *reads, pair.rows.chance)
        super().__init__(shape, pair.threads, pair.tiles)
        if self.states:
            self._collect(e, values)

    def _entries(self, last: LastTiles, kind: Kind) -> part_kernels.Entries:
        rows, pair = self.pair.block.rows, self.pair
        number = np.arange(len(rows.rows))
        a, b = (np.full(len(number), k) for k in kind)
        if len(pair.layers) == 2:  # two different layers
            second = rows.begin >= pair.at["V", pair.layers[1]]
            a, b = np.where(second, b, a), np.where(second, a, b)
        elif kind[0] != kind[1]:
            number = np.repeat(number, 2)
            a, b = (np.tile(k, len(number) // 2) for k in (kind, kind[::-1]))
        present = last.counts[a, rows.rows[number]] > 0
        present &= last.counts[b, rows.columns[number]] > 0
        of = rows.of(number[present])
        return part_kernels.Entries(of, a[present], b[present], last.lists, last.counts)

    def _collect(self, entries: part_kernels.Entries, values: Values) -> None:
        """Write the operations of the rows of the part."""
        pair = self.pair
        reads = part_kernels.Reads(pair.row_ops, pair.states, self.numbers, self.states)
        self.moving = np.empty(int(self.rows.rows.sum()))
        self.gains = np.ones(len(self.moving))

        def collect(exits_at: IntArray, exits: Values) -> None:
            arguments = entries, reads, self.rows, values, exits_at, exits, self.moving
            self.in_parts(lambda _, *these: part_kernels.collect(*arguments, *these))

        leaving = np.zeros_like(self.rows.first_op)
        collect(leaving, NO_EXITS)
        ends, leave_ends = np.cumsum(self.rows.first_op), np.cumsum(leaving)
        self.rows = self.rows._replace(
            first_op=ends - self.rows.first_op, ops=np.empty(int(ends[-1]), np.uint32)
        )
        self.exits = np.zeros(int(leave_ends[-1]) + LANES)
        collect(leave_ends - leaving, self.exits)
        self.best_exit = float(self.exits.max())

    @cached_property
    def kept(self) -> Picks:
        """Return the array of stored moves, which the first call makes."""
        return no_picks(self.pair.order, len(self.gains), self.states)


@cache
def last_tiles(order: LayerOrder) -> LastTiles:
    """Return the last tiles of a rule set."""
    return LastTiles(order)


def parts_of(pair: LayerPair, values: Values, unit: str = "plies") -> Iterator[Part]:
    """Yield the parts of a pair that have states, each after the values of the previous part."""
    for kind in last_tiles(pair.order).kinds(pair.layers):
        part = Part(pair, kind, values)
        if part.states:
            if unit == "moves":
                part.gains = part.moving
            yield part


def part_size(order: LayerOrder, layers: tuple[Layer, ...], kind: Kind) -> int:
    """Return the number of states of a part."""
    last, pieces, total = last_tiles(order), order.rules.pieces, 0
    views = {(layer, kind if k == 0 else kind[::-1]) for k, layer in enumerate(layers)}
    if len(layers) == 1:
        views.add((layers[0], kind[::-1]))
    for (i, j), (a, b) in views:
        patterns = np.flatnonzero(order.offsets((i, j)) >= 0)
        rows = order.width[pieces - i - order.on_lane[0][patterns]]
        columns = order.width[pieces - j - order.on_lane[1][patterns]]
        total += int((last.counts[a, rows] * last.counts[b, columns]).sum())
    return total
