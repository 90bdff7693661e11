# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that write and prove exact play: all decisions of a layer, from the values of moves.

Values and the operations of each row are stored as in `urcx.solving.layered.pair`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.learning.play_kernels import (
    AT,
    BLOCK,
    DECODE,
    ENCODE,
    GROUP,
    PIECES,
    RICE,
    begin_decoding,
    begin_encoding,
    decide_play,
    end_encoding,
    keep_row,
    look_up,
    new_pattern,
    new_stream,
    place_of_stream,
    prepare_play,
    read_bit,
    write_bit,
)
from urcx.engine.jit import lean, njit
from urcx.engine.move_kernels import legal_starts, lowest, popcount

SAME = 2.0**-50  # values from -1 to 1 that differ by less are equal except for rounding
MOST_RICE = (1 << RICE) - 1
# Entries of the totals: decisions, decisions with several best moves, decisions with other right
# moves (whose values differ by less than the error bounds), decisions with a wrong move, bits of
# the lists of lengths, bits of the streams, and decisions that were looked up singly.
DECISIONS, EQUAL, UNSURE, WRONG, LENGTH_BITS, STREAM_BITS, SINGLE, TOTALS = range(8)


class LayerMoves(NamedTuple):
    """A layer's patterns, and the places of the values of the moves of each row.

    See `urcx.solving.layered.pair.LayerPair`. ``states`` is the layer's size, ``within`` the
    greatest difference in value between a right move and the best.
    """

    light: int
    dark: int
    states: int
    patterns: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    begin: NDArray[np.int64]
    first_row: NDArray[np.int64]
    first_op: NDArray[np.int64]
    ops: NDArray[np.uint32]
    values: NDArray[np.float64]
    within: float


class Tallies(NamedTuple):
    """The counts of a thread.

    ``right`` has the masks of right moves of the current row, ``lengths`` the lengths of the
    streams of the current group. ``places[r, moves, move]`` counts the first of the best moves.
    ``totals`` has the entries listed above. ``worst[0]`` is the greatest difference between the
    best value and the value of a chosen move.
    """

    right: NDArray[np.int64]
    lengths: NDArray[np.int64]
    places: NDArray[np.int64]
    totals: NDArray[np.int64]
    worst: NDArray[np.float64]


@lean
def _find_right_moves(layer, at, moves, columns, r, tallies):
    """Write the masks of right moves in a row. ``at`` is the place of its first move's values."""
    right, places, totals = tallies.right, tallies.places[r], tallies.totals
    for number in range(columns):
        c = columns - 1 - number
        best = -2.0
        for move in range(moves):
            best = max(best, layer.values[np.int64(layer.ops[at + move]) + c])
        right_moves = np.int64(0)
        same = np.int64(0)
        several = np.int64(0)
        for move in range(moves):
            value = layer.values[np.int64(layer.ops[at + move]) + c]
            if value >= best - layer.within:
                right_moves |= np.int64(1) << move
                several += 1
                same += np.int64(value >= best - SAME)
        right[number] = right_moves
        places[moves, lowest(right_moves)] += 1
        totals[DECISIONS] += 1
        totals[EQUAL] += same > 1
        totals[UNSURE] += several > same


@lean
def code_stream(play, room, layer, rolls, block, r, mode, tallies):
    """Code the stream of a block for the roll ``rolls[r]``, or decode and check it."""
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
            moves = prepare_play(
                play, room, layer.patterns[t], row, layer.light, layer.dark, rolls[r]
            )
            if moves < 2:
                continue
            at = layer.first_op[layer.first_row[t] + row]
            for _ in range(r):
                at += 1 + np.int64(layer.ops[at])
            at += 1
            _find_right_moves(layer, at, moves, columns, r, tallies)
            decide_play(play, room, columns, moves, np.int64(0), mode, tallies.right)
            keep_row(room, columns)
            if mode == DECODE:
                _check_row(room, layer, at, moves, columns, tallies)
        new_pattern(room)
        t += 1


@lean
def _check_row(room, layer, at, moves, columns, tallies):
    """Compare the moves chosen in a row with the right moves."""
    right, worst = tallies.right, tallies.worst
    for number in range(columns):
        c = columns - 1 - number
        best = -2.0
        value = -2.0
        wrong = True
        for move in range(moves):
            move_value = layer.values[np.int64(layer.ops[at + move]) + c]
            best = max(best, move_value)
            if room.starts[move] == room.chosen[number]:
                value = move_value
                wrong = right[number] >> move & 1 == 0
        tallies.totals[WRONG] += wrong
        worst[0] = max(worst[0], best - value)


