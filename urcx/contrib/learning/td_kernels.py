# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of self-play: backups of positions by a network, and games with what they teach.

Values are chances of winning of the player to move, before the roll. When the turn passes they are
reflected at 1/2 (v to 1 - v, which is x to -x for logits); when the mover rolls again they are not.

The backup of a position is the mean over rolls of the best move's value. A target is a backup plus
what was learned later in the game, as in TD(lambda): the differences between the backups of later
positions and their values, each weighted by lambda once more and with its sign turned with the
turn. As a backup takes the mean over all rolls, the luck of the dice does not enter these
differences, which are much smaller than those of TD(lambda) by rolls as they fell; a move that was
drawn at random, not chosen, ends the sum.

What decides play is how a decision's moves compare. So games may also be played move by move with
the backups of the positions after all moves of a decision, which are one ply better than the
network's values of them, and these be what it learns of the decision (`decide`).
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
    """All positions that can follow one, with room for one thread.

    The moves of roll r are ``first[r]`` to ``first[r + 1] - 1``: where each begins, what it does to
    the turn, and which of the ``samples`` it leads to; these are in ``after``, too, seen by the
    player to move, with their chances of winning. Sample 0 is the position itself. ``best[r]`` is
    the best move's start, `PASS` if there is none.
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
    """What looks ahead with a network; for one thread.

    ``squared`` says of its activations what `Weights` do not. ``near`` and ``far`` have room for
    what can follow a position, and for what can follow that.
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
    """Games that are played side by side, each with a position and a random stream.

    When a game ends another one begins; ``ended`` says how many have. ``explore`` is how often a
    move is drawn at random, of 2^32.
    """

    positions: NDArray[np.int64]
    streams: NDArray[np.uint64]
    ended: NDArray[np.int64]
    explore: int


class Traces(NamedTuple):
    """For each ply of a game its position's value, its backup, and how the next difference counts.

    That is 1, -1 if the turn passes, or 0; for one thread.
    """

    values: NDArray[np.float64]
    backups: NDArray[np.float64]
    turns: NDArray[np.float64]


@inlined
def _find_successors(look, result, view):
    """Write what can follow a position, and return the number of samples."""
    write_sample(look.ways, look.ahead, view, result.samples, 0)
    number = 1
    passed = 0  # the sample after a pass, which is the same for all rolls
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
    """Return the mean over rolls of the best move's chance, and write the best moves."""
    total = 0.0
    for r in range(dice.rolls.shape[0]):
        most = -1.0
        result.best[r] = result.begins[result.first[r]]  # a legal one even if no chance is a number
        for k in range(result.first[r], result.first[r + 1]):
            x = for_mover(result.turns[k], np.float64(result.chances[result.places[k]]))
            if x > most:
                most = x
                result.best[r] = result.begins[k]
        total += dice.chance[r] * most
    return total


@inlined
def _value_first(look, result, number):
    """Write the network's chances of the first of the samples."""
    begin = np.int64(0)  # constants would have the same kernel compiled once for each
    network_chances(
        look.net, look.squared, result.samples, begin, number, look.room, result.chances
    )


@lean
def one_ply(look, result, view):
    """Return the one-ply backup of a position, a chance of winning; its value is chance 0."""
    number = _find_successors(look, result, view)
    _value_first(look, result, number)
    return _backup(look.dice, result)


@lean
def two_plies(look, view):
    """Return the two-ply backup of a position: the mean of the best moves' one-ply backups."""
    found = look.near
    number = _find_successors(look, found, view)
    _value_first(look, found, 1)
    for n in range(1, number):
        found.chances[n] = np.float32(one_ply(look, look.far, read_view(found.after[n])))
    return _backup(look.dice, found)


@inlined
def explored(state, half, legal, start, explore):
    """Return (state, a move's start): another one is drawn ``explore`` times of 2^32."""
    if explore:
        state += GAMMA
        bits = mixed(state)
        if np.int64(bits & LOW) < explore:
            state, start = one_of(state, half, legal)
    return state, start


@inlined
def _next_position(ways, games, game, view, start, roll):
    """Return what a move does to the turn, and the next position of a game or of another one."""
    turn, after = view_after(ways, view, start, roll)
    if turn == WON:
        games.ended[game] += 1
        return turn, begin()
    return turn, after


@lean
def play_on(look, traces, depth, trace, games, first, last, samples, targets):
    """Play the games ``first`` up to ``last`` on, and write what they teach.

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
            found = traces.backups[t] + trace * traces.turns[t] * later
            targets[t * number + game] = np.float32(min(max(found, 0.0), 1.0))
            later = found - traces.values[t]


@lean
def decide(look, plies, games, first, last, out):
    """Play the games ``first`` up to ``last`` on, and write their decisions to ``out``.

    The chances after a decision's moves are one-ply backups, by which moves are chosen, too.
    Returns the number of decisions; those of a ply follow each other.
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
