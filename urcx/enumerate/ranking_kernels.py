"""Kernels of the order by tiles, which `urcx.enumerate.ranking` explains, and of the proof."""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit


@njit
def rank_tiles(
    ways,
    light_first,
    light_steps,
    dark_first,
    dark_steps,
    light,
    light_home,
    dark,
    dark_home,
    ranks,
):
    """Rank every pair of a light and a dark placement; a row of ``ranks`` for each of light's.

    ``ways[t, i, j]`` counts how tiles t.. and the pools take i light and j dark pieces.
    """
    for a in range(light.shape[0]):
        for b in range(dark.shape[0]):
            i = ways.shape[1] - 1
            j = ways.shape[2] - 1
            rank = np.int64(0)
            for t in range(ways.shape[0] - 1):
                after = t + 1
                skipped = ways[after, i, j]
                found = 0
                for k in range(light_first[t], light_first[t + 1]):
                    if (light[a] >> (light_steps[k] - 1)) & 1:
                        found = 1
                        break
                    if i > 0:
                        skipped += ways[after, i - 1, j]
                if found == 0:
                    for k in range(dark_first[t], dark_first[t + 1]):
                        if (dark[b] >> (dark_steps[k] - 1)) & 1:
                            found = 2
                            break
                        if j > 0:
                            skipped += ways[after, i, j - 1]
                if found == 1:
                    i -= 1
                    rank += skipped
                elif found == 2:
                    j -= 1
                    rank += skipped
            # The pools come last: all of dark's splits for each of light's.
            dark_splits = ways[ways.shape[0] - 1, 0, j]
            ranks[a, b] = rank + light_home[a] * dark_splits + dark_home[b]


@njit
def mark(ranks, seen):
    """Mark the ranks in ``seen``: 1 once, 2 more often; returns how many were outside it."""
    outside = 0
    for rank in ranks.flat:
        if 0 <= rank < seen.shape[0]:
            seen[rank] = 1 if seen[rank] == 0 else 2
        else:
            outside += 1
    return outside
