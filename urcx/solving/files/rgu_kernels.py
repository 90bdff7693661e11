# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for .rgu files: the states of one unit, in the order of their keys.

A unit consists of the states with the same numbers of light's and dark's pieces in the start pools
and the same mask of light's private tiles. `urcx.solving.files.rgu` describes the keys. Within a
unit, states are sorted by the word of the shared tiles, then by the mask of dark's private tiles.
"""

from __future__ import annotations

from typing import NamedTuple

from urcx.engine.jit import njit


class UnitStates(NamedTuple):
    """The common properties of the states of a unit.

    They are the pieces in both start pools, light's pieces on private tiles with the number of
    their mask in a row, and the common part of the keys.
    """

    light_pool: int
    dark_pool: int
    light_count: int
    row: int
    head: int


@njit
def fill(words, masks, width, offset, start, values, full, pieces, unit, keys, result):
    """Write the keys and values of a unit's states, and return the number of states.

    ``words`` has for each word its shifted code, its pattern, and light's and dark's pieces in it.
    ``masks`` has for each of dark's masks its number of pieces and its number in the order. A
    state's place in ``values`` follows from ``offset[layer, pattern]`` and ``start[layer]``, where
    layer (i, j) is ``i * pieces + j``. ``full`` represents a certain win.
    """
    n = 0
    for w in range(words.shape[1]):
        light_home = pieces - unit.light_pool - unit.light_count - words[2, w]
        room = pieces - unit.dark_pool - words[3, w]
        if light_home < 0 or room < 0:
            continue
        pattern = words[1, w]
        for mask in range(masks.shape[1]):
            dark_home = room - masks[0, mask]
            if dark_home < 0 or dark_home == pieces:
                continue
            keys[n] = unit.head | words[0, w] | mask
            if light_home == pieces:
                result[n] = full
            else:
                layer = light_home * pieces + dark_home
                last_row = width[pieces - light_home - words[2, w]] - 1
                columns = width[pieces - dark_home - words[3, w]]
                place = offset[layer, pattern] + (last_row - unit.row) * columns
                place += columns - 1 - masks[1, mask]
                result[n] = values[start[layer] + place]
            n += 1
    return n


@njit
def places(words, masks, before, width, offset, pieces, homes, unit, first, at, keys):
    """Write the places of a layer's states in a unit, and their keys, by rank in the layer.

    The layer has ``homes`` of light's and of dark's pieces home. ``before[k, mask]`` counts the
    masks with at most k pieces before ``mask``, ``width[k]`` all masks with at most k pieces.
    ``offset`` belongs to the layer, and ``first`` is the place of the unit's first state.
    """
    light_home, dark_home = homes
    place = first
    for w in range(words.shape[1]):
        free = pieces - unit.light_pool - unit.light_count - words[2, w]
        room = pieces - unit.dark_pool - words[3, w]
        if free < 0 or room < 0:
            continue
        won = 1 if room == pieces else 0  # mask 0: dark has won, so there is no entry
        if free == light_home and room >= dark_home:
            columns = width[pieces - dark_home - words[3, w]]
            last_row = width[pieces - light_home - words[2, w]] - 1
            base = offset[words[1, w]] + (last_row - unit.row) * columns
            for mask in range(masks.shape[1]):
                if masks[0, mask] == room - dark_home:
                    rank = base + columns - 1 - masks[1, mask]
                    at[rank] = place + before[room, mask] - won
                    keys[rank] = unit.head | words[0, w] | mask
        place += width[room] - won
