# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of Simple AlphaGo Zero: search, self-play with noise, and examples for training.

A tree has a node for each position before the roll, from the viewpoint of the player to move. Each
roll of a node has edges: one for each legal move, or one for a pass. An edge leads to the node of
the next position. A simulation follows edges down, chooses the roll at each node, and ends with a
new node, which the network values, or with a finished game. The value is 2 p - 1 for a win
probability p, so its sign changes when the turn passes (p becomes 1 - p). After an extra roll the
player to move and the sign stay the same.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.network_kernels import PATH, SQUARED, add_side
from urcx.contrib.learning.input_kernels import (
    COLUMNS,
    KEPT,
    PASSED,
    WON,
    MoverView,
    begin,
    moves_of,
    read_view,
    view_after,
    write_inputs,
    write_view,
)
from urcx.engine.jit import inlined, lean, njit
from urcx.engine.move_kernels import LENGTH, PASS, PIECES, lowest, popcount
from urcx.games.game_kernels import GAMMA, HALF, draw, mixed, stream

NOT_YET, FINISHED = -1, -2  # children of edges


class Heads(NamedTuple):
    """A network with both heads, in floats. ``numbers`` is the same as in `NetworkArrays`.

    ``policy[(roll - 1) * (L + 1) + start]`` are the weights of a move's logit.
    """

    numbers: NDArray[np.int64]
    first: NDArray[np.float32]
    first_bias: NDArray[np.float32]
    second: NDArray[np.float32]
    second_bias: NDArray[np.float32]
    last: NDArray[np.float32]
    last_bias: NDArray[np.float32]
    policy: NDArray[np.float32]
    policy_bias: NDArray[np.float32]


class Tree(NamedTuple):
    """The memory of a search tree, for one thread.

    By node: ``boards``, the network's ``value`` and activations ``hidden``, and ``phase``, which
    determines the rolls. For each roll: its ``first`` edge (-1 before it has edges) and their
    ``number``. By edge: the ``start`` of the move, or `PASS`, the ``prior``, the number of
    ``visits``, the ``total`` of their values to the mover, the ``child``, and whether the mover
    ``keeps`` the turn. ``route`` has the edges of one simulation.
    """

    boards: NDArray[np.int64]
    value: NDArray[np.float64]
    hidden: NDArray[np.float32]
    phase: NDArray[np.uint64]
    first: NDArray[np.int64]
    number: NDArray[np.int64]
    start: NDArray[np.int64]
    prior: NDArray[np.float64]
    visits: NDArray[np.int64]
    total: NDArray[np.float64]
    child: NDArray[np.int64]
    keeps: NDArray[np.bool_]
    route: NDArray[np.int64]
    sums: NDArray[np.float32]

    def copied(self) -> Tree:
        """Return a copy for another thread."""
        return Tree._make(array.copy() for array in self)


class AlphaZeroTree(NamedTuple):
    """The plan of a search, with the settings of `urcx.contrib.learning.alphazero` and the dice.

    ``slots`` has the index of each roll, as often as its probability requires.
    """

    rolls: NDArray[np.int64]
    slots: NDArray[np.int64]
    simulations: int
    explore: float
    warm: int = 0
    noise: float = 0.0
    concentration: float = 1.0


@inlined
def dot(x, y):
    """Return the scalar product, summed in eight independent parts."""
    n = x.shape[0]
    a = b = c = d = e = f = g = h = np.float32(0)
    for k in range(0, n - 7, 8):
        a += x[k] * y[k]
        b += x[k + 1] * y[k + 1]
        c += x[k + 2] * y[k + 2]
        d += x[k + 3] * y[k + 3]
        e += x[k + 4] * y[k + 4]
        f += x[k + 5] * y[k + 5]
        g += x[k + 6] * y[k + 6]
        h += x[k + 7] * y[k + 7]
    for k in range(n & ~7, n):
        a += x[k] * y[k]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@inlined
def _activate(x, squared):
    """Replace sums by activations, between 0 and 1, squared or not."""
    for k in range(x.shape[0]):
        y = min(max(x[k], np.float32(0)), np.float32(1))
        x[k] = y * y if squared else y


