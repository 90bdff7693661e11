# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the simulator: dice, whole games between two policies, and their counts.

Each game has its own random stream, SplitMix64 seeded by the seed and the game's number (Steele,
Lea and Flood, Fast splittable pseudorandom number generators, 2014), so a game does not depend on
the thread that plays it. One draw serves a ply: its upper half is for the roll, its lower half for
a choice among equals. Both are unbiased, by rejection (Lemire, Fast random integer generation in an
interval, 2019).
"""

from __future__ import annotations

import numpy as np

from urcx.agents.agent_kernels import FIRST, RANDOM, candidates, nth
from urcx.engine.bit_kernels import highest, lowest, popcount
from urcx.engine.jit import inlined, njit
from urcx.engine.move_kernels import (
    CENTRE,
    LENGTH,
    PIECES,
    ROSETTES,
    SAME,
    SHARED,
    capturing,
    legal_starts,
    make_move,
)

# A side's part of a game's record: these, then rolls by value, then plies by legal moves.
TURNS, CAPTURES, LANDED, N_FIXED = range(4)

# Counters of a side's habits. Each kind of move has two: the number of decisions
# (two or more legal moves) in which it was possible, and in which it was chosen.
CAPTURE, ROSETTE, TO_CENTRE, ENTER, BEAR_OFF, N_KINDS = range(6)
LANDINGS = 2 * N_KINDS  # on the centre rosette
STAYED = LANDINGS + 1  # own plies before and after which a piece is there
ENTRIES = LANDINGS + 2  # moves from private tiles or the pool to shared tiles
EXPOSED = LANDINGS + 3  # sum over plies of both of the own pieces on shared tiles after them
HELD = LANDINGS + 4  # plies of both after which an own piece is on the centre rosette
N_HABITS = LANDINGS + 5

GAMMA = np.uint64(0x9E3779B97F4A7C15)
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


@inlined
def mixed(state):
    """Return SplitMix64's output for a state."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit
def stream(seed, game):
    """Return the initial state of a game's random stream."""
    return mixed(mixed(np.uint64(seed) + GAMMA) + np.uint64(game) * GAMMA)


@inlined
def below(half, n):
    """Return a number below n from 32 random bits, or n if they must be rejected."""
    n = np.uint64(n)
    product = half * n
    # Reject the lowest 2^32 mod n fractions, which would favour some numbers.
    if (product & LOW) < n and (product & LOW) < (LOW + np.uint64(1)) % n:
        return np.int64(n)
    return np.int64(product >> HALF)


@inlined
def draw(state, slots):
    """Return (state, index of the roll, 32 random bits for a choice)."""
    number = slots.shape[0]
    while True:
        state += GAMMA
        bits = mixed(state)
        slot = below(bits >> HALF, number)
        if slot < number:
            return state, slots[np.uint64(slot)], bits & LOW


@inlined
def one_of(state, half, mask):
    """Return (state, index of a bit of the mask, each with equal probability)."""
    n = popcount(mask)
    while True:
        k = below(half, n)
        if k < n:
            return state, nth(mask, k)
        state += GAMMA
        half = mixed(state) & LOW


@inlined
def pick(state, half, mask, ties):
    """Return (state, index of the bit picked by a tie rule)."""
    # No special case for a single bit, as the branch would often be mispredicted.
    if ties == RANDOM:
        return one_of(state, half, mask)
    return state, lowest(mask) if ties == FIRST else highest(mask)


@njit
def chosen_kinds(ways, side, legal, roll, other, kinds):
    """Write the legal moves of each kind to ``kinds``, as masks of starts."""
    board = (np.int64(1) << ways[side, LENGTH]) - 1
    landing = ((legal << roll) >> 1) & board
    hits = capturing(ways, side, landing, other)
    kinds[CAPTURE] = (hits << 1) >> roll
    kinds[ROSETTE] = ((landing & ways[side, ROSETTES]) << 1) >> roll
    kinds[TO_CENTRE] = ((landing & centre_of(ways, side)) << 1) >> roll
    kinds[ENTER] = legal & 1
    kinds[BEAR_OFF] = legal & ((np.int64(1) << (ways[side, LENGTH] + 1)) >> roll)


@njit
def centre_of(ways, side):
    """Return the mask of the steps on the centre rosette, 0 if there is none."""
    return ways[side, SAME + ways[side, CENTRE]]


