"""Reduced rank extrapolation of values that change ever less (R. P. Eddy, 1979)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import for_chunks
from urcx.engine.vector_types import LANES
from urcx.solving.layered import extrapolation_kernels
from urcx.solving.layered.pair import Changes, Values

BLOCK_OF_STATES = 1 << 14  # that extrapolation processes at a time


def inner_products(rows: NDArray[Any], threads: int) -> NDArray[np.float64]:
    """Return the inner products of all pairs of rows, the same bits with any number of threads."""
    number, length = rows.shape
    blocks = -(-length // BLOCK_OF_STATES)
    sums = np.zeros((blocks, number * number, LANES))

    def multiply(_: int, first: int, last: int) -> None:
        extrapolation_kernels.gram(rows, first, last, sums[first // BLOCK_OF_STATES])

    if blocks == 1:
        multiply(0, 0, length)
    else:
        for_chunks(length, BLOCK_OF_STATES, multiply, threads)
    upper = sums.sum(axis=(0, 2)).reshape(number, number)
    products: NDArray[np.float64] = upper + np.triu(upper, 1).T
    return products


def extrapolate(changes: Changes, values: Values | Changes, largest: float, threads: int) -> None:
    """Replace the values by the combination of the last iterates that should change least.

    With iterates x_1 .. x_q, of which x_q is in ``values``, and changes u_k = x_k - x_(k - 1), the
    combination is sum_k c_k x_k, where the c_k add up to 1 and minimise |sum_k c_k u_k|. Results
    are clipped to ``largest`` in absolute value.
    """
    gram = inner_products(changes, threads)
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

    def combine(_: int, first: int, last: int) -> None:
        extrapolation_kernels.combine(changes[1:], factors, largest, first, last, values)

    for_chunks(len(values), BLOCK_OF_STATES, combine, threads)
