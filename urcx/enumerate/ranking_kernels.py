"""Kernels of the two rankings, on plain arrays; `urcx.enumerate.ranking` explains the orders."""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import njit


@njit
def rank_tiles(
    ways, light_first, light_steps, dark_first, dark_steps, light, light_home, dark, dark_home
):
    """Return the rank of one diagram in the order by tiles.

    ``ways[t, i, j]`` counts how tiles t.. and the pools take i light and j dark pieces.
    """
    i = ways.shape[1] - 1
    j = ways.shape[2] - 1
    rank = np.int64(0)
    for t in range(ways.shape[0] - 1):
        after = t + 1
        skipped = ways[after, i, j]
        found = 0
        for k in range(light_first[t], light_first[t + 1]):
            if (light >> (light_steps[k] - 1)) & 1:
                found = 1
                break
            if i > 0:
                skipped += ways[after, i - 1, j]
        if found == 0:
            for k in range(dark_first[t], dark_first[t + 1]):
                if (dark >> (dark_steps[k] - 1)) & 1:
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
    return rank + light_home * dark_splits + dark_home


@njit
def rank_tiles_block(
    ways, light_first, light_steps, dark_first, dark_steps, light, light_home, dark, dark_home, seen
):
    """Mark ``seen[rank]`` of every pair: 1, or 2 again; returns how many ranks were outside."""
    outside = 0
    for a in range(light.shape[0]):
        for b in range(dark.shape[0]):
            rank = rank_tiles(
                ways, light_first, light_steps, dark_first, dark_steps,
                light[a], light_home[a], dark[b], dark_home[b],
            )  # fmt: skip
            if 0 <= rank < seen.shape[0]:
                seen[rank] = 1 if seen[rank] == 0 else 2
            else:
                outside += 1
    return outside


@njit
def rank_pattern(
    offset,
    ternary,
    light_local,
    dark_local,
    private_rank,
    width,
    light,
    light_home,
    dark,
    dark_home,
):
    """Return the rank of one diagram in the order by shared pattern.

    ``light_local[s]`` is step s + 1's index among light's shared tiles, or -1 - its index among the
    private ones; ``ternary[m]`` spreads a shared mask to base 3; ``private_rank[m, h]`` numbers
    private mask and home by how many pieces they use; ``width[k]`` counts those that use at most k.
    """
    on_light = np.int64(0)
    on_dark = np.int64(0)
    own_light = np.int64(0)
    own_dark = np.int64(0)
    n_light = 0
    n_dark = 0
    for s in range(light_local.shape[0]):
        if (light >> s) & 1:
            if light_local[s] >= 0:
                on_light |= np.int64(1) << light_local[s]
                n_light += 1
            else:
                own_light |= np.int64(1) << (-1 - light_local[s])
    for s in range(dark_local.shape[0]):
        if (dark >> s) & 1:
            if dark_local[s] >= 0:
                on_dark |= np.int64(1) << dark_local[s]
                n_dark += 1
            else:
                own_dark |= np.int64(1) << (-1 - dark_local[s])
    pattern = ternary[on_light] + 2 * ternary[on_dark]
    pieces = width.shape[0] - 1
    row = private_rank[own_light, light_home]
    return offset[pattern] + row * width[pieces - n_dark] + private_rank[own_dark, dark_home]


@njit
def rank_pattern_block(
    offset,
    ternary,
    light_local,
    dark_local,
    private_rank,
    width,
    light,
    light_home,
    dark,
    dark_home,
    seen,
):
    """Mark ``seen[rank]`` of every pair: 1, or 2 again; returns how many ranks were outside."""
    outside = 0
    for a in range(light.shape[0]):
        for b in range(dark.shape[0]):
            rank = rank_pattern(
                offset, ternary, light_local, dark_local, private_rank, width,
                light[a], light_home[a], dark[b], dark_home[b],
            )  # fmt: skip
            if 0 <= rank < seen.shape[0]:
                seen[rank] = 1 if seen[rank] == 0 else 2
            else:
                outside += 1
    return outside
