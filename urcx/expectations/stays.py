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

PLIES = 3.0  # more need fewer sweeps, and give a weaker bound
START = 25.0  # plies; other numbers only take longer
ROUNDED = 2.0**-20  # of a value, in evaluating it and keeping it in 32 bits
MOST_SWEEPS = 20_000


def longest_stay(flow: PairSystem) -> float:
    """Return a bound of the expected plies from any state of a pair until games leave it."""
    pair = flow.pair
    parts = (0, 0) if flow.alike else (0, pair.size)
    values = np.zeros(parts[1] + pair.size, np.float32)
    for begin in set(parts):
        values[begin : begin + 2 * pair.states] = START
    cuts = flow.cuts[::-1]  # the last sites first
    moves: list[float] = []

    def part(thread: int, first: int, last: int) -> None:
        moved = kernels.stay(
            values, parts, pair.states, flow.sites, flow.sources.picks, pair.row_ops, pair.ops,
            flow.order.tables.chance, PLIES, pair.tiles[thread], cuts[last], cuts[first],
        )  # fmt: skip
        moves.append(moved)

    for _ in range(MOST_SWEEPS):
        moves.clear()
        pair.in_parts(len(cuts) - 1, part)
        most = float(values.max())
        if max(moves, default=0.0) <= PLIES - 1.0 - ROUNDED * most:
            return most
    raise UrcxError(f"games do not end: they may stay in {pair.layers[0]}")
