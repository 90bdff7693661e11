# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of expected visit counts: x = b + P'x for a pair of layers, by sweeps in place.

``b`` are the visits from earlier layers, and P' passes visits on from each state to its successors.
Here visits are collected: the new count of a state is a sum over its predecessors. The predecessors
of the states of a row are in other rows, column by column. A source is a row of states, with the
probability that it leads here. If the states of the source choose different moves, each state has
a mask that says whether its move leads here. Otherwise no masks are read. ``starts`` divides the
sources of a row into four groups, each for all columns or, after captures, for the last columns
only: `ALWAYS`, `CAPTURING`, `CHOSEN`, `CHOSEN_CAPTURING`. A source is added to up to four vectors
of a row together, in the precision of the counts, so its description is read only once.

All arrays over states have a part for light to move and a part for dark to move, each in that
side's view. A part has the layout of V in `urcx.solving.layered.kernels`, and `MARGIN` more entries
before and after. A site is an arrangement of the shared tiles, with either side to move. Sites are
visited in the order in which moves lead. Because visits are read from the array that is being
written, most of them pass through many states in one sweep. The caller decides how often a sweep
visits each site: not at all if hardly any count changes, and twice if counts change much.

If both sides choose the same moves, the mean of light's and dark's counts, and half of their
difference, each solve a system of half the size. Exchanging the sides turns one side's counts into
the other's, so visits after a turn come from the same array, with a plus in the first system and a
minus in the second. Then both parts of the arrays are the same part.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import inlined, lean, njit
from urcx.engine.move_kernels import popcount
from urcx.engine.vector_kernels import (
    added_up,
    all_equal,
    equal_like,
    first_lanes,
    greater,
    greatest,
    lanes_like,
    lanes_of,
    larger,
    load,
    load_like,
    load_own,
    minus,
    plus_times,
    store,
    store_first,
    turn_block,
)
from urcx.engine.vector_types import LANES
from urcx.sweeps.layout_kernels import MARGIN, Picks, StateRows
from urcx.sweeps.sweep_kernels import sweep_pattern, with_move

ALWAYS, CAPTURING, CHOSEN, CHOSEN_CAPTURING, GROUPS = range(5)
FORCED, PLAYED, STRAYING, SHARES = range(4)
PARTS = 17  # a probability may be divided by any smaller number of moves
BUCKET = 64  # states


class Links(NamedTuple):
    """The rows to which the moves of each row of a pair of layers lead.

    From ``first_op[row]`` on, ``ops`` has the place at which the values after each move begin, and
    ``to`` the number of their row. Rows of V come first. ``begins`` and ``columns`` are the offset
    and the length of each row.
    """

    first_op: NDArray[np.int64]
    ops: NDArray[np.uint32]
    to: NDArray[np.int32]
    begins: NDArray[np.int64]
    columns: NDArray[np.int64]


class Predecessors(NamedTuple):
    """The sources of each row of states by the moves of one side, ``picks``.

    The groups of row t have the sources from ``starts[GROUPS * t]`` on. ``state`` is a source's
    first state, ``place`` the place of its masks, and ``bit`` the bit that they must have. ``kind``
    is the index of its probability in ``chances`` (see `source_chances`). ``skipped`` is the number
    of columns that it does not reach.
    """

    starts: NDArray[np.int64]
    state: NDArray[np.uint32]
    place: NDArray[np.uint32]
    bit: NDArray[np.uint16]
    kind: NDArray[np.uint16]
    skipped: NDArray[np.uint16]
    chances: NDArray[Any]
    picks: Picks


class Sites(NamedTuple):
    """The sites of a pair of layers, in the order of visits.

    ``rows`` are the rows of each side, which has a pattern in every site. ``passed[side]`` is the
    first of the rows that the side's moves reach when the turn passes.
    """

    rows: tuple[StateRows, StateRows]
    passed: NDArray[np.int64]


class VisitSystem(NamedTuple):
    """The linear system of a pair of layers, and the options of a sweep.

    ``x`` are the counts, ``b`` the visits from earlier layers, ``parts`` the beginning of each
    side's part of these arrays, and ``passing`` the factor of visits that come with the turn.
    Unless empty, ``change`` receives the change of each count. Unless ``left`` is empty, counts do
    not change, and ``left`` receives the residual, b + P'x - x, times ``scale``. ``near`` and
    ``out`` are scratch space of a thread, in the precision of ``x``: the rows of a pattern, each
    padded to a multiple of the lanes of a vector, and `LANES` rows more.
    """

    x: NDArray[Any]
    b: NDArray[Any]
    parts: tuple[int, int]
    passing: float
    change: NDArray[np.float32]
    left: NDArray[np.float32]
    scale: float
    near: NDArray[Any]
    out: NDArray[Any]


