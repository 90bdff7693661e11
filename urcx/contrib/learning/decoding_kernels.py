# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that decode all decisions of a layer, stream by stream: for the price of a few look-ups.

Looking every decision up by itself would decode its stream from the beginning again and again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.learning.coding_kernels import begin_decoding
from urcx.contrib.learning.look_up_kernels import place_of_stream
from urcx.contrib.learning.play_kernels import (
    BLOCK,
    DECODE,
    GROUP,
    decide_play,
    keep_row,
    new_pattern,
    new_stream,
    prepare_play,
)
from urcx.engine.jit import lean, njit


class LayerRows(NamedTuple):
    """A layer's patterns, with the rows and columns of each, and where each begins.

    ``light`` and ``dark`` are the pieces home of the mover and of the other; ``states`` is the
    layer's size.
    """

    light: int
    dark: int
    states: int
    patterns: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    begin: NDArray[np.int64]


@lean
def keep_moves(room, moves, columns, at, picks):
    """Write the moves chosen in a row, each as a mask over the legal moves, from ``at`` on."""
    for number in range(columns):
        for move in range(moves):
            if room.starts[move] == room.chosen[number]:
                picks[at + columns - 1 - number] = np.int64(1) << move


@lean
def decode_stream(play, room, layer, block, roll, at, picks):
    """Decode the stream of a block for a roll; the layer's first state is at ``at``."""
    least = block * play.numbers[BLOCK]
    end = min(least + play.numbers[BLOCK], layer.states)
    t = np.searchsorted(layer.begin, least, side="right") - 1
    new_stream(room)
    while t < layer.begin.shape[0] and layer.begin[t] < end:
        columns = layer.columns[t]
        first = layer.begin[t]
        for row in range(max(np.int64(0), (least - first + columns - 1) // columns), layer.rows[t]):
            if first + row * columns >= end:
                break
            moves = prepare_play(play, room, layer.patterns[t], row, layer.light, layer.dark, roll)
            if moves > 1:
                decide_play(play, room, columns, moves, np.int64(0), DECODE, room.chosen)
                keep_row(room, columns)
                keep_moves(room, moves, columns, at + first + row * columns, picks)
        new_pattern(room)
        t += 1


@njit
def decode_group(play, room, layer, rolls, group, begin, stride, picks):
    """Write the moves of a group of a layer's blocks, each as a mask over the legal moves.

    Those of ``rolls[r]`` in the layer's k-th state go to ``picks[r * stride + begin + k]``; entries
    with fewer than two legal moves are not written.
    """
    streams = play.stream[0]
    first = play.group[layer.light, layer.dark]
    for block in range(group * GROUP, (group + 1) * GROUP):
        if block * play.numbers[BLOCK] >= layer.states:
            break
        for r in range(rolls.shape[0]):
            if rolls[r] == 0:
                continue
            stream = block % GROUP * streams + play.stream[rolls[r]]
            begin_decoding(
                room.coder,
                play.data,
                place_of_stream(play, first + group, stream, GROUP * streams),
            )
            decode_stream(play, room, layer, block, rolls[r], r * stride + begin, picks)
