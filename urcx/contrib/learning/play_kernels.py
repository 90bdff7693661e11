# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of exact play in a file: the model of decisions.

A decision is a state with a roll that allows two or more moves. States are in the order of
`urcx.solving.layered.order`: layers, and in a layer patterns with rows, one for each private mask
of the mover's, and columns, one for each of the other's. A mover's legal moves are the same in a
whole row. Decisions are coded row by row, columns from the last number of their mask to the first;
for each column, bits say for one move after another whether it is right, the most promising first.

What is promising: ``score`` is a move's value to a network; ``bias``, for each start of a move, is
what the scores of earlier decisions lacked; and votes count those of four neighbours that chose the
move: the column before, that with a piece one step ahead, that with a piece more, and the same
column of the row before. The probability of a bit depends on how far the move leads, on the votes
for it and for the next, on the number of moves left, and on whether the column before was as
expected.

A block is the rows that begin in a range of ``BLOCK`` states of a layer. Each block has a stream of
bits for each roll, which is decoded from its beginning to find one decision. All is computed in
integers, so it is the same on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.learning.coding_kernels import decode_moves, encode_moves
from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import highest, legal_starts, lowest, make_move, popcount
from urcx.enumerate.rankings.pattern_kernels import PatternTables

# Entries of `PlayTables.numbers`: pieces of a side, steps of the path, the network's units (0 for
# none), its activations' scale 2^-SCALE, whether they are squared, its constant term, the places by
# which sums are shifted to logits, states of a block.
MEN, PATH, UNITS, SCALE, SQUARED, CONSTANT, SHIFT, BLOCK, NUMBERS = range(9)
GROUP = 16  # blocks, whose streams stand together behind a list of their lengths
RICE = 4  # bits for the parameter of a group's list of lengths

ACTIVE = 14  # bits of an activation
LOGIT = 16  # bits of a logit's fraction
KNOT = 12  # bits between two knots of the logistic function
KNOTS = 128
VALUE = 16  # a value of 1 is 2^VALUE
WON = 1 << (VALUE + 1)  # a win comes before every other move

VOTE = 200  # added to a score for each neighbour's vote
STEP = 33  # added to what is learned from a wrong expectation
GAPS = 36  # classes of how far a move leads
VOTES = 5
LEFT = 3  # classes of the number of moves left: 2, 3, more
BEFORE = 3  # no column before, as expected, not
ORDERS = 3  # the first move asked about, the second, later ones
CONTEXTS = ORDERS * GAPS * VOTES * VOTES * LEFT * BEFORE

COUNT, ENCODE, DECODE = range(3)  # what is done with the bits


class PlayTables(NamedTuple):
    """What all threads share.

    ``first``, ``bias`` and ``last`` are the network's weights; ``columns[side, number]`` the sums
    of the first for the steps of a private mask; ``knots`` tabulate the logistic function.
    ``ahead`` and ``more`` number the masks with a piece one step ahead and with a piece more, -1
    for none. ``chance[context]`` is the probability that a move is right. ``order`` lists the
    patterns in the order of a layer, ``place`` is its inverse; ``offset[i, j, pattern]`` is that of
    a pattern in a layer. ``group[i, j]`` is a layer's first group, ``begin[group]`` where it begins
    in ``data``. ``stream[roll]`` numbers the rolls that have streams.
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
    """One thread's working memory.

    ``scores[move, number]`` are those of a row; ``chosen[number]`` the start of the move chosen in
    it, ``above[number]`` in the row before, -1 for none, and ``missed[number]`` whether it was not
    the most promising. ``sums`` are the network's of the mover's pieces, ``active`` its
    activations, ``beside[side, captured, number]`` those of the other's private pieces in a pattern
    if ``known[side, captured]``. ``counts[context]`` are the bits that were 0 and 1, and ``out`` is
    where streams are written.
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
    beside: NDArray[np.int16]
    known: NDArray[np.int64]
    counts: NDArray[np.int64]
    out: NDArray[np.uint8]


@inlined
def add_steps(play, room, base, steps):
    """Add the weights of a side's pieces on the board, whose inputs begin at ``base``."""
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
def sum_beside(play, room, side, captured, dark, home, columns):
    """Compute the network's sums of the other's private pieces and pool, for all columns."""
    men = play.numbers[MEN]
    base = 2 * play.numbers[PATH] + (2 + side) * (men + 1)
    for number in range(columns):
        pool = men - home - popcount(dark) - popcount(play.mask[number])
        for unit in range(room.sums.shape[0]):
            room.beside[side, captured, number, unit] = (
                play.columns[side, number, unit] + play.first[base + pool, unit]
            )
    room.known[side, captured] = 1


@lean
def _weigh(play, room, move, sign, side, captured, columns):
    """Write the values of a move in all columns, from the network's sums."""
    # All in 16 bits, so that a vector holds as many units as possible.
    up = np.int16(1 << (15 - play.numbers[SCALE]))
    most = np.int16((1 << play.numbers[SCALE]) - 1)
    squared = play.numbers[SQUARED]
    shift = play.numbers[SHIFT]
    for number in range(columns):
        for unit in range(room.sums.shape[0]):
            x = np.int16(room.sums[unit] + room.beside[side, captured, number, unit])
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
    """Write the moves of a row and their scores in its columns; return how many there are."""
    men, length = play.numbers[MEN], play.numbers[PATH]
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
        side = 0 if again else 1  # whose inputs are the mover's: the player's then to move or not
        captured = np.int64(theirs != dark)
        if not room.known[1 - side, captured]:
            sum_beside(play, room, 1 - side, captured, theirs, j, columns)
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
    """Forget what belongs to the pattern before."""
    room.above[:] = -1
    room.known[:] = 0


@inlined
def new_stream(room):
    """Forget everything before a stream."""
    new_pattern(room)
    room.bias[:] = 0


@inlined
def context(order, gap, votes, next_votes, left, before):
    """Return the number of a context."""
    size = np.int64(0)
    if gap > 0:
        top = highest(gap)
        size = min(2 * top + (gap >> (top - 1) & 1 if top else 0) + 1, np.int64(GAPS - 1))
    found = (min(order, np.int64(ORDERS - 1)) * GAPS + size) * VOTES + votes
    return ((found * VOTES + next_votes) * LEFT + min(left, 4) - 2) * BEFORE + before


@lean
def decide_play(play, room, columns, moves, last, mode, right):
    """Code the decisions of a prepared row, from its last column's down to that of number ``last``.

    ``right[number]`` is a mask of the right moves, for the modes that do not decode. The starts of
    the moves chosen are written to ``room.chosen``.
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
        asked = np.int64(0)
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
            asked |= np.int64(1) << best
            order += 1
            best = second
            if order == moves - 1:
                break
            second = np.int64(-1)
            for move in range(moves):
                if move == best or asked >> move & 1:
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
    """Remember what was chosen in a row, for the next."""
    for number in range(columns):
        room.above[number] = room.chosen[number]
