# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of Michon's procedure: a byte of marks for each state.

`urcx.contrib.michon.result` explains the procedure.

States are numbered by shared pattern or by tiles. A view is a state from the mover's viewpoint: the
mover's steps and pieces home, the other player's, and the side to move, which is 0 for canonical
views.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import (
    LENGTH,
    PIECES,
    legal_starts,
    lowest,
    make_move,
    popcount,
    sum_of_steps,
)
from urcx.enumerate.rankings import pattern_kernels, tile_kernels
from urcx.enumerate.rankings.pattern_kernels import PatternTables

# Marks of a state: decided, for each reading, and quiet: no more captures are possible.
LITERAL, NO_ZEROS, PASSES, QUIET = 1, 2, 4, 8
MARKS = 4
FINISHED = LITERAL | NO_ZEROS | PASSES | QUIET
# Flags that `survey` returns with the marks.
BY_ZERO, BLOCKED, MOVES = 1, 2, 4


class Order(NamedTuple):
    """An order of states: canonical views by shared pattern if ``by_pattern``, else by ``tiles``.

    In both cases ``tiles`` has the flag whether states are canonical views.
    """

    by_pattern: int
    pattern: PatternTables
    tiles: NDArray[np.int64]


@inlined
def turned(order):
    """Return 1 if states are canonical views, else 0."""
    return order.tiles[tile_kernels.TURNED]


@inlined
def nalimov_state(order, own, own_home, other, other_home, side):
    """Return a view's number."""
    if order.by_pattern:
        return pattern_kernels.rank_of(order.pattern, own, own_home, other, other_home)
    return tile_kernels.state_of(order.tiles, own, own_home, other, other_home, side)


@inlined
def nalimov_view(order, state):
    """Return a state's view: (own, own_home, other, other_home, side)."""
    if order.by_pattern:
        pattern = pattern_kernels.pattern_of(order.pattern, state)
        own, own_home, other, other_home = pattern_kernels.diagram_of(order.pattern, pattern, state)
        return own, own_home, other, other_home, np.int64(0)
    return tile_kernels.view_of(order.tiles, state)


@inlined
def partner_of(order, own, own_home, other, other_home, side):
    """Return the number of the same configuration with the other player to move."""
    return nalimov_state(
        order, other, other_home, own, own_home, side if turned(order) else 1 - side
    )


@inlined
def after_move(order, ways, own, own_home, other, other_home, side, start, roll):
    """Return the number of the state after a move, -1 if it wins, and whether it captures."""
    mine, theirs, home, again = make_move(ways, side, own, other, own_home, start, start + roll)
    if home == ways[side, PIECES]:
        return np.int64(-1), False
    if again:
        to = nalimov_state(order, mine, home, theirs, other_home, side)
    else:
        next_side = side if turned(order) else 1 - side
        to = nalimov_state(order, theirs, other_home, mine, home, next_side)
    return to, theirs != other


@lean
def write_keys(order, ways, codes, first, last, keys):
    """Write each state's sort key in the order from the end of the game, and mark finished states.

    States with the most pieces home come first, and then states with the most steps.
    """
    pieces = ways[0, PIECES]
    furthest = pieces * (ways[0, LENGTH] + ways[1, LENGTH] + 2)
    for state in range(first, last):
        own, own_home, other, other_home, side = nalimov_view(order, state)
        if pieces in (own_home, other_home):
            codes[state] = FINISHED
            continue
        gone = sum_of_steps(own) + own_home * (ways[side, LENGTH] + 1)
        gone += sum_of_steps(other) + other_home * (ways[1 - side, LENGTH] + 1)
        keys[state] = (2 * pieces - 2 - own_home - other_home) * (furthest + 1) + furthest - gone


@inlined
def survey(order, ways, rolls, codes, own, own_home, other, other_home, side):
    """Return the marks common to all successors after a move, and flags for the other rolls.

    Stops when no mark is left, because passes do not matter then.
    """
    marks = FINISHED
    rest = 0
    pool = ways[side, PIECES] - popcount(own) - own_home
    for r in range(rolls.shape[0]):
        left = legal_starts(ways, side, pool, own, other, rolls[r])
        if left == 0:
            rest |= BLOCKED if rolls[r] else BY_ZERO
        while left:
            rest |= MOVES
            start = lowest(left)
            left &= left - 1
            to, captures = after_move(
                order, ways, own, own_home, other, other_home, side, start, rolls[r]
            )
            if to < 0:
                continue  # won
            marks &= codes[to]
            if captures:
                marks &= FINISHED ^ QUIET
            if marks == 0:
                return marks, rest
    return marks, rest


@inlined
def decided(marks, rest, other_marks, other_rest, other_code):
    """Return a state's marks from the results of `survey` for the state and for its partner.

    ``other_code`` has the partner's current marks.
    """
    if rest & (BY_ZERO | BLOCKED) == 0:
        return marks
    result = marks & other_marks & (PASSES | QUIET)
    if other_rest & (BY_ZERO | BLOCKED) and (rest | other_rest) & MOVES == 0:
        result &= FINISHED ^ PASSES  # nobody can ever move, so there is no equation
    result |= marks & other_code & LITERAL
    return result | (marks & NO_ZEROS & (other_code if rest & BLOCKED else NO_ZEROS))


@lean
def decide_states(order, ways, rolls, codes, queue, first, last):
    """Mark the decided states among ``queue[first:last]``, and return how many gained marks.

    A state and its partner are examined together, at the smaller of their numbers.
    """
    changed = 0
    for k in range(first, last):
        state = np.int64(queue[k])
        own, own_home, other, other_home, side = nalimov_view(order, state)
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
        # Each may depend on the other, so the second round returns the result to the first state.
        for _ in range(2):
            codes[state] |= decided(a, a_rest, b, b_rest, codes[partner])
            codes[partner] |= decided(b, b_rest, a, a_rest, codes[state])
        changed += codes[state] != before or codes[partner] != before_partner
    return changed


@lean
def tally_decided(order, codes, queue, first, last, out):
    """Add to ``out[own_home, other_home]`` the numbers of all states and of states with each mark.

    The last number counts states with both `PASSES` and `QUIET`.
    """
    for k in range(first, last):
        state = np.int64(queue[k])
        _, own_home, _, other_home, _ = nalimov_view(order, state)
        out[own_home, other_home, 0] += 1
        for bit in range(MARKS):
            out[own_home, other_home, bit + 1] += (codes[state] >> bit) & 1
        out[own_home, other_home, MARKS + 1] += codes[state] & (PASSES | QUIET) == PASSES | QUIET
