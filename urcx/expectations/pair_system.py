"""The linear system of a pair of layers: what leads to each of its states, for two policies.

Its rows, sources and sites are those of `urcx.expectations.visit_kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from urcx.engine.threads import for_chunks
from urcx.engine.vector_types import LANES
from urcx.expectations import visit_kernels as kernels
from urcx.expectations.pair_choices import chosen
from urcx.solving.layered.order import IntArray, Layer, LayerOrder
from urcx.solving.layered.pair import LayerPair, LayerShape
from urcx.sweeps.blocks import LEAST_PART, PARTS, cuts_of
from urcx.sweeps.layout_kernels import MARGIN, Picks, row_begins

ROWS = 1 << 12  # whose moves a thread follows at a time


class PairSystem:
    """What leads to each state of a pair of layers, of two policies.

    Arrays over states have a part of ``stride`` entries for each side to move, in its view, with
    `MARGIN` entries before the first state and after the last.
    """

    def __init__(
        self, order: LayerOrder, layers: tuple[Layer, ...], policies: tuple[Any, Any], threads: int
    ) -> None:
        self.order = order
        self.pair = LayerPair(order, layers, threads)
        self.stride = self.pair.states + 2 * MARGIN
        self._number_rows()
        self.alike = policies[0] is policies[1]
        light = chosen(policies[0], self.pair)
        self.chosen = [light, light if self.alike else chosen(policies[1], self.pair)]
        self.sources = self._sources()
        del self.leads
        self.sites = self._sites()

    def _number_rows(self) -> None:
        """Give rows of V, U and later layers numbers, and find the row that each read leads to."""
        pair, of = self.pair, self.pair.rows
        own, columns = row_begins(of.begin, of.rows, of.columns), np.repeat(of.columns, of.rows)
        begins, widths = [own, pair.states + own], [columns, columns]
        # Later layers, and the number of the first row of each.
        self.beyond: list[tuple[LayerShape, int]] = []
        for layer, part in pair.later():
            shape = pair.shape(layer[::-1])
            self.beyond.append((shape, sum(map(len, begins))))
            begins.append(part.start + row_begins(shape.begin, shape.rows, shape.columns))
            widths.append(np.repeat(shape.columns, shape.rows))
        # What wins leads to no row; one more, which no read reaches, ends the search for rows.
        begins.append(np.array([pair.won, pair.size + LANES]))
        widths.append(np.array([0, 0]))
        starts = np.concatenate(begins)
        self.rows = len(starts) - 2
        buckets = np.arange(0, pair.size + kernels.BUCKET, kernels.BUCKET)
        found = (np.searchsorted(starts, buckets, side="right") - 1).astype(np.int32)
        to = np.empty(len(pair.ops), np.int32)
        self.leads = kernels.Leads(pair.row_ops, pair.ops, to, starts, np.concatenate(widths))
        rolls, rows = len(self.order.tables.rolls), len(own)
        pair.in_parts(
            [*range(0, rows, ROWS), rows],
            lambda _, first, last: kernels.find_rows(self.leads, rolls, found, first, last),
        )

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
        chances = kernels.source_chances(side, self.order.tables.chance)
        types = np.uint32, np.uint32, np.uint16, np.uint16, np.uint16

        def written(number: int, ends: IntArray) -> kernels.Sources:
            arrays = [np.empty(number, kind) for kind in types]
            found = kernels.Sources._make([starts, *arrays, chances, side])
            kernels.write_sources(self.leads, side, len(self.order.tables.rolls), ends, found)
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
        pair, rows, patterns = self.pair, self.pair.rows, self.pair.patterns
        mirror = np.searchsorted(rows.begin, rows.turned - pair.states)
        sites = np.arange(len(patterns))
        if self.alike:  # a pattern and its mirror are one site
            alone = len(pair.layers) == 1
            sites = np.flatnonzero(patterns[mirror] >= patterns if alone else pair.layer_of == 0)
        of = patterns[sites]
        sites = sites[np.lexsort([pair.layer_of[sites], of, self.order.progress[of]])]
        sides = rows.of(sites), rows.of(mirror[sites])
        n = min(PARTS * pair.threads, 1 + 2 * pair.states // LEAST_PART)
        self.cuts = cuts_of(np.cumsum(sides[0].rows * sides[0].columns), n)
        # Rows of U follow all rows of V.
        passed = len(pair.row_ops) + np.stack([sides[1].first_row, sides[0].first_row])
        return kernels.Sites(sides, passed)
