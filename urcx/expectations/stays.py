"""How many plies games of two policies stay in a pair of layers, at most.

The expected number of plies until a game leaves the pair, v, solves v = 1 + Pv. Any v with
v >= 1 + Pv is no less, so its greatest value bounds the plies from every state, by whatever way the
state was reached. Sweeps of v = `PLIES` + Pv in place need little accuracy for that: if no value
changed by more than m in a sweep, the values found satisfy v >= PLIES - m + Pv.
"""

from __future__ import annotations

import numpy as np

from urcx.errors import UrcxError
from urcx.expectations import stay_kernels as kernels
from urcx.expectations.pair_system import PairSystem
from urcx.sweeps.sweep_kernels import PolicyMean, way_of

PLIES = 3.0  # more need fewer sweeps, and give a weaker bound
START = 25.0  # plies; other numbers only take longer
ROUNDED = 2.0**-20  # of a value, in evaluating it and keeping it in 32 bits
MOST_SWEEPS = 20_000


def longest_stay(flow: PairSystem) -> float:
    """Return a bound of the expected plies from any state of a pair until games leave it."""
    pair = flow.pair
    values = np.zeros((1 if flow.alike else 2, pair.size), np.float32)
    values[:, : 2 * pair.states] = START
    way = way_of(pair.rows, PLIES)
    means = PolicyMean(way, flow.chosen[0]), PolicyMean(way, flow.chosen[1])
    given = (values[0], values[-1]), flow.sites.rows, means, flow.alike
    moves: list[float] = []

    def part(thread: int, first: int, last: int) -> None:
        moves.append(kernels.stay(*given, pair.tiles[thread][0], last, first))

    for _ in range(MOST_SWEEPS):
        moves.clear()
        pair.in_parts(flow.cuts[::-1], part)  # the last sites first
        most = float(values.max())
        if max(moves, default=0.0) <= PLIES - 1.0 - ROUNDED * most:
            return most
    raise UrcxError(f"games do not end: they may stay in {pair.layers[0]}")
