"""Extrapolation by secants against least squares of the whole matrix, and its kernels."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from urcx.engine.vector_types import LANES
from urcx.sweeps import acceleration
from urcx.sweeps import acceleration_kernels as kernels
from urcx.sweeps.acceleration import Secants

DEPTH = 5
BLOCK = 64  # instead of a block large enough for a thread
# Whole vectors, one number more and less, and more than what is added up at a time.
PARTS = [(0, 16), (8, 17), (0, 7), (16, 31), (0, 2 * kernels.NEAR + 5), (2048, 2 * 2048 + 3)]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acceleration, "BLOCK_OF_STATES", BLOCK)


def extrapolated(sizes: tuple[int, ...], threads: int) -> list[tuple[list[Any], Any]]:
    """Extrapolate random values, more often than there are secants.

    Returns the result each time, and the result of least squares.
    """
    chance = np.random.default_rng(5)
    secants = Secants(sizes, threads, None, DEPTH)
    found: list[tuple[list[Any], Any]] = []
    path: list[tuple[Any, Any]] = []
    for _ in range(3 * DEPTH):
        values = [chance.normal(size=size) for size in sizes]
        for into in secants.changes:
            into[:] = chance.normal(size=len(into))
        change = np.concatenate(secants.changes).astype(np.float64)
        path.append((np.concatenate(values), change))
        wanted = path[-1][0]
        if len(path) > 1:
            last = path[-DEPTH - 1 :]
            steps, bends = (
                np.array([(b[k] - a[k]).astype(np.float32) for a, b in pairwise(last)]).T
                for k in (0, 1)
            )
            weights = np.linalg.lstsq(bends.astype(np.float64), change, rcond=None)[0]
            wanted = wanted - steps @ weights
        assert secants.extrapolate(values) == (len(path) > 1)
        found.append((values, wanted))
    return found


@pytest.mark.parametrize("sizes", [(40,), (7, 33), (BLOCK + 13, 2 * BLOCK)])
def test_values_are_combined_as_least_squares_say(sizes: tuple[int, ...]) -> None:
    for values, wanted in extrapolated(sizes, 1):
        np.testing.assert_allclose(np.concatenate(values), wanted, rtol=0, atol=1e-5)


def test_threads_change_no_bit() -> None:
    sizes = (3 * BLOCK + 5,)
    for one, other in zip(extrapolated(sizes, 1), extrapolated(sizes, 3), strict=True):
        np.testing.assert_array_equal(one[0][0], other[0][0])


def test_a_linear_system_is_solved_in_as_many_steps_as_it_has_unknowns() -> None:
    chance = np.random.default_rng(6)
    matrix = chance.normal(size=(DEPTH, DEPTH))
    matrix *= 0.999 / np.abs(np.linalg.eigvals(matrix)).max()
    right = chance.normal(size=DEPTH)
    secants, x = Secants([DEPTH], 1, None, DEPTH), np.zeros(DEPTH)
    for _ in range(DEPTH + 3):
        swept = matrix @ x + right
        secants.changes[0][:] = swept - x
        x = swept
        secants.extrapolate([x])
    np.testing.assert_allclose(x, np.linalg.solve(np.eye(DEPTH) - matrix, right), rtol=1e-3)


@pytest.mark.jit
def test_pairs_of_floats_keep_their_digits() -> None:
    """The same for unknowns near 10^18, of which the last converge to less than a float's unit.

    Sums and products of integers and halves have known exact values.
    """
    size = BLOCK + 3
    start = np.zeros((2, size + LANES))
    random = np.random.default_rng(4)
    wanted = [10**18 + int(k) for k in random.integers(0, 10**6, size)]
    x = start.copy()
    secants = Secants([size], 2, None, 2, pairs=True)
    for _ in range(4):
        # Each sweep moves every unknown half of the way.
        left = [
            Fraction(k) - Fraction(high) - Fraction(low)
            for k, high, low in zip(wanted, *x[:, :size].tolist(), strict=True)
        ]
        for k, by in enumerate(left):
            new = Fraction(float(x[0, k])) + Fraction(float(x[1, k])) + by / 2
            x[0, k] = float(new)
            x[1, k] = float(new - Fraction(float(x[0, k])))
            secants.changes[0][k] = float(by / 2)
        secants.extrapolate([x[:, :size]])
    off = [
        abs(Fraction(k) - Fraction(high) - Fraction(low))
        for k, high, low in zip(wanted, *x[:, :size].tolist(), strict=True)
    ]
    assert 0 < max(off) < Fraction(1, 1000)
    assert (np.abs(x[1, :size]) <= np.spacing(x[0, :size]) / 2).all()


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
