# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of self-play: backups of positions by a network, and games with targets to learn.

Values are win probabilities of the player to move, before the roll. When the turn passes, v becomes
1 - v (x becomes -x for logits). When the mover rolls again, v stays the same.

The backup of a position is the mean over rolls of the best move's value. The target of a position
is its backup plus a sum over later positions of the game, as in TD(lambda): the differences between
their backups and their values. Each later difference is weighted by another factor lambda, and its
sign changes when the turn passes. A backup is a mean over all rolls, so the luck of the dice does
not enter these differences, and they are much smaller than in TD(lambda) with the actual rolls. A
random move ends the sum.

The comparison between the moves of a decision decides play. So `decide` computes the backups of the
positions after all moves of a decision, which are one ply better than the network's values. It
chooses moves by these backups, and the network learns them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.learning.gradient_kernels import Room, Samples, Weights, network_chances
from urcx.contrib.learning.input_kernels import (
    WON,
    Ahead,
    begin,
    for_mover,
    moves_of,
    read_view,
    view_after,
    write_after,
    write_sample,
    write_view,
)
from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import PASS, lowest
from urcx.games.game_kernels import GAMMA, LOW, DiceArrays, draw, mixed, one_of


class Successors(NamedTuple):
    """All successors of a position, for one thread.

    The moves of roll r are ``first[r]`` to ``first[r + 1] - 1``. For each move, ``begins`` is its
    start, ``turns`` its effect on the turn, and ``places`` the number of the sample of its
    successor. For each sample, ``after`` is the position from the viewpoint of the player to move,
    and ``chances`` the win probability. Sample 0 is the position itself. ``best[r]`` is the best
    move's start, or `PASS`.
    """

    first: NDArray[np.int64]
    begins: NDArray[np.int64]
    turns: NDArray[np.int64]
    places: NDArray[np.int64]
    after: NDArray[np.int64]
    samples: Samples
    chances: NDArray[np.float32]
    best: NDArray[np.int64]


class LookingAhead(NamedTuple):
    """The data to look ahead with a network, for one thread.

    ``squared`` is whether activations are squared. ``near`` and ``far`` have the successors of a
    position, and the successors of one of these.
    """

    ways: NDArray[np.int64]
    dice: DiceArrays
    ahead: Ahead
    net: Weights
    squared: bool
    room: Room
    near: Successors
    far: Successors


class SelfPlay(NamedTuple):
    """Games played side by side, each with a position and a random stream.

    When a game ends, another one begins. ``ended`` counts the games that ended. ``explore`` / 2^32
    is the probability of a random move.
    """

    positions: NDArray[np.int64]
    streams: NDArray[np.uint64]
    ended: NDArray[np.int64]
    explore: int


class Traces(NamedTuple):
    """The value and the backup of each position of a game, for one thread.

    ``turns`` is the factor of the next difference: 1, -1 if the turn passes, or 0 to end the sum.
    """

    values: NDArray[np.float64]
    backups: NDArray[np.float64]
    turns: NDArray[np.float64]


@inlined
def _find_successors(look, result, view):
    """Write the successors of a position, and return the number of samples."""
    write_sample(look.ways, look.ahead, view, result.samples, 0)
    number = 1
    passed = 0  # the sample after a pass is the same for all rolls
    k = 0
    for r in range(look.dice.rolls.shape[0]):
        roll = look.dice.rolls[r]
        result.first[r] = k
        legal = moves_of(look.ways, view, roll)
        passes = legal == 0
        while legal or passes:
            start = np.int64(PASS) if passes else lowest(legal)
            legal &= legal - 1
            place = passed if passes and passed else number
            turn, after = write_after(
                look.ways, look.ahead, view, start, roll, result.samples, place
            )
            result.begins[k], result.turns[k], result.places[k] = start, turn, place
            if turn != WON and place == number:
                write_view(after, result.after[number])
                number += 1
            if passes:
                passed = place
                passes = False
            k += 1
    result.first[look.dice.rolls.shape[0]] = k
    return number


@inlined
def _backup(dice, result):
    """Return the mean over rolls of the best move's win probability, and write the best moves."""
    total = 0.0
    for r in range(dice.rolls.shape[0]):
        most = -1.0
        result.best[r] = result.begins[result.first[r]]  # legal even if the network gives NaN
        for k in range(result.first[r], result.first[r + 1]):
            x = for_mover(result.turns[k], np.float64(result.chances[result.places[k]]))
            if x > most:
                most = x
                result.best[r] = result.begins[k]
        total += dice.chance[r] * most
    return total