@lean
def look_up_one(play, room, layer, rolls, block, r, tallies):
    """Look up one decision of a block and a roll in the same way as games do, and check it."""
    right, totals = tallies.right, tallies.totals
    least = block * play.numbers[BLOCK]
    most = min(least + play.numbers[BLOCK], layer.states) - least
    place = least + (block * 0x9E3779B1 + r * 0x85EBCA77 & 0xFFFFFF) % most
    t = np.searchsorted(layer.begin, place, side="right") - 1
    pattern, columns = layer.patterns[t], layer.columns[t]
    row = (place - layer.begin[t]) // columns
    number = columns - 1 - (place - layer.begin[t]) % columns
    at = layer.first_op[layer.first_row[t] + row]
    for _ in range(r):
        at += 1 + np.int64(layer.ops[at])
    moves = np.int64(layer.ops[at])
    if moves < 2:
        return
    light, dark = play.pattern.lane[0, pattern], play.pattern.lane[1, pattern]
    own = light | play.pattern.own_steps[0, play.mask[layer.rows[t] - 1 - row]]
    other = dark | play.pattern.own_steps[1, play.mask[number]]
    chosen = look_up(play, room, rolls[r], own, layer.light, other, layer.dark)
    before = totals[DECISIONS]
    _find_right_moves(layer, at + 1, moves, columns, r, tallies)
    totals[DECISIONS] = before
    pool = play.numbers[PIECES] - popcount(own) - layer.light
    left = legal_starts(play.ways, 0, pool, own, dark, rolls[r])
    move = popcount(left & ((np.int64(1) << chosen) - 1))
    totals[SINGLE] += 1
    totals[WRONG] += (left >> chosen & 1) == 0 or (right[number] >> move & 1) == 0


@lean
def write_group(room, lengths, bits, out, totals):
    """Write a group: its streams' lengths, then the streams of ``bits`` bits. Return its bytes."""
    best = np.int64(0)
    least = np.int64(1) << 60
    for k in range(MOST_RICE + 1):
        size = np.int64(0)
        for stream in range(lengths.shape[0]):
            size += (lengths[stream] >> k) + 1 + k
        if size < least:
            best, least = np.int64(k), size
    to = np.int64(0)
    for k in range(RICE - 1, -1, -1):
        write_bit(out, to, best >> k & 1)
        to += 1
    for stream in range(lengths.shape[0]):
        for _ in range(lengths[stream] >> best):
            write_bit(out, to, 1)
            to += 1
        to += 1
        for k in range(best - 1, -1, -1):
            write_bit(out, to, lengths[stream] >> k & 1)
            to += 1
    for k in range(bits):
        write_bit(out, to + k, read_bit(room.out, k))
    totals[LENGTH_BITS] += to
    totals[STREAM_BITS] += bits
    return (to + bits + 7) >> 3


@njit
def code_group(play, room, layer, rolls, group, mode, tallies, out):
    """Count the contexts of a group of a layer, write it to ``out``, or decode and check it.

    ``out`` and ``room.out`` must be zeros. Returns the number of bytes written.
    """
    lengths, totals = tallies.lengths, tallies.totals
    streams = play.stream[0]
    lengths[:] = 0
    at = np.int64(0)
    for block in range(group * GROUP, (group + 1) * GROUP):
        if block * play.numbers[BLOCK] >= layer.states:
            break
        for r in range(rolls.shape[0]):
            if rolls[r] == 0:
                continue
            stream = block % GROUP * streams + play.stream[rolls[r]]
            if mode == ENCODE:
                begin_encoding(room.coder, at)
            elif mode == DECODE:
                place = place_of_stream(
                    play, play.group[layer.light, layer.dark] + group, stream, GROUP * streams
                )
                begin_decoding(room.coder, play.data, place)
            before = totals[DECISIONS]
            code_stream(play, room, layer, rolls, block, r, mode, tallies)
            if mode == ENCODE and totals[DECISIONS] > before:
                end_encoding(room.coder, room.out)
                lengths[stream] = room.coder[AT] - at
                at = room.coder[AT]
            elif mode == DECODE:
                look_up_one(play, room, layer, rolls, block, r, tallies)
    return write_group(room, lengths, at, out, totals) if mode == ENCODE else np.int64(0)
