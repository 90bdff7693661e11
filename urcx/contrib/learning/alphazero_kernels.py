# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of Simple AlphaGo Zero's games: self-play with noise, and examples for training.

Moves are chosen by the search of `urcx.contrib.learning.alphazero_search_kernels`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.learning.alphazero_search_kernels import grow, most_visited, plant
from urcx.contrib.learning.input_kernels import (
    COLUMNS,
    PASSED,
    WON,
    begin,
    moves_of,
    read_view,
    view_after,
    write_inputs,
    write_view,
)
from urcx.engine.jit import inlined, lean, njit
from urcx.engine.move_kernels import LENGTH, PIECES
from urcx.games.game_kernels import GAMMA, draw, mixed, stream

# Columns of examples: a position before the roll, as of a tree's nodes, the roll, and the result to
# the player to move, 1 or -1.
ROLL, RESULT, EXAMPLE = range(COLUMNS, COLUMNS + 3)
UNIT = 2.0**-53
NO_ROOM, ENDLESS = -1, -2


class Examples(NamedTuple):
    """Examples of self-play, one a ply: ``positions[n]`` are as listed above.

    ``targets[n, start]`` are in proportion to the probabilities that the policy should learn:
    visits while moves are drawn by them, afterwards the move played. ``means[n]`` is the mean value
    of the simulations (0 if there was no search, as for one legal move).
    """

    positions: NDArray[np.int64]
    targets: NDArray[np.int16]
    means: NDArray[np.float32]


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
    share = plan.noise
    shape = max(plan.concentration / number, 1.0)
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
    left = u * plan.simulations
    for k in range(number):
        left -= tree.visits[k]
        if left < 0:
            return state, k
    return state, number - 1


@njit
def self_play(ways, heads, tree, plan, games, examples):
    """Play the games of a `GamesPlan`, which light begins, of a network against itself.

    Returns the number of examples; `NO_ROOM` if there is no room for all of them, `ENDLESS` if a
    game is too long.
    """
    positions, targets, means = examples
    n = 0
    for game in range(games.first, games.last):
        state = stream(games.seed, game)
        view = begin()
        first = n
        side = 0
        turn = PASSED
        while turn != WON:
            if n == positions.shape[0]:
                return NO_ROOM
            if n - first == games.longest:
                return ENDLESS
            state, r, _ = draw(state, plan.slots)
            roll = plan.rolls[r]
            edges = plant(ways, heads, tree, plan, r, view)
            write_view(view, positions[n])
            positions[n, ROLL], positions[n, RESULT] = roll, side
            targets[n] = 0
            means[n] = 0
            edge = 0
            if edges > 1:
                state = disturb(tree, plan, edges, state)
                grow(ways, heads, tree, plan, r, edges)
                total = 0.0
                for k in range(edges):
                    total += tree.total[k]
                means[n] = total / plan.simulations
                if n - first < plan.warm:
                    state, edge = by_visits(tree, plan, edges, state)
                    for k in range(edges):
                        targets[n, tree.start[k]] = tree.visits[k]
                else:
                    edge = most_visited(tree, edges)
                    targets[n, tree.start[edge]] = 1
            n += 1
            turn, view = view_after(ways, view, tree.start[edge], roll)
            if turn == PASSED:
                side = 1 - side
        for k in range(first, n):
            positions[k, RESULT] = 1 if positions[k, RESULT] == side else -1
    return n


@njit
def gather_games(ways, examples, chosen, inputs, rolls, legal, shares):
    """Write the examples ``chosen`` as a training step takes them.

    ``inputs[k]`` are the network's inputs; ``rolls[k]`` the roll less 1, 0 where there is nothing
    to choose; ``legal[k, start]`` whether a move is legal where there are several; ``shares[k]``
    the probabilities to learn.
    """
    positions, targets, _ = examples
    length = ways[0, LENGTH]
    active = np.zeros(4 + 2 * ways[0, PIECES], np.int16)
    for k in range(chosen.shape[0]):
        at = chosen[k]
        view = read_view(positions[at])
        inputs[k] = 0
        for n in range(write_inputs(ways, view, active)):
            inputs[k, active[n]] = 1
        roll = positions[at, ROLL]
        moves = moves_of(ways, view, roll)
        several = moves & (moves - 1) != 0
        rolls[k] = roll - 1 if several else 0
        total = 0
        for start in range(length + 1):
            legal[k, start] = several and (moves >> start & 1) != 0
            total += targets[at, start]
        for start in range(length + 1):
            shares[k, start] = np.float32(targets[at, start]) / np.float32(max(total, 1))
