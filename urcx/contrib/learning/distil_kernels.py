# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of distillation: decisions with the value of every move, and losses on them.

A decision is a position with a roll that allows two or more moves. A network learns the mover's win
probabilities after the moves, which come from a solution. Decisions come from games of nearly
optimal play, so their frequencies are similar to games against optimal play, or uniformly from all
positions and rolls.

The slopes of a loss are derivatives by the logits of the positions after the moves, as in
`urcx.contrib.learning.gradient_kernels`. After a move that passes the turn, the mover's win
probability is 1 minus the other player's, so its slope by the other player's logit has the opposite
sign.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import pick_chance as solved_chance
from urcx.contrib.learning.gradient_kernels import (
    BLOCK,
    Samples,
    backward,
    chance_of_features,
    forward_pass,
    turn_features,
)
from urcx.contrib.learning.input_kernels import (
    KEPT,
    PASSED,
    WON,
    MoverView,
    begin,
    exchanged,
    for_mover,
    moves_of,
    view_after,
    write_after,
)
from urcx.engine.jit import inlined, lean, njit
from urcx.engine.move_kernels import PASS, PIECES, lowest
from urcx.enumerate.rankings.pattern_kernels import diagram_of, pattern_of
from urcx.games.game_kernels import GAMMA, draw, mixed

SHARP = np.uint64(11)
FINE = 2.0**-53
SPAN = 2.5  # powers of ten over which the temperatures of games are spread
DECIDED = 1e6  # the logit of a won game
# Columns of `Decisions.counts`: decisions, decisions with the best choice, and the loss of others.
MADE, RIGHT, LOST = range(3)


class Streams(NamedTuple):
    """Games in progress, one per stream: positions (columns of `MoverView`) and random numbers.

    A move with loss x is chosen with a probability proportional to exp(-x / ``temperature``) of its
    game.
    """

    positions: NDArray[np.int64]
    random: NDArray[np.uint64]
    temperature: NDArray[np.float64]


class Decisions(NamedTuple):
    """Decisions and their moves. Decision d has the moves ``start[d]`` to ``start[d + 1] - 1``.

    For each move, ``turns`` is its effect on the turn, ``chances`` is the mover's win probability
    after it, and ``samples`` has the inputs of the next position, from the viewpoint of the player
    to move.
    """

    start: NDArray[np.int64]
    turns: NDArray[np.int64]
    chances: NDArray[np.float64]
    samples: Samples
    counts: NDArray[np.float64]


class Loss(NamedTuple):
    """The weights of the parts of a loss (see `slopes`)."""

    values: float
    differences: float
    regret: float
    temperature: float
    best: float
    errors: float
    sharpness: float


@inlined
def _fraction(state):
    """Return (state, a random number from 0 to 1)."""
    state += GAMMA
    return state, np.float64(np.int64(mixed(state) >> SHARP)) * FINE


@inlined
def add_decision(perfect, ways, ahead, view, legal, roll, d, out):
    """Write the moves of decision d, and return the best chance."""
    k = out.start[d]
    best = -1.0
    while legal:
        start = lowest(legal)
        legal &= legal - 1
        turn, at = write_after(ways, ahead, view, start, roll, out.samples, k)
        chance = 1.0
        if turn != WON:
            solved = solved_chance(perfect, 0, at.own, at.own_home, at.other, at.other_home)
            chance = for_mover(turn, solved / perfect.certain)
        out.turns[k] = turn
        out.chances[k] = chance
        best = max(best, chance)
        k += 1
    out.start[d + 1] = k
    return best


@njit
def draw_from_games(perfect, ways, dice, ahead, hottest, streams, first, last, number, out):
    """Write decisions of games, in turn from the streams ``first`` up to ``last``.

    All moves of a game have the same temperature, at most ``hottest``.
    """
    men = ways[0, PIECES]
    out.start[0] = 0
    d = 0
    while d < number:
        for game in range(first, last):
            if d == number:
                break
            state, row = streams.random[game], streams.positions[game]
            view = MoverView(row[0], row[1], row[2], row[3])
            has_choice = False
            while not has_choice:
                if men in (view.own_home, view.other_home) or streams.temperature[game] == 0.0:
                    view = begin()
                    state, u = _fraction(state)
                    streams.temperature[game] = hottest * 10.0 ** (-SPAN * u)
                state, index, _ = draw(state, dice.slots)
                roll = dice.rolls[index]
                legal = moves_of(ways, view, roll)
                chosen = legal
                has_choice = legal & (legal - 1) != 0
                if has_choice:
                    best = add_decision(perfect, ways, ahead, view, legal, roll, d, out)
                    state, u = _fraction(state)
                    chosen = _drawn(
                        out.chances, out.start[d], legal, best, streams.temperature[game], u
                    )
                    d += 1
                start = lowest(chosen) if chosen else np.int64(PASS)
                turn, view = view_after(ways, view, start, roll)
                if turn == WON:
                    view = exchanged(view)
            row[0], row[1], row[2], row[3] = view.own, view.own_home, view.other, view.other_home
            streams.random[game] = state


@inlined
def _drawn(chances, first, legal, best, temperature, u):
    """Return the move that a number u from 0 to 1 selects, depending on the moves' losses."""
    total = 0.0
    k = first
    left = legal
    while left:
        left &= left - 1
        total += math.exp((chances[k] - best) / temperature)
        k += 1
    u *= total
    k = first
    while True:
        u -= math.exp((chances[k] - best) / temperature)
        rest = legal & (legal - 1)
        if u < 0.0 or rest == 0:
            return legal & -legal
        legal = rest
        k += 1


