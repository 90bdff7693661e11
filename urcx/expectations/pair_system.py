"""The linear system of a pair of layers: what leads to each of its states, for two policies.

Its rows, sources and sites are those of `urcx.expectations.visit_kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from urcx.engine.threads import for_chunks
from urcx.engine.vector_types import LANES
from urcx.expectations import visit_kernels as kernels
from urcx.expectations.pair_choices import chosen, row_begins
from urcx.solving.layered.order import IntArray, Layer, LayerOrder
from urcx.solving.layered.pair import (
    LayerPair,
    LayerShape,
)
from urcx.solving.layered.waves import LEAST_PART, PARTS, cuts_of
from urcx.sweeps.layout_kernels import Picks, StateRows

ROWS = 1 << 12  # whose moves a thread follows at a time


class PairSystem:
    """What leads to each state of a pair of layers, of two policies.

    Arrays over states have a part of ``stride`` entries for each side to move, in its view, with
    `LANES` entries before the first state and after the last.
    """

    def __init__(
        self, order: LayerOrder, layers: tuple[Layer, ...], policies: tuple[Any, Any], threads: int
    ) -> None:
        self.order = order
        self.pair = LayerPair(order, layers, threads)
        self.stride = self.pair.states + 2 * LANES
        self._number_rows()
        self.alike = policies[0] is policies[1]
        light = chosen(policies[0], self.pair)
        self.chosen = [light, light if self.alike else chosen(policies[1], self.pair)]
        self.sources = self._sources()
        del self.leads
        self.sites = self._sites()

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
        starts = np.concatenate(begins)
        self.rows = len(starts) - 2
        buckets = np.arange(0, pair.size + kernels.BUCKET, kernels.BUCKET)
        found = (np.searchsorted(starts, buckets, side="right") - 1).astype(np.int32)
        to = np.empty(len(pair.ops), np.int32)
        self.leads = kernels.Leads(pair.row_ops, pair.ops, to, starts, np.concatenate(columns))
        rolls, rows = len(self.order.tables.rolls), len(pair.row_ops)

        def part(_: int, first: int, last: int) -> None:
            begin, end = (min(k * ROWS, rows) for k in (first, last))
            kernels.find_rows(self.leads, rolls, found, begin, end)

        pair.in_parts(-(-rows // ROWS), part)

    def _sources(self) -> tuple[kernels.Sources, kernels.Sources]:
        """Return what leads to each row by each side's moves; the same if both are the same."""
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
        self.additions = 2 * most + 8  # that a term of a count passes through
        return made[0], made[-1]

    def _sources_of(self, side: Picks) -> kernels.Sources:
        starts = np.zeros(kernels.GROUPS * (self.rows + 1) + 1, np.int64)
        types = np.uint32, np.uint32, np.uint16, np.float64, np.uint16

        def written(number: int, ends: IntArray) -> kernels.Sources:
            arrays = [np.empty(number, kind) for kind in types]
            found = kernels.Sources._make([starts, *arrays, side])
            kernels.write_sources(self.leads, side, self.order.tables.chance, ends, found)
            return found

        written(0, starts[1:])  # counts them
        np.cumsum(starts, out=starts)
        return written(int(starts[-1]), starts.copy())

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
        sides = [
            StateRows(
                found[side], found[1 - side], found[2 + side], pair.states + found[3 - side],
                found[4 + side], pair.row_ops[found[4 + side]], pair.ops, order.tables.chance,
            )
            for side in (0, 1)
        ]  # fmt: skip
        return kernels.Sites((sides[0], sides[1]), found[6:8], np.cumsum(blocks) - blocks)
