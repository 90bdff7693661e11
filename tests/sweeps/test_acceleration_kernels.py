"""What extrapolation computes over long rows, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from urcx.engine.vector_types import LANES
from urcx.sweeps import acceleration_kernels as kernels

# Whole vectors, one number more and less, and more than what is added up at a time.
PARTS = [(0, 16), (8, 17), (0, 7), (16, 31), (0, 2 * kernels.NEAR + 5), (2048, 2 * 2048 + 3)]


def rows(number: int, kind: type) -> np.ndarray:
    """Return rows of numbers, with as many behind their end as a vector may read beyond it."""
    chance = np.random.default_rng(7)
    return chance.normal(size=(number, 2 * kernels.NEAR + 5 + LANES)).astype(kind)


@pytest.mark.parametrize(("first", "last"), PARTS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_products_of_rows(first: int, last: int, kind: type) -> None:
    changes = rows(4, kind)
    changes.setflags(write=False)
    part = changes[:, first:last].astype(np.float64)
    wanted = part @ part.T
    for these, upper in (([0, 1, 2, 3], True), ([2, 3], False)):
        sums = np.zeros((len(these), 4, LANES))
        kernels.products(changes, np.array(these), upper, first, last, sums)
        expected = np.triu(wanted) if upper else wanted[these]
        assert np.allclose(sums.sum(axis=2), expected, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize(("first", "last"), PARTS)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_times_factors_are_added_and_cut_off(first: int, last: int, kind: type) -> None:
    changes, values = rows(3, kind), rows(1, np.float64)[0]
    factors = np.array([0.5, -2.0, 0.25])
    expected = values.copy()
    more = factors @ changes.astype(np.float64)
    expected[first:last] = np.clip((values + more)[first:last], -1.5, 1.5)
    assert (np.abs(expected[first:last]) == 1.5).any()
    kernels.combine(changes, factors, 1.5, first, last, values)
    assert np.allclose(values, expected, rtol=0, atol=1e-13)
