# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of exact play in a file: the model of decisions.

A decision is a state with a roll that allows two or more moves. States are in the order of
`urcx.solving.layered.order`: layers, and in each layer patterns with rows, one for each private
mask of the mover, and columns, one for each private mask of the other player. The mover's legal
moves are the same in all states of a row. Decisions are coded row by row, and in a row from the
last column to the first. For each column, bits state for each move in turn whether it is right, the
most promising move first.

The promise of a move is the sum of three terms. ``score`` is a network's value of the move.
``bias``, for each start of a move, corrects the scores by the errors in earlier decisions. Votes
count the neighbours that chose the move, among four: the previous column, the column with a piece
one step ahead, the column with one more piece, and the same column of the previous row. The
probability of a bit depends on the lead of the move, the votes for it and for the next move, the
number of moves left, and whether the previous column was as expected.

A block is the rows that begin in a range of ``BLOCK`` states of a layer. Each block has a stream of
bits for each roll, which is decoded from its beginning to find a decision. All numbers are
integers, so every machine gets the same result.

The coder follows Witten, Neal and Cleary (Communications of the ACM 30, 1987, pages 520 to 540)
with 32-bit registers and two symbols. A stream ends with the fewest bits that determine it for any
continuation, so streams follow each other without gaps.

A decision is looked up by decoding its stream from the beginning. Decoding all decisions of a
layer, stream by stream, takes as long as a few look-ups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import inlined, lean, njit
from urcx.engine.move_kernels import highest, legal_starts, lowest, make_move, popcount
from urcx.enumerate.rankings.pattern_kernels import PatternTables, own_part, pattern_part, spread_of

TOP = (1 << 32) - 1
QUARTER, HALF, THREE_QUARTERS = 1 << 30, 1 << 31, 3 << 30
PROBABILITY = 16  # probabilities are in units of 2^-PROBABILITY
# The registers of a coder. CODE belongs to the decoder, FOLLOW to the encoder: the number of bits
# that wait for the next one. AT is the place of the next bit in the data.
LOW, HIGH, CODE, FOLLOW, AT, REGISTERS = range(6)


@inlined
def read_bit(data, at):
    """Return a bit of the data, 0 after its end. The highest bit of a byte is the first."""
    byte = at >> 3
    if byte >= data.shape[0]:
        return np.int64(0)
    return np.int64(data[byte]) >> (7 - (at & 7)) & 1


@inlined
def write_bit(data, at, bit):
    """Set a bit of data that are zeros."""
    data[at >> 3] |= np.uint8(bit << (7 - (at & 7)))


@inlined
def begin_encoding(coder, at):
    """Begin a stream at a bit of the data."""
    coder[LOW], coder[HIGH], coder[FOLLOW], coder[AT] = 0, TOP, 0, at


@lean
def begin_decoding(coder, data, at):
    """Begin to read the stream at a bit of the data."""
    value = np.int64(0)
    for k in range(32):
        value = value << 1 | read_bit(data, at + k)
    coder[LOW], coder[HIGH], coder[CODE], coder[AT] = 0, TOP, value, at + 32


@inlined
def put(coder, data, bit):
    """Write a bit, and the opposite bits that wait for it."""
    at = coder[AT]
    write_bit(data, at, bit)
    at += 1
    for _ in range(coder[FOLLOW]):
        write_bit(data, at, 1 - bit)
        at += 1
    coder[FOLLOW] = 0
    coder[AT] = at


@lean
def encode_moves(coder, data, chance, bit):
    """Write a bit that is 1 with probability ``chance``, in units of 2^-16, from 1 to 2^16 - 1."""
    low, high = coder[LOW], coder[HIGH]
    middle = low + ((high - low + 1) * chance >> PROBABILITY)
    if bit:
        high = middle - 1
    else:
        low = middle
    while True:
        if high < HALF:
            put(coder, data, 0)
        elif low >= HALF:
            put(coder, data, 1)
            low -= HALF
            high -= HALF
        elif low >= QUARTER and high < THREE_QUARTERS:
            coder[FOLLOW] += 1
            low -= QUARTER
            high -= QUARTER
        else:
            break
        low = low << 1
        high = high << 1 | 1
    coder[LOW], coder[HIGH] = low, high