@lean
def forward(heads, view, sums, hidden):
    """Write the last hidden layer's activations, and return the value to the player to move."""
    squared = heads.numbers[SQUARED] != 0
    for unit in range(sums.shape[0]):
        sums[unit] = heads.first_bias[unit]
    add_side(heads, 0, view.own, view.own_home, sums)
    add_side(heads, 1, view.other, view.other_home, sums)
    _activate(sums, squared)
    if heads.second.shape[1] == 0:
        for unit in range(sums.shape[0]):
            hidden[unit] = sums[unit]
    else:
        for k in range(hidden.shape[0]):
            hidden[k] = heads.second_bias[k]
        for unit in range(sums.shape[0]):
            x = sums[unit]
            if x:
                for k in range(hidden.shape[0]):
                    hidden[k] += x * heads.second[unit, k]
        _activate(hidden, squared)
    logit = np.float64(dot(hidden, heads.last)) + heads.last_bias[0]
    return math.tanh(0.5 * logit)


@inlined
def add_node(heads, tree, at, view):
    """Write a node, which the network values."""
    write_view(view, tree.boards[at])
    tree.first[at] = -1
    hashed = np.uint64(view.own) * GAMMA + np.uint64(view.other)
    tree.phase[at] = mixed(mixed(hashed) + np.uint64(64 * view.own_home + view.other_home))
    tree.value[at] = forward(heads, view, tree.sums, tree.hidden[at])


@lean
def add_edges(ways, heads, tree, node, r, roll, edges):
    """Write the edges of a roll from ``edges`` on, with priors, and return the next free edge."""
    legal = moves_of(ways, read_view(tree.boards[node]), roll)
    number = max(popcount(legal), 1)
    tree.first[node, r], tree.number[node, r] = edges, number
    base = (roll - 1) * (heads.numbers[PATH] + 1)
    most = -np.inf
    for k in range(edges, edges + number):
        start = np.int64(PASS)
        if legal:
            start = lowest(legal)
            legal &= legal - 1
        tree.start[k], tree.child[k] = start, NOT_YET
        tree.visits[k], tree.total[k], tree.prior[k] = 0, 0.0, 0.0
        if number > 1:
            row = base + start
            logit = np.float64(dot(tree.hidden[node], heads.policy[row])) + heads.policy_bias[row]
            tree.prior[k] = logit
            most = max(most, logit)
    if number == 1:
        tree.prior[edges] = 1.0
        return edges + 1
    total = 0.0
    for k in range(edges, edges + number):
        tree.prior[k] = math.exp(tree.prior[k] - most)
        total += tree.prior[k]
    for k in range(edges, edges + number):
        tree.prior[k] /= total
    return edges + number


@inlined
def selected(tree, node, r, explore):
    """Return the edge of the greatest upper bound (PUCT).

    The bound is Q + c P sqrt(sum of visits) / (1 + visits). Before any visit of the edge, Q is the
    value of the node.
    """
    first, number = tree.first[node, r], tree.number[node, r]
    if number == 1:
        return first
    visits = np.int64(0)
    for k in range(first, first + number):
        visits += tree.visits[k]
    width = explore * math.sqrt(visits or 1)
    most = -np.inf
    result = first
    for k in range(first, first + number):
        n = tree.visits[k]
        mean = tree.total[k] / n if n else tree.value[node]
        bound = mean + width * tree.prior[k] / (1 + n)
        if bound > most:
            most = bound
            result = k
    return result


@lean
def _simulate(ways, heads, tree, plan, root_roll, nodes, edges):
    """Run one simulation from the root's edges, and return the numbers of nodes and of edges."""
    node = np.int64(0)
    r = root_roll
    depth = 0
    while True:
        edge = selected(tree, node, r, plan.explore)
        tree.route[depth] = edge
        depth += 1
        child = tree.child[edge]
        if child == NOT_YET:
            before = read_view(tree.boards[node])
            turn, view = view_after(ways, before, tree.start[edge], plan.rolls[r])
            tree.keeps[edge] = turn == KEPT
            if turn == WON:
                tree.child[edge] = child = FINISHED
            else:
                tree.child[edge] = nodes
                add_node(heads, tree, nodes, view)
                value = turn * tree.value[nodes]
                nodes += 1
                break
        if child == FINISHED:
            value = 1.0
            break
        node = child
        # Steps of the golden ratio spread the rolls of a node more evenly than chance does.
        phase = tree.phase[node]
        tree.phase[node] = phase + GAMMA
        slot = ((phase >> HALF) * np.uint64(plan.slots.shape[0])) >> HALF
        r = plan.slots[np.int64(slot)]
        if tree.first[node, r] < 0:
            edges = add_edges(ways, heads, tree, node, r, plan.rolls[r], edges)
    while True:
        depth -= 1
        edge = tree.route[depth]
        tree.visits[edge] += 1
        tree.total[edge] += value
        if depth == 0:
            return nodes, edges
        if not tree.keeps[tree.route[depth - 1]]:
            value = -value