@inlined
def _value_first(look, result, number):
    """Write the network's win probabilities of the first ``number`` samples."""
    begin = np.int64(0)  # numba would compile the kernel again for each constant
    network_chances(
        look.net, look.squared, result.samples, begin, number, look.room, result.chances
    )


@lean
def one_ply(look, result, view):
    """Return the one-ply backup of a position, and write its value to ``result.chances[0]``."""
    number = _find_successors(look, result, view)
    _value_first(look, result, number)
    return _backup(look.dice, result)


@lean
def two_plies(look, view):
    """Return the two-ply backup of a position: the mean of the best moves' one-ply backups."""
    near = look.near
    number = _find_successors(look, near, view)
    _value_first(look, near, 1)
    for n in range(1, number):
        near.chances[n] = np.float32(one_ply(look, look.far, read_view(near.after[n])))
    return _backup(look.dice, near)


@inlined
def explored(state, half, legal, start, explore):
    """Return (state, a move's start), with probability ``explore`` / 2^32 a random move's."""
    if explore:
        state += GAMMA
        bits = mixed(state)
        if np.int64(bits & LOW) < explore:
            state, start = one_of(state, half, legal)
    return state, start


@inlined
def _next_position(ways, games, game, view, start, roll):
    """Return the effect of a move on the turn, and the next position of this or of a new game."""
    turn, after = view_after(ways, view, start, roll)
    if turn == WON:
        games.ended[game] += 1
        return turn, begin()
    return turn, after


@lean
def play_on(look, traces, depth, trace, games, first, last, samples, targets):
    """Continue the games ``first`` up to ``last``, and write their positions and targets.

    Ply t of a game is sample ``t * number of games + game``.

    Parameters
    ----------
    depth
        Plies of a backup, 1 or 2.
    trace
        Lambda.
    """
    number = games.positions.shape[0]
    plies = samples.number.shape[0] // number
    for game in range(first, last):
        view = read_view(games.positions[game])
        state = games.streams[game]
        for t in range(plies):
            write_sample(look.ways, look.ahead, view, samples, t * number + game)
            if depth == 1:
                traces.backups[t] = one_ply(look, look.near, view)
            else:
                traces.backups[t] = two_plies(look, view)
            traces.values[t] = look.near.chances[0]
            state, r, half = draw(state, look.dice.slots)
            roll = look.dice.rolls[r]
            start = look.near.best[r]
            follow = 1.0
            if start != PASS:
                legal = moves_of(look.ways, view, roll)
                state, drawn = explored(state, half, legal, start, games.explore)
                if drawn != start:
                    follow = 0.0
                start = drawn
            turn, view = _next_position(look.ways, games, game, view, start, roll)
            traces.turns[t] = follow * turn
        write_view(view, games.positions[game])
        games.streams[game] = state
        later = 0.0
        for t in range(plies - 1, -1, -1):
            target = traces.backups[t] + trace * traces.turns[t] * later
            targets[t * number + game] = np.float32(min(max(target, 0.0), 1.0))
            later = target - traces.values[t]


@lean
def decide(look, plies, games, first, last, out):
    """Continue the games ``first`` up to ``last``, write their decisions, and return their number.

    The win probabilities after a decision's moves are one-ply backups, and games choose moves by
    them, too. ``out`` has the decisions in the order of plies.
    """
    out.start[0] = 0
    d = 0
    for _ in range(plies):
        for game in range(first, last):
            view = read_view(games.positions[game])
            state, r, half = draw(games.streams[game], look.dice.slots)
            roll = look.dice.rolls[r]
            legal = moves_of(look.ways, view, roll)
            start = lowest(legal) if legal else np.int64(PASS)
            if legal & (legal - 1):
                best = -1.0
                left = legal
                k = out.start[d]
                while left:
                    s = lowest(left)
                    left &= left - 1
                    turn, after = write_after(look.ways, look.ahead, view, s, roll, out.samples, k)
                    x = 0.0
                    if turn != WON:
                        x = one_ply(look, look.near, after)
                    x = for_mover(turn, x)
                    out.turns[k] = turn
                    out.chances[k] = x
                    if x > best:
                        best = x
                        start = s
                    k += 1
                d += 1
                out.start[d] = k
                state, start = explored(state, half, legal, start, games.explore)
            _, view = _next_position(look.ways, games, game, view, start, roll)
            write_view(view, games.positions[game])
            games.streams[game] = state
    return d
