# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The depth-first enumerator's kernels, on plain arrays.

A placement describes one player's pieces: an int64 mask (bit s - 1 for step s) and the number of
pieces home. A configuration is a pair of placements without a common tile. The search has three
levels,

    footprint (the set of shared tiles that light holds)
      light's placements with exactly this footprint
        dark's placements without a piece on it,

and `place` is the depth-first search of each level. It adds pieces one by one, each on a later tile
than the last piece, so every node of its tree is a placement. It stops when its output is full, and
can be resumed. So memory stays bounded for any game, and the innermost level runs over two short
arrays, pair by pair.

No kernel uses a closed form. Kernels count only the configurations that they visit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import njit

# Indices into the counters of `visit_diagrams`.
DIAGRAMS, LIGHT_BRANCHES, DARK_BRANCHES, SUM = 0, 1, 2, 3
N_COUNTERS = 4


class SideTiles(NamedTuple):
    """A player: the steps that cross each tile, a mask of optional tiles, and the pieces.

    ``steps[first[t]:first[t + 1]]`` cross tile t. ``tiles`` is the mask of the tiles that only
    light crosses, or the mask of all tiles that dark crosses.
    """

    first: NDArray[np.int64]
    steps: NDArray[np.int64]
    tiles: int
    pieces: int


@njit
def start_walk(state):
    """Reset a search of `place` to its root: depth 0, nothing emitted."""
    state[0, 0] = 0  # depth: the number of pieces placed
    state[0, 1] = 1  # 1 until the node at this depth is emitted
    state[1, 0] = 0  # from row 1 on: the next option to try at each depth,
    state[1, 1] = 0  # and the mask at each depth


@njit
def place(first, steps, n_slots, n_must, pieces, homes, state, masks, home):
    """Emit placements, depth first, until all are emitted or the output is full.

    Slots 0..n_slots - 1 are tiles. Slot k has the options ``first[k]:first[k + 1]``, whose bits are
    in ``steps``. The first ``n_must`` slots must be filled. Each way to fill the slots is emitted
    with every possible number of pieces home (only 0 unless ``homes``). Return the number of
    placements written to ``masks`` and ``home``, whose length must exceed ``pieces``. The search is
    over when ``state[0, 0]`` is -1.
    """
    n = 0
    room = masks.shape[0] - pieces - 1
    n_options = first[n_slots]
    depth = state[0, 0]
    fresh = state[0, 1]
    while depth >= 0:
        if fresh == 1:
            if depth >= n_must:
                if n > room:
                    break
                mask = state[1 + depth, 1]
                masks[n] = mask
                home[n] = 0
                n += 1
                if homes:
                    for h in range(1, pieces - depth + 1):
                        masks[n] = mask
                        home[n] = h
                        n += 1
            fresh = 0
        option = state[1 + depth, 0]
        # A slot that must be filled cannot be skipped for a later slot.
        last = first[depth + 1] if depth < n_must else n_options
        if depth < pieces and option < last:
            state[1 + depth, 0] = option + 1
            mask = state[1 + depth, 1] | (np.int64(1) << (steps[option, 0] - 1))
            depth += 1
            state[1 + depth, 0] = first[steps[option, 1] + 1]
            state[1 + depth, 1] = mask
            fresh = 1
        else:
            depth -= 1
    state[0, 0] = depth
    state[0, 1] = fresh
    return n


@njit
def task_slots(way_first, way_steps, must, free, out_first, out_steps):
    """Write the slots of a search: the tiles of ``must``, then the tiles of ``free``.

    ``must`` and ``free`` are masks of tiles. ``way_first`` and ``way_steps`` list the steps that
    cross each tile. Return the number of slots and the number of slots that must be filled.
    """
    n_slots = 0
    n_must = 0
    n_options = 0
    out_first[0] = 0
    for part in range(2):
        tiles = must if part == 0 else free
        for tile in range(way_first.shape[0] - 1):
            if (tiles >> tile) & 1 == 1 and way_first[tile + 1] > way_first[tile]:
                for k in range(way_first[tile], way_first[tile + 1]):
                    out_steps[n_options, 0] = way_steps[k]
                    out_steps[n_options, 1] = n_slots
                    n_options += 1
                n_slots += 1
                out_first[n_slots] = n_options
        if part == 0:
            n_must = n_slots
    return n_slots, n_must


