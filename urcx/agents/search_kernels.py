# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the tree search: exact expectimax with Ballard's star pruning.

A node is a position with k plies to go. Its value V_k to the player to move (see
`urcx.agents.search`) is an integer, times ``scales[k]``. A search has a window (alpha, beta). It
returns the exact value if this is inside the window, and otherwise a bound. A result at or below
alpha is an upper bound, and a result at or above beta is a lower bound. Windows are divided in
integers and rounded outwards. No value is lost, so the results are exact.

Each node has a lower and an upper bound of every roll's best move, and so of its value. They begin
with the material that can change hands in the plies to go. The search of the node stops when they
leave the window (Star1). Before any roll is searched fully, the most promising move of each roll
may be probed, which raises the lower bounds (Star2). The final bounds of a node are stored in the
transposition table.

Source: B. W. Ballard, The *-minimax search procedure for trees containing chance nodes, Artificial
Intelligence 21, 1983.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.leaf_kernels import last_ply, leaf_range, moved, steps_met
from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import (
    GRANTING,
    PIECES,
    highest,
    legal_starts,
    lowest,
    make_move,
    popcount,
    position_hash,
)

HOME_SHIFT = 54
TURN_SHIFT = 62

# Columns of `Memory.frames`: the position, its window and its bounds,
OWN, OTHER, OWN_HOME, OTHER_HOME, SIDE, LEAF, ALPHA, BETA, LOW, HIGH, ROW = range(11)
# the sums of its rolls' bounds, the moves to try first, and the current roll: its window, the best
# value so far, the remaining moves, and whether the mover rolls again.
LOW_SUM, HIGH_SUM, TAKES, GRANTS, PHASE, ROLL, A, B, BEST, ENDS, AGAIN, END, COLUMNS = range(11, 24)
# Rows of `Memory.rolls`: the legal moves, the bounds of the best, the move tried, its value.
FOUND, ROLL_LOW, ROLL_HIGH, TRIED, REACHED, ROLL_ROWS = range(6)


class Memory(NamedTuple):
    """Working memory of a search, made by `urcx.agents.search.memory_for`.

    ``table[k - 2]`` is the transposition table for k plies to go. Its entries hold the words of the
    player to move and of the other player, and a lower and an upper bound of V_k. Both words are -1
    in an empty entry. The table serves any number of searches with the same `SearchPlan`.
    ``frames[k]`` and ``rolls[k]`` are the state of the node with k plies to go on the search path.
    ``nodes[0]`` counts visited positions, without leaves. A search stops at more than ``nodes[1]``.
    """

    table: NDArray[np.int64]
    frames: NDArray[np.int64]
    rolls: NDArray[np.int64]
    nodes: NDArray[np.int64]


@inlined
def row_of(own, other, size):
    """Return a position's entry in a table of ``size`` entries, a power of 2."""
    return np.int64(position_hash(own, other) & np.uint64(size - 1))


@inlined
def first_to_try(ends, takes, grants):
    """Return the end to try first: a capture, else a rosette that grants a roll, else any end."""
    if ends & takes:
        return lowest(ends & takes)
    if ends & grants:
        return lowest(ends & grants)
    return highest(ends)