@lean
def end_encoding(coder, data):
    """End a stream, in one or two bits."""
    if coder[LOW] == 0:
        put(coder, data, 0)
    elif coder[HIGH] == TOP:
        put(coder, data, 1)
    else:
        bit = np.int64(coder[LOW] >= QUARTER)
        coder[FOLLOW] += 1
        put(coder, data, bit)


@inlined
def decode_moves(coder, data, chance):
    """Return the next bit, which is 1 with probability ``chance``."""
    low, high, value = coder[LOW], coder[HIGH], coder[CODE]
    middle = low + ((high - low + 1) * chance >> PROBABILITY)
    bit = value < middle
    if bit:
        high = middle - 1
    else:
        low = middle
    while True:
        if high < HALF:
            by = np.int64(0)
        elif low >= HALF:
            by = np.int64(HALF)
        elif low >= QUARTER and high < THREE_QUARTERS:
            by = np.int64(QUARTER)
        else:
            break
        low = (low - by) << 1
        high = (high - by) << 1 | 1
        value = (value - by) << 1 | read_bit(data, coder[AT])
        coder[AT] += 1
    coder[LOW], coder[HIGH], coder[CODE] = low, high, value
    return bit


# Entries of `PlayTables.numbers`: pieces per side, steps of the path, the network's units (0 if
# there is no network), the scale 2^-SCALE of its activations, whether they are squared, its
# constant term, the shift from sums to logits, states per block.
PIECES, PATH, UNITS, SCALE, SQUARED, CONSTANT, SHIFT, BLOCK, NUMBERS = range(9)
GROUP = 16  # blocks with a common list of the lengths of their streams
RICE = 4  # bits for the parameter of a group's list of lengths

ACTIVE = 14  # bits of an activation
LOGIT = 16  # bits of a logit's fraction
KNOT = 12  # bits between two knots of the logistic function
KNOTS = 128
VALUE = 16  # a value of 1 is 2^VALUE
WON = 1 << (VALUE + 1)  # a win comes before every other move

VOTE = 200  # added to a score for each neighbour's vote
STEP = 33  # added to the correction after a wrong expectation
GAPS = 36  # classes of the lead of a move
VOTES = 5
LEFT = 3  # classes of the number of moves left: 2, 3, more
BEFORE = 3  # classes of the previous column: none, as expected, not as expected
ORDERS = 3  # classes of the place of the move in the ranking: first, second, later
CONTEXTS = ORDERS * GAPS * VOTES * VOTES * LEFT * BEFORE

COUNT, ENCODE, DECODE = range(3)  # modes


class PlayTables(NamedTuple):
    """The read-only tables that all threads share.

    ``first``, ``bias`` and ``last`` are the network's weights. ``columns[side, number]`` has the
    sums of ``first`` for the steps of a private mask. ``knots`` tabulates the logistic function.
    ``ahead`` and ``more`` are the numbers of the masks with a piece one step ahead and with one
    more piece, or -1. ``chance[context]`` is the probability that a move is right. ``order`` lists
    the patterns in the order of a layer, and ``place`` is its inverse. ``offset[i, j, pattern]`` is
    the first state of a pattern in a layer. ``group[i, j]`` is the first group of a layer, and
    ``begin[group]`` its place in ``data``. ``stream[roll]`` numbers the rolls that have streams.
    """

    numbers: NDArray[np.int64]
    ways: NDArray[np.int64]
    first: NDArray[np.int16]
    bias: NDArray[np.int16]
    last: NDArray[np.int16]
    columns: NDArray[np.int16]
    knots: NDArray[np.int64]
    ahead: NDArray[np.int64]
    more: NDArray[np.int64]
    chance: NDArray[np.int64]
    pattern: PatternTables
    width: NDArray[np.int64]
    number: NDArray[np.int64]
    mask: NDArray[np.int64]
    order: NDArray[np.int32]
    place: NDArray[np.int32]
    offset: NDArray[np.uint32]
    group: NDArray[np.int64]
    begin: NDArray[np.uint32]
    stream: NDArray[np.int64]
    data: NDArray[np.uint8]


