"""A rule set's states and moves as linear equations, and their solution in exact fractions.

States are numbered in descending order of progress, the sum of the steps of all pieces with home as
step L + 1. `urcx.contrib.exact.rational` explains why.

Digits. The equations are solved in floats, and the solution is rounded to 32 bits after the point.
The remainder of the right-hand side is an integer vector, and it is the right-hand side for the
next 32 bits (Z. Wan, 2006). So errors of floats never accumulate, and a solution can have any
number of bits.

Fractions. The denominator of a random integer combination of all unknowns follows from enough of
its bits, by its continued fraction. The least common multiple of a few such denominators is the
common denominator of all unknowns, and each numerator is the nearest integer.

Proof. The fractions are substituted into the equations, in integers. If they satisfy all equations,
they are the solution, regardless of their origin. Otherwise more bits are computed.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.exact.equation_kernels import approximate
from urcx.errors import UrcxError
from urcx.rules.model import RuleSet
from urcx.solving.general import kernels as general_kernels
from urcx.solving.general.solver import GeneralOrder

IntArray = NDArray[np.int64]

BITS = 32  # per digit
FIRST_DIGITS = 32
COMBINATIONS = 16  # number of combinations for the common denominator
SPARE_BITS = 64  # bits by which a fraction must be closer than by chance
MOST_LEFT = 1 << 30  # the greatest right-hand side, to avoid overflow
MOST_ATTEMPTS = 60


@dataclass(frozen=True)
class System:
    """Equations ``scale * x[k] = constants[k] + sum over r of weights[k, r] * x[targets[k, r]]``.

    All numbers are integers. ``partner`` pairs unknowns whose equations refer to each other. An
    unknown without a partner is its own partner. Weights are below 2^21 in absolute value.
    """

    scale: int
    targets: IntArray
    weights: IntArray
    constants: IntArray
    partner: IntArray

    def left_side(self, values: IntArray) -> IntArray:
        """Return the left-hand sides of the equations for given unknowns, without constants."""
        left: IntArray = self.scale * values - (self.weights * values[self.targets]).sum(1)
        return left


@dataclass(frozen=True)
class Fractions:
    """The solution: unknown k is ``numerators[k] / denominator``, perhaps not in lowest terms."""

    numerators: list[int]
    denominator: int


@dataclass(frozen=True)
class StateGraph:
    """The unfinished states, numbered for the equations, with their successors.

    ``states[k]`` is the index of state k in ``order``, ``local`` is the inverse, and ``partner[k]``
    is the state with the other side to move. The moves of state k for the r-th roll are
    ``options[first[k * R + r] : first[k * R + r + 1]]``: `general_kernels.WON`, or twice the next
    state, plus 1 if the turn passes. ``chances`` are the probabilities of the rolls times
    ``scale``.
    """

    order: GeneralOrder
    states: IntArray
    local: IntArray
    partner: IntArray
    first: IntArray
    options: IntArray
    chances: IntArray
    scale: int

    def worth(self, k: int, r: int, fractions: Fractions) -> list[int]:
        """Return the values of a state's moves for the r-th roll, times the common denominator."""
        at = k * len(self.chances) + r
        return [
            worth_of_unknown(int(o), fractions)
            for o in self.options[self.first[at] : self.first[at + 1]]
        ]


def worth_of_unknown(option: int, fractions: Fractions) -> int:
    """Return the value of one of `StateGraph.options`, times the common denominator."""
    if option == general_kernels.WON:
        return fractions.denominator
    after = fractions.numerators[option >> 1]
    return fractions.denominator - after if option & 1 else after


def common_scale(rules: RuleSet) -> int:
    """Return the common denominator of the probabilities of the rolls."""
    return lcm(*(p.denominator for p in rules.dice.probabilities))


