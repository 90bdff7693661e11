# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of expected visit counts: x = b + P'x for a pair of layers, by sweeps in place.

``b`` is what comes from earlier layers, and P' passes visits on from each state to those after it.
Here they are gathered: the new count of a state is the sum over the states before it. What leads to
the states of a row comes from other rows, column by column: a source is a row of states, with the
probability that all of it comes here, or a mask for each state that says whether its move leads
here; where all states of a row choose the same, no masks are read. ``starts`` divides the sources
of a row into four groups, each for all columns or, after captures, for the last columns only:
`ALWAYS`, `CAPTURING`, `CHOSEN`, `CHOSEN_CAPTURING`.

All arrays over states have a part for light to move and one for dark to move, each in that side's
view and with the layout of V in `urcx.solving.layered.kernels`, and `LANES` entries more on either
side. Sites are visited in the order in which moves lead; a site is an arrangement of the shared
tiles, with either side to move, and has blocks of eight by eight states. As visits are read where
they are written, most of them pass through many states in one sweep. How often a sweep visits each
block is given: not at all where hardly anything moves, and twice where much does.

If both sides choose alike, the mean of light's and dark's counts and half of their difference solve
a system each, of half the size: exchanging the sides turns one side's counts into the other's, so
visits after a turn come from the same array, with a plus in the first system and a minus in the
second. Then both parts of the arrays are the same one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.bit_kernels import popcount
from urcx.engine.jit import inlined, njit
from urcx.engine.mask_kernels import having, shared_out
from urcx.engine.vector_kernels import (
    added_up,
    all_equal,
    first_lanes,
    greater,
    load,
    minus,
    plus_times,
    store,
    store_first,
    turn_block,
)
from urcx.engine.vector_types import LANES
from urcx.sweeps.layout_kernels import Picks, StateRows

ALWAYS, CAPTURING, CHOSEN, CHOSEN_CAPTURING, GROUPS = range(5)
BUCKET = 64  # states


class Leads(NamedTuple):
    """What the moves of each row of a pair of layers lead to.

    From ``first_op[row]`` on, ``ops`` has where the values of each move begin, and ``to`` the
    number of the row that they are of; rows of V come first. ``begins`` and ``columns`` are the
    offset and the length of each row.
    """

    first_op: NDArray[np.int64]
    ops: NDArray[np.uint32]
    to: NDArray[np.int32]
    begins: NDArray[np.int64]
    columns: NDArray[np.int64]


class Sources(NamedTuple):
    """What leads to each row of states by the moves of one side, which are ``picks``.

    The groups of row t have the sources from ``starts[GROUPS * t]`` on. ``state`` is a source's
    first state, ``place`` that of its masks, ``bit`` the bit that they must have, ``chance`` its
    probability, and ``skipped`` the number of columns that it does not reach.
    """

    starts: NDArray[np.int64]
    state: NDArray[np.uint32]
    place: NDArray[np.uint32]
    bit: NDArray[np.uint16]
    chance: NDArray[np.float64]
    skipped: NDArray[np.uint16]
    picks: Picks


class Sites(NamedTuple):
    """The sites of a pair of layers, in the order of visits.

    ``rows`` are those of each side, which has a pattern in every site. ``passed[side]`` is the
    first of the rows that its moves reach when the turn passes; ``blocks`` is the number of a
    site's first block.
    """

    rows: tuple[StateRows, StateRows]
    passed: NDArray[np.int64]
    blocks: NDArray[np.int64]


class VisitSystem(NamedTuple):
    """The linear system of a pair of layers, and how a sweep goes.

    ``x`` are the counts, ``b`` what comes from earlier layers, ``parts`` where each side's part of
    these arrays begins, and ``passing`` the factor of visits that come with the turn. Unless empty,
    ``change`` receives the change of each count. Unless ``left`` is empty, counts stay as they are,
    and it receives what is left of the system, b + P'x - x, times ``scale``. ``near`` and ``out``
    are scratch space of eight by eight entries, of a thread.
    """

    x: NDArray[Any]
    b: NDArray[Any]
    parts: tuple[int, int]
    passing: float
    change: NDArray[np.float32]
    left: NDArray[np.float32]
    scale: float
    near: NDArray[np.float64]
    out: NDArray[np.float64]


