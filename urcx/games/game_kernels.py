# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of games: dice, games between two policies, and observers.

`play_games` is the only loop over games. An observer records them: a named tuple with any of the
methods ``begin(game, side)``, ``roll(ways, ply)``, ``move(ways, ply, move)`` and ``end(game, side,
plies)``. The loop is compiled for each type of observer, from any module.

Each game has a random stream, so a game does not depend on the thread that plays it. The stream is
SplitMix64, seeded by the seed and the game's number (Steele, Lea and Flood, Fast splittable
pseudorandom number generators, 2014). Each ply uses one draw. Its upper half is for the roll, its
lower half for a choice among equal moves. Rejection makes both unbiased (Lemire, Fast random
integer generation in an interval, 2019).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from urcx.agents.agent_kernels import FIRST, RANDOM, candidates, log_spread, nth, share_of
from urcx.engine.jit import INLINED, inlined, lean, njit
from urcx.engine.move_kernels import (
    CENTRE,
    LENGTH,
    PIECES,
    ROSETTES,
    SAME,
    SHARED,
    capturing,
    highest,
    legal_starts,
    lowest,
    make_move,
    popcount,
)

# A side's part of a game's record: these counts, then rolls by value, then plies by legal moves.
TURNS, CAPTURES, ROSETTES_REACHED, ENTERED, BORNE_OFF, N_FIXED = range(6)

# Counters of a side's play statistics. Each kind of move has two: the number of decisions (two or
# more legal moves) in which it was possible, and the number in which it was chosen.
CAPTURE, ROSETTE, TO_CENTRE, ENTER, BEAR_OFF, N_KINDS = range(6)
LANDINGS = 2 * N_KINDS  # on the centre rosette
STAYED = LANDINGS + 1  # own plies with a piece on the centre rosette before and after
ENTRIES = LANDINGS + 2  # moves from private tiles or the pool to shared tiles
EXPOSED = LANDINGS + 3  # own pieces on shared tiles, summed over the ends of all plies of both
HELD = LANDINGS + 4  # plies of both players with an own piece on the centre rosette at the end
N_HABITS = LANDINGS + 5

ALTERNATELY = 2  # a rule for the first player, see `first_side`

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
    """Return (state, index of the bit chosen by a tie-breaking rule)."""
    # No special case for a single bit, because the branch would often be mispredicted.
    if ties == RANDOM:
        return one_of(state, half, mask)
    return state, lowest(mask) if ties == FIRST else highest(mask)


@inlined
def pick_or_err(state, half, legal, best, ties, share):
    """Return (state, index of a bit of ``best`` chosen by a tie-breaking rule).

    In a ``share`` of cases, the index is a random bit of ``legal``.
    """
    if share > 0.0:
        state += GAMMA
        if np.float64(mixed(state)) * 2.0**-64 < share:
            return one_of(state, half, legal)
    return pick(state, half, best, ties)


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
def count_move(ways, ply, start, kinds, habits):
    """Count a move for the play statistics of the mover."""
    side, legal = ply.side, ply.legal
    if legal & (legal - 1):
        chosen_kinds(ways, side, legal, ply.roll, ply.other, kinds)
        for kind in range(N_KINDS):
            if kinds[kind]:
                habits[2 * kind] += 1
                habits[2 * kind + 1] += (kinds[kind] >> start) & 1
    end = start + ply.roll
    if end <= ways[side, LENGTH]:
        place = np.int64(1) << (end - 1)
        if place & centre_of(ways, side):
            habits[LANDINGS] += 1
        from_shared = ((ways[side, SHARED] << 1) >> start) & 1
        if place & ways[side, SHARED] and not from_shared:
            habits[ENTRIES] += 1


@njit
def count_standing(ways, ply, own, other, habits, rest):
    """Count the places of the pieces after a ply, in ``habits`` of the mover and ``rest``."""
    side = ply.side
    centre = centre_of(ways, side)
    if ply.own & centre and own & centre:
        habits[STAYED] += 1
    habits[EXPOSED] += popcount(own & ways[side, SHARED])
    rest[EXPOSED] += popcount(other & ways[1 - side, SHARED])
    if own & centre:
        habits[HELD] += 1
    if other & centre_of(ways, 1 - side):
        rest[HELD] += 1


@inlined
def bits_set(mask):
    """Return the number of bits set in a mask, in plain Python too."""
    return popcount(mask)


@njit
def first_side(state, rule, game):
    """Return (state, first side) by a rule: 0 light, 1 dark, 2 alternately, 3 by coin."""
    if rule < 2:
        return state, np.int64(rule)
    if rule == 2:
        return state, np.int64(game & 1)
    state += GAMMA
    return state, np.int64(mixed(state) >> np.uint64(63))


class DiceArrays(NamedTuple):
    """The dice: rolls, their probabilities, and slots, equally likely indices of rolls."""

    rolls: NDArray[np.int64]
    chance: NDArray[np.float64]
    slots: NDArray[np.int64]


