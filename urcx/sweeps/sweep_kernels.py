# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""A Gauss-Seidel sweep over values to come in a game, a row of states at a time.

A state's value is the gain of a ply plus the mean over the rolls of an operator's result for the
values after the moves. The operator takes the greatest (`Greatest`, and `Choosing` and `Playing`,
which also store the moves with that value), or the mean over the moves of a policy, or over stored
moves (`PolicyMean`). The values to come belong to neither player, so they keep their sign when
sides are exchanged. Values are floats or double-doubles (`urcx.sweeps.number_kernels`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from urcx.engine.jit import inlined, lean, njit
from urcx.engine.move_kernels import lowest, popcount
from urcx.engine.vector_kernels import (
    all_equal,
    any_of,
    fetch,
    first_lanes,
    greater,
    greatest,
    having,
    load,
    minus,
    plus_times,
    shared_out,
    store,
    store_first,
    times_shares,
    where_greater,
)
from urcx.engine.vector_types import LANES
from urcx.sweeps.layout_kernels import MARGIN, Picks, StateRows
from urcx.sweeps.number_kernels import (
    INLINED,
    better,
    joined,
    more_by,
    number,
    plus,
    put,
    read,
    shared,
    tidy,
    turn_floats,
    turn_tile,
    weighted,
    with_bit,
    write,
)

LEAVES = 1 << 16  # added to the head of a roll's reads if some moves leave the swept states


class Way(NamedTuple):
    """The data from which values are computed, besides other values.

    Values are y = V - ``height``, where V is the value still to come. y is ``gains`` of the row
    plus the mean over the rolls. If moves leave the swept states, `LEAVES` is added to the number
    of the other moves. Their reads are then followed by the index in ``exits`` of the greatest V of
    the moves that leave.
    """

    gains: NDArray[np.float64]
    exits: NDArray[np.float64]
    height: float


def way_of(rows: StateRows, plies: float) -> Way:
    """Return data by which each ply counts ``plies``, and no move leaves the swept states."""
    return Way(np.full(int(rows.rows.sum()), plies), np.empty(0), 0.0)


class Greatest(NamedTuple):
    """An operator that takes the greatest value."""

    way: Way


class Choosing(NamedTuple):
    """An operator that takes the greatest value, and writes its move for `PolicyMean`.

    The move goes to ``picks``. If values are equal, it is the first. If there is only one move,
    nothing is written.
    """

    way: Way
    picks: Picks


class Playing(NamedTuple):
    """An operator that takes the greatest value, and writes the moves played to ``picks``.

    Moves within ``tie_width`` of the greatest value are equally good. The first of them is played,
    or the ``last``, or all if moves of picks are shared. No move leaves the swept states, and
    values are floats. If there is only one move, nothing is written.
    """

    way: Way
    picks: Picks
    tie_width: float
    last: bool = False


class PolicyMean(NamedTuple):
    """An operator that takes the mean of the values of the picked moves.

    The bit after the moves that stay represents the best move that leaves the swept states. No move
    leaves them if some picks go astray.
    """

    way: Way
    picks: Picks


@inlined
def with_move(picks, x, at, bit):
    """Return the part of the games ``x`` in some states that a move with this bit continues.

    ``at`` is the place of the states' masks.
    """
    if picks.shared and picks.shares.shape[0] > 0:
        return times_shares(x, picks.shares, at + np.uint64(lowest(bit) * picks.masks.shape[0]))
    if picks.shared:
        x = shared_out(x, picks.masks, at)
    return having(x, picks.masks, at, bit)


@inlined
def _outside(way, values, at):
    """Return the values after moves that leave the swept states."""
    return number(values, minus(load(way.exits, at), all_equal(way.height)))


@inlined
def _best(operator, values, rows, start, c):
    """Return the greatest value, the bit of its move, and the start of the next roll's reads.

    If values are equal, the first counts.
    """
    head = np.uint64(rows.ops[start])
    count = head & np.uint64(LEAVES - 1)
    reads = start + np.uint64(1)
    end = reads + count
    if head >= np.uint64(LEAVES):
        best = _outside(operator.way, values, np.uint64(rows.ops[end]) + c)
        bit = all_equal(np.float64(np.int64(1) << np.int64(count)))
        other = np.uint64(0)
        end += np.uint64(1)
    else:
        best = read(values, np.uint64(rows.ops[reads]) + c)
        bit = all_equal(1.0)
        other = np.uint64(1)
    for m in range(other, count):
        value = read(values, np.uint64(rows.ops[reads + m]) + c)
        mark = all_equal(np.float64(np.int64(1) << np.int64(m)))
        best, bit = better(best, bit, value, mark)
    return best, bit, end


# All operators take the same arguments, of which ``here`` is (roll, row, state, column, lanes of
# the row left). They return the total with that roll's share, and the start of the next roll's
# reads.
def _add_greatest(operator, values, rows, here, total, start):
    best, _, end = _best(operator, values, rows, start, here[3])
    return plus(total, rows.chance[here[0]], best), end


@inlined
def _write_moves(picks, here, bits, count):
    """Write which of ``count`` moves are chosen in some states."""
    r, row, state, c, left = here
    at = np.uint64(r * picks.stride + MARGIN) + state
    store_first(picks.masks, at, bits, left)
    # Lanes after the row's last belong to another row, which may have more moves.
    used = any_of(picks.masks, at) & ((np.int64(1) << np.int64(count)) - 1)
    picks.any_of[r, row] = used if c == 0 else used | np.int64(picks.any_of[r, row])


def _add_choosing(operator, values, rows, here, total, start):
    r, c = here[0], here[3]
    if rows.ops[start] == 1:
        only = read(values, np.uint64(rows.ops[start + np.uint64(1)]) + c)
        return plus(total, rows.chance[r], only), start + np.uint64(2)
    best, bit, end = _best(operator, values, rows, start, c)
    _write_moves(operator.picks, here, bit, end - start - np.uint64(1))
    return plus(total, rows.chance[r], best), end


def _add_playing(operator, values, rows, here, total, start):
    r, c = here[0], here[3]
    count = np.uint64(rows.ops[start])
    reads = start + np.uint64(1)
    best = load(values, np.uint64(rows.ops[reads]) + c)
    for m in range(np.uint64(1), count):
        best = greater(best, load(values, np.uint64(rows.ops[reads + m]) + c))
    if count > np.uint64(1):
        zeros = all_equal(0.0)
        least = minus(best, all_equal(operator.tie_width))
        bits = zeros
        for m in range(np.uint64(0), count):
            mark = all_equal(np.float64(np.int64(1) << np.int64(m)))
            value = load(values, np.uint64(rows.ops[reads + m]) + c)
            if operator.picks.shared:
                bits = plus_times(bits, 1.0, where_greater(least, value, zeros, mark))
            elif operator.last:
                bits = where_greater(least, value, bits, mark)
            else:  # only a state without a chosen move gets one
                first = where_greater(bits, zeros, bits, mark)
                bits = where_greater(least, value, bits, first)
        _write_moves(operator.picks, here, bits, count)
    return plus(total, rows.chance[r], best), reads + count


def _add_mean(operator, values, rows, here, total, start):
    r, row, state, c, _ = here
    picks, part = operator.picks, rows.chance[r]
    head = np.uint64(rows.ops[start])
    count = head & np.uint64(LEAVES - 1)
    reads = start + np.uint64(1)
    at = np.uint64(r * picks.stride + MARGIN) + state
    if head == np.uint64(1):  # a single move, which stays
        only = read(values, np.uint64(rows.ops[reads]) + c)
        return plus(total, part, only), reads + np.uint64(1)
    left = np.int64(picks.any_of[r, row])
    if picks.by_row:
        part /= popcount(left)
    same = picks.by_row or left & (left - 1) == 0  # in all states of the row
    own_shares = picks.shares.shape[0] > 0
    mean = number(values, all_equal(0.0))
    while left:
        move = lowest(left)
        left &= left - 1
        k = np.uint64(rows.ops[reads + np.uint64(move)]) + c
        stays = np.uint64(move) < count
        value = read(values, k) if stays else _outside(operator.way, values, k)
        if not same and own_shares:
            value = weighted(
                value, picks.shares, at + np.uint64(np.int64(move) * picks.masks.shape[0])
            )
        elif not same:
            value = with_bit(value, picks.masks, at, np.int64(1) << move)
        mean = joined(mean, value)
    if picks.shared and not same and not own_shares:
        mean = shared(mean, picks.masks, at)
    if picks.astray > 0.0:
        every = number(values, all_equal(0.0))
        for m in range(count):
            every = joined(every, read(values, np.uint64(rows.ops[reads + np.uint64(m)]) + c))
        total = plus(total, rows.chance[r] * picks.astray / np.float64(count), every)
        part *= 1.0 - picks.astray
    end = reads + count
    if head >= np.uint64(LEAVES):
        end += np.uint64(1)
    return plus(total, part, mean), end


OPERATORS: dict[type, Any] = {
    Greatest: _add_greatest,
    Choosing: _add_choosing,
    Playing: _add_playing,
    PolicyMean: _add_mean,
}


def add_roll(operator: Any, values: Any, rows: Any, here: Any, total: Any, start: Any) -> Any:
    """Return a total with the share of a roll, and the start of the next roll's reads."""
    return OPERATORS[type(operator)](operator, values, rows, here, total, start)


@overload(add_roll, jit_options=INLINED)
def _compiled(operator, values, rows, here, total, start):
    return OPERATORS[operator.instance_class]


@inlined
def renewed(operator, values, rows, where, start):
    """Return the updated values of some states of a row, and the start of the next row's reads.

    ``where`` is the row, the first of these states, its column, and the number of columns from it.
    """
    row, state, c, left = where
    total = number(values, all_equal(operator.way.gains[row]))
    for r in range(rows.chance.shape[0]):
        total, start = add_roll(operator, values, rows, (r, row, state, c, left), total, start)
    return tidy(total), start


@inlined
def sweep_pattern(values, mirror, rows, operator, tile, change, kept, t, moved):
    """Update the values of the t-th pattern, as `sweep_rows` describes.

    ``moved`` are the greatest rises and falls of previous patterns, as vectors. Return them for
    this pattern as well.
    """
    rises, falls = moved
    height = np.int64(rows.rows[t])
    width = np.int64(rows.columns[t])
    across = (width + LANES - 1) // LANES * LANES
    # Unsigned, so that numba does not test for negative indices.
    start = np.uint64(rows.first_op[t])
    place = np.uint64(rows.begin[t])
    out = np.uint64(0)
    end = start
    for a in range(height):
        for column in range(0, width, LANES):
            c = np.uint64(column)
            left = width - column
            where = (rows.first_row[t] + a, place + c, c, left)
            total, end = renewed(operator, values, rows, where, start)
            by = first_lanes(more_by(total, read(values, place + c)), left)
            rises = greater(rises, by)
            falls = greater(falls, minus(all_equal(0.0), by))
            if change.shape[0] > 0:
                store_first(change, place + c, by, left)
            if kept:
                put(tile, out + c, total)
                write(values, place + c, total, left)  # not read by any state of the row
        start = end
        place += np.uint64(width)
        out += np.uint64(across)
    if kept:
        turn_tile(tile, np.int64(0), across, height, width, rows.turned[t], mirror)
    return rises, falls


@njit
def sweep_rows(values, mirror, rows, operator, tile, change, kept, first, last):
    """Update the values of some patterns, and return the greatest rise and the greatest fall.

    ``rows`` are `urcx.sweeps.layout_kernels.StateRows`. Their patterns ``first`` to ``last`` are
    updated one after the other. Each is also written to ``mirror`` with the sides exchanged, which
    is ``values`` if both sides have the same rules. Unless ``kept``, no value is written. ``tile``
    is scratch space for the rows of a pattern, each padded to a multiple of `LANES`, and for
    `LANES` more rows. Unless empty, ``change`` receives the change of each value.
    """
    moved = (all_equal(0.0), all_equal(0.0))
    for t in range(first, last):
        moved = sweep_pattern(values, mirror, rows, operator, tile, change, kept, t, moved)
    return greatest(moved[0]), greatest(moved[1])


@njit
def turn(rows, columns, begin, turned, source, excess, tile, out, first, last):
    """Write U of the layer (j, i) from V of the layer (i, j), for some patterns.

    ``rows`` and ``columns`` are the sizes of each pattern, ``begin`` and ``turned`` its offsets in
    ``source`` and in ``out``. Unless ``excess`` is empty, each value of ``source`` is raised by it,
    and so is U. In this case ``tile`` is scratch space as for `sweep_rows`.
    """
    for t in range(first, last):
        if t + 1 < last:  # load the next pattern early, because the first access would wait
            for k in range(0, rows[t + 1] * columns[t + 1], LANES):
                fetch(source, np.uint64(begin[t + 1] + k))
                fetch(out, np.uint64(turned[t + 1] + k))
        turn_pattern(
            np.int64(rows[t]), np.int64(columns[t]), np.int64(begin[t]), turned[t],
            source, excess, tile, out,
        )  # fmt: skip


@lean
def turn_pattern(height, width, at, to, source, excess, tile, out):
    """Write U of a pattern with this height and width, as `turn` describes."""
    if excess.shape[0] > 0:
        across = (width + LANES - 1) // LANES * LANES
        for a in range(height):
            for c in range(0, width, LANES):
                k = np.uint64(at + a * width + c)
                lower = plus_times(load(source, k), -2.0, load(excess, k))
                store(tile, np.uint64(a * across + c), lower)
        turn_floats(tile, np.int64(0), across, height, width, to, out)
    elif at + (height + LANES) * width + LANES > source.shape[0]:
        for c in range(width):
            for a in range(height):
                out[to + c * height + a] = -source[at + a * width + c]
    else:
        turn_floats(source, at, width, height, width, to, out)