class PlayRoom(NamedTuple):
    """The working memory of a thread.

    For each column of a row, ``scores[move, number]`` has the scores, ``chosen[number]`` the start
    of the chosen move, ``above[number]`` the start chosen in the previous row, or -1, and
    ``missed[number]`` whether the chosen move was not the most promising. ``sums`` are the
    network's sums for the mover's pieces, and ``active`` its activations.
    ``other_sums[side, captured, number]`` are the sums for the other player's private pieces in a
    pattern, if ``computed[side, captured]``. ``counts[context]`` counts bits 0 and 1. Streams are
    written to ``out``.
    """

    coder: NDArray[np.int64]
    scores: NDArray[np.int64]
    starts: NDArray[np.int64]
    total: NDArray[np.int64]
    votes: NDArray[np.int64]
    chosen: NDArray[np.int64]
    above: NDArray[np.int64]
    missed: NDArray[np.int64]
    bias: NDArray[np.int64]
    sums: NDArray[np.int16]
    active: NDArray[np.int16]
    other_sums: NDArray[np.int16]
    computed: NDArray[np.int64]
    counts: NDArray[np.int64]
    out: NDArray[np.uint8]


@inlined
def add_steps(play, room, base, steps):
    """Add the weights of a side's pieces on the board. Its inputs begin at ``base``."""
    while steps:
        at = base + lowest(steps)
        steps &= steps - 1
        for unit in range(room.sums.shape[0]):
            room.sums[unit] += play.first[at, unit]


@inlined
def add_input(play, room, at):
    """Add the weights of an input."""
    for unit in range(room.sums.shape[0]):
        room.sums[unit] += play.first[at, unit]


@lean
def sum_others(play, room, side, captured, dark, home, columns):
    """Compute the network's sums for the other player's private pieces and pool, by column."""
    men = play.numbers[PIECES]
    base = 2 * play.numbers[PATH] + (2 + side) * (men + 1)
    for number in range(columns):
        pool = men - home - popcount(dark) - popcount(play.mask[number])
        for unit in range(room.sums.shape[0]):
            room.other_sums[side, captured, number, unit] = (
                play.columns[side, number, unit] + play.first[base + pool, unit]
            )
    room.computed[side, captured] = 1


@lean
def _weigh(play, room, move, sign, side, captured, columns):
    """Write the values of a move in all columns, from the network's sums."""
    # All in 16 bits, to put as many units as possible into a vector.
    up = np.int16(1 << (15 - play.numbers[SCALE]))
    most = np.int16((1 << play.numbers[SCALE]) - 1)
    squared = play.numbers[SQUARED]
    shift = play.numbers[SHIFT]
    for number in range(columns):
        for unit in range(room.sums.shape[0]):
            x = np.int16(room.sums[unit] + room.other_sums[side, captured, number, unit])
            room.active[unit] = np.int16(min(max(x, np.int16(0)), most) * up)
        if squared:
            for unit in range(room.sums.shape[0]):
                x = room.active[unit]
                room.active[unit] = np.int16((np.int32(x) * np.int32(x)) >> 16)
        else:
            for unit in range(room.sums.shape[0]):
                room.active[unit] >>= 1
        total = np.int32(0)
        for unit in range(room.sums.shape[0]):
            total = np.int32(total + np.int32(room.active[unit]) * np.int32(play.last[unit]))
        logit = (np.int64(total) + play.numbers[CONSTANT]) >> shift
        size = min(abs(logit), np.int64((KNOTS << KNOT) - 1))
        k = size >> KNOT
        low = play.knots[k]
        value = low + ((play.knots[k + 1] - low) * (size & ((1 << KNOT) - 1)) >> KNOT)
        room.scores[move, number] = sign * (value if logit >= 0 else -value)