@njit
def observe(ways, side, legal, roll, start, own, other, mine, theirs, kinds, habits, rest):
    """Count a ply for the habits: ``habits`` of the mover, ``rest`` of the other.

    ``own`` and ``other`` are the sides' pieces before the ply, ``mine`` and ``theirs`` after it;
    ``start`` is below 0 for a pass.
    """
    centre = centre_of(ways, side)
    if start >= 0:
        if legal & (legal - 1):
            chosen_kinds(ways, side, legal, roll, other, kinds)
            for kind in range(N_KINDS):
                if kinds[kind]:
                    habits[2 * kind] += 1
                    habits[2 * kind + 1] += (kinds[kind] >> start) & 1
        end = start + roll
        if end <= ways[side, LENGTH]:
            place = np.int64(1) << (end - 1)
            if place & centre:
                habits[LANDINGS] += 1
            from_shared = ((ways[side, SHARED] << 1) >> start) & 1
            if place & ways[side, SHARED] and not from_shared:
                habits[ENTRIES] += 1
    if own & centre and mine & centre:
        habits[STAYED] += 1
    habits[EXPOSED] += popcount(mine & ways[side, SHARED])
    rest[EXPOSED] += popcount(theirs & ways[1 - side, SHARED])
    if mine & centre:
        habits[HELD] += 1
    if theirs & centre_of(ways, 1 - side):
        rest[HELD] += 1


@njit
def first_side(state, rule, game):
    """Return (state, who begins): rule 0 light, 1 dark, 2 alternately, 3 by coin."""
    if rule < 2:
        return state, np.int64(rule)
    if rule == 2:
        return state, np.int64(game & 1)
    state += GAMMA
    return state, np.int64(mixed(state) >> np.uint64(63))


@njit
def play_games(
    ways, rolls, light, dark, slots, seed, rule, first, last, longest, logs,
    records, results, entropy, habits,
):  # fmt: skip
    """Play the games ``first`` up to ``last``, which have the rows of the output arrays.

    ``records[g, side]`` has the counts listed at `N_FIXED`; ``results[g]`` is (who began, who won,
    plies); ``entropy[g, side]`` is the sum of log10 (from ``logs``) of the number of moves among
    which the tie rule ``random`` chose; ``habits[g, side]`` has the habits, unless it is
    None. Returns the number of a game with more than ``longest`` plies, or -1.
    """
    kinds = np.zeros(N_KINDS, np.int64)
    # Local counters, copied once per game; dark's follow light's.
    fields = records.shape[2]
    at_rolls = N_FIXED
    at_moves = N_FIXED + rolls.shape[0]
    counts = np.zeros(2 * fields, np.int64)
    picks = np.zeros(2)
    pieces = ways[0, PIECES]
    for game in range(first, last):
        g = game - first
        state, side = first_side(stream(seed, game), rule, game)
        results[g, 0] = side
        counts[:] = 0
        picks[:] = 0
        # ``own`` always belongs to the mover.
        own = np.int64(0)
        other = np.int64(0)
        own_home = np.int64(0)
        other_home = np.int64(0)
        turn_begins = np.int64(1)
        plies = 0
        while True:
            if plies == longest:
                return game
            plies += 1
            state, r, half = draw(state, slots)
            roll = rolls[np.uint64(r)]
            legal = legal_starts(ways, side, pieces - popcount(own) - own_home, own, other, roll)
            at = side * fields
            # Unsigned, so that numba does not test for negative indices.
            counts[np.uint64(at + TURNS)] += turn_begins
            counts[np.uint64(at + at_rolls + r)] += 1
            counts[np.uint64(at + at_moves + popcount(legal))] += 1
            start = np.int64(-1)
            mine, theirs, again = own, other, False
            if legal:
                if side == 0:
                    ties = light.ties
                    best = candidates(
                        light, ways, side, legal, roll, own, own_home, other, other_home
                    )
                else:
                    ties = dark.ties
                    best = candidates(
                        dark, ways, side, legal, roll, own, own_home, other, other_home
                    )
                state, start = pick(state, half, best, ties)
                if ties == RANDOM:
                    picks[np.uint64(side)] += logs[np.uint64(popcount(best))]
                mine, theirs, own_home, again = make_move(
                    ways, side, own, other, own_home, start, start + roll
                )
                counts[np.uint64(at + CAPTURES)] += np.int64(theirs != other)
                counts[np.uint64(at + LANDED)] += (
                    (ways[side, ROSETTES] << 1) >> (start + roll)
                ) & 1
            if habits is not None:
                observe(
                    ways, side, legal, roll, start, own, other, mine, theirs,
                    kinds, habits[g, side], habits[g, 1 - side],
                )  # fmt: skip
            if own_home == pieces:
                break
            # Exchange the sides unless the mover rolls again, branch-free.
            turn_begins = np.int64(not again)
            change = (mine ^ theirs) & -turn_begins
            own = mine ^ change
            other = theirs ^ change
            change = (own_home ^ other_home) & -turn_begins
            own_home ^= change
            other_home ^= change
            side ^= turn_begins
        results[g, 1] = side
        results[g, 2] = plies
        for k in range(2):
            entropy[g, k] = picks[k]
            for field in range(fields):
                records[g, k, field] = counts[k * fields + field]
    return -1