@njit
def find_rows(leads, rolls, buckets, first, last):
    """Write the number of the row that each read of some rows leads to, to ``leads.to``.

    ``buckets[k]`` is the row of offset ``k * BUCKET``.
    """
    ops, begins = leads.ops, leads.begins
    for row in range(first, last):
        k = leads.first_op[row]
        for _ in range(rolls):
            count = np.int64(ops[k])
            k += 1
            for _ in range(count):
                at = np.int64(ops[k])
                found = np.int64(buckets[at // BUCKET])
                while begins[found + 1] <= at:
                    found += 1
                leads.to[k] = found
                k += 1


@njit
def write_sources(leads, picks, chances, ends, sources):
    """Write what a policy's moves lead to, to the arrays of ``sources``; or count it, without any.

    ``ends`` has for each group of each row where the next one goes, or how many there are.
    """
    ops, columns = leads.ops, leads.columns
    for row in range(leads.first_op.shape[0]):
        k = leads.first_op[row]
        here = leads.begins[row] + LANES
        for r in range(chances.shape[0]):
            count = np.int64(ops[k])
            k += 1
            moves = np.int64(picks.any_of[r, row]) if count > 1 else np.int64(1)
            group = CHOSEN if not picks.by_row and moves & (moves - 1) else ALWAYS
            astray = picks.astray if count > 1 else 0.0
            for m in range(count):
                t = np.int64(leads.to[k + m])
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
                    sources.chance[n] = chances[r] * (astray if errs else 1.0 - astray)
                    if of == ALWAYS:
                        sources.chance[n] /= count if errs else popcount(moves)
            k += count


@inlined
def brought(total, sources, these, c, x, at, capturing, chosen):
    """Add what a group of sources brings to eight states; see `gathered`.

    The group is ``these``, from one number to another; whether it is ``capturing`` or ``chosen`` is
    known when this is compiled.
    """
    column = np.int64(c)
    by = np.int64(0)
    for n in range(these[0], these[1]):
        k = np.uint64(n)
        if capturing:
            by = np.int64(sources.skipped[k])
            if column + LANES <= by:
                continue
        found = load(x, at + np.uint64(sources.state[k]) + c - np.uint64(by))
        if chosen:
            picks = sources.picks
            masks = np.uint64(sources.place[k]) + c - np.uint64(by)
            if picks.shared:
                found = shared_out(found, picks.masks, masks)
            found = having(found, picks.masks, masks, np.int64(sources.bit[k]))
        if capturing and column < by:
            found = minus(found, first_lanes(found, by - column))
        total = plus_times(total, sources.chance[k], found)
    return total


@inlined
def gathered(total, sources, row, c, x, at):
    """Add what a side's moves bring to eight states of a row, from column ``c`` on.

    The side's part of ``x`` begins at ``at``.
    """
    starts = sources.starts
    always = np.int64(GROUPS * row)
    capturing = always + CAPTURING
    chosen = always + CHOSEN
    both = always + CHOSEN_CAPTURING
    end = always + GROUPS
    total = brought(total, sources, (starts[always], starts[capturing]), c, x, at, False, False)
    total = brought(total, sources, (starts[capturing], starts[chosen]), c, x, at, True, False)
    total = brought(total, sources, (starts[chosen], starts[both]), c, x, at, False, True)
    return brought(total, sources, (starts[both], starts[end]), c, x, at, True, True)


@inlined
def visit_square(system, sources, sites, t, side, row, column, again, moved):
    """Renew the counts of at most eight rows and columns with one side to move.

    Or leave them, and write to ``left`` by how much they would move.
    """
    x, parts, near, out = system.x, system.parts, system.near, system.out
    nothing = all_equal(0.0)
    rows = sites.rows[side]
    width = rows.columns[t]
    # Read here, as what is written below might change them for all that the compiler knows.
    first = parts[side] + LANES + rows.begin[t] + row * width
    own = rows.first_row[t] + row
    passed = sites.passed[side, t] + column
    deep = min(rows.rows[t] - row, LANES)
    wide = min(width - column, LANES)
    other = 1 - side
    for k in range(wide):
        total = gathered(
            nothing, sources[other], passed + k, np.uint64(row), x, np.uint64(parts[other])
        )
        store(near, np.uint64(k * LANES), total)
    turn_block(near, np.uint64(0), LANES, out, np.uint64(0), LANES, LANES, LANES)
    c = np.uint64(column)
    for k in range(deep - 1, -1, -1):
        place = np.uint64(first + k * width) + c
        total = plus_times(load(system.b, place), -system.passing, load(out, np.uint64(k * LANES)))
        total = gathered(total, sources[side], own + k, c, x, np.uint64(parts[side]))
        by = first_lanes(minus(total, load(x, place)), wide)
        moved = plus_times(moved, 1.0, greater(by, minus(nothing, by)))
        if system.left.shape[0] > 0:
            store_first(system.left, place, plus_times(nothing, system.scale, by), wide)
            continue
        store_first(x, place, total, wide)
        if system.change.shape[0] > 0:
            if again:
                by = plus_times(by, 1.0, load(system.change, place))
            store_first(system.change, place, by, wide)
    return moved


@inlined
def clear_square(row, column, height, width, begin, change):
    """Set what at most eight rows and columns changed by to 0."""
    for k in range(min(height - row, LANES)):
        place = np.uint64(LANES + begin + (row + k) * width + column)
        store_first(change, place, all_equal(0.0), min(width - column, LANES))


@njit
def visit_states(system, sources, sites, times, moves, first, last):
    """Renew the counts of some sites, those of each block as often as ``times`` says.

    Writes by how much the counts of each block moved in all to ``moves``; returns the sum.
    """
    parts, change = system.parts, system.change
    total = 0.0
    for t in range(first, last):
        light, dark = sites.rows
        height = np.int64(light.rows[t])
        width = np.int64(light.columns[t])
        block = sites.blocks[t]
        # A pattern that is its own mirror has the same states with either side to move.
        mirror = parts[0] + light.begin[t] == parts[1] + dark.begin[t]
        for row in range((height - 1) // LANES * LANES, -1, -LANES):
            for column in range((width - 1) // LANES * LANES, -1, -LANES):
                moved = all_equal(0.0)
                for n in range(times[block]):
                    moved = visit_square(system, sources, sites, t, 0, row, column, n > 0, moved)
                    if mirror:
                        continue
                    moved = visit_square(system, sources, sites, t, 1, column, row, n > 0, moved)
                if not times[block] and change.shape[0] > 0:
                    clear_square(row, column, height, width, parts[0] + light.begin[t], change)
                    if not mirror:
                        clear_square(column, row, width, height, parts[1] + dark.begin[t], change)
                moves[block] = added_up(moved)
                total += moves[block]
                block += 1
    return total


@njit
def absolute_sum(x, first, last):
    """Return the sum of the absolute values of some counts."""
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
def add_found(x, found, factor, first, last):
    """Add some of what a round found, times ``factor``, to the counts, and set it to 0.

    Returns the sum of the absolute values of these counts.
    """
    nothing = all_equal(0.0)
    rest = last - (last - first) % LANES
    for k in range(first, rest, LANES):
        at = np.uint64(k)
        store(x, at, plus_times(load(x, at), factor, load(found, at)))
        store(found, at, nothing)
    for k in range(rest, last):
        x[k] += factor * np.float64(found[k])
        found[k] = 0.0
    return absolute_sum(x, first, last)


@njit
def clip(x, first, last):
    """Replace some negative counts by 0; return by how much that moves them."""
    moved = 0.0
    for k in range(first, last):
        moved -= min(x[k], 0.0)
        x[k] = max(x[k], 0.0)
    return moved


@njit
def join_sides(mean, half, both, first, last):
    """Write light's and dark's counts, mean plus and less half, to the parts of ``both``.

    Negative counts are replaced by 0; returns by how much that moves them.
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
def leave_square(sources, rows, columns, turned, first_row, x, tile, first, last, out):
    """Add what leaves for some patterns of a later layer to ``out``, turned.

    ``x`` are the counts of the side that moves, ``first_row`` the first rows of the patterns, and
    ``turned`` their offsets in ``out``.
    """
    nothing = all_equal(0.0)
    for t in range(first, last):
        height = np.int64(rows[t])
        width = np.int64(columns[t])
        for row in range(0, height, LANES):
            for column in range(0, width, LANES):
                deep = min(int(height) - row, LANES)
                wide = min(int(width) - column, LANES)
                for k in range(deep):
                    own = first_row[t] + row + k
                    total = gathered(nothing, sources, own, np.uint64(column), x, np.uint64(0))
                    store(tile, np.uint64(k * LANES), total)
                for c in range(wide):
                    at = turned[t] + (column + c) * height + row
                    for k in range(deep):
                        out[at + k] += tile[k * LANES + c]
