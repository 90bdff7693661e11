"""Sweeps over a pair of layers of what is to come in a game."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import (
    NO_CHANGE,
    Changes,
    LayerPair,
    Values,
)
from urcx.solving.layered.waves import shares_of
from urcx.sweeps.sweep_kernels import Way, sweep_rows


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
        values = np.zeros(self.pair.size)
        for layer, part in self.pair.later():
            self.pair.turn(self.pair.shape(layer), later(layer).__getitem__, values[part])
            np.negative(values[part], out=values[part])  # turning negates
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
        self, source: Values, mirror: Values, operator: Any, change: Changes = NO_CHANGE,
        *, kept: bool = True,
    ) -> float:  # fmt: skip
        """Compute all values once by an operator of sweeps; return the largest change.

        U is written to ``mirror``, which is ``source`` if both sides play alike. Unless empty,
        ``change`` receives the change of each value. Unless ``kept``, no value is written.
        """
        moved = [0.0]

        def part(thread: int, first: int, last: int) -> None:
            rise_and_fall = sweep_rows(
                source, mirror, self.rows, operator, self.pair.tiles[thread], change, kept,
                self.cuts[first], self.cuts[last],
            )  # fmt: skip
            moved.append(max(rise_and_fall))

        self.pair.in_parts(len(self.cuts) - 1, part)
        return max(moved)
