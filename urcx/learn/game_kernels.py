"""Kernels of self-play: backups of positions by a network, and games with what they teach.

Values are chances of winning of the player to move, before the roll. When the turn passes they are
reflected at 1/2 (v to 1 - v, which is x to -x for logits); when the mover rolls again they are not.

The backup of a position is the mean over rolls of the best move's value. A target is a backup plus
what was learned later in the game, as in TD(lambda): the differences between the backups of later
positions and their values, each weighted by lambda once more and with its sign turned with the
turn. As a backup takes the mean over all rolls, the luck of the dice does not enter these
differences, which are much smaller than those of TD(lambda) by rolls as they fell; a move that was
drawn at random, not chosen, ends the sum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.bit_kernels import lowest, popcount
from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import LENGTH, PIECES, legal_starts, make_move
from urcx.games.game_kernels import GAMMA, LOW, draw, mixed, one_of
from urcx.learn.gradient_kernels import ZERO, chance_of, output, write_inputs

WON = np.float32(1e9)  # a logit
TWICE = np.float32(2e9)
OWN, OTHER, OWN_HOME, OTHER_HOME = range(4)


class Rolls(NamedTuple):
    """The dice: possible rolls, their probabilities, and indices of rolls by equal chances."""

    rolls: NDArray[np.int64]
    chance: NDArray[np.float64]
    slots: NDArray[np.int64]


class Bench(NamedTuple):
    """One thread's working memory for backups, with a row for each number of plies to go.

    ``own`` and ``turned`` are the first layer's sums of a position, seen by the player to move and
    by the other; ``sums`` those of a position after a move. ``best[k, r]`` is the best move's start
    with roll r, -1 for a pass. The rest has a number for each ply of a game: its position's value,
    its backup, and how the difference of the next counts in it, 1, -1 or 0.
    """

    own: NDArray[np.float32]
    turned: NDArray[np.float32]
    sums: NDArray[np.float32]
    units: NDArray[np.float32]
    later: NDArray[np.float32]
    further: NDArray[np.float32]
    best: NDArray[np.int64]
    values: NDArray[np.float64]
    backups: NDArray[np.float64]
    turns: NDArray[np.float64]


@inlined
def add_row(sums, net, at):
    """Add the weights of an input."""
    for unit in range(sums.shape[0]):
        sums[unit] += net.first[at, unit]


@inlined
def exchange(sums, net, old, new):
    """Replace one input by another."""
    for unit in range(sums.shape[0]):
        sums[unit] += net.first[new, unit] - net.first[old, unit]


@inlined
def fill(sums, net, length, men, own, own_home, other, other_home):
    """Write the first layer's sums of a position."""
    for unit in range(sums.shape[0]):
        sums[unit] = net.first_bias[unit]
    base = 2 * length
    add_row(sums, net, base + own_home)
    add_row(sums, net, base + men + 1 + other_home)
    add_row(sums, net, base + 2 * (men + 1) + men - own_home - popcount(own))
    add_row(sums, net, base + 3 * (men + 1) + men - other_home - popcount(other))
    while own:
        add_row(sums, net, lowest(own))
        own &= own - 1
    while other:
        add_row(sums, net, length + lowest(other))
        other &= other - 1


@inlined
def fill_after(sums, base, net, length, men, mine, pool, home, start, end, hit, hit_pool):
    """Write the sums of a position after a move, from those before it.

    ``mine`` is 0 if the mover's inputs come first in this view, 1 if the other's do; ``hit`` is the
    other's step, counted by the other, on which a piece was captured, -1 for none.
    """
    counts = 2 * length + mine * (men + 1)
    pools = counts + 2 * (men + 1)
    for unit in range(sums.shape[0]):
        sums[unit] = base[unit]
    if start == 0:
        exchange(sums, net, pools + pool, pools + pool - 1)
        add_row(sums, net, mine * length + end - 1)
    elif end > length:
        exchange(sums, net, counts + home, counts + home + 1)
        old = mine * length + start - 1
        for unit in range(sums.shape[0]):
            sums[unit] -= net.first[old, unit]
    else:
        exchange(sums, net, mine * length + start - 1, mine * length + end - 1)
    if hit >= 0:
        pools = 2 * length + (3 - mine) * (men + 1)
        exchange(sums, net, pools + hit_pool, pools + hit_pool + 1)
        old = (1 - mine) * length + hit
        for unit in range(sums.shape[0]):
            sums[unit] -= net.first[old, unit]


@inlined
def prepare(ways, net, bench, k, own, own_home, other, other_home):
    """Write the first layer's sums of a position in both views."""
    length, men = ways[0, LENGTH], ways[0, PIECES]
    fill(bench.own[k], net, length, men, own, own_home, other, other_home)
    fill(bench.turned[k], net, length, men, other, other_home, own, own_home)


@inlined
def logit_of(net, squared, bench, sums):
    """Return the logit that follows from a position's sums."""
    return output(net, squared, sums, bench.units, bench.later, bench.further)


