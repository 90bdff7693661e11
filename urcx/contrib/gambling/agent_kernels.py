# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the gambling game's agents, which choose moves and decide on the second die.

Functions take a `Search`: the state, with scratch space for looking ahead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.gambling.rule_kernels import (
    copy_state,
    is_home,
    make_labelled_move,
    occupant,
    settle_stakes,
    target,
)
from urcx.engine.jit import njit

RANDOM, FIRST, LAST, GREEDY, WINNINGS = range(5)  # the kinds of agents
EQUAL = 1e-9  # closer values count as equal, because sums of products of probabilities are rounded

# A frame of the search: the side to move, the side that moves after the move being tried, the roll
# (each face of the first die has two: plain and doubled), and the piece being tried (NO_PIECE for
# the pass).
MOVER, NEXT, ROLL, PIECE, N_NUMBERS = range(5)
NO_PIECE, NOTHING_YET = -1, -2
# Its values for the side to move: of the pass, of the best move so far for the roll, of the best
# move for the plain roll of the face, and the sum over finished faces, weighted by probability.
PASSED, BEST, SINGLE, TOTAL, N_VALUES = range(5)
# The kinds of nodes that a frame tries next.
NONE, STATE, FINISHED = range(3)


class Policy(NamedTuple):
    """The kind of an agent, and its depth in plies if it is ``WINNINGS``."""

    kind: int
    depth: int


class Search(NamedTuple):
    """A state and the scratch space of a search from it.

    Row 0 of ``boards`` and of ``purses`` is the state. Later rows are states that the search
    reaches. ``numbers`` and ``values`` have a row for each frame.
    """

    boards: NDArray[np.int64]
    purses: NDArray[np.int64]
    numbers: NDArray[np.int64]
    values: NDArray[np.float64]


def search_room(depth: int, pieces: int) -> Search:
    """Return a search to a depth in plies, with a state of zeros."""
    rows = depth + 2
    return Search(
        np.zeros((rows, 2, pieces), np.int64),
        np.zeros((rows, 3), np.int64),
        np.zeros((rows, N_NUMBERS), np.int64),
        np.zeros((rows, N_VALUES)),
    )


@njit
def thrown_value(rules, single, double, passed):
    """Return the mover's value of moving by the first die or throwing the second if that is better.

    ``single`` and ``double`` are the values after the best move by the plain and the doubled roll,
    -inf if there are none. ``passed`` is the value of a pass. The second die is thrown if the
    first allows no move. If the doubled roll would not allow a move either, throwing the second die
    is a way to wait, which the choice ``waiting`` allows or bars.
    """
    yes = rules.yes / rules.of
    doubled = double if double > -np.inf else passed
    if rules.together:
        return yes * doubled + (1 - yes) * (single if single > -np.inf else passed)
    risked = yes * doubled + (1 - yes) * passed
    if single == -np.inf:
        return risked
    may = double > -np.inf or rules.waiting == 1
    return risked if may and risked > single + EQUAL else single


@njit
def close_roll(rules, numbers, values):
    """Record the best move of the last roll tried, and continue with the next roll."""
    face = numbers[ROLL] >> 1
    if numbers[ROLL] & 1:
        values[TOTAL] += rules.chances[face] * thrown_value(
            rules, values[SINGLE], values[BEST], values[PASSED]
        )
    else:
        values[SINGLE] = values[BEST]
    values[BEST] = -np.inf
    numbers[PIECE] = NO_PIECE
    numbers[ROLL] += 1


@njit
def try_next(rules, search, at):
    """Put the next move to try into the next frame, and return the kind of its node."""
    boards, purses, numbers = search.boards, search.purses, search.numbers[at]
    side = numbers[MOVER]
    copy_state(boards[at], purses[at], boards[at + 1], purses[at + 1])
    if numbers[PIECE] == NOTHING_YET:
        numbers[PIECE] = NO_PIECE
        numbers[NEXT] = 1 - side
        return STATE
    while numbers[ROLL] < 2 * rules.faces.shape[0]:
        numbers[PIECE] += 1
        if numbers[PIECE] == rules.rolls.shape[0]:
            close_roll(rules, numbers, search.values[at])
            continue
        face = numbers[ROLL] >> 1
        roll = rules.doubled[face] if numbers[ROLL] & 1 else rules.faces[face]
        end = target(rules, boards[at], side, numbers[PIECE], roll)
        if end >= 0:
            again = make_labelled_move(
                rules, boards[at + 1], purses[at + 1], side, numbers[PIECE], end
            )[0]
            numbers[NEXT] = side if again else 1 - side
            if is_home(rules, boards[at + 1], side):
                settle_stakes(rules, boards[at + 1], purses[at + 1], side)
                return FINISHED
            return STATE
    return NONE