@njit
def _key(mask, home, salt):
    """Return a placement's 64-bit key: its code, with bits mixed by SplitMix64."""
    v = (np.uint64(mask) | (np.uint64(home) << np.uint64(55))) ^ np.uint64(salt)
    v = (v ^ (v >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    v = (v ^ (v >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return v ^ (v >> np.uint64(31))


@njit
def count_branches(masks, home, n, pieces):
    """Return the branches of n placements: pieces on the board, plus one if the pool has pieces."""
    total = 0
    for k in range(n):
        mask = masks[k]
        on_board = 0
        while mask != 0:  # the compiler makes this loop a population count
            mask &= mask - 1
            on_board += 1
        total += on_board + (1 if on_board + home[k] < pieces else 0)
    return total


@njit
def fold(light, n_light, dark, n_dark):
    """Return the sum of h(light[i] ^ dark[j]) over all pairs, modulo 2^64, pair by pair.

    h multiplies the halves of the combined key and folds the product's high bits down. Because of
    the xor, the carries and the shift, the double sum does not factor. So the only way to compute
    it is to visit all pairs. The loop is simple enough for the compiler to vectorise.
    """
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    down = np.uint64(29)
    total = np.uint64(0)
    for i in range(n_light):
        a = light[i]
        for j in range(n_dark):
            both = a ^ dark[j]
            product = (both & low) * (both >> half)
            total += product ^ (product >> down)
    return total


@njit
def visit_diagrams(footprints, checksum, light, dark, block, stop, counters):
    """Visit every configuration in which light's footprint is in ``footprints``, masks of tiles.

    ``block`` is the number of placements per side and block. The kernel adds to ``counters``
    (uint64) and stops between two blocks if ``stop[0]`` is set. With ``checksum`` it folds every
    pair. Without it, it only adds the number of pairs.
    """
    pieces, dark_pieces = light.pieces, dark.pieces
    n_steps = light.steps.shape[0] + dark.steps.shape[0]
    out_first = np.zeros(64, np.int64)
    out_steps = np.zeros((n_steps + 1, 2), np.int64)
    other_first = np.zeros(64, np.int64)
    other_steps = np.zeros((n_steps + 1, 2), np.int64)
    light_state = np.zeros((pieces + 2, 2), np.int64)
    dark_state = np.zeros((dark_pieces + 2, 2), np.int64)
    light_masks = np.empty(block, np.int64)
    light_home = np.empty(block, np.int64)
    dark_masks = np.empty(block, np.int64)
    dark_home = np.empty(block, np.int64)
    light_keys = np.empty(block, np.uint64)
    dark_keys = np.empty(block, np.uint64)
    for footprint in footprints:
        n_slots, n_must = task_slots(
            light.first, light.steps, footprint, light.tiles, out_first, out_steps
        )
        m_slots, m_must = task_slots(
            dark.first, dark.steps, np.int64(0), dark.tiles & ~footprint, other_first, other_steps
        )
        start_walk(light_state)
        while light_state[0, 0] >= 0:
            n = place(
                out_first, out_steps, n_slots, n_must, pieces, True,
                light_state, light_masks, light_home,
            )  # fmt: skip
            n_branches = count_branches(light_masks, light_home, n, pieces)
            if checksum:
                for k in range(n):
                    light_keys[k] = _key(light_masks[k], light_home[k], 0x9E3779B97F4A7C15)
            start_walk(dark_state)
            while dark_state[0, 0] >= 0:
                m = place(
                    other_first, other_steps, m_slots, m_must, dark_pieces, True,
                    dark_state, dark_masks, dark_home,
                )  # fmt: skip
                if stop[0] != 0:
                    return
                if checksum:
                    for k in range(m):
                        dark_keys[k] = _key(dark_masks[k], dark_home[k], 0x6A09E667F3BCC909)
                    counters[SUM] += fold(light_keys, n, dark_keys, m)
                m_branches = count_branches(dark_masks, dark_home, m, dark_pieces)
                counters[DIAGRAMS] += np.uint64(n * m)
                counters[LIGHT_BRANCHES] += np.uint64(n_branches * m)
                counters[DARK_BRANCHES] += np.uint64(n * m_branches)