class GamesPlan(NamedTuple):
    """The games to play: the games of a seed from number ``first`` to ``last`` - 1.

    ``rule`` determines the first side (`first_side`). Groups of 2 to the power of ``shared``
    consecutive games have the same dice. A game with more than ``longest`` plies ends the loop. If
    ``swapped`` is 1, the two policies exchange their colours, so one loop serves both assignments.
    """

    seed: int
    rule: int
    first: int
    last: int
    longest: int
    shared: int = 0
    swapped: int = 0


class Rolled(NamedTuple):
    """A ply up to the roll, for an observer.

    ``game`` is the game's number within the plan. ``opens`` is 1 in the first ply of a turn. The
    dice show ``roll``, which has the index ``at_roll``. ``legal`` is the mask of the starts that
    can move. ``own`` is the mask of the pieces of the ``side`` to move.
    """

    game: int
    side: int
    opens: int
    at_roll: int
    roll: int
    legal: int
    own: int
    own_home: int
    other: int
    other_home: int


class Moved(NamedTuple):
    """A move, for an observer.

    ``best`` is the mask of the moves that the mover considers equally good. The tie-breaking rule
    ``ties`` chooses one of them. In a ``share`` of its decisions the mover plays a random legal
    move. ``start`` is the move played. ``own`` and ``other`` are the pieces after the move.
    """

    best: int
    ties: int
    share: float
    start: int
    own: int
    other: int


class Ended(NamedTuple):
    """The end of a game, for an observer.

    ``side`` is the winner, and ``pieces`` its number of pieces, all home. ``other`` and
    ``other_home`` are the loser's pieces on the board and home.
    """

    side: int
    plies: int
    pieces: int
    other: int
    other_home: int


def _nothing(self, *_):
    """Do nothing: the default for a method that an observer does not have."""


def observe_begin(observer: Any, game: Any, side: Any) -> None:
    """Tell an observer the first side of a game."""
    getattr(type(observer), "begin", _nothing)(observer, game, side)


def observe_roll(observer: Any, ways: Any, ply: Any) -> None:
    """Tell an observer a ply up to the roll."""
    getattr(type(observer), "roll", _nothing)(observer, ways, ply)


def observe_move(observer: Any, ways: Any, ply: Any, move: Any) -> None:
    """Tell an observer the move of a ply, if there is a legal move."""
    getattr(type(observer), "move", _nothing)(observer, ways, ply, move)


def observe_end(observer: Any, game: Any, ended: Any) -> None:
    """Tell an observer the end of a game."""
    getattr(type(observer), "end", _nothing)(observer, game, ended)


@overload(observe_begin, strict=False, jit_options=INLINED)
def _begin_compiled(observer, game, side):
    return getattr(observer.instance_class, "begin", _nothing)


@overload(observe_roll, strict=False, jit_options=INLINED)
def _roll_compiled(observer, ways, ply):
    return getattr(observer.instance_class, "roll", _nothing)


@overload(observe_move, strict=False, jit_options=INLINED)
def _move_compiled(observer, ways, ply, move):
    return getattr(observer.instance_class, "move", _nothing)


@overload(observe_end, strict=False, jit_options=INLINED)
def _end_compiled(observer, game, ended):
    return getattr(observer.instance_class, "end", _nothing)


@lean
def play_games(ways, dice, light, dark, observer, plan):
    """Play the games of a `GamesPlan` between two policies, watched by an observer.

    Return the number of a game with more than ``longest`` plies, or -1.
    """
    pieces = ways[0, PIECES]
    for game in range(plan.first, plan.last):
        g = game - plan.first
        begins = np.uint64(stream(plan.seed, game >> plan.shared))
        state, side = first_side(begins, plan.rule, game)
        observe_begin(observer, g, side)
        # ``own`` always belongs to the mover.
        own = other = own_home = other_home = plies = 0
        opens = 1
        while True:
            if plies == plan.longest:
                return game
            plies += 1
            state, r, half = draw(np.uint64(state), dice.slots)
            roll = int(dice.rolls[np.uint64(r)])
            legal = legal_starts(ways, side, pieces - bits_set(own) - own_home, own, other, roll)
            ply = Rolled(g, side, opens, r, roll, legal, own, own_home, other, other_home)
            observe_roll(observer, ways, ply)
            mine, theirs, home, again = own, other, own_home, False
            if legal:
                if side == plan.swapped:
                    ties, share = light.ties, share_of(light)
                    best = candidates(
                        light, ways, side, legal, roll, own, own_home, other, other_home
                    )
                else:
                    ties, share = dark.ties, share_of(dark)
                    best = candidates(
                        dark, ways, side, legal, roll, own, own_home, other, other_home
                    )
                state, start = pick_or_err(
                    np.uint64(state), np.uint64(half), legal, best, ties, share
                )
                mine, theirs, home, again = make_move(
                    ways, side, own, other, own_home, start, start + roll
                )
                observe_move(observer, ways, ply, Moved(best, ties, share, start, mine, theirs))
            if home == pieces:
                break
            # Exchange the sides unless the mover rolls again, branch-free.
            opens = int(not again)
            change = (mine ^ theirs) & -opens
            own = mine ^ change
            other = theirs ^ change
            change = (home ^ other_home) & -opens
            own_home = home ^ change
            other_home ^= change
            side ^= opens
        observe_end(observer, g, Ended(side, plies, pieces, theirs, other_home))
    return -1