@lean
def prepare_play(play, room, pattern, row, i, j, roll):
    """Write the moves of a row and their scores in its columns, and return the number of moves."""
    men, length = play.numbers[PIECES], play.numbers[PATH]
    light, dark = play.pattern.lane[0, pattern], play.pattern.lane[1, pattern]
    rows = play.width[men - i - popcount(light)]
    columns = play.width[men - j - popcount(dark)]
    own = light | play.pattern.own_steps[0, play.mask[rows - 1 - row]]
    left = legal_starts(play.ways, 0, men - popcount(own) - i, own, dark, roll)
    moves = popcount(left)
    if moves < 2:
        return moves
    for move in range(moves):
        start = lowest(left)
        left &= left - 1
        room.starts[move] = start
        mine, theirs, home, again = make_move(play.ways, 0, own, dark, i, start, start + roll)
        if home == men or play.numbers[UNITS] == 0:
            score = WON if home == men else 0
            for number in range(columns):
                room.scores[move, number] = score
            continue
        side = 0 if again else 1  # the mover's place in the inputs: next to move, or other player
        captured = np.int64(theirs != dark)
        if not room.computed[1 - side, captured]:
            sum_others(play, room, 1 - side, captured, theirs, j, columns)
        for unit in range(room.sums.shape[0]):
            room.sums[unit] = play.bias[unit]
        add_steps(play, room, side * length, mine)
        add_steps(play, room, (1 - side) * length, theirs)
        base = 2 * length
        add_input(play, room, base + side * (men + 1) + home)
        add_input(play, room, base + (1 - side) * (men + 1) + j)
        add_input(play, room, base + (2 + side) * (men + 1) + men - home - popcount(mine))
        _weigh(play, room, move, 1 if again else -1, 1 - side, captured, columns)
    return moves


@inlined
def new_pattern(room):
    """Reset the data of the previous pattern."""
    room.above[:] = -1
    room.computed[:] = 0


@inlined
def new_stream(room):
    """Reset all data before a stream."""
    new_pattern(room)
    room.bias[:] = 0


@inlined
def context(order, gap, votes, next_votes, left, before):
    """Return the number of a context."""
    size = np.int64(0)
    if gap > 0:
        top = highest(gap)
        size = min(2 * top + (gap >> (top - 1) & 1 if top else 0) + 1, np.int64(GAPS - 1))
    index = (min(order, np.int64(ORDERS - 1)) * GAPS + size) * VOTES + votes
    return ((index * VOTES + next_votes) * LEFT + min(left, 4) - 2) * BEFORE + before


@lean
def decide_play(play, room, columns, moves, last, mode, right):
    """Code the decisions of a prepared row, from its last column down to column ``last``.

    ``right[number]`` is a mask of the right moves, for modes other than ``DECODE``. The starts of
    the chosen moves are written to ``room.chosen``.
    """
    for start in range(room.bias.shape[0]):
        room.bias[start] >>= 1
    for number in range(columns - 1, last - 1, -1):
        before = room.chosen[number + 1] if number + 1 < columns else np.int64(-1)
        other = play.ahead[number]
        ahead = room.chosen[other] if 0 <= other < columns else np.int64(-1)
        other = play.more[number]
        more = room.chosen[other] if 0 <= other < columns else np.int64(-1)
        above = room.above[number]
        for move in range(moves):
            start = room.starts[move]
            votes = (
                np.int64(before == start)
                + np.int64(ahead == start)
                + np.int64(more == start)
                + np.int64(above == start)
            )
            room.votes[move] = votes
            room.total[move] = room.scores[move, number] + room.bias[start] + VOTE * votes
        hit = 0 if number + 1 == columns else 1 + room.missed[number + 1]
        best, second = np.int64(0), np.int64(1)
        if room.total[1] > room.total[0]:
            best, second = second, best
        for move in range(2, moves):
            if room.total[move] > room.total[best]:
                best, second = np.int64(move), best
            elif room.total[move] > room.total[second]:
                second = np.int64(move)
        expected = best
        rejected = np.int64(0)
        order = np.int64(0)
        while True:
            c = context(
                order,
                room.total[best] - room.total[second],
                room.votes[best],
                room.votes[second],
                moves - order,
                hit,
            )
            if mode == DECODE:
                yes = decode_moves(room.coder, play.data, play.chance[c])
            else:
                yes = (right[number] >> best & 1) != 0
                if mode == COUNT:
                    room.counts[c, np.int64(yes)] += 1
                else:
                    encode_moves(room.coder, room.out, play.chance[c], yes)
            if yes:
                break
            rejected |= np.int64(1) << best
            order += 1
            best = second
            if order == moves - 1:
                break
            second = np.int64(-1)
            for move in range(moves):
                if move == best or rejected >> move & 1:
                    continue
                if second < 0 or room.total[move] > room.total[second]:
                    second = np.int64(move)
        start = room.starts[best]
        room.chosen[number] = start
        room.missed[number] = best != expected
        if best != expected:
            instead = room.starts[expected]
            lead = room.scores[expected, number] + room.bias[instead]
            lead -= room.scores[best, number] + room.bias[start]
            lead = (max(lead, np.int64(0)) + STEP) >> 2
            room.bias[start] += lead
            room.bias[instead] -= lead


