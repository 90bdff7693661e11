# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that look the decisions of a file of exact play up, one at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from urcx.contrib.learning.coding_kernels import begin_decoding, read_bit
from urcx.contrib.learning.play_kernels import (
    BLOCK,
    DECODE,
    GROUP,
    MEN,
    RICE,
    PlayRoom,
    PlayTables,
    decide_play,
    keep_row,
    new_pattern,
    new_stream,
    prepare_play,
)
from urcx.engine.jit import inlined, lean, njit
from urcx.engine.move_kernels import legal_starts, lowest, popcount
from urcx.enumerate.rankings.pattern_kernels import own_part, pattern_part, spread_of


@lean
def place_of_stream(play, group, stream, streams):
    """Return the first bit of a stream in the data; a group has ``streams`` streams."""
    at = np.int64(play.begin[group]) << 3
    k = np.int64(0)
    for _ in range(RICE):
        k = k << 1 | read_bit(play.data, at)
        at += 1
    before = np.int64(0)
    for number in range(streams):
        size = np.int64(0)
        while read_bit(play.data, at):
            size += 1
            at += 1
        at += 1
        for _ in range(k):
            size = size << 1 | read_bit(play.data, at)
            at += 1
        if number < stream:
            before += size
    return at + before


@inlined
def shape_of(play, pattern, i, j):
    """Return the numbers of rows and columns of a pattern in a layer; 0 if it has no states."""
    men = play.numbers[MEN]
    rows = men - i - popcount(play.pattern.lane[0, pattern])
    columns = men - j - popcount(play.pattern.lane[1, pattern])
    if rows < 0 or columns < 0:
        return np.int64(0), np.int64(0)
    return play.width[rows], play.width[columns]


@lean
def look_up(play, room, roll, own, own_home, other, other_home):
    """Return the start of the move to play, in a state and for a roll with two or more moves."""
    i, j = own_home, other_home
    a = spread_of(play.pattern, 0, own)
    b = spread_of(play.pattern, 1, other)
    pattern = pattern_part(a) + pattern_part(b)
    rows, columns = shape_of(play, pattern, i, j)
    row = rows - 1 - play.number[own_part(a)]
    number = play.number[own_part(b)]
    begin = np.int64(play.offset[i, j, pattern]) + row * columns
    block = begin // play.numbers[BLOCK]
    least = block * play.numbers[BLOCK]
    # The block's first row: back over the patterns that begin in it.
    t = np.int64(play.place[pattern])
    first = np.int64(play.offset[i, j, pattern])
    earlier = t
    while first > least and earlier > 0:
        earlier -= 1
        before = np.int64(play.order[earlier])
        rows, columns = shape_of(play, before, i, j)
        if rows == 0:
            continue
        first = np.int64(play.offset[i, j, before])
        if first + (rows - 1) * columns < least:
            break
        t = earlier
    streams = play.stream[0]
    group = play.group[i, j] + block // GROUP
    stream = block % GROUP * streams + play.stream[roll]
    at = place_of_stream(play, group, stream, GROUP * streams)
    begin_decoding(room.coder, play.data, at)
    new_stream(room)
    while True:
        here = np.int64(play.order[t])
        rows, columns = shape_of(play, here, i, j)
        if rows:
            first = np.int64(play.offset[i, j, here])
            begin = max(np.int64(0), (least - first + columns - 1) // columns)
            for k in range(begin, rows):
                moves = prepare_play(play, room, here, k, i, j, roll)
                wanted = here == pattern and k == row
                if moves > 1:
                    last = number if wanted else np.int64(0)
                    decide_play(play, room, columns, moves, last, DECODE, room.chosen)
                    keep_row(room, columns)
                if wanted:
                    return room.chosen[number]
            new_pattern(room)
        t += 1


@njit
def looked_up_moves(play, room, roll, own, own_home, other, other_home):
    """Return the start of the move to play in an unfinished game, -1 if none is legal."""
    pool = play.numbers[MEN] - popcount(own) - own_home
    legal = legal_starts(play.ways, 0, pool, own, other, roll)
    if legal & (legal - 1) == 0:
        return lowest(legal) if legal else np.int64(-1)
    return look_up(play, room, roll, own, own_home, other, other_home)


class PlayFilePolicy(NamedTuple):
    """Plays the moves of a file of exact play; for one thread only."""

    ties: int
    play: PlayTables
    room: PlayRoom

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return the move to play."""
        if legal & (legal - 1) == 0:
            return legal
        start = look_up(self.play, self.room, roll, own, own_home, other, other_home)
        return np.int64(1) << start

    def only_move(self, roll, own, own_home, other, other_home):
        """Return the start of the move to play in an unfinished game, -1 if none is legal."""
        return looked_up_moves(self.play, self.room, roll, own, own_home, other, other_home)

    def for_one_thread(self) -> PlayFilePolicy:
        """Return the policy with working memory of its own."""
        return self._replace(room=PlayRoom._make(part.copy() for part in self.room))