def state_graph(rules: RuleSet, order: GeneralOrder) -> StateGraph:
    """Return the states of a rule set, numbered for the equations."""
    homes, steps = order.described()
    gone = steps + homes @ np.array([len(rules.path.light) + 1, len(rules.path.dark) + 1])
    unfinished = np.flatnonzero((homes < rules.pieces).all(1))
    if order.alike:
        states = unfinished
        turned = np.array(
            [order.ranking.rank(order.ranking.unrank(int(k)).turned()) for k in unfinished]
        )
    else:
        states = np.repeat(2 * unfinished, 2) + np.tile([0, 1], len(unfinished))
        turned = states ^ 1
        gone = np.repeat(gone, 2)
    # A state and its partner have equal progress. Sorted by the smaller index of the two, they are
    # neighbours.
    sort = np.lexsort((np.minimum(states, turned), -gone[states]))
    states, turned = states[sort].astype(np.int64), turned[sort]
    local = np.full(order.size, -1)
    local[states] = np.arange(len(states))
    first, moves = order.moves(states)
    won = moves == general_kernels.WON
    after = 2 * local[np.where(won, 0, moves) >> 1] + (moves & 1)
    options = np.where(won, general_kernels.WON, after)
    scale = common_scale(rules)
    chances = np.array([int(p * scale) for p in rules.dice.probabilities], np.int64)
    return StateGraph(order, states, local, local[turned], first, options, chances, scale)


def ends(graph: StateGraph) -> bool:
    """Return whether the game ends with probability 1 for all ways of playing."""
    won = graph.options == general_kernels.WON
    after = np.where(won, 0, graph.options) >> 1
    over: NDArray[np.bool_] = np.zeros(len(graph.states), np.bool_)
    while not over.all():
        forced = np.logical_and.reduceat(won | over[after], graph.first[:-1])
        now = np.any(forced.reshape(len(over), -1), axis=1)
        if (now == over).all():
            return False
        over = now
    return True


def best_by(graph: StateGraph, values: NDArray[np.float64]) -> IntArray:
    """Return the best of `StateGraph.options` for each state and roll, by win probability."""
    won = graph.options == general_kernels.WON
    after = values[graph.states][np.where(won, 0, graph.options) >> 1]
    worth = np.where(won, 1.0, np.where(graph.options & 1, 1.0 - after, after))
    best = np.maximum.reduceat(worth, graph.first[:-1])
    best_options = np.flatnonzero(worth == np.repeat(best, np.diff(graph.first)))
    return best_options[np.searchsorted(best_options, graph.first[:-1])]


def equations(graph: StateGraph, choice: IntArray) -> System:
    """Return the equations for the win probabilities under a choice of moves."""
    n = len(graph.states)
    options = graph.options[choice].reshape(n, -1)
    rows = np.broadcast_to(np.arange(n)[:, None], options.shape)
    won = options == general_kernels.WON
    passes = ~won & (options & 1 == 1)
    weights = np.where(won, 0, np.where(passes, -graph.chances, graph.chances))
    constants = np.where(won | passes, graph.chances, 0).sum(1)
    return System(graph.scale, np.where(won, rows, options >> 1), weights, constants, graph.partner)


