"""perft by merging equal positions, next to a compiled walk over the same tree.

Both use the same move generator, so the benchmark compares the counting. Tests do not assert on
time.
"""

from __future__ import annotations

import os
import time
from statistics import median

import numba
import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

import urcx
from urcx.engine.move_kernels import PIECES, legal_starts, lowest, make_move, popcount
from urcx.engine.moves import tables
from urcx.enumerate.perft import perft

QUICK = int(os.environ.get("URCX_BENCHMARK_PIECES", "7")) < 7
WALKED = 6 if QUICK else 9  # plies of the walk
MERGED = 10  # plies of the target


@numba.njit
def walk(ways, rolls, depth, own, other, home, away):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Count nodes at a depth; ``home`` has the mover's pieces at home, ``away`` the other's."""
    if depth == 0:
        return 1
    if ways[0, PIECES] in (home, away):
        return 0
    total = 0
    for roll in rolls:
        left = legal_starts(ways, 0, ways[0, PIECES] - popcount(own) - home, own, other, roll)
        passes = left == 0
        while left or passes:
            a, b, mine, again = own, other, home, False
            if not passes:
                start = lowest(left)
                left &= left - 1
                a, b, mine, again = make_move(ways, 0, own, other, home, start, start + roll)
            passes = False
            if not again:
                total += walk(ways, rolls, depth - 1, b, a, away, mine)
            else:
                total += walk(ways, rolls, depth - 1, a, b, mine, away)
    return total


def test_perft_of_finkel(benchmark: BenchmarkFixture) -> None:
    """Count to ten plies; up to the depth of the walk, both counts must be equal."""
    rules = urcx.ruleset("finkel")
    arrays = tables(rules)
    fixed = (arrays.ways, arrays.rolls)
    start = (np.int64(0), np.int64(0), np.int64(0), np.int64(0))
    walk(*fixed, 1, *start)  # compiles
    began = time.perf_counter()
    nodes = walk(*fixed, WALKED, *start)
    walked = time.perf_counter() - began

    perft(rules, 2)  # compiles, or loads what is compiled
    times: list[float] = []

    def merge() -> tuple[int, ...]:
        began = time.perf_counter()
        levels = perft(rules, MERGED)
        times.append(time.perf_counter() - began)
        return tuple(level.nodes for level in levels)

    counted = benchmark.pedantic(merge, rounds=1 if QUICK else 10)  # type: ignore[no-untyped-call]
    assert counted[WALKED - 1] == nodes
    # The time of the walk for the same number of plies, at its rate of nodes.
    extrapolated = walked * counted[-1] / nodes
    ratio = extrapolated / median(times)
    benchmark.extra_info.update(walked_seconds=walked, walked_plies=WALKED, ratio=ratio)
    print(
        f"\nperft({MERGED}) of finkel: {counted[-1]:,} nodes in {median(times):.3f} s, median of "
        f"{len(times)}; the walk took {walked:.3f} s for {nodes:,} nodes at {WALKED} plies, "
        f"ratio {ratio:.0f} at {MERGED}"
    )
