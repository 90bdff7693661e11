"""Acceleration: values that settle slowly under sweeps are extrapolated from what sweeps change.

Reduced rank extrapolation (R. P. Eddy, 1979) combines the last iterates, and begins anew.

Anderson acceleration (D. G. Anderson, 1965) goes on. A game that players prolong stays in a layer
for thousands of sweeps, and differences between states settle much sooner than the height of all
values. Whatever sweeps and extrapolations led from one point to another, the differences of their
values and of their changes are a secant; the last secants together tell the height from the rest,
which restarted extrapolation cannot. Changes are kept in single precision, steps are not: where the
height of values moves by a million times what sweeps change, rounding a step would disturb more
than it settles. Steps of values that are pairs of floats are pairs as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import for_chunks
from urcx.engine.vector_types import LANES
from urcx.sweeps import acceleration_kernels as kernels

BLOCK_OF_STATES = 1 << 14  # that a thread takes at a time
DEPTH = 10  # secants
RELATIVE = 1e-12  # added to the diagonal of the secants' inner products, which are near singular
LARGEST, LARGEST_PAIR = 1e15, 1e28  # plies

Values = NDArray[np.float64]


def in_blocks(number: int, work: Callable[[int, int, int], None], threads: int) -> None:
    """Run ``work(thread, first, last)`` over values, in parallel if they are several blocks."""
    if number <= BLOCK_OF_STATES:
        work(0, 0, number)
    else:
        for_chunks(number, BLOCK_OF_STATES, work, threads)


def inner_products(
    rows: NDArray[Any], these: Sequence[int], threads: int, *, upper: bool = False
) -> Values:
    """Return the inner products of some rows with all, the same bits with any number of threads.

    If ``upper``, some are all, and entries below the diagonal are 0.
    """
    number, length = rows.shape
    sums = np.zeros((-(-length // BLOCK_OF_STATES), len(these), number, LANES))
    numbers = np.array(these)

    def multiply(_: int, first: int, last: int) -> None:
        kernels.products(rows, numbers, upper, first, last, sums[first // BLOCK_OF_STATES])

    in_blocks(length, multiply, threads)
    result: Values = sums.sum(axis=(0, 3))
    return result


def extrapolate(
    changes: NDArray[np.float32], values: NDArray[Any], largest: float, threads: int
) -> None:
    """Replace the values by the combination of the last iterates that should change least.

    With iterates x_1 .. x_q, of which x_q is in ``values``, and changes u_k = x_k - x_(k - 1), the
    combination is sum_k c_k x_k, where the c_k add up to 1 and minimise |sum_k c_k u_k|. Results
    are clipped to ``largest`` in absolute value.
    """
    upper = inner_products(changes, range(len(changes)), threads, upper=True)
    gram = upper + np.triu(upper, 1).T
    size = float(np.trace(gram))
    if size == 0.0:
        return
    try:
        c = np.linalg.solve(gram / size + 1e-14 * np.eye(len(changes)), np.ones(len(changes)))
    except np.linalg.LinAlgError:
        return
    if not np.isfinite(c).all() or c.sum() == 0.0:
        return
    c /= c.sum()
    # x_k is x_q less the changes after it.
    factors = -np.array([c[:k].sum() for k in range(1, len(c))])

    combine = partial(_combine, values, changes[1:], factors, largest)
    in_blocks(len(values), combine, threads)


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

    def _step(self, result: Values, before: Values, step: Values) -> None:
        """Write what values are more than those before to a step, and replace those by them."""
        if self.pairs:
            in_blocks(
                result.shape[-1],
                lambda _, i, j: kernels.step_of(*result, *before, i, j, *step),
                self.threads,
            )
        else:
            np.subtract(result, before, out=step)
            before[:] = result

    def _move(self, values: Sequence[Values], known: int) -> None:
        last = (self._taken - 2) % self.depth
        these = last, self.depth
        gram = [inner_products(bends, these, self.threads) for bends in self._bends]
        of_last, of_changes = np.sum(gram, axis=0)
        self._gram[last] = self._gram[:, last] = of_last[: self.depth]
        size = np.sqrt(np.diag(self._gram)[:known])
        size[size == 0.0] = 1.0
        inner = self._gram[:known, :known] / np.outer(size, size) + RELATIVE * np.eye(known)
        weights = np.linalg.lstsq(inner, of_changes[:known] / size, rcond=None)[0] / size
        factors = np.zeros(self.depth)
        factors[:known] = -weights
        for found, steps in zip(values, self._steps, strict=True):
            if self.pairs:
                combine = partial(_combine_pairs, found, steps, factors)
            else:
                combine = partial(_combine, found, steps, factors, LARGEST)
            in_blocks(found.shape[-1], combine, self.threads)
            if self.least is not None:
                np.maximum(found, self.least, out=found)


def _combine(
    values: NDArray[Any], steps: NDArray[Any], factors: Values, largest: float,
    _: int, first: int, last: int,
) -> None:  # fmt: skip
    kernels.combine(steps, factors, largest, first, last, values)


def _combine_pairs(
    values: Values, steps: Values, factors: Values, _: int, first: int, last: int
) -> None:
    kernels.combine_pairs(steps, factors, LARGEST_PAIR, first, last, *values)
