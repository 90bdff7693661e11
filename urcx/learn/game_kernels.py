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

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import PIECES, legal_starts, make_move
from urcx.games.game_kernels import GAMMA, LOW, draw, mixed, one_of
from urcx.learn.gradient_kernels import Samples, network_chances
from urcx.learn.input_kernels import PASSED, WON, for_mover, write_after, write_sample

OWN, OTHER, OWN_HOME, OTHER_HOME = range(4)
PASS = -1  # instead of a move's start


class Rolls(NamedTuple):
    """The dice: possible rolls, their probabilities, and indices of rolls by equal chances."""

    rolls: NDArray[np.int64]
    chance: NDArray[np.float64]
    slots: NDArray[np.int64]


class Fan(NamedTuple):
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


class Traces(NamedTuple):
    """For each ply of a game its position's value, its backup, and how the next difference counts.

    That is 1, -1 if the turn passes, or 0; for one thread.
    """

    values: NDArray[np.float64]
    backups: NDArray[np.float64]
    turns: NDArray[np.float64]


@inlined
def _spread(ways, dice, ahead, fan, own, own_home, other, other_home):
    """Write what can follow a position, and return the number of samples."""
    pool = ways[0, PIECES] - own_home - popcount(own)
    write_sample(ways, ahead, own, own_home, other, other_home, fan.samples, 0)
    number = 1
    passed = 0  # the sample after a pass, which is the same for all rolls
    k = 0
    for r in range(dice.rolls.shape[0]):
        roll = dice.rolls[r]
        fan.first[r] = k
        legal = legal_starts(ways, 0, pool, own, other, roll)
        if legal == 0:
            if passed == 0:
                passed = number
                place = fan.after[number]
                place[OWN], place[OWN_HOME], place[OTHER], place[OTHER_HOME] = (
                    other, other_home, own, own_home,
                )  # fmt: skip
                write_sample(ways, ahead, other, other_home, own, own_home, fan.samples, number)
                number += 1
            fan.begins[k], fan.turns[k], fan.places[k] = PASS, PASSED, passed
            k += 1
        while legal:
            start = lowest(legal)
            legal &= legal - 1
            turn, a, home, b, b_home = write_after(
                ways, ahead, own, own_home, other, other_home, start, roll, fan.samples, number
            )
            fan.begins[k], fan.turns[k], fan.places[k] = start, turn, number
            if turn != WON:
                place = fan.after[number]
                place[OWN], place[OWN_HOME], place[OTHER], place[OTHER_HOME] = a, home, b, b_home
                number += 1
            k += 1
    fan.first[dice.rolls.shape[0]] = k
    return number


@inlined
def backup(dice, fan):
    """Return the mean over rolls of the best move's chance, and write the best moves."""
    total = 0.0
    for r in range(dice.rolls.shape[0]):
        most = -1.0
        fan.best[r] = fan.begins[fan.first[r]]  # a legal one even if no chance is a number
        for k in range(fan.first[r], fan.first[r + 1]):
            x = for_mover(fan.turns[k], np.float64(fan.chances[fan.places[k]]))
            if x > most:
                most = x
                fan.best[r] = fan.begins[k]
        total += dice.chance[r] * most
    return total


@lean
def play_one_ply(ways, dice, ahead, net, squared, room, fan, own, own_home, other, other_home):
    """Return the one-ply backup of a position, a chance of winning; its value is chance 0."""
    number = _spread(ways, dice, ahead, fan, own, own_home, other, other_home)
    network_chances(net, squared, fan.samples, 0, number, room, fan.chances)
    return backup(dice, fan)


@lean
def two_plies(ways, dice, ahead, net, squared, room, fan, inner, own, own_home, other, other_home):
    """Return the two-ply backup of a position: the mean of the best moves' one-ply backups."""
    number = _spread(ways, dice, ahead, fan, own, own_home, other, other_home)
    network_chances(net, squared, fan.samples, 0, 1, room, fan.chances)
    for n in range(1, number):
        after = fan.after[n]
        fan.chances[n] = np.float32(
            play_one_ply(
                ways, dice, ahead, net, squared, room, inner,
                after[OWN], after[OWN_HOME], after[OTHER], after[OTHER_HOME],
            )
        )  # fmt: skip
    return backup(dice, fan)


@inlined
def explored(state, half, legal, start, explore):
    """Return (state, a move's start): another one is drawn ``explore`` times of 2^32."""
    if explore:
        state += GAMMA
        bits = mixed(state)
        if np.int64(bits & LOW) < explore:
            state, start = one_of(state, half, legal)
    return state, start