def solve_in_fractions(
    system: System, progress: Callable[[int], None] = lambda _: None
) -> Fractions:
    """Solve a system that has a unique solution. ``progress`` gets the number of bits so far.

    Raises
    ------
    UrcxError
        If floats are not precise enough to give the next bits.
    """
    rest = system.constants.copy()
    values, bits = [0] * len(rest), 0
    draw = random.Random(0)  # noqa: S311 - any weights will do
    for _ in range(MOST_ATTEMPTS):
        digits = _next_digits(system, max(FIRST_DIGITS, bits // BITS // 5), rest)
        values, bits = _append_digits(values, digits), bits + BITS * len(digits)
        progress(bits)
        denominator = _common_denominator(values, bits, draw)
        if denominator:
            numerators = _numerators(values, bits, denominator)
            if _satisfies(system, numerators, denominator):
                return Fractions(numerators, denominator)
    raise UrcxError("the solution has no fractions of a size that can be computed")


def _next_digits(system: System, number: int, rest: IntArray) -> IntArray:
    """Return the next digits of the solution, a row per digit, and update the remainder."""
    n = len(rest)
    is_self = system.targets == np.arange(n)[:, None]
    is_partner = (system.targets == system.partner[:, None]) & ~is_self
    # The inverse of the 2 by 2 matrix of each unknown and its partner.
    a, b = ((system.weights * inside).sum(1) for inside in (is_self, is_partner))
    other = system.scale - a[system.partner]
    determinant = (system.scale - a) * other - b * b[system.partner]
    blocks = np.stack([other, b], axis=1) / determinant[:, None]
    outside = np.where(is_self | is_partner, 0, system.weights)
    digits = np.empty((number, n), np.int64)
    solution = np.empty(n)
    for digit in digits:
        converged = approximate(system.targets, outside, system.partner, blocks, rest, solution)
        digit[:] = np.rint(solution * 2.0**BITS)
        rest <<= BITS
        rest -= system.left_side(digit)
        if not converged or abs(rest).max() > MOST_LEFT:
            raise UrcxError("games are too long for exact fractions: floats are too coarse")
    return digits


def _append_digits(values: list[int], digits: IntArray) -> list[int]:
    """Return values with digits appended. Digits may be negative or longer than `BITS`."""
    carry = np.zeros(len(values), np.int64)
    for k in range(len(digits) - 1, -1, -1):
        digits[k] += carry
        carry = digits[k] >> BITS
        digits[k] &= (1 << BITS) - 1
    shift, rows = BITS * len(digits), digits.T.astype(">u4")
    return [
        ((value + more) << shift) + int.from_bytes(row.tobytes(), "big")
        for value, more, row in zip(values, carry.tolist(), rows, strict=True)
    ]


def _common_denominator(values: list[int], bits: int, draw: random.Random) -> int:
    """Return the common denominator of ``values / 2**bits``, or 0 if there are too few bits."""
    denominator = 1
    for _ in range(COMBINATIONS):
        mixed = sum(draw.getrandbits(16) * value for value in values)
        more = denominator_of(mixed * denominator, bits)
        if not more:
            return 0
        denominator *= more
    return denominator


def denominator_of(value: int, bits: int) -> int:
    """Return the denominator of the fraction that ``value / 2**bits`` approximates, or 0.

    The fraction is a convergent of its continued fraction that is closer by `SPARE_BITS` than the
    convergents of a random number.
    """
    room = bits - SPARE_BITS
    # Each remainder is factor * value modulo 2**bits: the factor times the convergent's error.
    before, rest = 1 << bits, value % (1 << bits)
    passed, factor = 0, 1
    while 2 * factor.bit_length() <= room:
        if rest.bit_length() + factor.bit_length() < room:
            return abs(factor)
        quotient, left = divmod(before, rest)
        before, rest = rest, left
        passed, factor = factor, passed - quotient * factor
    return 0


def _numerators(values: list[int], bits: int, denominator: int) -> list[int]:
    """Return the integers nearest to ``denominator * values / 2**bits``."""
    cut = max(bits - denominator.bit_length() - SPARE_BITS, 0)  # the last bits do not matter
    shift = bits - cut
    return [(denominator * (value >> cut) + (1 << (shift - 1))) >> shift for value in values]


def _satisfies(system: System, numerators: list[int], denominator: int) -> bool:
    """Return whether fractions satisfy every equation exactly."""
    rows = zip(
        numerators,
        system.constants.tolist(),
        system.weights.tolist(),
        system.targets.tolist(),
        strict=True,
    )
    return all(
        system.scale * value
        == constant * denominator
        + sum(weight * numerators[k] for weight, k in zip(weights, targets, strict=True))
        for value, constant, weights, targets in rows
    )
