# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the gambling game's rules: legal moves, and the counters that they win and lose.

A state is ``steps[side, piece]`` (0 for the pool, L + 1 for home) and ``purse``: the counters of
light, of dark and of the pool.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import njit

POOL = 2  # the third account, after light's (0) and dark's (1)
LANDS, APPEARS, MOVES = range(3)  # the meanings of entering the board


class Rules(NamedTuple):
    """A gambling game as arrays.

    - ``lengths[side]``.
    - ``tiles[side, step]`` and ``rosettes[side, step]`` (1 on a rosette), for steps 0 to L + 1.
    - ``rolls``, ``entries`` and ``values`` of the pieces.
    - ``faces`` of the first die, their values ``doubled``, their probabilities ``chances``, and
      equally likely ``slots`` with their indices.
    - ``yes`` and ``of``: the second die shows yes in ``yes`` of ``of`` cases.

    The other fields are counters, and `urcx.contrib.gambling.rules.CHOICES` as numbers.
    """

    lengths: NDArray[np.int64]
    tiles: NDArray[np.int64]
    rosettes: NDArray[np.int64]
    rolls: NDArray[np.int64]
    entries: NDArray[np.int64]
    values: NDArray[np.int64]
    faces: NDArray[np.int64]
    doubled: NDArray[np.int64]
    chances: NDArray[np.float64]
    slots: NDArray[np.int64]
    yes: int
    of: int
    counters: int
    pool: int
    together: int
    waiting: int
    last_early: int
    launch: int
    again: int
    once: int
    free_exit: int
    to_opponent: int
    credit: int
    unfinished: int
    rest_to_finisher: int


@njit
def copy_state(steps, purse, to_steps, to_purse):
    """Copy a state."""
    # Entry by entry, because slice assignments take seconds to compile.
    for side in range(2):
        for piece in range(steps.shape[1]):
            to_steps[side, piece] = steps[side, piece]
    for account in range(3):
        to_purse[account] = purse[account]


@njit
def may_enter(rules, own, piece):
    """Return whether all pieces that must enter before a piece have done so."""
    if rules.last_early and piece == rules.rolls.shape[0] - 1:
        return piece == 0 or own[0] > 0
    waiting = np.int64(0)
    for before in range(piece):
        waiting += own[before] == 0
    return waiting == 0


@njit
def occupant(rules, steps, side, tile):
    """Return the piece of a side on a tile, or -1."""
    for piece in range(rules.rolls.shape[0]):
        step = steps[side, piece]
        if 0 < step <= rules.lengths[side] and rules.tiles[side, step] == tile:
            return piece
    return -1


@njit
def reached(rules, own, side, piece, roll):
    """Return the step to which a roll would take a piece on an empty board, or -1."""
    start = own[piece]
    home = rules.lengths[side] + 1
    if start == 0:
        enters = roll == rules.rolls[piece] and may_enter(rules, own, piece)
        return rules.entries[piece] if enters else np.int64(-1)
    moves = roll > 0 and start != home and start + roll <= home
    return start + roll if moves else np.int64(-1)


@njit
def target(rules, steps, side, piece, roll):
    """Return the step to which a roll takes a piece, or -1 if the move is illegal."""
    end = reached(rules, steps[side], side, piece, roll)
    if end < 0 or end > rules.lengths[side]:
        return end
    tile = rules.tiles[side, end]
    mine = occupant(rules, steps, side, tile)
    if mine >= 0 and mine != piece:
        return np.int64(-1)
    if rules.rosettes[side, end] and occupant(rules, steps, 1 - side, tile) >= 0:
        return np.int64(-1)
    return end


@njit
def pay(rules, purse, giver, taker, amount):
    """Move counters between accounts, without credit at most as many as the giver has."""
    if not rules.credit:
        amount = min(amount, purse[giver])
    purse[giver] -= amount
    purse[taker] += amount


@njit
def make_labelled_move(rules, steps, purse, side, piece, end):
    """Move a piece in place, and return (another throw, a capture, landed, rosettes passed)."""
    start = steps[side, piece]
    home = rules.lengths[side] + 1
    steps[side, piece] = end
    appears = start == 0 and rules.launch == APPEARS
    passed = np.int64(0)
    if (start > 0 or rules.launch == MOVES) and not (rules.free_exit and end == home):
        for step in range(start + 1, end):
            passed += rules.rosettes[side, step]
    if passed:
        times = np.int64(1) if rules.once else passed
        taker = 1 - side if rules.to_opponent else POOL
        pay(rules, purse, side, taker, times * rules.values[piece])
    if end == home:
        return False, False, False, passed
    landed = rules.rosettes[side, end] == 1 and not appears
    if landed:
        pay(rules, purse, POOL, side, rules.values[piece])
    hit = occupant(rules, steps, 1 - side, rules.tiles[side, end])
    if hit >= 0:
        steps[1 - side, hit] = 0
    return landed and rules.again == 1, hit >= 0, landed, passed


@njit
def is_home(rules, steps, side):
    """Return whether all of a side's pieces are home."""
    home = np.int64(0)
    for piece in range(rules.rolls.shape[0]):
        home += steps[side, piece] > rules.lengths[side]
    return home == rules.rolls.shape[0]


@njit
def settle_stakes(rules, steps, purse, finisher):
    """Make the final payments in place: for pieces not home, then from the pool."""
    loser = 1 - finisher
    due = np.int64(0)
    for piece in range(rules.rolls.shape[0]):
        step = steps[loser, piece]
        if step <= rules.lengths[loser] and (step > 0 or rules.unfinished):
            due += rules.values[piece]
    pay(rules, purse, loser, finisher if rules.to_opponent else POOL, due)
    if rules.rest_to_finisher and purse[POOL] > 0:
        pay(rules, purse, POOL, finisher, purse[POOL])


@njit
def count_legal_moves(rules, steps, side, roll):
    """Return the number of legal moves for a roll."""
    number = np.int64(0)
    for piece in range(rules.rolls.shape[0]):
        number += np.int64(target(rules, steps, side, piece, roll) >= 0)
    return number


@njit
def may_throw(rules, steps, side, face, legal):
    """Return whether a player with ``legal`` moves by the first die may throw the second."""
    if rules.waiting or legal == 0:
        return True
    return count_legal_moves(rules, steps, side, rules.doubled[face]) > 0


@njit
def nth_move(rules, steps, side, roll, n):
    """Return the piece of the n-th legal move, n from 0."""
    for piece in range(rules.rolls.shape[0]):
        if target(rules, steps, side, piece, roll) >= 0:
            if n == 0:
                return piece
            n -= 1
    return -1
