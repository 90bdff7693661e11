# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of Simple AlphaGo Zero's games: self-play with noise, and examples for training.

Moves are chosen by the search of `urcx.learn.alphazero_search_kernels`.
"""

from __future__ import annotations

import math

import numpy as np

from urcx.engine.bit_kernels import popcount
from urcx.engine.jit import inlined, lean, njit
from urcx.engine.move_kernels import LENGTH, PIECES, legal_starts, make_move
from urcx.games.game_kernels import GAMMA, draw, mixed, stream
from urcx.learn.alphazero_search_kernels import (
    CONCENTRATION,
    NOISE,
    OTHER,
    OTHER_HOME,
    OWN,
    OWN_HOME,
    SIMULATIONS,
    WARM,
    grow,
    most_visited,
    plant,
)

# Columns of examples: a position before the roll, as of a tree's nodes, the roll, and the result to
# the player to move, 1 or -1.
ROLL, RESULT, EXAMPLE = 4, 5, 6
UNIT = 2.0**-53
NO_ROOM, ENDLESS = -1, -2


@inlined
def _uniform(state):
    """Return (state, a number from 0 to 1, both left out)."""
    state += GAMMA
    return state, (np.float64(mixed(state) >> np.uint64(11)) + 0.5) * UNIT


@lean
def gamma(state, shape):
    """Return (state, a number of the gamma distribution), for shapes from 1.

    Marsaglia and Tsang, A simple method for generating gamma variables, 2000.
    """
    d = shape - 1 / 3
    while True:
        state, u = _uniform(state)
        state, v = _uniform(state)
        x = math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)
        state, u = _uniform(state)
        cube = (1 + x / math.sqrt(9 * d)) ** 3
        if cube > 0 and math.log(u) < 0.5 * x * x + d - d * cube + d * math.log(cube):
            return state, d * cube


@lean
def disturb(tree, plan, number, state):
    """Mix Dirichlet noise into the priors of the root; return the state of the random stream."""
    share = plan.weights[NOISE]
    shape = max(plan.weights[CONCENTRATION] / number, 1.0)
    total = 0.0
    for k in range(number):
        state, x = gamma(state, shape)
        tree.total[k] = x
        total += x
    for k in range(number):
        tree.prior[k] = (1 - share) * tree.prior[k] + share * tree.total[k] / total
        tree.total[k] = 0.0
    return state


@lean
def by_visits(tree, plan, number, state):
    """Return (state, an edge of the root), each with the probability of its share of visits."""
    state, u = _uniform(state)
    left = u * plan.numbers[SIMULATIONS]
    for k in range(number):
        left -= tree.visits[k]
        if left < 0:
            return state, k
    return state, number - 1


@njit
def self_play(ways, heads, tree, plan, seed, first, last, longest, examples, targets, means):
    """Play the games ``first`` up to ``last`` of a network against itself.

    Each ply becomes an example: ``examples[n]`` as listed above; ``targets[n, start]``, in
    proportion to the probabilities that the policy should learn: visits while moves are drawn by
    them, afterwards the move played; ``means[n]``, the mean value of the simulations (0 if there
    was no search, as for one legal move). Returns the number of examples; `NO_ROOM` if there is no
    room for all of them, `ENDLESS` if a game has more than ``longest`` plies.
    """
    pieces = ways[0, PIECES]
    n = 0
    for game in range(first, last):
        state = stream(seed, game)
        own = np.int64(0)
        other = np.int64(0)
        own_home = np.int64(0)
        other_home = np.int64(0)
        begin = n
        side = 0
        plies = 0
        while True:
            if n == examples.shape[0]:
                return NO_ROOM
            if plies == longest:
                return ENDLESS
            state, r, _ = draw(state, plan.slots)
            roll = plan.rolls[r]
            edges = plant(ways, heads, tree, plan, r, own, own_home, other, other_home)
            examples[n, OWN], examples[n, OTHER] = own, other
            examples[n, OWN_HOME], examples[n, OTHER_HOME] = own_home, other_home
            examples[n, ROLL], examples[n, RESULT] = roll, side
            targets[n] = 0
            means[n] = 0
            edge = 0
            if edges > 1:
                state = disturb(tree, plan, edges, state)
                grow(ways, heads, tree, plan, r, edges)
                total = 0.0
                for k in range(edges):
                    total += tree.total[k]
                means[n] = total / plan.numbers[SIMULATIONS]
                if plies < plan.numbers[WARM]:
                    state, edge = by_visits(tree, plan, edges, state)
                    for k in range(edges):
                        targets[n, tree.start[k]] = tree.visits[k]
                else:
                    edge = most_visited(tree, edges)
                    targets[n, tree.start[edge]] = 1
            n += 1
            plies += 1
            start = tree.start[edge]
            again = False
            if start >= 0:
                own, other, own_home, again = make_move(
                    ways, 0, own, other, own_home, start, start + roll
                )
                if own_home == pieces:
                    break
            if not again:
                own, own_home, other, other_home = other, other_home, own, own_home
                side = 1 - side
        for k in range(begin, n):
            examples[k, RESULT] = 1 if examples[k, RESULT] == side else -1
    return n


@njit
def gather_games(ways, examples, targets, chosen, inputs, rolls, legal, shares):
    """Write the examples ``chosen`` as a training step takes them.

    ``inputs[k]`` are the network's inputs; ``rolls[k]`` the roll less 1, 0 where there is nothing
    to choose; ``legal[k, start]`` whether a move is legal where there are several; ``shares[k]``
    the probabilities to learn.
    """
    length = ways[0, LENGTH]
    pieces = ways[0, PIECES]
    for k in range(chosen.shape[0]):
        at = chosen[k]
        own, other = examples[at, OWN], examples[at, OTHER]
        own_home, other_home = examples[at, OWN_HOME], examples[at, OTHER_HOME]
        own_pool = pieces - popcount(own) - own_home
        inputs[k] = 0
        for step in range(length):
            inputs[k, step] = own >> step & 1
            inputs[k, length + step] = other >> step & 1
        base = 2 * length
        inputs[k, base + own_home] = 1
        inputs[k, base + pieces + 1 + other_home] = 1
        base += 2 * (pieces + 1)
        inputs[k, base + own_pool] = 1
        inputs[k, base + pieces + 1 + pieces - popcount(other) - other_home] = 1
        roll = examples[at, ROLL]
        moves = legal_starts(ways, 0, own_pool, own, other, roll)
        several = moves & (moves - 1) != 0
        rolls[k] = roll - 1 if several else 0
        total = 0
        for start in range(length + 1):
            legal[k, start] = several and (moves >> start & 1) != 0
            total += targets[at, start]
        for start in range(length + 1):
            shares[k, start] = np.float32(targets[at, start]) / np.float32(max(total, 1))
