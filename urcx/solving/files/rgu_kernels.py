"""Kernels of the .rgu files: the states of one unit, in the order of their keys.

A unit is what has the same numbers of light's and dark's pieces in the start pools and the same
mask of light's private tiles; `urcx.solving.files.rgu` says how keys are made. Within it the words
of the shared tiles come in order, and for each of them the masks of dark's private tiles.
"""

from __future__ import annotations

from urcx.engine.jit import njit


@njit
def fill(
    words, masks, width, offset, start, values, full, pieces,
    light_pool, dark_pool, light_count, row, head, keys, found,
):  # fmt: skip
    """Write the keys and values of a unit's states; return how many there are.

    ``words`` has for each word its code, shifted, its pattern, and light's and dark's pieces in it;
    ``masks`` for each of dark's masks its pieces and its number. ``offset[layer, pattern]`` and
    ``start[layer]`` say where ``values`` has a state, layer (i, j) being ``i * pieces + j``.
    ``full`` is what stands for a certain win.
    """
    n = 0
    for w in range(words.shape[1]):
        light_home = pieces - light_pool - light_count - words[2, w]
        room = pieces - dark_pool - words[3, w]
        if light_home < 0 or room < 0:
            continue
        pattern = words[1, w]
        for mask in range(masks.shape[1]):
            dark_home = room - masks[0, mask]
            if dark_home < 0 or dark_home == pieces:
                continue
            keys[n] = head | words[0, w] | mask
            if light_home == pieces:
                found[n] = full
            else:
                layer = light_home * pieces + dark_home
                last_row = width[pieces - light_home - words[2, w]] - 1
                columns = width[pieces - dark_home - words[3, w]]
                place = offset[layer, pattern] + (last_row - row) * columns
                place += columns - 1 - masks[1, mask]
                found[n] = values[start[layer] + place]
            n += 1
    return n


@njit
def places(
    words, masks, before, width, offset, pieces, light_home, dark_home,
    light_pool, dark_pool, light_count, row, head, first, at, keys,
):  # fmt: skip
    """Write where a unit has the states of one layer, and their keys, by their ranks in the layer.

    ``before[k, mask]`` counts the masks before one that have at most k pieces, ``width[k]`` all of
    them; ``offset`` is the layer's; ``first`` is the place of the unit's first state.
    """
    place = first
    for w in range(words.shape[1]):
        free = pieces - light_pool - light_count - words[2, w]
        room = pieces - dark_pool - words[3, w]
        if free < 0 or room < 0:
            continue
        won = 1 if room == pieces else 0  # mask 0: dark has won, and it is not in the file
        if free == light_home and room >= dark_home:
            columns = width[pieces - dark_home - words[3, w]]
            last_row = width[pieces - light_home - words[2, w]] - 1
            base = offset[words[1, w]] + (last_row - row) * columns
            for mask in range(masks.shape[1]):
                if masks[0, mask] == room - dark_home:
                    rank = base + columns - 1 - masks[1, mask]
                    at[rank] = place + before[room, mask] - won
                    keys[rank] = head | words[0, w] | mask
        place += width[room] - won
