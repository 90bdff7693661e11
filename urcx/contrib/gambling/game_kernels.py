# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the gambling games' simulator: whole games and their counts.

Random streams are the same as in the race games (`urcx.games.game_kernels`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.gambling.agent_kernels import RANDOM, best_move, throws_second
from urcx.contrib.gambling.rule_kernels import (
    POOL,
    count_legal_moves,
    is_home,
    make_labelled_move,
    may_throw,
    nth_move,
    settle_stakes,
    target,
)
from urcx.engine.jit import inlined, njit
from urcx.games.game_kernels import GAMMA, HALF, below, first_side, mixed, stream

# The record of a side in a game: these counts, then plies by number of legal moves.
(
    TURNS, THROWN, DOUBLED, LOST, LAUNCHES, CAPTURES, LANDED, PASSED, NODES, OPTIONS, N_FIXED,
) = range(11)  # fmt: skip

# A ply in a log: these, then light's, dark's and the pool's counters, and all steps after the ply.
SIDE, FACE, SECOND, YES, PIECE, LEGAL, N_LOG = range(7)


class GambleCounts(NamedTuple):
    """The counts of several games, a row for each.

    ``records[g, side]`` has the counts listed at `N_FIXED`. ``results[g]`` is (the side that began,
    the side that was home first, plies). ``purses[g]`` has light's, dark's and the pool's counters
    at the end. ``sums[g, side]`` has two sums of log10: of the numbers of options, and of the
    numbers of moves among which chance chose.
    """

    records: NDArray[np.int64]
    results: NDArray[np.int64]
    purses: NDArray[np.int64]
    sums: NDArray[np.float64]


@inlined
def number_below(state, n):
    """Return (state, a random number below n)."""
    while True:
        state += GAMMA
        k = below(mixed(state) >> HALF, n)
        if k < n:
            return state, k


@njit
def answer(rules, policy, search, side, state, face, yes, record, logs, sums):
    """Return (state, second die thrown, the piece moved or -1, its roll, legal moves).

    ``yes`` is the result of the second die if it is thrown. Counts are added to ``record``, and the
    log10 of the numbers of options and of moves among which chance chose to ``sums``.
    """
    steps = search.boards[0]
    piece = np.int64(-1)
    roll = rules.faces[face]
    legal = count_legal_moves(rules, steps, side, roll)
    second = rules.together == 1
    decided = False
    if not second:
        # The options: moves by the first die, or the pass, and throwing the second die.
        throwable = may_throw(rules, steps, side, face, legal)
        options = max(legal, 1) + np.int64(throwable)
        record[NODES] += 1
        record[OPTIONS] += options
        sums[0] += logs[options]
        if policy.kind == RANDOM:
            state, k = number_below(state, options)
            sums[1] += logs[options]
            second = throwable and k == options - 1
            decided = not second
            if decided:
                piece = nth_move(rules, steps, side, roll, k)
        else:
            second = throws_second(rules, policy, search, side, face)
    if second:
        record[THROWN] += 1
        record[DOUBLED] += yes
        if yes:
            roll = rules.doubled[face]
            legal = count_legal_moves(rules, steps, side, roll)
        elif not rules.together:
            record[LOST] += 1
            return state, second, piece, roll, np.int64(0)
        if legal:
            record[NODES] += 1
            record[OPTIONS] += legal
            sums[0] += logs[legal]
    if legal and not decided:
        if policy.kind == RANDOM:
            state, k = number_below(state, legal)
            sums[1] += logs[legal]
            piece = nth_move(rules, steps, side, roll, k)
        else:
            piece = best_move(rules, policy, search, side, roll)[0]
    return state, second, piece, roll, legal


@njit
def _write(log, row, side, face, second, yes, piece, legal, steps, purse):
    """Write a ply to a log, if there is room."""
    if row >= log.shape[0]:
        return
    log[row, SIDE] = side
    log[row, FACE] = face
    log[row, SECOND] = second
    log[row, YES] = yes
    log[row, PIECE] = piece
    log[row, LEGAL] = legal
    for account in range(3):
        log[row, N_LOG + account] = purse[account]
    n = steps.shape[1]
    for k in range(n):
        log[row, N_LOG + 3 + k] = steps[0, k]
        log[row, N_LOG + 3 + n + k] = steps[1, k]


@njit
def play_gambles(rules, light, dark, search, plan, logs, counts, log):
    """Play the games of a `GamesPlan`, and return the number of a game with too many plies, or -1.

    ``counts`` has a row for each game. ``search`` has room for the deeper of the two agents. The
    plies of the last game are written to ``log``, as many as it has rows.
    """
    steps = search.boards[0]
    purse = search.purses[0]
    for game in range(plan.first, plan.last):
        g = game - plan.first
        state, side = first_side(stream(plan.seed, game), plan.rule, game)
        counts.results[g, 0] = side
        steps[:] = 0
        purse[:] = rules.counters
        purse[POOL] = rules.pool
        plies = np.int64(0)
        starts_turn = 1
        while True:
            if plies == plan.longest:
                return game
            state, slot = number_below(state, rules.slots.shape[0])
            face = rules.slots[slot]
            state, throw = number_below(state, rules.of)
            yes = np.int64(throw < rules.yes)
            record = counts.records[g, side]
            record[TURNS] += starts_turn
            policy = dark if side else light
            state, second, piece, roll, legal = answer(
                rules, policy, search, side, state, face, yes, record, logs, counts.sums[g, side]
            )
            record[N_FIXED + legal] += 1
            again = False
            if piece >= 0:
                record[LAUNCHES] += np.int64(steps[side, piece] == 0)
                end = target(rules, steps, side, piece, roll)
                again, hit, landed, passed = make_labelled_move(
                    rules, steps, purse, side, piece, end
                )
                record[CAPTURES] += np.int64(hit)
                record[LANDED] += np.int64(landed)
                record[PASSED] += passed
            over = is_home(rules, steps, side)
            if over:
                settle_stakes(rules, steps, purse, side)
            _write(log, plies, side, face, second, yes, piece, legal, steps, purse)
            plies += 1
            if over:
                break
            starts_turn = 0 if again else 1
            side = side if again else 1 - side
        counts.results[g, 1] = side
        counts.results[g, 2] = plies
        for account in range(3):
            counts.purses[g, account] = purse[account]
    return -1