class GameCounts(NamedTuple):
    """An observer that counts each game, in the form of `urcx.games.records.Games`.

    - ``records[g, side]`` has the counts listed at `N_FIXED`.
    - ``results[g]`` is (first side, winner, plies).
    - ``entropy[g, side]`` is the sum of log10 (from ``logs``) of the number of moves in each choice
      of the tie-breaking rule ``random``. For agents that err, it is the sum of `log_spread`.
    - ``counts`` and ``picks`` belong to the current game and are copied once per game. Dark's
      counts follow light's.
    - ``at_moves`` is the index of the first count by legal moves.
    - ``direct`` is whether a roll can bear a piece off from the pool.
    """

    at_moves: int
    direct: bool
    logs: NDArray[np.float64]
    records: NDArray[np.int32]
    results: NDArray[np.int32]
    entropy: NDArray[np.float64]
    counts: NDArray[np.int64]
    picks: NDArray[np.float64]

    def begin(self, game, side):
        """Set the counts to 0."""
        self.results[game, 0] = side
        self.counts[:] = 0
        self.picks[:] = 0

    def roll(self, ways, ply):
        """Count a turn, a roll and the legal moves."""
        at = ply.side * self.records.shape[2]
        # Unsigned, so that numba does not test for negative indices.
        self.counts[np.uint64(at + TURNS)] += ply.opens
        self.counts[np.uint64(at + N_FIXED + ply.at_roll)] += 1
        self.counts[np.uint64(at + self.at_moves + bits_set(ply.legal))] += 1

    def move(self, ways, ply, move):
        """Count captures, rosettes and the entropy of the choice."""
        at = ply.side * self.records.shape[2]
        if move.ties == RANDOM or move.share > 0.0:
            best = bits_set(move.best) if move.ties == RANDOM else 1
            self.picks[np.uint64(ply.side)] += log_spread(
                self.logs, np.uint64(bits_set(ply.legal)), np.uint64(best), move.share
            )
        self.counts[np.uint64(at + CAPTURES)] += np.int64(move.other != ply.other)
        end = move.start + ply.roll
        if self.direct and move.start == 0 and end > ways[ply.side, LENGTH]:
            self.counts[np.uint64(at + ENTERED)] -= 1
        self.counts[np.uint64(at + ROSETTES_REACHED)] += (
            (ways[ply.side, ROSETTES] << 1) >> end
        ) & 1

    def end(self, game, ended):
        """Write the counts of the game.

        A piece leaves the pool once, and again after each capture.
        """
        fields = self.records.shape[2]
        self.results[game, 1] = ended.side
        self.results[game, 2] = ended.plies
        for k in range(2):
            self.entropy[game, k] = self.picks[k]
            off, on_board = ended.pieces, 0
            if k != ended.side:
                off, on_board = ended.other_home, bits_set(ended.other)
            captured = self.counts[(1 - k) * fields + CAPTURES]
            self.counts[k * fields + ENTERED] += off + on_board + captured
            self.counts[k * fields + BORNE_OFF] = off
            for field in range(fields):
                self.records[game, k, field] = self.counts[k * fields + field]


class GameHabits(NamedTuple):
    """An observer that counts each game and its play statistics, ``habits[g, side]``.

    ``kinds`` is working memory.
    """

    games: GameCounts
    habits: NDArray[np.int32]
    kinds: NDArray[np.int64]

    def begin(self, game, side):
        """Begin a game."""
        observe_begin(self.games, game, side)

    def roll(self, ways, ply):
        """Count a roll, and the places of the pieces if there is no legal move."""
        observe_roll(self.games, ways, ply)
        if ply.legal == 0:
            rows = self.habits[ply.game]
            count_standing(ways, ply, ply.own, ply.other, rows[ply.side], rows[1 - ply.side])

    def move(self, ways, ply, move):
        """Count a move, and the places of the pieces after it."""
        observe_move(self.games, ways, ply, move)
        rows = self.habits[ply.game]
        count_move(ways, ply, move.start, self.kinds, rows[ply.side])
        count_standing(ways, ply, move.own, move.other, rows[ply.side], rows[1 - ply.side])

    def end(self, game, ended):
        """Write the counts of the game."""
        observe_end(self.games, game, ended)


class GameWinners(NamedTuple):
    """An observer that writes the winner of each game, 0 for light."""

    winners: NDArray[np.int8]

    def end(self, game, ended):
        """Write the winner."""
        self.winners[game] = ended.side