@lean
def play_on(
    ways,
    dice,
    ahead,
    net,
    squared,
    room,
    fans,
    traces,
    depth,
    trace,
    explore,
    first,
    last,
    positions,
    streams,
    ended,
    samples,
    targets,
):
    """Play the games at the tables ``first`` to ``last`` on, and write what they teach.

    Each table has a game at any time, ``positions[table]``, and a random stream; when a game ends,
    another one begins. Ply t of a table is sample ``t * tables + table``.

    Parameters
    ----------
    fans
        Room for what can follow a position, and for what can follow that.
    depth
        Plies of a backup, 1 or 2.
    trace
        Lambda.
    explore
        How often a move is drawn at random, of 2^32.
    """
    men = ways[0, PIECES]
    tables = positions.shape[0]
    plies = samples.number.shape[0] // tables
    fan, inner = fans
    for table in range(first, last):
        own, other = positions[table, OWN], positions[table, OTHER]
        own_home, other_home = positions[table, OWN_HOME], positions[table, OTHER_HOME]
        state = streams[table]
        for t in range(plies):
            n = t * tables + table
            write_sample(ways, ahead, own, own_home, other, other_home, samples, n)
            if depth == 1:
                traces.backups[t] = play_one_ply(
                    ways, dice, ahead, net, squared, room, fan, own, own_home, other, other_home
                )
            else:
                traces.backups[t] = two_plies(
                    ways, dice, ahead, net, squared, room, fan, inner,
                    own, own_home, other, other_home,
                )  # fmt: skip
            traces.values[t] = fan.chances[0]
            state, r, half = draw(state, dice.slots)
            start = fan.best[r]
            follow = 1.0
            again = False
            if start != PASS:
                pool = men - own_home - popcount(own)
                legal = legal_starts(ways, 0, pool, own, other, dice.rolls[r])
                state, drawn = explored(state, half, legal, start, explore)
                if drawn != start:
                    follow = 0.0
                own, other, own_home, again = make_move(
                    ways, 0, own, other, own_home, drawn, drawn + dice.rolls[r]
                )
            if own_home == men:
                own = other = own_home = other_home = np.int64(0)
                ended[table] += 1
                follow = 0.0
            elif not again:
                own, own_home, other, other_home = other, other_home, own, own_home
                follow = -follow
            traces.turns[t] = follow
        positions[table, OWN], positions[table, OTHER] = own, other
        positions[table, OWN_HOME], positions[table, OTHER_HOME] = own_home, other_home
        streams[table] = state
        later = 0.0
        for t in range(plies - 1, -1, -1):
            found = traces.backups[t] + trace * traces.turns[t] * later
            targets[t * tables + table] = np.float32(min(max(found, 0.0), 1.0))
            later = found - traces.values[t]


@lean
def decide(
    ways,
    dice,
    ahead,
    net,
    squared,
    room,
    fan,
    plies,
    explore,
    first,
    last,
    positions,
    streams,
    ended,
    out,
):
    """Play the games at the tables ``first`` to ``last`` on, and write their decisions to ``out``.

    The chances after a decision's moves are one-ply backups, by which moves are chosen, too.
    Returns the number of decisions; those of a ply follow each other.
    """
    men = ways[0, PIECES]
    out.start[0] = 0
    d = 0
    for _ in range(plies):
        for table in range(first, last):
            own, other = positions[table, OWN], positions[table, OTHER]
            own_home, other_home = positions[table, OWN_HOME], positions[table, OTHER_HOME]
            state, r, half = draw(streams[table], dice.slots)
            roll = dice.rolls[r]
            legal = legal_starts(ways, 0, men - own_home - popcount(own), own, other, roll)
            again = False
            if legal:
                start = lowest(legal)
                if legal & (legal - 1):
                    best = -1.0
                    left = legal
                    k = out.start[d]
                    while left:
                        s = lowest(left)
                        left &= left - 1
                        turn, a, home, b, b_home = write_after(
                            ways, ahead, own, own_home, other, other_home, s, roll, out.samples, k
                        )
                        x = 0.0
                        if turn != WON:
                            x = play_one_ply(
                                ways, dice, ahead, net, squared, room, fan, a, home, b, b_home
                            )
                        x = for_mover(turn, x)
                        out.turns[k] = turn
                        out.chances[k] = x
                        if x > best:
                            best = x
                            start = s
                        k += 1
                    d += 1
                    out.start[d] = k
                    state, start = explored(state, half, legal, start, explore)
                own, other, own_home, again = make_move(
                    ways, 0, own, other, own_home, start, start + roll
                )
            if own_home == men:
                own = other = own_home = other_home = np.int64(0)
                ended[table] += 1
            elif not again:
                own, own_home, other, other_home = other, other_home, own, own_home
            positions[table, OWN], positions[table, OTHER] = own, other
            positions[table, OWN_HOME], positions[table, OTHER_HOME] = own_home, other_home
            streams[table] = state
    return d