@inlined
def logit_after(ways, net, squared, bench, k, own, own_home, other, other_home, start, end):
    """Return the logit of a move to the mover, by the network's value of what follows."""
    length, men = ways[0, LENGTH], ways[0, PIECES]
    _, left, home, again = make_move(ways, 0, own, other, own_home, start, end)
    if home == men:
        return WON
    pool = men - own_home - popcount(own)
    hit = np.int64(-1)
    if left != other:
        hit = lowest(left ^ other)
    other_pool = men - other_home - popcount(other)
    sums = bench.sums[k]
    if again:
        base = bench.own[k]
        fill_after(sums, base, net, length, men, 0, pool, own_home, start, end, hit, other_pool)
        return logit_of(net, squared, bench, sums)
    base = bench.turned[k]
    fill_after(sums, base, net, length, men, 1, pool, own_home, start, end, hit, other_pool)
    return -logit_of(net, squared, bench, sums)


@lean
def one_ply(ways, dice, net, squared, bench, k, own, own_home, other, other_home):
    """Return the one-ply backup of a position, a chance of winning; uses row k of ``bench``."""
    men = ways[0, PIECES]
    prepare(ways, net, bench, k, own, own_home, other, other_home)
    pool = men - own_home - popcount(own)
    total = 0.0
    passed = ZERO
    known = False
    for r in range(dice.rolls.shape[0]):
        roll = dice.rolls[r]
        legal = legal_starts(ways, 0, pool, own, other, roll)
        most = -TWICE
        bench.best[k, r] = -1
        if legal == 0:
            if not known:
                sums = bench.sums[k]
                for unit in range(sums.shape[0]):
                    sums[unit] = bench.turned[k, unit]
                passed = -logit_of(net, squared, bench, sums)
                known = True
            most = passed
        while legal:
            start = lowest(legal)
            legal &= legal - 1
            x = logit_after(
                ways, net, squared, bench, k, own, own_home, other, other_home, start, start + roll
            )
            if x > most:
                most = x
                bench.best[k, r] = start
        total += dice.chance[r] * chance_of(most)
    return total


@lean
def two_plies(ways, dice, net, squared, bench, own, own_home, other, other_home):
    """Return the two-ply backup of a position: the mean of the best moves' one-ply backups.

    The best moves are in row 1 of ``bench``.
    """
    men = ways[0, PIECES]
    pool = men - own_home - popcount(own)
    total = 0.0
    passed = -1.0
    for r in range(dice.rolls.shape[0]):
        roll = dice.rolls[r]
        legal = legal_starts(ways, 0, pool, own, other, roll)
        most = -1.0
        bench.best[1, r] = -1
        if legal == 0:
            if passed < 0.0:
                passed = 1.0 - one_ply(
                    ways, dice, net, squared, bench, 0, other, other_home, own, own_home
                )
            most = passed
        while legal:
            start = lowest(legal)
            legal &= legal - 1
            mine, left, home, again = make_move(ways, 0, own, other, own_home, start, start + roll)
            if home == men:
                x = 1.0
            elif again:
                x = one_ply(ways, dice, net, squared, bench, 0, mine, home, left, other_home)
            else:
                x = 1.0 - one_ply(ways, dice, net, squared, bench, 0, left, other_home, mine, home)
            if x > most:
                most = x
                bench.best[1, r] = start
        total += dice.chance[r] * most
    return total


@lean
def play_on(
    ways,
    dice,
    net,
    squared,
    bench,
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
    depth
        Plies of a backup, 1 or 2.
    trace
        Lambda.
    explore
        How often a move is drawn at random, of 2^32.
    """
    length, men = ways[0, LENGTH], ways[0, PIECES]
    tables = positions.shape[0]
    plies = samples.number.shape[0] // tables
    row = depth - 1
    for table in range(first, last):
        own, other = positions[table, OWN], positions[table, OTHER]
        own_home, other_home = positions[table, OWN_HOME], positions[table, OTHER_HOME]
        state = streams[table]
        for t in range(plies):
            n = t * tables + table
            samples.number[n] = write_inputs(
                length, men, own, own_home, other, other_home, samples.active[n]
            )
            if depth == 1:
                bench.backups[t] = one_ply(
                    ways, dice, net, squared, bench, 0, own, own_home, other, other_home
                )
            else:
                bench.backups[t] = two_plies(
                    ways, dice, net, squared, bench, own, own_home, other, other_home
                )
                prepare(ways, net, bench, 0, own, own_home, other, other_home)
            bench.values[t] = chance_of(logit_of(net, squared, bench, bench.own[0]))
            state, r, half = draw(state, dice.slots)
            start = bench.best[row, r]
            follow = 1.0
            again = False
            if start >= 0:
                if explore:
                    state += GAMMA
                    bits = mixed(state)
                    if np.int64(bits & LOW) < explore:
                        pool = men - own_home - popcount(own)
                        legal = legal_starts(ways, 0, pool, own, other, dice.rolls[r])
                        state, drawn = one_of(state, half, legal)
                        if drawn != start:
                            follow = 0.0
                        start = drawn
                own, other, own_home, again = make_move(
                    ways, 0, own, other, own_home, start, start + dice.rolls[r]
                )
            if own_home == men:
                own = other = own_home = other_home = np.int64(0)
                ended[table] += 1
                follow = 0.0
            elif not again:
                own, own_home, other, other_home = other, other_home, own, own_home
                follow = -follow
            bench.turns[t] = follow
        positions[table, OWN], positions[table, OTHER] = own, other
        positions[table, OWN_HOME], positions[table, OTHER_HOME] = own_home, other_home
        streams[table] = state
        ahead = 0.0
        for t in range(plies - 1, -1, -1):
            found = bench.backups[t] + trace * bench.turns[t] * ahead
            targets[t * tables + table] = np.float32(min(max(found, 0.0), 1.0))
            ahead = found - bench.values[t]
