"""Kernels of the two rankings, on plain arrays; `urcx.enumerate.ranking` explains the orders.

Both rank every pair of a light and a dark placement (masks of steps and pieces home) and write a
row of ranks for each placement of light.
"""

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
    """Rank in the order by tiles.

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
def split(local, placement):
    """Return a side's shared mask, how many pieces are on it, and its private mask.

    ``local[s]`` is step s + 1's index among the shared tiles, or -1 - its index among the side's
    private ones.
    """
    shared = np.int64(0)
    own = np.int64(0)
    n = 0
    for s in range(local.shape[0]):
        if (placement >> s) & 1:
            if local[s] >= 0:
                shared |= np.int64(1) << local[s]
                n += 1
            else:
                own |= np.int64(1) << (-1 - local[s])
    return shared, n, own


@njit
def rank_pattern(
    offset, ternary, light_local, dark_local, private_rank, width,
    light, light_home, dark, dark_home, ranks,
):  # fmt: skip
    """Rank in the order by shared pattern.

    ``ternary[m]`` spreads a shared mask to base 3; ``private_rank[m, h]`` numbers private mask and
    pieces home by how many pieces they use; ``width[k]`` counts those that use at most k.
    """
    pieces = width.shape[0] - 1
    for a in range(light.shape[0]):
        light_shared, _, light_own = split(light_local, light[a])
        row = private_rank[light_own, light_home[a]]
        for b in range(dark.shape[0]):
            dark_shared, n, dark_own = split(dark_local, dark[b])
            pattern = ternary[light_shared] + 2 * ternary[dark_shared]
            ranks[a, b] = (
                offset[pattern] + row * width[pieces - n] + private_rank[dark_own, dark_home[b]]
            )


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