@inlined
def _enter(ways, plan, table, frames, state, k):
    """Prepare the node in frame k >= 2. Return whether its value is known, and the value."""
    terms, rolls = plan.terms, plan.rolls
    own, other = frames[k, OWN], frames[k, OTHER]
    own_home, other_home = frames[k, OWN_HOME], frames[k, OTHER_HOME]
    side, leaf = frames[k, SIDE], frames[k, LEAF]
    alpha, beta = frames[k, ALPHA], frames[k, BETA]
    scale, below = plan.scales[k], plan.scales[k - 1]
    few, many = -np.int64(terms.bound), np.int64(terms.bound)
    low, high = few * scale, many * scale
    row = np.int64(0)
    if terms.prune:
        few, many = leaf_range(ways, terms, own, other, own_home, other_home, side, leaf, k)
        low = max(low, few * scale - plan.fall[k])
        high = min(high, many * scale + plan.rise[k])
        if low >= beta:
            return True, low
        if high <= alpha:
            return True, high
        if k >= terms.stored:
            mine, theirs = words(own, other, own_home, other_home, side)
            row = row_of(mine, theirs, table.shape[1])
            if table[k - 2, row, 0] == mine and table[k - 2, row, 1] == theirs:
                low = max(low, table[k - 2, row, 2])
                high = min(high, table[k - 2, row, 3])
                if low >= beta or low == high:
                    return True, low
                if high <= alpha:
                    return True, high

    # The bounds of each roll's best move. Their weighted sums are bounds of the node.
    edge = terms.bound * below
    roll_low = -edge
    pool = ways[side, PIECES] - popcount(own) - own_home
    low_sum, high_sum = np.int64(0), np.int64(0)
    if terms.prune:
        roll_low = max(roll_low, few * below - plan.rise[k - 1])
    for r in range(rolls.shape[0]):
        starts = legal_starts(ways, side, pool, own, other, rolls[r])
        roll_high = edge
        if terms.prune:
            gain = rolls[r] + terms.extra if starts else np.int64(0)
            roll_high = min(edge, min(terms.bound, many + gain) * below + plan.rise[k - 1])
        state[k, FOUND, r] = starts
        state[k, ROLL_LOW, r] = roll_low
        state[k, ROLL_HIGH, r] = roll_high
        state[k, TRIED, r] = 0
        low_sum += plan.weights[k - 1, r] * roll_low
        high_sum += plan.weights[k - 1, r] * roll_high
    frames[k, ALPHA] = max(alpha, low - 1)
    frames[k, BETA] = min(beta, high + 1)
    frames[k, LOW], frames[k, HIGH], frames[k, ROW] = low, high, row
    frames[k, LOW_SUM], frames[k, HIGH_SUM] = low_sum, high_sum
    frames[k, TAKES] = steps_met(ways, 1 - side, other)
    frames[k, GRANTS] = np.int64(ways[side, GRANTING]) << 1
    # Phase 0 tries one move of every roll, phase 1 the others.
    frames[k, PHASE] = 0 if terms.prune and k >= terms.probed else 1
    frames[k, ROLL] = -1
    frames[k, ENDS] = 0
    return False, low


