"""Quantisers against naive twins: all divisions tried, means taken one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from urcx.contrib.learning import quantisers
from urcx.contrib.learning.quantisers import Array, both_ways, companded, lloyd_max, partition

# A decision: how often it comes up, and its moves' values by their places on the grid, best first.
Decision = tuple[float, tuple[int, ...]]


def weights(grid: int, seed: int) -> Array:
    random = np.random.default_rng(seed)
    return random.gamma(0.7, size=grid) * np.linspace(0.2, 1.5, grid)


def divisions(grid: int, levels: int) -> Iterator[tuple[int, ...]]:
    """Yield all symmetric divisions of a grid into cells, each by the places where cells begin."""
    half = grid // 2
    for below in combinations(range(1, half), levels // 2 - 1):
        yield (0, *below, half, *(grid - cut for cut in reversed(below)))


def distortion(weights: Array, bounds: Array) -> float:
    """Return the mean squared error of a quantiser whose levels are the means of its cells.

    ``weights`` are as `lloyd_max` takes them.
    """
    mirrored = both_ways(weights)
    middles = (np.arange(len(mirrored)) + 0.5) / len(mirrored)
    cell = np.searchsorted(bounds, middles, side="right")
    inside = np.bincount(cell, mirrored)
    sums = np.bincount(cell, mirrored * middles)
    means = sums / np.where(inside > 0.0, inside, 1.0)
    return float(mirrored @ (middles - means[cell]) ** 2 / mirrored.sum())


def squared_error(found: Array, starts: tuple[int, ...]) -> float:
    both = [one + other for one, other in zip(found, found[::-1], strict=True)]
    total = 0.0
    for first, last in zip(starts, (*starts[1:], len(both)), strict=True):
        cell = [(both[k], (k + 0.5) / len(both)) for k in range(first, last)]
        mean = sum(w * x for w, x in cell) / sum(w for w, _ in cell)
        total += sum(w * (x - mean) ** 2 for w, x in cell)
    return float(total / sum(both))


def loss(decisions: list[Decision], starts: tuple[int, ...], grid: int) -> float:
    """Return what is lost by a move drawn from those in the cell of the best one."""
    total = 0.0
    for often, places in decisions:
        cell = [max(start for start in starts if start <= place) for place in places]
        tied = [
            places[0] - place for place, own in zip(places, cell, strict=True) if own == cell[0]
        ]
        total += often * sum(tied) / len(tied) / grid
    return total


def jumps_of(decisions: list[Decision], grid: int) -> Array:
    found = np.zeros((grid, grid))
    for often, places in decisions:
        before = 0.0
        for k in range(1, len(places)):
            cost = places[0] - sum(places[: k + 1]) / (k + 1)
            found[places[0], places[k]] += often * (cost - before) / grid
            before = cost
    return found


def some_decisions(grid: int, number: int, seed: int) -> list[Decision]:
    random = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        moves = int(random.integers(2, 5))
        places = sorted(random.integers(0, grid, moves).tolist(), reverse=True)
        found.append((float(random.random()), tuple(places)))
    return found


def is_symmetric(bounds: Array) -> bool:
    turned: Array = 1.0 - bounds[::-1]
    return bool((np.diff(bounds) >= 0).all() and (turned == bounds).all())


@pytest.mark.parametrize("levels", [2, 4, 16, 254, 65534])
def test_cells_are_the_same_from_either_side(levels: int) -> None:
    found = weights(1 << 12, seed=levels)
    assert is_symmetric(quantisers.uniform_levels(levels))
    assert is_symmetric(lloyd_max(found, levels))
    assert is_symmetric(companded(found, levels))
    assert len(companded(found, levels)) == len(lloyd_max(found, levels)) == levels - 1
    if levels < 50:
        jumps = jumps_of(some_decisions(64, 300, seed=levels), 64)
        assert is_symmetric(partition(jumps, levels))


def test_no_code_has_the_number_of_a_lost_or_a_won_game() -> None:
    for bits in range(1, quantisers.MOST_BITS + 1):
        levels = quantisers.levels_of(bits)
        quantiser = quantisers.Quantiser("uniform", bits, quantisers.uniform_levels(levels))
        assert levels <= 1 << bits
        assert quantiser.certain == levels + 1 < 1 << 16
    assert levels == (1 << 16) - 2


@pytest.mark.parametrize("levels", [2, 4, 6, 8])
def test_the_error_is_that_of_all_cells_one_by_one(levels: int) -> None:
    found = weights(24, seed=levels)
    for starts in list(divisions(24, levels))[:: levels * 3]:
        bounds = np.array(starts[1:]) / 24
        assert distortion(found, bounds) == pytest.approx(squared_error(found, starts), rel=1e-12)


@pytest.mark.parametrize("levels", [2, 4, 6])
def test_levels_for_values_are_near_the_best_of_all(levels: int) -> None:
    grid = 60
    found = 0.2 + np.sin(np.linspace(0.1, 2.0, grid)) ** 2  # one heap, so one best division
    least = min(squared_error(found, starts) for starts in divisions(grid, levels))
    assert distortion(found, lloyd_max(found, levels)) == pytest.approx(least, rel=0.02)


@pytest.mark.parametrize("levels", [4, 14, 64])
def test_the_error_never_grows_from_round_to_round(levels: int) -> None:
    found = weights(1 << 14, seed=1)
    errors = [distortion(found, lloyd_max(found, levels, rounds)) for rounds in range(12)]
    assert all(b <= a * (1 + 1e-12) for a, b in zip(errors, errors[1:], strict=False))
    assert errors[-1] < errors[1] < errors[0]
    assert errors[-1] < distortion(found, quantisers.uniform_levels(levels))


@pytest.mark.parametrize("levels", [2, 4, 6])
def test_cells_for_decisions_are_the_best_of_all(levels: int) -> None:
    grid = 16
    decisions = some_decisions(grid, 60, seed=levels)
    least = min(loss(decisions, starts, grid) for starts in divisions(grid, levels))
    bounds = partition(jumps_of(decisions, grid), levels)
    starts = (0, *(round(bound * grid) for bound in bounds))
    assert len(starts) == levels
    assert loss(decisions, starts, grid) == pytest.approx(least, rel=1e-12)
    assert least > 0.0


def test_narrow_cells_are_dense_where_weights_are_large() -> None:
    grid, levels = 1 << 12, 1000
    found = np.where(np.abs(np.arange(grid) - grid / 2) < grid / 4, 27.0, 1.0)
    widths = np.diff(companded(found, levels))
    middle, edge = widths[len(widths) // 2], widths[50]
    assert edge / middle == pytest.approx(3.0, rel=0.1)  # the cube root of 27
    even = companded(np.zeros(grid), levels)
    assert np.allclose(even, quantisers.uniform_levels(levels))


def test_narrow_cells_lose_least_with_the_cube_root() -> None:
    """The sum of w d^2, over cells of width d, is least for a density of w^(1/3)."""
    grid, levels = 1 << 14, 512
    x = (np.arange(grid) + 0.5) / grid
    found = np.exp(-80 * (x - 0.5) ** 2) + 0.05

    def cost(bounds: Array) -> float:
        ends = np.concatenate([[0.0], bounds, [1.0]])
        cells = zip(ends, ends[1:], strict=False)
        return math.fsum(float(np.interp((a + b) / 2, x, found)) * (b - a) ** 3 for a, b in cells)

    others = [companded(found**power, levels) for power in (0.0, 0.5, 2.0)]
    assert all(cost(companded(found, levels)) < cost(other) for other in others)
