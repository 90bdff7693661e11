"""Anderson acceleration: values that settle slowly under sweeps are extrapolated by secants.

A game that players prolong stays in a layer for thousands of sweeps, and differences between states
settle much sooner than the height of all values. Whatever sweeps and extrapolations led from one
point to another, the differences of their values and of their changes are a secant; the last
secants together tell the height from the rest, which restarted extrapolation cannot (D. G.
Anderson, 1965). Changes are kept in single precision, steps are not: where the height of values
moves by a million times what sweeps change, rounding a step would disturb more than it settles.
Steps of values that are pairs of floats are pairs as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import for_chunks
from urcx.engine.vector_types import LANES
from urcx.extremes import fine_kernels
from urcx.solving.layered import extrapolation_kernels

DEPTH = 10
RELATIVE = 1e-12  # added to the diagonal of the secants' inner products, which are near singular
LARGEST, LARGEST_PAIR = 1e15, 1e28  # plies
BLOCK = 1 << 14  # states that a thread takes at a time

Values = NDArray[np.float64]


def secants_size(depth: int, *, pairs: bool = False) -> int:
    """Return how many bytes so many secants take for each value."""
    return (depth + 1) * (16 if pairs else 8) + 4 * (depth + 2)  # steps, values; changes


class Secants:
    """The last secants of some arrays of values, which are swept in turn and extrapolated at once.

    ``changes[k]`` is where the sweep before `extrapolate` has to leave the changes of the k-th;
    ``least``, unless None, is the least that a value can be, and ``depth`` the number of secants
    that are kept. If values are ``pairs`` of floats, arrays of them have two rows, which can be
    read `LANES` beyond their ends.
    """

    def __init__(
        self, sizes: Sequence[int], threads: int, least: float | None = 0.0, depth: int = DEPTH,
        *, pairs: bool = False,
    ) -> None:  # fmt: skip
        self.sizes, self.threads, self.least, self.depth = sizes, threads, least, depth
        self.pairs = pairs
        self.changes = [np.zeros(size, np.float32) for size in sizes]
        shapes: list[Any] = [(2, size + LANES) if pairs else size for size in sizes]
        self._steps = [np.zeros((depth, *np.atleast_1d(shape))) for shape in shapes]
        # The last row is for the changes themselves.
        self._bends = [np.zeros((depth + 1, size), np.float32) for size in sizes]
        self._gram = np.zeros((depth, depth))
        self._before = [np.zeros(shape) for shape in shapes]
        self._taken = 0

    def extrapolate(self, values: Sequence[Values]) -> bool:
        """Extrapolate the values, which were swept once since they were changed; say if so."""
        self._keep(values)
        known = min(self._taken - 1, self.depth)
        if known:
            self._move(values, known)
        return known > 0

    def _keep(self, values: Sequence[Values]) -> None:
        """Add the secant from the last values to these, which were swept once."""
        k = (self._taken - 1) % self.depth
        for part, found in enumerate(values):
            bends = self._bends[part]
            self._step(found, self._before[part], self._steps[part][k])
            if self._taken:
                np.subtract(self.changes[part], bends[self.depth], out=bends[k])
            bends[self.depth] = self.changes[part]
        self._taken += 1

    def _step(self, found: Values, before: Values, step: Values) -> None:
        """Write what values are more than those before to a step, and replace those by them."""
        if self.pairs:
            self._in_blocks(
                found.shape[-1],
                lambda _, i, j: fine_kernels.step_of(*found, *before, i, j, *step),
            )
        else:
            np.subtract(found, before, out=step)
            before[:] = found

    def _move(self, values: Sequence[Values], known: int) -> None:
        last = (self._taken - 2) % self.depth
        of_last, of_changes = np.sum([self._products(b, last) for b in self._bends], axis=0)
        self._gram[last] = self._gram[:, last] = of_last[: self.depth]
        size = np.sqrt(np.diag(self._gram)[:known])
        size[size == 0.0] = 1.0
        inner = self._gram[:known, :known] / np.outer(size, size) + RELATIVE * np.eye(known)
        weights = np.linalg.lstsq(inner, of_changes[:known] / size, rcond=None)[0] / size
        factors = np.zeros(self.depth)
        factors[:known] = -weights
        for found, steps in zip(values, self._steps, strict=True):

            def combine(
                _: int, first: int, last: int, found: Values = found,
                steps: Values = steps,
            ) -> None:  # fmt: skip
                if self.pairs:
                    fine_kernels.combine_fine(steps, factors, LARGEST_PAIR, first, last, *found)
                else:
                    extrapolation_kernels.combine(steps, factors, LARGEST, first, last, found)

            self._in_blocks(found.shape[-1], combine)
            if self.least is not None:
                np.maximum(found, self.least, out=found)

    def _products(self, bends: NDArray[np.float32], one: int) -> Values:
        """Return the inner products of a row, and of the last, with all of them.

        They are the same bits with any number of threads.
        """
        rows, length = bends.shape
        sums = np.zeros((-(-length // BLOCK), 2, rows, LANES))

        def multiply(_: int, first: int, last: int) -> None:
            extrapolation_kernels.products(bends, one, first, last, sums[first // BLOCK])

        self._in_blocks(length, multiply)
        found: Values = sums.sum(axis=(0, 3))
        return found

    def _in_blocks(self, size: int, work: Callable[[int, int, int], None]) -> None:
        """Run work over all states, in parallel if there are several blocks."""
        if size <= BLOCK:
            work(0, 0, size)
        else:
            for_chunks(size, BLOCK, work, self.threads)