@inlined
def next_roll(plan, frames, state, k):
    """Start the next roll of the node in frame k, or return False if no roll is left."""
    alpha, beta = frames[k, ALPHA], frames[k, BETA]
    low_sum, high_sum = frames[k, LOW_SUM], frames[k, HIGH_SUM]
    r = frames[k, ROLL]
    while low_sum < beta and high_sum > alpha:
        r += 1
        if r == plan.rolls.shape[0]:
            if frames[k, PHASE] == 1:
                return False
            frames[k, PHASE] = 1
            r = np.int64(0)
        weight = plan.weights[k - 1, r]
        low, high = state[k, ROLL_LOW, r], state[k, ROLL_HIGH, r]
        if weight == 0 or low == high:
            continue
        # For all values of the other rolls, the node is at most alpha if this roll is worth a or
        # less, and at least beta if it is worth b or more.
        a = (alpha - high_sum + weight * high) // weight
        b = -((low_sum - weight * low - beta) // weight)
        frames[k, A], frames[k, B] = max(a, low - 1), min(b, high + 1)
        starts = state[k, FOUND, r]
        ends = starts << plan.rolls[r] if starts else np.int64(1)  # bit 0 is the pass
        best = -plan.terms.bound * plan.scales[k - 1] - 1
        if state[k, TRIED, r]:
            ends &= ~state[k, TRIED, r]
            best = state[k, REACHED, r]
        frames[k, ROLL], frames[k, ENDS], frames[k, BEST] = r, ends, best
        return True
    return False


@inlined
def record_value(weights, frames, state, k, end, value):
    """Record the value of a move in the node of frame k, and end the roll if it is settled."""
    r, a, b, ends = frames[k, ROLL], frames[k, A], frames[k, B], frames[k, ENDS]
    best = max(frames[k, BEST], value)
    frames[k, BEST] = best
    if frames[k, PHASE] == 0:
        state[k, TRIED, r] = np.int64(1) << end
        state[k, REACHED, r] = best
    elif ends and best < b:
        return
    weight = weights[k - 1, r]
    if best > a:
        frames[k, LOW_SUM] += weight * (best - state[k, ROLL_LOW, r])
        state[k, ROLL_LOW, r] = best
    if best < b and not ends:  # a single move of several has no upper bound
        frames[k, HIGH_SUM] -= weight * (state[k, ROLL_HIGH, r] - best)
        state[k, ROLL_HIGH, r] = best
    frames[k, ENDS] = 0


@inlined
def words(own, other, own_home, other_home, side):
    """Return a position as the two words of a table entry."""
    mine = own | (np.int64(own_home) << HOME_SHIFT) | (np.int64(side) << TURN_SHIFT)
    return mine, other | (np.int64(other_home) << HOME_SHIFT)


@inlined
def _leave(terms, table, frames, k):
    """Return the value or bound of the node in frame k, and store its bounds in the table."""
    low = max(frames[k, LOW], frames[k, LOW_SUM])
    high = min(frames[k, HIGH], frames[k, HIGH_SUM])
    if terms.prune and k >= terms.stored:
        row = frames[k, ROW]
        mine, theirs = words(
            frames[k, OWN], frames[k, OTHER], frames[k, OWN_HOME], frames[k, OTHER_HOME],
            frames[k, SIDE],
        )  # fmt: skip
        table[k - 2, row, 0], table[k - 2, row, 1] = mine, theirs
        table[k - 2, row, 2], table[k - 2, row, 3] = low, high
    return high if high <= frames[k, ALPHA] else low


@inlined
def _push(frames, k, place, alpha, beta):
    """Write a position and its window into frame k."""
    own, other, own_home, other_home, side, leaf = place
    frames[k, OWN], frames[k, OTHER] = own, other
    frames[k, OWN_HOME], frames[k, OTHER_HOME] = own_home, other_home
    frames[k, SIDE], frames[k, LEAF] = side, leaf
    frames[k, ALPHA], frames[k, BETA] = alpha, beta


@inlined
def make(ways, side, terms, own, other, home, leaf, start, end):
    """Return the result of `make_move`, and the leaf value to the mover after the move."""
    leaf = moved(ways, side, terms, other, home, leaf, start, end)
    own, other, home, again = make_move(ways, side, own, other, home, start, end)
    return own, other, home, again, leaf


@lean
def search(ways, plan, memory, place, plies, alpha, beta):
    """Return V_k times ``scales[k]`` of an unfinished game, or a bound of it.

    ``plies`` is k >= 1. ``place`` is the position: the mask of the player to move, the other mask,
    both numbers of pieces home, the side (0 if both have the same rules), and the side's leaf
    value. Frames replace recursion, which numba caches unreliably and executes slowly.
    """
    terms, frames, state = plan.terms, memory.frames, memory.rolls
    memory.nodes[0] += 1
    if plies == 1:
        own, other, own_home, other_home, side, leaf = place
        return last_ply(ways, side, plan, own, other, own_home, leaf, alpha, beta)
    nodes = np.int64(0)
    k = plies
    _push(frames, k, place, alpha, beta)
    fresh, settled, value = True, False, np.int64(0)
    while True:
        side = frames[k, SIDE]
        if fresh:
            settled, value = _enter(ways, plan, memory.table, frames, state, k)
            fresh = False
        while not settled:
            if frames[k, ENDS] == 0 and not next_roll(plan, frames, state, k):
                value = _leave(terms, memory.table, frames, k)
                settled = True
                break
            own, other, leaf = frames[k, OWN], frames[k, OTHER], frames[k, LEAF]
            own_home, other_home = frames[k, OWN_HOME], frames[k, OTHER_HOME]
            end = np.int64(first_to_try(frames[k, ENDS], frames[k, TAKES], frames[k, GRANTS]))
            frames[k, ENDS] &= ~(np.int64(1) << end)
            again = False
            if end:
                start = end - plan.rolls[frames[k, ROLL]]
                own, other, own_home, again, leaf = make(
                    ways, side, terms, own, other, own_home, leaf, start, end
                )
                if own_home == ways[0, PIECES]:
                    record_value(
                        plan.weights, frames, state, k, end, terms.won * plan.scales[k - 1]
                    )
                    continue
            nodes += 1
            if memory.nodes[0] + nodes > memory.nodes[1]:
                memory.nodes[0] += nodes
                return value  # meaningless
            alpha, beta = frames[k, A], frames[k, B]
            if terms.prune:
                alpha = max(alpha, frames[k, BEST])
            turn = side
            if not again:
                own, other, own_home, other_home = other, own, other_home, own_home
                leaf, alpha, beta = -leaf, -beta, -alpha
                if not terms.turned:
                    turn = 1 - side
            if k > 2:
                frames[k, AGAIN], frames[k, END] = again, end
                k -= 1
                _push(frames, k, (own, other, own_home, other_home, turn, leaf), alpha, beta)
                fresh = True
                break
            value = last_ply(ways, turn, plan, own, other, own_home, leaf, alpha, beta)
            record_value(plan.weights, frames, state, k, end, value if again else -value)
        if fresh:
            continue
        if k == plies:
            memory.nodes[0] += nodes
            return value
        k += 1
        settled = False
        value = value if frames[k, AGAIN] else -value
        record_value(plan.weights, frames, state, k, frames[k, END], value)
