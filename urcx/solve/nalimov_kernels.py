"""Kernels of Michon's procedure, which `urcx.solve.nalimov` explains: a byte of marks per state.

States are numbered by shared pattern or by tiles. A view is what its mover sees: the mover's steps
and pieces home, the other's, and the side that moves, which is 0 where a state is turned so that
light moves.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import inlined, njit
from urcx.engine.move_kernels import LENGTH, PIECES, legal_starts, make_move
from urcx.enumerate.pattern_kernels import (
    COUNT_SHIFT,
    HALF,
    HALF_BITS,
    OWN_MASK,
    OWN_SHIFT,
    PATTERN_MASK,
)

# Marks of a state: decided, under each reading; no capture can come any more; lies on a cycle.
LITERAL, NO_ZEROS, PASSES, QUIET, CYCLE = 1, 2, 4, 8, 16
MARKS = 5
FINISHED = LITERAL | NO_ZEROS | PASSES | QUIET
# What there is besides marks in what `survey` returns.
BY_ZERO, BLOCKED, MOVES = 1, 2, 4


# An order of states is one array of numbers, since numba counts references to every array that a
# kernel is handed in a tuple, which costs more than a look-up. It begins with: whether the order is
# by shared pattern, else by tiles; whether states are turned, else a state's number is twice the
# diagram's, plus 1 if dark moves; the pieces of a side; how many patterns or tiles there are; how
# many private masks, or steps in a row of STEPS. Then come the places where tables begin: those of
# `urcx.enumerate.pattern_kernels.PatternTables`, or those of `urcx.solve.general_kernels.rank_of`.
BY_PATTERN, TURNED, SIDE_PIECES, ITEMS, ROW_LENGTH = range(5)
OFFSET, WIDTH, RANK, MASK, HOME, SPREAD, LANE, OWN_STEPS = range(5, 13)
WAYS_LEFT, FIRST, STEPS = range(5, 8)
HEADER = 13


@inlined
def spread_of(order, side, steps):
    """Return what a side's mask of steps stands for, packed; see `PatternTables`."""
    at = order[SPREAD] + (side << (HALF_BITS + 1))
    return order[at + (steps & HALF)] + order[at + (1 << HALF_BITS) + (steps >> HALF_BITS)]


@inlined
def pattern_rank(order, light, light_home, dark, dark_home):
    """Return a diagram's number in the order by shared pattern."""
    a = spread_of(order, 0, light)
    b = spread_of(order, 1, dark)
    row_length = order[SIDE_PIECES] + 1
    ranks = order[RANK]
    row = order[ranks + ((a >> OWN_SHIFT) & OWN_MASK) * row_length + light_home]
    column = order[ranks + ((b >> OWN_SHIFT) & OWN_MASK) * row_length + dark_home]
    width = order[order[WIDTH] + order[SIDE_PIECES] - (b >> COUNT_SHIFT)]
    pattern = (a & PATTERN_MASK) + (b & PATTERN_MASK)
    return order[order[OFFSET] + pattern] + row * width + column


@njit
def tile_rank(order, light, light_home, dark, dark_home):
    """Return a diagram's number in the order by tiles."""
    tiles, pieces, row = order[ITEMS], order[SIDE_PIECES], order[SIDE_PIECES] + 1
    i, j = pieces, pieces
    rank = np.int64(0)
    for t in range(tiles):
        ways = order[WAYS_LEFT] + (t + 1) * row * row
        skipped = order[ways + i * row + j]
        found = 0
        for k in range(order[order[FIRST] + t], order[order[FIRST] + t + 1]):
            if (light >> (order[order[STEPS] + k] - 1)) & 1:
                found = 1
                break
            if i > 0:
                skipped += order[ways + (i - 1) * row + j]
        if found == 0:
            first = order[FIRST] + tiles + 1
            for k in range(order[first + t], order[first + t + 1]):
                if (dark >> (order[order[STEPS] + order[ROW_LENGTH] + k] - 1)) & 1:
                    found = 2
                    break
                if j > 0:
                    skipped += order[ways + i * row + j - 1]
        if found == 1:
            i -= 1
            rank += skipped
        elif found == 2:
            j -= 1
            rank += skipped
    return rank + light_home * order[order[WAYS_LEFT] + tiles * row * row + j] + dark_home


