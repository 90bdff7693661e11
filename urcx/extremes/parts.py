"""Parts of a pair of layers: states with the same pieces on the last private tiles.

A piece that has left the shared tiles cannot be captured any more, and so never returns. So games
pass through the parts of a pair in one direction, as they do through the layers, and parts can be
settled one after the other. Within a part, captures lead back and forth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property, reduce
from operator import or_

import numpy as np

from urcx.engine.vector_types import LANES
from urcx.expectations.pair_choices import no_picks
from urcx.extremes import part_kernels
from urcx.extremes.pair_rows import PairRows
from urcx.solving.layered.order import IntArray, Layer, LayerOrder
from urcx.solving.layered.pair import Values, in_parts
from urcx.solving.layered.waves import shares_of
from urcx.sweeps.layout_kernels import Picks, StateRows

Kind = tuple[int, int]  # of the mover's and of the other side's pieces on the last tiles


class LastTiles:
    """Private tiles after the last shared one, and which rows of patterns have what on them.

    ``masks`` are the ways in which pieces can be on them, and ``lists`` and ``counts`` those of
    `urcx.extremes.part_kernels`, by the index of such a mask and a number of rows or columns.
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
        """Return the kinds of parts of a pair of layers, those that games come to last first."""
        number = len(self.masks)
        alike = len(layers) == 1
        found = [(a, b) for a in range(number) for b in range(a if alike else 0, number)]
        # Pieces come to the last tiles and move on there, so the sum of their steps grows.
        far = [sum(s + 1 for s in range(m.bit_length()) if m >> s & 1) for m in self.masks]
        return sorted(found, key=lambda kind: -far[kind[0]] - far[kind[1]])


class Part:
    """A part of a pair of layers: the ``rows`` of its patterns, and what they read.

    ``gains`` is what is counted in a ply, by rows: 1, or ``moving``, the chance of a legal move;
    ``best_exit`` is the greatest value of a move that leaves the part. Values have the ``size``
    states of the part, and then the same with the sides exchanged.
    """

    def __init__(self, rows: PairRows, kind: Kind, values: Values) -> None:
        self.rows_of_pair, self.pair = rows, rows.pair
        last = last_tiles(rows.pair.order)
        e = self._entries(last, kind)
        rows_of_entries = last.counts[e.of_rows, e.rows.rows]
        columns = last.counts[e.of_columns, e.rows.columns]
        ends = np.cumsum(rows_of_entries * columns)
        self.size = int(ends[-1]) if len(ends) else 0
        if not self.size:
            return
        begin = ends - rows_of_entries * columns
        states = self.pair.states
        self.cuts = shares_of(ends, self.size, self.pair.threads)
        self.numbers = np.full(states, -1, np.int32)
        part_kernels.number_states(e, begin, self.numbers)
        # Where the first state of the entry, seen with the sides exchanged, is in the part.
        corner = (
            e.rows.turned - states
            + last.lists[e.of_columns, e.rows.columns, 0] * e.rows.rows
            + last.lists[e.of_rows, e.rows.rows, 0]
        )  # fmt: skip
        turned = self.size + self.numbers[corner].astype(np.int64)
        row_ends = np.cumsum(rows_of_entries)
        self._collect(
            e, (rows_of_entries, columns, begin, turned, row_ends - rows_of_entries), values
        )

    def _entries(self, last: LastTiles, kind: Kind) -> part_kernels.Entries:
        rows, pair = self.rows_of_pair.rows, self.pair
        number = np.arange(len(rows.rows))
        a, b = (np.full(len(number), k) for k in kind)
        if len(pair.layers) == 2:  # two different layers
            second = rows.begin >= pair.at["V", pair.layers[1]]
            a, b = np.where(second, b, a), np.where(second, a, b)
        elif kind[0] != kind[1]:
            number = np.repeat(number, 2)
            a, b = (np.tile(k, len(number) // 2) for k in (kind, kind[::-1]))
        there = last.counts[a, rows.rows[number]] > 0
        there &= last.counts[b, rows.columns[number]] > 0
        of = StateRows._make([*(one[number[there]] for one in rows[:-2]), *rows[-2:]])
        return part_kernels.Entries(of, a[there], b[there], last.lists, last.counts)

    def _collect(
        self, entries: part_kernels.Entries, shape: tuple[IntArray, ...], values: Values
    ) -> None:
        """Find the rows of the part, whose first fields are ``shape``, and what they read."""
        pair, chance = self.pair, self.pair.order.tables.chance
        reads = part_kernels.Reads(pair.row_ops, pair.states, self.numbers, self.size)
        lengths, leaving = np.empty((2, len(entries.of_rows)), np.int64)
        self.in_parts(
            lambda _, i, j: part_kernels.measure_part(
                entries, reads, len(chance), lengths, leaving, self.cuts[i], self.cuts[j]
            )
        )
        ends, leave_ends = np.cumsum(lengths), np.cumsum(leaving)
        reads_of_part = np.empty(int(ends[-1]), np.uint32)
        self.rows = StateRows._make([*shape, ends - lengths, reads_of_part, chance])
        self.exits = np.zeros(int(leave_ends[-1]) + LANES)
        exits_at = leave_ends - leaving
        self.moving = np.empty(int(self.rows.rows.sum()))
        self.gains = np.ones(len(self.moving))
        self.in_parts(
            lambda _, i, j: part_kernels.collect(
                entries, reads, self.rows, values, exits_at, self.exits, self.moving,
                self.cuts[i], self.cuts[j],
            )
        )  # fmt: skip
        self.best_exit = float(self.exits.max())

    @cached_property
    def kept(self) -> Picks:
        """Return where moves are kept, made on the first call."""
        return no_picks(self.pair.order, len(self.gains), self.size)

    def in_parts(self, part: Callable[[int, int, int], None]) -> None:
        """Process all entries, in parallel if there are enough states."""
        in_parts(self.size, len(self.cuts) - 1, part, self.pair.threads)


@cache
def last_tiles(order: LayerOrder) -> LastTiles:
    """Return the last tiles of a rule set."""
    return LastTiles(order)


def parts_of(rows: PairRows, values: Values, unit: str = "plies") -> Iterator[Part]:
    """Yield the parts of a pair that have states, each when those before have values."""
    for kind in last_tiles(rows.pair.order).kinds(rows.pair.layers):
        part = Part(rows, kind, values)
        if part.size:
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
