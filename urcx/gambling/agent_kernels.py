"""Kernels of the gambling games' agents: which move is best, and whether to throw the second die.

Functions take ``boards`` and ``purses``, whose rows 0 are the state and whose other rows are
scratch, and a `Frames` of scratch for looking ahead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import njit
from urcx.gambling.rule_kernels import copy_state, is_home, make_move, occupant, settle, target

RANDOM, FIRST, LAST, GREEDY, WINNINGS = range(5)  # what agents go by
EQUAL = 1e-9  # values closer than this are equal: they are sums of products of chances

# A level of the search: who moves, who moves after what is being tried, the roll (two for each
# face of the first die: as it is and doubled) and the piece being tried; NO_PIECE for the pass.
MOVER, NEXT, ROLL, PIECE, N_NUMBERS = range(5)
NO_PIECE, NOTHING_YET = -1, -2
# Its values, for the mover: of the pass, the best move by the roll so far, by the face's roll as
# it is, and the sum over the faces that are done, each by its chance.
PASSED, BEST, SINGLE, TOTAL, N_VALUES = range(5)
# What there is to try next at a level.
NONE, STATE, FINISHED = range(3)


class Policy(NamedTuple):
    """How an agent chooses: what it goes by, and for ``WINNINGS`` how many plies it looks at."""

    kind: int
    depth: int


class Frames(NamedTuple):
    """Scratch of a search: for each level its numbers and values."""

    numbers: NDArray[np.int64]
    values: NDArray[np.float64]


@njit
def thrown_value(rules, single, double, passed):
    """Return the better of moving by the first die and of throwing the second, for the mover.

    ``single`` and ``double`` are worth what they are after the best move by either roll, -inf where
    it moves nothing; ``passed`` is worth the pass. The second die is thrown where the first moves
    nothing; where it could move nothing itself, that would be to wait, which a choice allows.
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
    """Take in the best move by the roll that was tried last, and go on to the next roll."""
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
def try_next(rules, boards, purses, frames, at):
    """Put the next thing to try at a level into the level below, and return what it is."""
    numbers = frames.numbers[at]
    side = numbers[MOVER]
    copy_state(boards[at], purses[at], boards[at + 1], purses[at + 1])
    if numbers[PIECE] == NOTHING_YET:
        numbers[PIECE] = NO_PIECE
        numbers[NEXT] = 1 - side
        return STATE
    while numbers[ROLL] < 2 * rules.faces.shape[0]:
        numbers[PIECE] += 1
        if numbers[PIECE] == rules.rolls.shape[0]:
            close_roll(rules, numbers, frames.values[at])
            continue
        face = numbers[ROLL] >> 1
        roll = rules.doubled[face] if numbers[ROLL] & 1 else rules.faces[face]
        end = target(rules, boards[at], side, numbers[PIECE], roll)
        if end >= 0:
            again = make_move(rules, boards[at + 1], purses[at + 1], side, numbers[PIECE], end)[0]
            numbers[NEXT] = side if again else 1 - side
            if is_home(rules, boards[at + 1], side):
                settle(rules, boards[at + 1], purses[at + 1], side)
                return FINISHED
            return STATE
    return NONE


@njit
def begin(frames, at, side):
    """Begin a level with a side to move."""
    frames.numbers[at, MOVER] = side
    frames.numbers[at, ROLL] = 0
    frames.numbers[at, PIECE] = NOTHING_YET
    frames.values[at, BEST] = -np.inf
    frames.values[at, TOTAL] = 0


@njit
def lead(purse):
    """Return light's counters less dark's."""
    return np.float64(purse[0] - purse[1])


@njit
def expected(rules, boards, purses, frames, side, depth):
    """Return light's counters less dark's, in the mean, after ``depth`` plies of best play.

    The state before the throw is in rows 1 of ``boards`` and ``purses``; rows after it are scratch.
    A finished game counts what is settled. A depth-first search with a stack of its own, as numba
    cannot cache kernels that call themselves.
    """
    if depth == 0:
        return lead(purses[1])
    at = np.int64(1)
    begin(frames, at, side)
    while True:
        what = try_next(rules, boards, purses, frames, at)
        if what == STATE and at < depth:
            at += 1
            begin(frames, at, frames.numbers[at - 1, NEXT])
            continue
        if what == NONE:
            value = (1.0 - 2.0 * frames.numbers[at, MOVER]) * frames.values[at, TOTAL]
            if at == 1:
                return value
            at -= 1
        else:
            value = lead(purses[at + 1])
        value *= 1.0 - 2.0 * frames.numbers[at, MOVER]
        if frames.numbers[at, PIECE] == NO_PIECE:
            frames.values[at, PASSED] = value
        else:
            frames.values[at, BEST] = max(frames.values[at, BEST], value)


@njit
def score(rules, policy, boards, purses, frames, side, piece, end):
    """Return how good an agent thinks a legal move of the state ``boards[0], purses[0]``."""
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
        again = make_move(rules, boards[1], purses[1], side, piece, end)[0]
        left = policy.depth - 1
        if is_home(rules, boards[1], side):
            settle(rules, boards[1], purses[1], side)
            left = 0
        mover = side if again else 1 - side
        return (1.0 - 2.0 * side) * expected(rules, boards, purses, frames, mover, left)
    return 0.0  # all alike: random picks otherwise, last takes the most advanced


@njit
def best_move(rules, policy, boards, purses, frames, side, roll):
    """Return (piece, its score) of the best move, the most advanced of equals; piece -1 if none."""
    best = np.int64(-1)
    most = -np.inf
    for piece in range(rules.rolls.shape[0]):
        end = target(rules, boards[0], side, piece, roll)
        if end < 0:
            continue
        value = score(rules, policy, boards, purses, frames, side, piece, end)
        equal = abs(value - most) <= EQUAL
        if (not equal and value > most) or (
            equal and boards[0, side, piece] > boards[0, side, best]
        ):
            best = np.int64(piece)
            most = value
    return best, most


@njit
def throws_second(rules, policy, boards, purses, frames, side, face):
    """Return whether an agent that is not random throws the second die after seeing the first."""
    piece, single = best_move(rules, policy, boards, purses, frames, side, rules.faces[face])
    if piece < 0:
        return True
    if policy.kind not in (GREEDY, WINNINGS):
        return False
    other, double = best_move(rules, policy, boards, purses, frames, side, rules.doubled[face])
    if policy.kind == GREEDY:
        return other >= 0 and double > single
    if other < 0 and not rules.waiting:
        return False
    copy_state(boards[0], purses[0], boards[1], purses[1])
    passed = (1.0 - 2.0 * side) * expected(
        rules, boards, purses, frames, 1 - side, policy.depth - 1
    )
    if other < 0:
        double = passed
    yes = rules.yes / rules.of
    return yes * double + (1 - yes) * passed > single + EQUAL