@njit
def draw_uniformly(perfect, ways, moving, ahead, size, streams, stream, number, out):
    """Write decisions in which each position and roll is equally likely.

    ``size`` is the number of configurations, including finished games, in the order of
    ``perfect.table``. ``moving`` are the rolls above 0. The random numbers come from one stream.
    """
    men = ways[0, PIECES]
    state = streams.random[stream]
    out.start[0] = 0
    d = 0
    while d < number:
        state, u = _fraction(state)
        rank = np.int64(u * size)
        pattern = pattern_of(perfect.table, rank)
        own, own_home, other, other_home = diagram_of(perfect.table, pattern, rank)
        view = MoverView(own, own_home, other, other_home)
        state, u = _fraction(state)
        roll = moving[np.int64(u * moving.shape[0])]
        legal = moves_of(ways, view, roll)
        if men in (own_home, other_home) or legal & (legal - 1) == 0:
            continue
        add_decision(perfect, ways, ahead, view, legal, roll, d, out)
        d += 1
    streams.random[stream] = state


@inlined
def slopes(loss, decisions, first, last, room):
    """Write the slopes of the loss of decisions by the logits in ``room``, and return the loss.

    The moves of the decisions ``first`` up to ``last`` fit into a block. Let v be the mover's win
    probabilities after the moves of a decision, from the network, and w the same from the solution.
    The loss is the weighted sum of these parts:

    - ``values``: the mean of (v - w)^2.
    - ``differences``: the sum of ((v - mean v) - (w - mean w))^2, which ignores an error that all
      moves have in common.
    - ``regret``: the mean loss if moves are drawn with probabilities proportional to
      exp(v / temperature).
    - ``best``: minus the logarithm of the probability of drawing a best move, with probabilities
      proportional to exp(sharpness x logit of v).
    - ``errors``: the probability of drawing no best move.
    """
    base = decisions.start[first]
    total = 0.0
    v, p, g = room.moves[0], room.moves[1], room.moves[2]
    w = decisions.chances
    for d in range(first, last):
        low, number = decisions.start[d], decisions.start[d + 1] - decisions.start[d]
        most, best, chosen = -1.0, -1.0, 0
        mean_v = mean_w = 0.0
        for k in range(number):
            side = decisions.turns[low + k]
            x = chance_of_features(room.logits[low + k - base])
            v[k] = 1.0 if side == WON else (x if side == KEPT else 1.0 - x)
            if v[k] > most:
                most = v[k]
                chosen = k
            best = max(best, w[low + k])
            mean_v += v[k]
            mean_w += w[low + k]
        decisions.counts[MADE] += 1
        decisions.counts[RIGHT] += w[low + chosen] == best
        decisions.counts[LOST] += best - w[low + chosen]
        mean_v /= number
        mean_w /= number
        for k in range(number):
            error = v[k] - w[low + k]
            apart = error - (mean_v - mean_w)
            total += loss.values * error * error / number + loss.differences * apart * apart
            g[k] = 2.0 * (loss.values * error / number + loss.differences * apart)
        if loss.regret:
            regret = drawing = 0.0
            for k in range(number):
                p[k] = math.exp((v[k] - most) / loss.temperature)
                drawing += p[k]
                regret += p[k] * (best - w[low + k])
            regret /= drawing
            total += loss.regret * regret
            for k in range(number):
                g[k] += (
                    loss.regret * p[k] / drawing * (best - w[low + k] - regret) / loss.temperature
                )
        for k in range(number):
            x = v[k] if decisions.turns[low + k] != PASSED else 1.0 - v[k]
            steep = x * (1.0 - x) * decisions.turns[low + k]
            room.slopes[low + k - base] = np.float32(g[k] * steep)
        if loss.sharpness:
            total += add_best(loss, decisions, low, number, base, best, room)
    return total


@inlined
def add_best(loss, decisions, low, number, base, best, room):
    """Add the slopes of the parts ``best`` and ``errors`` of a loss, and return them."""
    p = room.moves[1]
    w = decisions.chances
    most = -DECIDED
    for k in range(number):
        side = decisions.turns[low + k]
        p[k] = DECIDED if side == WON else np.float64(side * room.logits[low + k - base])
        most = max(most, p[k])
    total = right = 0.0
    for k in range(number):
        p[k] = math.exp(loss.sharpness * (p[k] - most))
        total += p[k]
        right += p[k] if w[low + k] == best else 0.0
    right = max(right, 1e-300)
    for k in range(number):
        is_best = w[low + k] == best
        slope = loss.best * (p[k] / total - (p[k] / right if is_best else 0.0))
        slope += loss.errors * p[k] / total * (right / total - (1.0 if is_best else 0.0))
        room.slopes[low + k - base] += np.float32(loss.sharpness * slope * decisions.turns[low + k])
    return loss.best * math.log(total / right) + loss.errors * (1.0 - right / total)


@lean
def distil_gradient(net, squared, loss, decisions, low, high, room, gradient):
    """Add the gradient of the decisions from ``low`` up to ``high``, and return their loss."""
    turn_features(net, room)
    total = 0.0
    first = low
    while first < high:
        begin = decisions.start[first]
        last = first + 1
        while last < high and decisions.start[last + 1] - begin <= BLOCK:
            last += 1
        end = decisions.start[last]
        forward_pass(net, squared, decisions.samples, begin, end, room)
        total += slopes(loss, decisions, first, last, room)
        backward(net, squared, decisions.samples, begin, end, room, gradient)
        first = last
    return total
