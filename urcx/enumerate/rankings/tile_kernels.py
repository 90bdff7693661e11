# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the order by tiles, which `urcx.enumerate.rankings.ranking` explains.

The order is one array of numbers, because one array is cheaper to pass between kernels than
several. `urcx.enumerate.rankings.ranking.TileRanking.arrays` makes it. It begins with

``TILES``
    The number of tiles.
``TURNED``
    1 if a state is a configuration with light to move, as for canonical views. 0 if its number is
    twice the configuration's rank, plus 1 if dark is to move.
``DARK_PIECES``
    Dark's number of pieces.
``START``, ``TILE``, ``ROW``
    W[t, i, j] is the number of ways to put i light and j dark pieces on the tiles from t on, in the
    pools and home. It is at ``START + t * TILE - (pieces - i) * ROW - (dark_pieces - j)``. It is 0
    if i or j is -1, so a side without a piece left needs no test.

After that it has, for each tile, the mask of light's steps on it and the mask of dark's steps on
it.

A view is a state from the point of view of the player to move. It has the steps and pieces home of
the player to move, the steps and pieces home of the other side, and the side to move, which is 0 if
``TURNED``.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import popcount

TILES, TURNED, DARK_PIECES, START, TILE, ROW, HEADER = range(7)


@lean
def _rank_of(table, light, light_home, dark, dark_home):
    """Return a configuration's rank."""
    row, tile = table[ROW], table[TILE]
    at = table[START]
    rank = light_home * (table[DARK_PIECES] - popcount(dark) + 1) + dark_home
    masks = HEADER
    while light | dark:
        at += tile
        own, other = table[masks], table[masks + 1]
        masks += 2
        if light & own:
            # Skip the ranks in which the tile is empty, or the piece is on an earlier step there.
            rank += table[at] + popcount(own & ((light & own) - 1)) * table[at - row]
            light &= ~own
            at -= row
        elif dark & other:
            rank += table[at] + popcount(own) * table[at - row]
            rank += popcount(other & ((dark & other) - 1)) * table[at - 1]
            dark &= ~other
            at -= 1
    return rank


@lean
def diagram_of(table, rank):
    """Return (light, light_home, dark, dark_home) of a rank."""
    row, tile = table[ROW], table[TILE]
    at = table[START]
    light = np.int64(0)
    dark = np.int64(0)
    for masks in range(HEADER, HEADER + 2 * table[TILES], 2):
        at += tile
        if rank < table[at]:
            continue
        rank -= table[at]
        steps = table[masks]
        while steps and rank >= table[at - row]:
            rank -= table[at - row]
            steps &= steps - 1
        if steps:
            light |= steps & -steps
            at -= row
            continue
        steps = table[masks + 1]
        while steps and rank >= table[at - 1]:
            rank -= table[at - 1]
            steps &= steps - 1
        dark |= steps & -steps
        at -= 1
    across = table[DARK_PIECES] - popcount(dark) + 1
    light_home = rank // across
    return light, light_home, dark, rank - light_home * across


@inlined
def state_of(table, own, own_home, other, other_home, side):
    """Return a view's number."""
    if side:
        return 2 * _rank_of(table, other, other_home, own, own_home) + 1
    return _rank_of(table, own, own_home, other, other_home) << (1 - table[TURNED])


@inlined
def view_of(table, state):
    """Return a state's view: (own, own_home, other, other_home, side)."""
    shift = 1 - table[TURNED]
    light, light_home, dark, dark_home = diagram_of(table, state >> shift)
    side = state & shift
    if side:
        return dark, dark_home, light, light_home, side
    return light, light_home, dark, dark_home, side


@lean
def rank_tiles(table, light, light_home, dark, dark_home, ranks):
    """Rank all pairs of a light and a dark placement, a row of ``ranks`` per light placement."""
    for a in range(light.shape[0]):
        for b in range(dark.shape[0]):
            ranks[a, b] = _rank_of(table, light[a], light_home[a], dark[b], dark_home[b])