@inlined
def pattern_diagram(order, rank):
    """Return (light, light's pieces home, dark, dark's) of a number by shared pattern."""
    pattern = np.int64(0)
    end = order[ITEMS]
    offset = order[OFFSET]
    while end - pattern > 1:  # the last of equal offsets is meant
        middle = (pattern + end) >> 1
        if order[offset + middle] <= rank:
            pattern = middle
        else:
            end = middle
    light = order[order[LANE] + pattern]
    dark = order[order[LANE] + order[ITEMS] + pattern]
    columns = order[order[WIDTH] + order[SIDE_PIECES] - popcount(dark)]
    rest = rank - order[offset + pattern]
    row = rest // columns
    column = rest - row * columns
    light |= order[order[OWN_STEPS] + order[order[MASK] + row]]
    dark |= order[order[OWN_STEPS] + order[ROW_LENGTH] + order[order[MASK] + column]]
    return light, order[order[HOME] + row], dark, order[order[HOME] + column]


@njit
def tile_diagram(order, rank):
    """Return (light, light's pieces home, dark, dark's) of a number by tiles."""
    tiles, pieces, row = order[ITEMS], order[SIDE_PIECES], order[SIDE_PIECES] + 1
    i, j = pieces, pieces
    light = np.int64(0)
    dark = np.int64(0)
    for t in range(tiles):
        ways = order[WAYS_LEFT] + (t + 1) * row * row
        if rank < order[ways + i * row + j]:
            continue
        rank -= order[ways + i * row + j]
        first = order[order[FIRST] + t]
        own = order[order[FIRST] + t + 1] - first
        many = order[ways + (i - 1) * row + j] if i > 0 and own > 0 else np.int64(0)
        if rank < many * own:
            light |= np.int64(1) << (order[order[STEPS] + first + rank // many] - 1)
            rank %= many
            i -= 1
        else:
            rank -= many * own
            many = order[ways + i * row + j - 1]
            first = order[order[FIRST] + tiles + 1 + t]
            at = order[STEPS] + order[ROW_LENGTH] + first + rank // many
            dark |= np.int64(1) << (order[at] - 1)
            rank %= many
            j -= 1
    across = order[order[WAYS_LEFT] + tiles * row * row + j]
    return light, rank // across, dark, rank % across


@inlined
def rank_of(order, light, light_home, dark, dark_home):
    """Return a diagram's number."""
    if order[BY_PATTERN]:
        return pattern_rank(order, light, light_home, dark, dark_home)
    return tile_rank(order, light, light_home, dark, dark_home)


@inlined
def state_of(order, own, own_home, other, other_home, side):
    """Return a view's number."""
    if order[TURNED]:
        return rank_of(order, own, own_home, other, other_home)
    if side == 0:
        return 2 * rank_of(order, own, own_home, other, other_home)
    return 2 * rank_of(order, other, other_home, own, own_home) + 1


@inlined
def view_of(order, state):
    """Return a state's view: (own, own_home, other, other_home, side)."""
    side = 0 if order[TURNED] else state & 1
    rank = state if order[TURNED] else state >> 1
    if order[BY_PATTERN]:
        light, light_home, dark, dark_home = pattern_diagram(order, rank)
    else:
        light, light_home, dark, dark_home = tile_diagram(order, rank)
    if side == 0:
        return light, light_home, dark, dark_home, side
    return dark, dark_home, light, light_home, side


@inlined
def partner_of(order, own, own_home, other, other_home, side):
    """Return the number of the same diagram with the other player to move."""
    return state_of(order, other, other_home, own, own_home, side if order[TURNED] else 1 - side)


@inlined
def progress_of(mask):
    """Return the sum of steps of a mask."""
    total = 0
    while mask:
        total += lowest(mask) + 1
        mask &= mask - 1
    return total


@njit
def keys(ways):
    """Return how many keys `key_of` has, the one of finished states left out."""
    furthest = ways[0, PIECES] * (ways[0, LENGTH] + ways[1, LENGTH] + 2)
    return (2 * ways[0, PIECES] - 1) * (furthest + 1)


@inlined
def key_of(ways, own, own_home, other, other_home, side):
    """Return a view's place in the order from the end of the game; -1 if it is finished.

    Those with most pieces home come first, among them those with most steps behind them.
    """
    pieces = ways[0, PIECES]
    if pieces in (own_home, other_home):
        return -1
    furthest = pieces * (ways[0, LENGTH] + ways[1, LENGTH] + 2)
    gone = progress_of(own) + own_home * (ways[side, LENGTH] + 1)
    gone += progress_of(other) + other_home * (ways[1 - side, LENGTH] + 1)
    return (2 * pieces - 2 - own_home - other_home) * (furthest + 1) + furthest - gone


@njit
def count_keys(order, ways, codes, first, last, counts):
    """Count states by key; marks the finished ones."""
    for state in range(first, last):
        own, own_home, other, other_home, side = view_of(order, state)
        key = key_of(ways, own, own_home, other, other_home, side)
        if key >= 0:
            counts[key] += 1
        else:
            codes[state] = FINISHED


@njit
def place_keys(order, ways, first, last, at, queue):
    """Write states to ``queue`` where their key's turn is; ``at[key]`` is the next free place."""
    for state in range(first, last):
        own, own_home, other, other_home, side = view_of(order, state)
        key = key_of(ways, own, own_home, other, other_home, side)
        if key >= 0:
            queue[at[key]] = state
            at[key] += 1


@inlined
def survey(order, ways, rolls, codes, own, own_home, other, other_home, side):
    """Return the marks that all states after a move have, and what else the rolls lead to.

    Stops where no mark is left: how the state's passes are is of no use then.
    """
    marks = FINISHED
    rest = 0
    pool = ways[side, PIECES] - popcount(own) - own_home
    next_side = side if order[TURNED] else 1 - side
    for r in range(rolls.shape[0]):
        left = legal_starts(ways, side, pool, own, other, rolls[r])
        if left == 0:
            rest |= BLOCKED if rolls[r] else BY_ZERO
        while left:
            rest |= MOVES
            start = lowest(left)
            left &= left - 1
            mine, theirs, home, again = make_move(
                ways, side, own, other, own_home, start, start + rolls[r]
            )
            if home == ways[side, PIECES]:
                continue  # won
            if again:
                to = state_of(order, mine, home, theirs, other_home, side)
            else:
                to = state_of(order, theirs, other_home, mine, home, next_side)
            marks &= codes[to]
            if theirs != other:
                marks &= FINISHED ^ QUIET
            if marks == 0:
                return marks, rest
    return marks, rest


@inlined
def decided(marks, rest, other_marks, other_rest, other_code):
    """Return a state's marks from what `survey` found of it and of its partner.

    ``other_code`` are the marks that the partner has by now.
    """
    if rest & (BY_ZERO | BLOCKED) == 0:
        return marks
    kept = marks & other_marks & (PASSES | QUIET)
    if other_rest & (BY_ZERO | BLOCKED) and (rest | other_rest) & MOVES == 0:
        kept &= FINISHED ^ PASSES  # nobody can ever move: there is nothing to be summed
    kept |= marks & other_code & LITERAL
    return kept | (marks & NO_ZEROS & (other_code if rest & BLOCKED else NO_ZEROS))


@njit
def decide(order, ways, rolls, codes, queue, first, last):
    """Mark what is decided of the states ``queue[first:last]``; return how many got more marks.

    A state and its partner are looked at together, when the one with the smaller number is met.
    """
    changed = 0
    for k in range(first, last):
        state = np.int64(queue[k])
        own, own_home, other, other_home, side = view_of(order, state)
        partner = partner_of(order, own, own_home, other, other_home, side)
        if partner < state:
            continue
        a, a_rest = survey(order, ways, rolls, codes, own, own_home, other, other_home, side)
        b, b_rest = survey(
            order, ways, rolls, codes,
            other, other_home, own, own_home, side if order[TURNED] else 1 - side,
        )  # fmt: skip
        if a == 0 and b == 0:
            continue
        before, before_partner = codes[state], codes[partner]
        # Each may wait for the other: the second round tells the first what came of it.
        for _ in range(2):
            codes[state] |= decided(a, a_rest, b, b_rest, codes[partner])
            codes[partner] |= decided(b, b_rest, a, a_rest, codes[state])
        changed += codes[state] != before or codes[partner] != before_partner
    return changed


@njit
def tally(order, codes, queue, first, last, out):
    """Add to ``out[own_home, other_home]`` how many states there are, and with each mark.

    The last number is of those with `PASSES` and `QUIET`.
    """
    for k in range(first, last):
        state = np.int64(queue[k])
        _, own_home, _, other_home, _ = view_of(order, state)
        out[own_home, other_home, 0] += 1
        for bit in range(MARKS):
            out[own_home, other_home, bit + 1] += (codes[state] >> bit) & 1
        out[own_home, other_home, MARKS + 1] += codes[state] & (PASSES | QUIET) == PASSES | QUIET


@njit
def first_without(codes, queue, mark):
    """Return the first state of the queue without a mark, -1 if there is none."""
    for k in range(queue.shape[0]):
        if codes[queue[k]] & mark == 0:
            return np.int64(queue[k])
    return np.int64(-1)


@njit
def links(order, ways, rolls, codes, nodes, node, partners, first_link, ends):
    """Write which undecided states each of ``nodes`` leads to; return how many.

    ``node[state]`` numbers them, -1 for the others. A pass leads to the partner, which is written
    to ``partners``, a node or -1. A state that a move leads back to itself gets the mark `CYCLE`.
    With no room in ``ends`` they are only counted.
    """
    n = np.int64(0)
    room = ends.shape[0]
    for k in range(nodes.shape[0]):
        state = nodes[k]
        own, own_home, other, other_home, side = view_of(order, state)
        partner = partner_of(order, own, own_home, other, other_home, side)
        next_side = side if order[TURNED] else 1 - side
        partners[k] = node[partner]
        if room:
            first_link[k] = n
        pool = ways[side, PIECES] - popcount(own) - own_home
        passes = False
        for r in range(rolls.shape[0]):
            left = legal_starts(ways, side, pool, own, other, rolls[r])
            passes |= left == 0
            while left:
                start = lowest(left)
                left &= left - 1
                mine, theirs, home, again = make_move(
                    ways, side, own, other, own_home, start, start + rolls[r]
                )
                if home == ways[side, PIECES]:
                    continue
                if again:
                    to = state_of(order, mine, home, theirs, other_home, side)
                else:
                    to = state_of(order, theirs, other_home, mine, home, next_side)
                if to == state:
                    codes[state] |= CYCLE
                if node[to] >= 0:
                    if room:
                        ends[n] = node[to]
                    n += 1
        if passes and node[partner] >= 0:
            if room:
                ends[n] = node[partner]
            n += 1
    if room:
        first_link[nodes.shape[0]] = n
    return n


@njit
def components(first_link, ends, component):
    """Write the strongly connected component of every node; return how many there are.

    R. Tarjan's algorithm (1972), without recursion.
    """
    n = component.shape[0]
    index = np.full(n, -1, np.int32)
    low = np.empty(n, np.int32)
    at = np.empty(n, np.int64)  # the next link of a node that is being searched
    stack = np.empty(n, np.int32)
    path = np.empty(n, np.int32)
    count = np.int32(0)
    top = 0
    found = np.int32(0)
    for root in range(n):
        if index[root] >= 0:
            continue
        depth = 0
        path[0] = root
        index[root] = low[root] = count
        at[root] = first_link[root]
        count += 1
        stack[top] = root
        top += 1
        component[root] = -1
        while depth >= 0:
            v = path[depth]
            if at[v] < first_link[v + 1]:
                w = ends[at[v]]
                at[v] += 1
                if index[w] < 0:
                    index[w] = low[w] = count
                    at[w] = first_link[w]
                    count += 1
                    stack[top] = w
                    top += 1
                    component[w] = -1
                    depth += 1
                    path[depth] = w
                elif component[w] < 0:
                    low[v] = min(low[v], index[w])
                continue
            if low[v] == index[v]:
                while True:
                    top -= 1
                    component[stack[top]] = found
                    if stack[top] == v:
                        break
                found += 1
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[v])
    return found


@njit
def mark_cycles(nodes, partners, component, sizes, codes):
    """Mark states whose component has a state of another diagram."""
    for k in range(nodes.shape[0]):
        size = sizes[component[k]]
        pair = partners[k] >= 0 and partners[k] != k and component[partners[k]] == component[k]
        if size > 1 + pair:
            codes[nodes[k]] |= CYCLE
