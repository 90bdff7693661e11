"""Scalar quantisers of the chance of winning: where to divide 0..1 into cells.

A table with a code of few bits for each state plays the move that leads to the highest cell. After
a move that passes the turn, the mover's chance is 1 minus the other's, so cells must be the same
seen from either side: every quantiser here is symmetric about 1/2. (With others, a move that passes
the turn and one that does not would be compared by different cells, and the better would lose for
no reason but its kind.) What a cell stands for is then of no importance, only where it begins.

- `uniform_levels`: cells of equal width.
- `lloyd_max`: the least mean squared error over a distribution of values [Lloyd 1982, Max 1960]:
  levels are the means of their cells, bounds lie half way between levels.
- `partition`: the least expected loss of play. A cell costs what is lost by a move drawn from those
  in the cell of the best one, over the decisions that perfect play meets; costs of cells add up, so
  the best division of a grid is found by dynamic programming.
- `companded`: the same for cells too narrow for that grid. A narrow cell of width d around a best
  move of value v costs about w(v) d^3, where w(v) is how often such decisions come up times how
  densely second-best moves lie below them. As many cells as possible at least total cost lie with a
  density of w^(1/3) [Bennett 1948].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST_BITS = 16
MOST_LEVELS = (1 << MOST_BITS) - 2  # codes 1, 2, ... with 0 and one more for lost and won games
SPARE = 0.02  # share of cells spread evenly, for values that no decision was weighed at
SMOOTH = 1 / 64  # width of values over which weights are averaged
ROUNDS = 200
STILL = 1e-3  # of a cell of equal width: levels that move less stay where they are


@dataclass(frozen=True, eq=False)
class Quantiser:
    """A quantiser of chances of winning.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    bits : int
        Of a code.
    bounds : ndarray of float64
        The lower bounds of all cells but the first, ascending, symmetric about 1/2.
    """

    kind: str
    bits: int
    bounds: Array

    @property
    def certain(self) -> int:
        """Return the code of a won game: those of states are 1 to one less."""
        return len(self.bounds) + 2


KINDS = ("uniform", "values", "decisions")


def levels_of(bits: int) -> int:
    """Return the number of cells of a code of so many bits."""
    return min(1 << bits, MOST_LEVELS)


def uniform_levels(levels: int) -> Array:
    """Return the bounds of cells of equal width."""
    return symmetric(np.arange(1, levels) / levels)


def symmetric(bounds: Array) -> Array:
    """Return bounds that are symmetric about 1/2 but for rounding, made so exactly."""
    upper = bounds[(len(bounds) + 1) // 2 :]
    middle = [0.5] if len(bounds) % 2 else []
    # 1 - b is exact for b of 1/2 or more, and so is 1 - (1 - b).
    return np.concatenate([1.0 - upper[::-1], middle, upper])


def both_ways(weights: Array) -> Array:
    """Return weights on a grid, together with those of the values reflected at 1/2."""
    found: Array = weights + weights[::-1]
    return found


def lloyd_max(weights: Array, levels: int, rounds: int = ROUNDS) -> Array:
    """Return the bounds of the quantiser of least mean squared error.

    Parameters
    ----------
    weights
        How often values lie in each part of an even grid on 0..1; taken together with their
        reflection at 1/2.
    levels
        The number of cells.
    rounds
        At most so many improvements; none makes the error larger.
    """
    mirrored = both_ways(weights)
    middles = (np.arange(len(mirrored)) + 0.5) / len(mirrored)
    mass = np.concatenate([[0.0], np.cumsum(mirrored)])
    moment = np.concatenate([[0.0], np.cumsum(mirrored * middles)])
    bounds = companded(mirrored, levels)
    for _ in range(rounds):
        ends = np.concatenate([[0.0], bounds, [1.0]])
        cuts = np.concatenate([[0], np.searchsorted(middles, bounds), [len(middles)]])
        inside, sums = np.diff(mass[cuts]), np.diff(moment[cuts])
        empty = inside <= 0.0
        means = np.where(empty, (ends[1:] + ends[:-1]) / 2, sums / np.where(empty, 1.0, inside))
        before, bounds = bounds, symmetric((means[1:] + means[:-1]) / 2)
        if np.abs(bounds - before).max(initial=0.0) < STILL / levels:
            break
    return bounds


def companded(weights: Array, levels: int) -> Array:
    """Return the bounds of many narrow cells, denser where weights on an even grid are larger."""
    mirrored = both_ways(weights)
    span = max(1, round(SMOOTH * len(mirrored))) | 1
    padded = np.pad(mirrored, span // 2, mode="reflect")
    running = np.concatenate([[0.0], np.cumsum(padded)])
    density = np.maximum((running[span:] - running[:-span]) / span, 0.0) ** (1 / 3)
    total = density.sum()
    share = density / total if total > 0.0 else np.zeros(len(density))
    share = (1 - SPARE) * share + (SPARE if total > 0.0 else 1.0) / len(share)
    up = np.concatenate([[0.0], np.cumsum(share)])
    ends = np.arange(len(up)) / len(share)
    return symmetric(np.interp(np.arange(1, levels) / levels, up / up[-1], ends))


def partition(jumps: Array, levels: int) -> Array:
    """Return the bounds of the cells of least cost, on the grid of ``jumps``.

    Parameters
    ----------
    jumps
        As `urcx.contrib.learning.quantiser_kernels.DecisionWeights` has it: an array of as many
        rows as columns, an even number.
    levels
        An even number of cells, at most one for each part of the grid.
    """
    grid = len(jumps)
    half, wanted = grid // 2, levels // 2
    both = _cell_costs(jumps)
    least = both[0]  # of the cells up to a bound: one so far
    chosen = []
    for _ in range(1, wanted):
        total = least[:, None] + both
        chosen.append(total.argmin(axis=0))
        least = np.take_along_axis(total, chosen[-1][None], axis=0)[0]
    at, below = half, []
    for before in reversed(chosen):
        at = int(before[at])
        below.append(at / grid)
    return np.concatenate([below[::-1], [0.5], 1.0 - np.array(below)])


def _cell_costs(jumps: Array) -> Array:
    """Return what the cell from x to y and its reflection cost, for x < y up to the middle."""
    grid = len(jumps)
    half = grid // 2
    # cost[y, x] is that of the best moves below y, if the cell begins at x.
    best = np.cumsum(jumps[:, ::-1], axis=1)[:, ::-1]
    cost = np.concatenate([np.zeros((1, grid)), np.cumsum(best, axis=0)])
    x, y = np.arange(half + 1)[:, None], np.arange(half + 1)[None, :]
    reflected = np.minimum(grid - y, grid - 1)
    both = cost[y, x] - cost[x, x] + cost[grid - x, reflected] - cost[reflected, reflected]
    return np.where(x < y, both, np.inf)
