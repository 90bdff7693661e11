"""Acceleration: extrapolate values that converge slowly from the changes that sweeps make.

Reduced rank extrapolation (R. P. Eddy, 1979) combines the last iterates, and then restarts.

Anderson acceleration (D. G. Anderson, 1965) continues instead. A game that players prolong stays in
a layer for thousands of sweeps, and differences between states converge much sooner than the height
of all values. After any sweeps and extrapolations from one point to another, the differences of the
values and of their changes are a secant. Together the last secants separate the height from the
rest, which restarted extrapolation cannot do.

Changes are stored in single precision, but steps are not. Where the height moves by a million times
a sweep's change, rounding a step would do more harm than the step does good. Steps of values that
are double-doubles are double-doubles, too.
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
RELATIVE = 1e-12  # added to the diagonal of the secants' nearly singular inner products
LARGEST, LARGEST_PAIR = 1e15, 1e28  # plies

Values = NDArray[np.float64]


def in_blocks(number: int, work: Callable[[int, int, int], None], threads: int) -> None:
    """Run ``work(thread, first, last)`` over values, in parallel if they fill several blocks."""
    if number <= BLOCK_OF_STATES:
        work(0, 0, number)
    else:
        for_chunks(number, BLOCK_OF_STATES, work, threads)


def inner_products(
    rows: NDArray[Any], these: Sequence[int], threads: int, *, upper: bool = False
) -> Values:
    """Return the inner products of the rows ``these`` with all rows.

    The result has the same bits with any number of threads. If ``upper``, ``these`` are all rows,
    and entries below the diagonal are 0.
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
    combination is sum_k c_k x_k. The c_k add up to 1 and minimise |sum_k c_k u_k|. Results are
    clipped to ``largest`` in absolute value.
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
    # x_k is x_q minus the changes after x_k.
    factors = -np.array([c[:k].sum() for k in range(1, len(c))])

    combine = partial(_combine, values, changes[1:], factors, largest)
    in_blocks(len(values), combine, threads)


def secants_size(depth: int, *, pairs: bool = False) -> int:
    """Return the bytes for each value that ``depth`` secants need."""
    return (depth + 1) * (16 if pairs else 8) + 4 * (depth + 2)  # steps, values and changes


class Secants:
    """The last secants of some arrays of values, which are swept in turn and extrapolated together.

    The sweep before `extrapolate` must leave the changes of the k-th array in ``changes[k]``.
    ``least``, unless None, is the least possible value, and ``depth`` the number of stored secants.
    If values are ``pairs`` (double-doubles), their arrays have two rows, and may be read `LANES`
    beyond their ends.
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
        """Extrapolate values swept once since their last change. Return whether it was possible."""
        self._add_secant(values)
        number = min(self._taken - 1, self.depth)
        if number:
            self._move(values, number)
        return number > 0

    def _add_secant(self, values: Sequence[Values]) -> None:
        """Add the secant from the last values to these, which were swept once."""
        k = (self._taken - 1) % self.depth
        for part, current in enumerate(values):
            bends = self._bends[part]
            self._step(current, self._before[part], self._steps[part][k])
            if self._taken:
                np.subtract(self.changes[part], bends[self.depth], out=bends[k])
            bends[self.depth] = self.changes[part]
        self._taken += 1

    def _step(self, result: Values, before: Values, step: Values) -> None:
        """Write the values minus the previous values to a step, and store them for the next."""
        if self.pairs:
            in_blocks(
                result.shape[-1],
                lambda _, i, j: kernels.step_of(*result, *before, i, j, *step),
                self.threads,
            )
        else:
            np.subtract(result, before, out=step)
            before[:] = result

    def _move(self, values: Sequence[Values], number: int) -> None:
        """Move values by the combination of the first ``number`` secants."""
        last = (self._taken - 2) % self.depth
        these = last, self.depth
        gram = [inner_products(bends, these, self.threads) for bends in self._bends]
        last_products, change_products = np.sum(gram, axis=0)
        self._gram[last] = self._gram[:, last] = last_products[: self.depth]
        size = np.sqrt(np.diag(self._gram)[:number])
        size[size == 0.0] = 1.0
        inner = self._gram[:number, :number] / np.outer(size, size) + RELATIVE * np.eye(number)
        weights = np.linalg.lstsq(inner, change_products[:number] / size, rcond=None)[0] / size
        factors = np.zeros(self.depth)
        factors[:number] = -weights
        for current, steps in zip(values, self._steps, strict=True):
            if self.pairs:
                combine = partial(_combine_pairs, current, steps, factors)
            else:
                combine = partial(_combine, current, steps, factors, LARGEST)
            in_blocks(current.shape[-1], combine, self.threads)
            if self.least is not None:
                np.maximum(current, self.least, out=current)


def _combine(
    values: NDArray[Any], steps: NDArray[Any], factors: Values, largest: float,
    _: int, first: int, last: int,
) -> None:  # fmt: skip
    kernels.combine(steps, factors, largest, first, last, values)


def _combine_pairs(
    values: Values, steps: Values, factors: Values, _: int, first: int, last: int
) -> None:
    kernels.combine_pairs(steps, factors, LARGEST_PAIR, first, last, *values)