@inlined
def keep_row(room, columns):
    """Store the choices in a row for the next row."""
    for number in range(columns):
        room.above[number] = room.chosen[number]


@lean
def place_of_stream(play, group, stream, streams):
    """Return the first bit of a stream in the data. A group has ``streams`` streams."""
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
    """Return the numbers of rows and columns of a pattern in a layer, or 0 if it has no states."""
    men = play.numbers[PIECES]
    rows = men - i - popcount(play.pattern.lane[0, pattern])
    columns = men - j - popcount(play.pattern.lane[1, pattern])
    if rows < 0 or columns < 0:
        return np.int64(0), np.int64(0)
    return play.width[rows], play.width[columns]


@lean
def look_up(play, room, roll, own, own_home, other, other_home):
    """Return the start of the move to play, for a state and a roll with two or more moves."""
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
    # Find the block's first row: go back over the patterns that begin in the block.
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
                is_target = here == pattern and k == row
                if moves > 1:
                    last = number if is_target else np.int64(0)
                    decide_play(play, room, columns, moves, last, DECODE, room.chosen)
                    keep_row(room, columns)
                if is_target:
                    return room.chosen[number]
            new_pattern(room)
        t += 1


@njit
def looked_up_moves(play, room, roll, own, own_home, other, other_home):
    """Return the start of the move to play in an unfinished game, -1 if no move is legal."""
    pool = play.numbers[PIECES] - popcount(own) - own_home
    legal = legal_starts(play.ways, 0, pool, own, other, roll)
    if legal & (legal - 1) == 0:
        return lowest(legal) if legal else np.int64(-1)
    return look_up(play, room, roll, own, own_home, other, other_home)


class PlayFilePolicy(NamedTuple):
    """Plays the moves of a file of exact play, for one thread only."""

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
        """Return the start of the move to play in an unfinished game, -1 if no move is legal."""
        return looked_up_moves(self.play, self.room, roll, own, own_home, other, other_home)

    def for_one_thread(self) -> PlayFilePolicy:
        """Return the policy with its own working memory."""
        return self._replace(room=PlayRoom._make(part.copy() for part in self.room))


class LayerRows(NamedTuple):
    """A layer's patterns, with the rows, columns and first state of each.

    ``light`` and ``dark`` are the pieces home of the mover and of the other player. ``states`` is
    the layer's size.
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
    """Write the moves chosen in a row as masks over the legal moves, from place ``at`` on."""
    for number in range(columns):
        for move in range(moves):
            if room.starts[move] == room.chosen[number]:
                picks[at + columns - 1 - number] = np.int64(1) << move


@lean
def decode_stream(play, room, layer, block, roll, at, picks):
    """Decode the stream of a block for a roll. The layer's first state is at ``at``."""
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

    The move for ``rolls[r]`` in the layer's k-th state is written to ``picks[r * stride + begin +
    k]``. Entries with fewer than two legal moves are not written.
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