@njit
def find_rows(links, rolls, buckets, first, last):
    """Write the row to which each read of some rows leads to ``links.to``.

    ``buckets[k]`` is the row of offset ``k * BUCKET``.
    """
    ops, begins = links.ops, links.begins
    for row in range(first, last):
        k = links.first_op[row]
        for _ in range(rolls):
            count = np.int64(ops[k])
            k += 1
            for _ in range(count):
                at = np.int64(ops[k])
                target = np.int64(buckets[at // BUCKET])
                while begins[target + 1] <= at:
                    target += 1
                links.to[k] = target
                k += 1


def source_chances(picks: Picks, chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of each kind of source, from the probabilities of the rolls.

    It is the probability of a roll, times a share, divided by a number of moves. The share is the
    share of decisions in which the only move, a move of the policy, or any move is played. The
    index is ``(roll * SHARES + share) * PARTS + number``.
    """
    shares = np.array([1.0, 1.0 - picks.astray, picks.astray])
    parts = np.maximum(np.arange(PARTS), 1)
    result: NDArray[np.float64] = chance[:, None, None] * shares[:, None] / parts
    return result.ravel()


@njit
def write_sources(links, picks, rolls, ends, sources):
    """Write a policy's moves to the arrays of ``sources`` by target, or count them if empty.

    ``ends`` has the place of the next source for each group of each row, or the count so far.
    """
    ops, columns = links.ops, links.columns
    for row in range(links.first_op.shape[0]):
        k = links.first_op[row]
        here = links.begins[row] + MARGIN
        for r in range(rolls):
            count = np.int64(ops[k])
            k += 1
            moves = np.int64(picks.any_of[r, row]) if count > 1 else np.int64(1)
            group = CHOSEN if not picks.by_row and moves & (moves - 1) else ALWAYS
            astray = picks.astray if count > 1 else 0.0
            for m in range(count):
                t = np.int64(links.to[k + m])
                by = columns[t] - columns[row]
                for errs in range(2):
                    if astray == 0.0 if errs else (moves >> m) & 1 == 0:
                        continue
                    of = ALWAYS if errs else group
                    g = GROUPS * t + of + np.int64(by != 0)
                    n = ends[g]
                    ends[g] += 1
                    if sources.state.shape[0] == 0:
                        continue
                    sources.state[n] = here
                    sources.place[n] = r * picks.stride + here
                    sources.bit[n] = 1 << m
                    sources.skipped[n] = by
                    part = 1 if of == CHOSEN else count if errs else popcount(moves)
                    share = STRAYING if errs else PLAYED if count > 1 else FORCED
                    sources.kind[n] = (r * SHARES + share) * PARTS + part
            k += count


@inlined
def plus_source(total, sources, n, c, x, at, capturing, chosen):
    """Add the visits of a source to a vector of a row, from column ``c`` on, for `gathered`."""
    k = np.uint64(n)
    column = np.int64(c)
    if capturing:
        column -= np.int64(sources.skipped[k])
    # If no lane is reached, it does not matter which values are read.
    there = larger(np.int64(at) + np.int64(sources.state[k]) + column, np.int64(0))
    visits = load_own(x, np.uint64(there))
    if chosen:
        picks = sources.picks
        masks = np.uint64(larger(np.int64(sources.place[k]) + column, np.int64(0)))
        visits = with_move(picks, visits, masks, np.int64(sources.bit[k]))
    if capturing:
        visits = lanes_of(visits, np.int64(-1) << min(max(-column, 0), lanes_like(x)))
    return plus_times(total, sources.chances[np.uint64(sources.kind[k])], visits)


@inlined
def plus_group(totals, sources, group, c, x, at, vectors, capturing, chosen):
    """Add the visits of a group of sources to one, two or four vectors of a row, for `gathered`.

    ``capturing`` and ``chosen`` are constants at compile time.
    """
    first_total, second_total, third_total, fourth_total = totals
    second = c + np.uint64(lanes_like(x))
    third = second + np.uint64(lanes_like(x))
    fourth = third + np.uint64(lanes_like(x))
    for n in range(sources.starts[group], sources.starts[group + 1]):
        first_total = plus_source(first_total, sources, n, c, x, at, capturing, chosen)
        if vectors > 1:
            second_total = plus_source(second_total, sources, n, second, x, at, capturing, chosen)
        if vectors > 2:
            third_total = plus_source(third_total, sources, n, third, x, at, capturing, chosen)
            fourth_total = plus_source(fourth_total, sources, n, fourth, x, at, capturing, chosen)
    return first_total, second_total, third_total, fourth_total


@inlined
def gathered(sources, row, c, x, at, vectors):
    """Return the visits by a side's moves to a number of vectors of a row, from column ``c`` on.

    The side's part of ``x`` begins at ``at``. The remaining vectors are 0.
    """
    first = np.int64(GROUPS * row)
    nothing = equal_like(x, 0.0)
    totals = nothing, nothing, nothing, nothing
    arguments = c, x, at, vectors
    totals = plus_group(totals, sources, first + ALWAYS, *arguments, False, False)
    totals = plus_group(totals, sources, first + CAPTURING, *arguments, True, False)
    totals = plus_group(totals, sources, first + CHOSEN, *arguments, False, True)
    return plus_group(totals, sources, first + CHOSEN_CAPTURING, *arguments, True, True)


@inlined
def gather_row(sources, row, width, x, at, tile, to):
    """Write the visits by a side's moves to the ``width`` states of a row to a tile.

    See `gathered`. Complete vectors are written.
    """
    lanes = lanes_like(x)
    more = np.uint64(lanes)
    column = np.int64(0)
    while column < width:
        c = np.uint64(column)
        place = np.uint64(to) + c
        left = width - column
        if left > 3 * lanes:
            total, second, third, fourth = gathered(sources, row, c, x, at, 4)
            store(tile, place + more, second)
            store(tile, place + more + more, third)
            store(tile, place + more + more + more, fourth)
            column += 4 * lanes
        elif left > lanes:
            total, second, _, _ = gathered(sources, row, c, x, at, 2)
            store(tile, place + more, second)
            column += 2 * lanes
        else:
            total, _, _, _ = gathered(sources, row, c, x, at, 1)
            column += lanes
        store(tile, place, total)


@inlined
def visit_pattern(system, sources, sites, t, side, again, moved):
    """Update the counts of a site's pattern with one side to move, or write residuals to ``left``.

    Return ``moved`` with the absolute changes added.
    """
    x, near, out = system.x, system.near, system.out
    nothing = equal_like(x, 0.0)
    lanes = lanes_like(x)
    rows = sites.rows[side]
    # Read here, because the compiler assumes that the writes below might change them.
    height = np.int64(rows.rows[t])
    width = np.int64(rows.columns[t])
    first = system.parts[side] + MARGIN + rows.begin[t]
    own = rows.first_row[t]
    passed = sites.passed[side, t]
    at = np.uint64(system.parts[side])
    from_other = np.uint64(system.parts[1 - side])
    across = (height + lanes - 1) // lanes * lanes
    for k in range(width):
        gather_row(sources[1 - side], passed + k, height, x, from_other, near, k * across)
    for row in range(0, height, LANES):
        for column in range(0, width, LANES):
            turn_block(
                near, np.uint64(column * across + row), across,
                out, np.uint64(row * width + column), width, width - column, height - row,
            )  # fmt: skip
    for k in range(height - 1, -1, -1):
        gather_row(sources[side], own + k, width, x, at, near, 0)
        for column in range(0, width, lanes):
            place = np.uint64(first + k * width + column)
            wide = width - column
            turned = load_own(out, np.uint64(k * width + column))
            total = plus_times(load_like(x, system.b, place), -system.passing, turned)
            total = plus_times(total, 1.0, load_own(near, np.uint64(column)))
            by = first_lanes(minus(total, load_own(x, place)), wide)
            moved = plus_times(moved, 1.0, greater(by, minus(nothing, by)))
            if system.left.shape[0] > 0:
                store_first(system.left, place, plus_times(nothing, system.scale, by), wide)
                continue
            store_first(x, place, total, wide)
            if system.change.shape[0] > 0:
                if again:
                    by = plus_times(by, 1.0, load_like(x, system.change, place))
                store_first(system.change, place, by, wide)
    return moved


@njit
def visit_states(system, sources, sites, times, moves, first, last):
    """Update the counts of some sites, each ``times`` times.

    Write the sum of the absolute changes of each site to ``moves``, and return the total.
    """
    parts, change = system.parts, system.change
    light, dark = sites.rows
    total = 0.0
    for t in range(first, last):
        begins = parts[0] + MARGIN + light.begin[t], parts[1] + MARGIN + dark.begin[t]
        moved = equal_like(system.x, 0.0)
        # A pattern that is its own mirror has the same states with either side to move.
        sides = 1 if begins[0] == begins[1] else 2
        for n in range(sides * times[t]):
            moved = visit_pattern(system, sources, sites, t, n % sides, n >= sides, moved)
        if not times[t] and change.shape[0] > 0:
            for begin in begins:
                change[begin : begin + light.rows[t] * light.columns[t]] = 0.0
        moves[t] = added_up(moved)
        total += moves[t]
    return total


@njit
def absolute_sum(x, first, last):
    """Return the sum of the absolute values of counts."""
    nothing = all_equal(0.0)
    some = nothing
    rest = last - (last - first) % LANES
    for k in range(first, rest, LANES):
        here = load(x, np.uint64(k))
        some = plus_times(some, 1.0, greater(here, minus(nothing, here)))
    total = added_up(some)
    for k in range(rest, last):
        total += abs(np.float64(x[k]))
    return total


@njit
def add_found(x, result, factor, first, last):
    """Add the result of a round, times ``factor``, to the counts, and set it to 0.

    Return the sum of the absolute values of these counts.
    """
    nothing = all_equal(0.0)
    rest = last - (last - first) % LANES
    for k in range(first, rest, LANES):
        at = np.uint64(k)
        store(x, at, plus_times(load(x, at), factor, load(result, at)))
        store(result, at, nothing)
    for k in range(rest, last):
        x[k] += factor * np.float64(result[k])
        result[k] = 0.0
    return absolute_sum(x, first, last)


@njit
def clip(x, first, last):
    """Replace negative counts by 0, and return the sum of the changes."""
    moved = 0.0
    for k in range(first, last):
        moved -= min(x[k], 0.0)
        x[k] = max(x[k], 0.0)
    return moved


@njit
def join_sides(mean, half, both, first, last):
    """Write light's and dark's counts, mean plus and minus half, to the parts of ``both``.

    Negative counts are replaced by 0. Return the sum of the changes.
    """
    stride = mean.shape[0]
    moved = 0.0
    for k in range(first, last):
        light = mean[k] + half[k]
        dark = mean[k] - half[k]
        moved -= min(light, 0.0) + min(dark, 0.0)
        both[k] = max(light, 0.0)
        both[stride + k] = max(dark, 0.0)
    return moved


@njit
def leave_patterns(sources, rows, columns, turned, first_row, x, tile, first, last, out):
    """Add the visits that leave for some patterns of a later layer to ``out``, turned.

    ``x`` are the counts of the side that moves, ``first_row`` the first rows of the patterns, and
    ``turned`` their offsets in ``out``. ``tile`` is scratch space for a row.
    """
    for t in range(first, last):
        height = np.int64(rows[t])
        width = np.int64(columns[t])
        for row in range(height):
            gather_row(sources, first_row[t] + row, width, x, np.uint64(0), tile, 0)
            for c in range(width):
                out[turned[t] + c * height + row] += tile[c]


@lean
def stay(values, rows, operators, alike, tile, first, last):
    """Update the values of some sites once, the last sites first. Return the largest change.

    Each side has its ``values``, ``rows`` and `urcx.sweeps.sweep_kernels.PolicyMean` in its view. A
    site has a pattern of each side. If both sides play ``alike``, their values are the same, and a
    pattern that is its own mirror is updated once. ``tile`` is scratch space as in `sweep_rows`.
    """
    moved = (all_equal(0.0), all_equal(0.0))
    no_change = values[0][:0]
    for t in range(last - 1, first - 1, -1):
        mirror = alike and rows[0].begin[t] == rows[1].begin[t]
        for side in range(1 if mirror else 2):
            moved = sweep_pattern(
                values[side], values[1 - side], rows[side], operators[side], tile, no_change, True,
                t, moved,
            )  # fmt: skip
    return greatest(greater(moved[0], moved[1]))
