"""Kernels of Michon's procedure: a byte of marks for each state.

`urcx.solving.michon.nalimov` explains it.

States are numbered by shared pattern or by tiles. A view is what its mover sees: the mover's steps
and pieces home, the other's, and the side that moves, which is 0 where a state is turned so that
light moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.bit_kernels import lowest, popcount, steps_of
from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import LENGTH, PIECES, legal_starts, make_move
from urcx.enumerate.rankings import pattern_kernels, tile_kernels
from urcx.enumerate.rankings.pattern_kernels import PatternTables

# Marks of a state: decided, under each reading; no capture can come any more; lies on a cycle.
LITERAL, NO_ZEROS, PASSES, QUIET, CYCLE = 1, 2, 4, 8, 16
MARKS = 5
FINISHED = LITERAL | NO_ZEROS | PASSES | QUIET
# What there is besides marks in what `survey` returns.
BY_ZERO, BLOCKED, MOVES = 1, 2, 4


class Order(NamedTuple):
    """An order of states: by shared pattern if ``by_pattern``, then turned; else by ``tiles``.

    ``tiles`` says in either case whether states are turned.
    """

    by_pattern: int
    pattern: PatternTables
    tiles: NDArray[np.int64]


@inlined
def turned(order):
    """Return 1 if states are turned so that light moves, else 0."""
    return order.tiles[tile_kernels.TURNED]


@inlined
def state_of(order, own, own_home, other, other_home, side):
    """Return a view's number."""
    if order.by_pattern:
        return pattern_kernels.rank_of(order.pattern, own, own_home, other, other_home)
    return tile_kernels.state_of(order.tiles, own, own_home, other, other_home, side)


@inlined
def view_of(order, state):
    """Return a state's view: (own, own_home, other, other_home, side)."""
    if order.by_pattern:
        pattern = pattern_kernels.pattern_of(order.pattern, state)
        own, own_home, other, other_home = pattern_kernels.diagram_of(order.pattern, pattern, state)
        return own, own_home, other, other_home, np.int64(0)
    return tile_kernels.view_of(order.tiles, state)


@inlined
def partner_of(order, own, own_home, other, other_home, side):
    """Return the number of the same diagram with the other player to move."""
    return state_of(order, other, other_home, own, own_home, side if turned(order) else 1 - side)


@lean
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
    gone = steps_of(own) + own_home * (ways[side, LENGTH] + 1)
    gone += steps_of(other) + other_home * (ways[1 - side, LENGTH] + 1)
    return (2 * pieces - 2 - own_home - other_home) * (furthest + 1) + furthest - gone


@lean
def count_keys(order, ways, codes, first, last, counts):
    """Count states by key; marks the finished ones."""
    for state in range(first, last):
        own, own_home, other, other_home, side = view_of(order, state)
        key = key_of(ways, own, own_home, other, other_home, side)
        if key >= 0:
            counts[key] += 1
        else:
            codes[state] = FINISHED


@lean
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
    next_side = side if turned(order) else 1 - side
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


@lean
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
            other, other_home, own, own_home, side if turned(order) else 1 - side,
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


@lean
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


@lean
def first_without(codes, queue, mark):
    """Return the first state of the queue without a mark, -1 if there is none."""
    for k in range(queue.shape[0]):
        if codes[queue[k]] & mark == 0:
            return np.int64(queue[k])
    return np.int64(-1)