@njit
def _begin(search, at, side):
    """Begin a frame with a side to move."""
    search.numbers[at, MOVER] = side
    search.numbers[at, ROLL] = 0
    search.numbers[at, PIECE] = NOTHING_YET
    search.values[at, BEST] = -np.inf
    search.values[at, TOTAL] = 0


@njit
def lead(purse):
    """Return light's counters minus dark's."""
    return np.float64(purse[0] - purse[1])


@njit
def expected_share(rules, search, side, depth):
    """Return the mean of light's counters minus dark's after ``depth`` plies of optimal play.

    The state before the throw is in row 1 of the search. A finished game counts after the final
    payments. The depth-first search has its own stack because numba cannot cache recursive kernels.
    """
    numbers, values = search.numbers, search.values
    if depth == 0:
        return lead(search.purses[1])
    at = np.int64(1)
    _begin(search, at, side)
    while True:
        node = try_next(rules, search, at)
        if node == STATE and at < depth:
            at += 1
            _begin(search, at, numbers[at - 1, NEXT])
            continue
        if node == NONE:
            value = (1.0 - 2.0 * numbers[at, MOVER]) * values[at, TOTAL]
            if at == 1:
                return value
            at -= 1
        else:
            value = lead(search.purses[at + 1])
        value *= 1.0 - 2.0 * numbers[at, MOVER]
        if numbers[at, PIECE] == NO_PIECE:
            values[at, PASSED] = value
        else:
            values[at, BEST] = max(values[at, BEST], value)


@njit
def score(rules, policy, search, side, piece, end):
    """Return an agent's value of a legal move."""
    boards, purses = search.boards, search.purses
    start = boards[0, side, piece]
    if policy.kind == FIRST:
        return -np.float64(start)
    if policy.kind == GREEDY:
        if end > rules.lengths[side]:
            return 0.0
        if occupant(rules, boards[0], 1 - side, rules.tiles[side, end]) >= 0:
            return 2.0
        return np.float64(rules.rosettes[side, end])
    if policy.kind == WINNINGS:
        copy_state(boards[0], purses[0], boards[1], purses[1])
        again = make_labelled_move(rules, boards[1], purses[1], side, piece, end)[0]
        left = policy.depth - 1
        if is_home(rules, boards[1], side):
            settle_stakes(rules, boards[1], purses[1], side)
            left = 0
        mover = side if again else 1 - side
        return (1.0 - 2.0 * side) * expected_share(rules, search, mover, left)
    return 0.0  # all equal: random chooses elsewhere, last takes the most advanced


@njit
def best_move(rules, policy, search, side, roll):
    """Return (piece, score) of the best move, or piece -1 if there is no legal move.

    Among equal moves, the most advanced piece moves.
    """
    steps = search.boards[0]
    best = np.int64(-1)
    most = -np.inf
    for piece in range(rules.rolls.shape[0]):
        end = target(rules, steps, side, piece, roll)
        if end < 0:
            continue
        value = score(rules, policy, search, side, piece, end)
        equal = abs(value - most) <= EQUAL
        if (not equal and value > most) or (equal and steps[side, piece] > steps[side, best]):
            best = np.int64(piece)
            most = value
    return best, most


@njit
def throws_second(rules, policy, search, side, face):
    """Return whether an agent that is not random throws the second die after seeing the first."""
    piece, single = best_move(rules, policy, search, side, rules.faces[face])
    if piece < 0:
        return True
    if policy.kind not in (GREEDY, WINNINGS):
        return False
    other, double = best_move(rules, policy, search, side, rules.doubled[face])
    if policy.kind == GREEDY:
        return other >= 0 and double > single
    if other < 0 and not rules.waiting:
        return False
    boards, purses = search.boards, search.purses
    copy_state(boards[0], purses[0], boards[1], purses[1])
    passed = (1.0 - 2.0 * side) * expected_share(rules, search, 1 - side, policy.depth - 1)
    if other < 0:
        double = passed
    yes = rules.yes / rules.of
    return yes * double + (1 - yes) * passed > single + EQUAL
