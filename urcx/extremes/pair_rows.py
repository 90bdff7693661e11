"""Sweeps over a pair of layers of what is to come in a game."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import (
    NO_CHANGE,
    Changes,
    LayerPair,
    Values,
)
from urcx.solving.layered.waves import shares_of
from urcx.sweeps.layout_kernels import Picks
from urcx.sweeps.sweep_kernels import Greatest, PolicyMean, Way, sweep_rows


class PairRows:
    """The layers (i, j) and (j, i), whose values are what is still to come, seen from nobody.

    Arrays have the layout of `urcx.solving.layered.pair.LayerPair`: V and U of both layers, what
    they lead to, and the value of finished games.
    """

    def __init__(self, order: LayerOrder, layers: tuple[Layer, ...], threads: int) -> None:
        self.pair = pair = LayerPair(order, layers, threads)
        self.rows, _ = pair.rows_by([
            [np.full(len(of), number), of, -order.progress[of]]
            for number, of in enumerate(program.patterns for program in pair.programs)
        ])  # fmt: skip
        self.cuts = shares_of(np.cumsum(self.rows.rows * self.rows.columns), pair.states, threads)

    @cached_property
    def way(self) -> Way:
        """Return what a ply counts, 1, and that no move leaves the pair."""
        return Way(np.ones(len(self.pair.row_ops)), np.empty(0), 0.0)

    def filled(self, later: Callable[[Layer], Values]) -> Values:
        """Return an array with the values of later layers, and 0 for finished games."""
        pair, order = self.pair, self.pair.order
        values = np.zeros(pair.size)
        for i, j in pair.layers:
            if i + 1 < order.rules.pieces:
                first = pair.at["beyond", (i, j)]
                part = values[first : first + order.size((i + 1, j))]
                found = later((j, i + 1))
                pair.turn(pair.shape((j, i + 1)), found.__getitem__, part)
                np.negative(part, out=part)  # turning negates
        return values

    def values_of(self, values: Values) -> dict[Layer, Values]:
        """Return copies of the values of both layers."""
        at, size = self.pair.at, self.pair.order.size
        return {of: values[at["V", of] :][: size(of)].copy() for of in self.pair.layers}

    def turn(self, source: Values, mirror: Values) -> None:
        """Set U of both layers in ``mirror`` from V in ``source``."""
        pair = self.pair
        for program in pair.programs:
            at, to = pair.places(program)
            pair.turn(program, source[at].__getitem__, mirror[to])
            np.negative(mirror[to], out=mirror[to])

    def renew(
        self, source: Values, mirror: Values, *,
        picks: Picks | None = None, change: Changes = NO_CHANGE,
        ops: NDArray[np.uint32] | None = None,
    ) -> tuple[float, float]:  # fmt: skip
        """Compute all values once; return the largest increase and the largest decrease.

        A state's value is 1 plus the mean over the rolls of the greatest value that a move leads
        to, or of the mean over a policy's moves. U is written to ``mirror``, which is ``source`` if
        both sides play alike. Unless empty, ``change`` receives the change of each value.
        """
        moved = [(0.0, 0.0)]
        rows = self.rows if ops is None else self.rows._replace(ops=ops)
        operator = Greatest(self.way) if picks is None else PolicyMean(self.way, picks)

        def part(thread: int, first: int, last: int) -> None:
            moved.append(
                sweep_rows(
                    source, mirror, rows, operator, self.pair.tiles[thread], change, True,
                    self.cuts[first], self.cuts[last],
                )
            )  # fmt: skip

        self.in_parts(part)
        rises, falls = zip(*moved, strict=True)
        return max(rises), max(falls)

    def in_parts(self, part: Callable[[int, int, int], None]) -> None:
        """Process all parts of the pair, in parallel if there are enough states."""
        self.pair.in_parts(len(self.cuts) - 1, part)