@inlined
def plant(ways, heads, tree, plan, r, view):
    """Begin a tree with a position and its roll, and return the number of edges."""
    add_node(heads, tree, 0, view)
    return add_edges(ways, heads, tree, 0, r, plan.rolls[r], 0)


@lean
def grow(ways, heads, tree, plan, r, edges):
    """Run all simulations of a search."""
    nodes = np.int64(1)
    for _ in range(plan.simulations):
        nodes, edges = _simulate(ways, heads, tree, plan, r, nodes, edges)


@inlined
def most_visited(tree, number):
    """Return the root's most visited edge. If several are equal, return the best of them."""
    result = 0
    for k in range(1, number):
        n, most = tree.visits[k], tree.visits[result]
        if n > most or (n == most and tree.total[k] > tree.total[result]):
            result = k
    return result


@inlined
def index_of(rolls, roll):
    """Return the index of a roll."""
    r = 0
    while rolls[r] != roll:
        r += 1
    return r


class BySearch(NamedTuple):
    """Plays the move with the most visits of a tree search without noise, for one thread only."""

    ties: int
    heads: Heads
    tree: Tree
    plan: AlphaZeroTree

    def for_one_thread(self) -> BySearch:
        """Return the policy with its own working memory."""
        return self._replace(tree=self.tree.copied())

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        """Return the move with the most visits."""
        if legal & (legal - 1) == 0:
            return legal
        r = index_of(self.plan.rolls, roll)
        view = MoverView(own, own_home, other, other_home)
        edges = plant(ways, self.heads, self.tree, self.plan, r, view)
        grow(ways, self.heads, self.tree, self.plan, r, edges)
        return np.int64(1) << self.tree.start[most_visited(self.tree, edges)]


# Columns of examples: a position before the roll, with the columns of a tree's nodes, the roll, and
# the result to the player to move, 1 or -1.
ROLL, RESULT, EXAMPLE = range(COLUMNS, COLUMNS + 3)
UNIT = 2.0**-53
NO_ROOM, ENDLESS = -1, -2


class Examples(NamedTuple):
    """Examples of self-play, one per ply. ``positions[n]`` has the columns listed above.

    ``targets[n, start]`` is proportional to the probability that the policy should learn: the
    visits in plies whose moves are drawn by visits, and later the move played. ``means[n]`` is the
    mean value of the simulations, or 0 without a search, for example if only one move is legal.
    """

    positions: NDArray[np.int64]
    targets: NDArray[np.int16]
    means: NDArray[np.float32]


@inlined
def _uniform(state):
    """Return (state, a number between 0 and 1, excluding both)."""
    state += GAMMA
    return state, (np.float64(mixed(state) >> np.uint64(11)) + 0.5) * UNIT


@lean
def gamma(state, shape):
    """Return (state, a random number of the gamma distribution), for shapes from 1.

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
    """Mix Dirichlet noise into the priors of the root. Return the state of the random stream."""
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
    """Return (state, an edge of the root), drawn with probabilities proportional to visits."""
    state, u = _uniform(state)
    left = u * plan.simulations
    for k in range(number):
        left -= tree.visits[k]
        if left < 0:
            return state, k
    return state, number - 1


@njit
def self_play(ways, heads, tree, plan, games, examples):
    """Play the games of a `GamesPlan`, a network against itself. Light begins.

    Returns the number of examples, `NO_ROOM` if they do not fit into ``examples``, or `ENDLESS` if
    a game is too long.
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
    """Write the examples ``chosen`` as arrays for a training step.

    ``inputs[k]`` are the network's inputs. ``rolls[k]`` is the roll minus 1, or 0 if there is no
    choice. ``legal[k, start]`` is whether a move is legal and there are several. ``shares[k]`` are
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
