"""Sparse systems of linear equations with integer coefficients, solved in exact fractions.

The system. Unknown k has ``scale * x[k] = constants[k] + sum over r of weights[k, r] * x[targets[k,
r]]``, all in integers. Unknowns are numbered so that most equations refer to earlier ones only.
They may also refer to the unknown itself, to its partner (an adjacent unknown, paired mutually),
and to a few later unknowns, the loops.

Modulo a prime. If the loops' values were known, one pass of substitution from first to last, a pair
of partners at a time, would solve the system. The result of a pass is a linear function of guesses
for the loops, so a dense system over the loops alone remains. Its matrix is inverted once; each
right-hand side then takes two passes and a product with the inverse.

Lifting (J. D. Dixon, 1982). A solution modulo the prime p gives the last digit, in base p, of the
true one; the residual divided by p is the right-hand side for the next digit. For some random
integer combinations of all unknowns, digits are collected until each combination is a fraction n /
d with n and d so small that it is unique (rational reconstruction); the least common multiple of
the d is taken as the common denominator D. Then the system is lifted again with its right-hand side
times D; its solution consists of integers about as long as D.

Proof. After k digits of the second lifting, the integers N that they form satisfy the system times
D exactly if and only if the residual is 0. This is checked, so the result does not depend on the
random combinations; if D is too small, that is detected and D is enlarged.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from math import gcd, isqrt

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.exact import modular_kernels
from urcx.errors import UrcxError

IntArray = NDArray[np.int64]

# The primes are 2^31 minus these.
PRIMES = (1, 19, 61, 69)
COMBINATIONS = 16
MIXING = 1 << 10  # the weights of a combination are below this
FIRST_DIGITS = 32
GROWTH = 1.4  # growth of the number of digits between attempts at reconstruction
SPARE_BITS = 64  # by how many bits a fraction must be shorter than a random one
MOST_ATTEMPTS = 60
COLUMNS = 32  # of the loops' matrix, computed together
TOGETHER = 128  # digits that compiled code combines


@dataclass(frozen=True)
class System:
    """A system as described above, of n unknowns.

    ``targets`` and ``weights`` have a row for each unknown, ``partner`` and ``constants`` an entry;
    an unknown without a partner is its own partner. Weights are below 2^24 in absolute value.
    """

    scale: int
    targets: IntArray
    weights: IntArray
    constants: IntArray
    partner: IntArray


@dataclass(frozen=True)
class Fractions:
    """The solution: ``numerators[k] / denominator`` of every unknown, in lowest terms or not."""

    numerators: list[int]
    denominator: int


def loops(rows: IntArray, targets: IntArray, partner: IntArray) -> IntArray:
    """Return the unknowns, ascending, to which an earlier equation refers.

    The equation of ``rows[i]`` refers to ``targets[i]``; both have the same shape.
    """
    later = (targets > rows) & (targets != partner[rows])
    return np.unique(targets[later])


def solve_in_fractions(
    system: System, progress: Callable[[int], None] = lambda _: None
) -> Fractions:
    """Solve a system that has a unique solution, with all unknowns from 0 to 1.

    ``progress`` is called with the number of digits found.

    Raises
    ------
    UrcxError
        If the solution is not unique, as far as four primes can tell.
    """
    for c in PRIMES:
        lifting = _prepared(system, c)
        if lifting is not None:
            return lifting.solve(progress)
    raise UrcxError("the equations have no one solution")


def _prepared(system: System, c: int) -> _Lifting | None:
    """Return the factors that solve a system modulo 2^31 - c, or None if it is singular there."""
    n = len(system.partner)
    rows = np.broadcast_to(np.arange(n)[:, None], system.targets.shape)
    blocks = np.empty((n, 2), np.int64)
    if not modular_kernels.invert_blocks(
        system.scale, system.targets, system.weights, system.partner, c, blocks
    ):
        return None
    again = loops(rows, system.targets, system.partner)
    inside = (system.targets == rows) | (system.targets == system.partner[rows])
    known = np.where(inside, 0, system.weights)
    # Guesses for the loops are stored after the unknowns.
    sources = np.where(
        (system.targets > rows) & ~inside,
        n + np.searchsorted(again, system.targets),
        system.targets,
    )
    matrix = np.zeros((len(again), len(again)), np.int64)
    for first in range(0, len(again), COLUMNS):
        width = min(COLUMNS, len(again) - first)
        found = np.zeros((n + len(again), width), np.int64)
        found[n + first + np.arange(width), np.arange(width)] = 1
        modular_kernels.substitute_many(sources, known, system.partner, blocks, c, found)
        matrix[:, first : first + width] = -found[again]
    matrix[np.diag_indices(len(again))] += 1
    matrix %= (1 << modular_kernels.BITS) - c
    if not modular_kernels.invert(matrix, c):
        return None
    own = system.scale, system.targets, system.weights, system.constants, system.partner
    return _Lifting(system, modular_kernels.Solver(*own, c, sources, known, blocks, matrix, again))


@dataclass(frozen=True)
class _Lifting:
    """A system with everything that lifting needs."""

    system: System
    solver: modular_kernels.Solver

    @property
    def prime(self) -> int:
        return (1 << modular_kernels.BITS) - self.solver.c

    def solve(self, progress: Callable[[int], None]) -> Fractions:
        """Return the solution."""
        n = len(self.system.partner)
        draw = random.Random(0)  # noqa: S311 - any numbers do
        mixing = np.array(
            [[draw.randrange(MIXING) for _ in range(n)] for _ in range(COMBINATIONS)], np.int64
        )
        rest = np.zeros(n, np.int64)
        digits = np.empty((0, COMBINATIONS), np.int64)
        factor = np.ones(1, np.int64)
        more = FIRST_DIGITS
        for _ in range(MOST_ATTEMPTS):
            digits = np.vstack([digits, self._mixed(factor, more, rest, mixing)])
            factor = np.zeros(0, np.int64)
            progress(len(digits))
            denominator = self._denominator(digits)
            if denominator:
                found = self._integers(denominator, progress, len(digits))
                if found is not None:
                    return Fractions(found, denominator)
            more = int(len(digits) * (GROWTH - 1.0)) + 1
        raise UrcxError("no fractions were found for the solution")

    def _mixed(self, factor: IntArray, number: int, rest: IntArray, mixing: IntArray) -> IntArray:
        """Return the next digits of the combinations, and update the residual."""
        mixed = np.zeros((number, len(mixing)), np.int64)
        factor = np.pad(factor, (0, number - len(factor)))
        unused = np.empty((0, 0), np.uint32)
        modular_kernels.lift(self.solver, factor, rest, mixing, mixed, unused)
        return mixed

    def _denominator(self, digits: IntArray) -> int:
        """Return the common denominator of the combinations, or 0 if there are too few digits."""
        modulus = self.prime ** len(digits)
        powers = _powers(self.prime, len(digits))
        denominator = 1
        for column in digits.T:
            value = _joined(column.tolist(), powers) * denominator % modulus
            own = _fraction(value, modulus)
            if not own:
                return 0
            denominator *= own
        return denominator

    def _integers(
        self, denominator: int, progress: Callable[[int], None], before: int
    ) -> list[int] | None:
        """Return the solution times the denominator, or None if it is not integral."""
        n = len(self.system.partner)
        factor = np.array(_digits(denominator, self.prime), np.int64)
        digits = np.empty((len(factor), n), np.uint32)
        rest = np.zeros(n, np.int64)
        nothing = np.empty((0, n), np.int64)
        for first in range(0, len(factor), FIRST_DIGITS):
            part = slice(first, first + FIRST_DIGITS)
            some = factor[part]
            unused = np.empty((len(some), 0), np.int64)
            modular_kernels.lift(self.solver, some, rest, nothing, unused, digits[part])
            progress(before + first + len(some))
        if rest.any():
            return None
        return integers(digits, self.prime)


def _fraction(value: int, modulus: int) -> int:
    """Return the denominator of the small fraction congruent to ``value`` modulo ``modulus``.

    Returns 0 if there is none. A fraction is small if the product of numerator and denominator is
    `SPARE_BITS` shorter than the modulus: at most one is, and for a random value practically never
    any.
    """
    most = isqrt(modulus >> SPARE_BITS)
    room = modulus.bit_length() - SPARE_BITS
    # Euclid's algorithm: each remainder is factor * value modulo the modulus.
    before, rest = modulus, value
    passed, factor = 0, 1
    while abs(factor) <= most:
        if rest.bit_length() + factor.bit_length() < room:
            return abs(factor) // gcd(factor, rest)
        quotient, left = divmod(before, rest)
        before, rest = rest, left
        passed, factor = factor, passed - quotient * factor
    return 0


def _powers(base: int, digits: int) -> list[int]:
    """Return a base, its square, the square of that and so on, as `_joined` takes them."""
    powers = [base]
    while 1 << len(powers) < digits:
        powers.append(powers[-1] ** 2)
    return powers


def _joined(digits: list[int], powers: list[int]) -> int:
    """Return the sum of ``digits[k] * powers[0]**k``; digits may be of any size."""
    for power in powers:
        pairs = zip_longest(digits[::2], digits[1::2], fillvalue=0)
        digits = [low + power * high for low, high in pairs]
    return digits[0]


def integers(digits: NDArray[np.uint32], base: int) -> list[int]:
    """Return for each column the sum of ``digits[k, column] * base**k``."""
    limbs = np.empty((digits.shape[1], TOGETHER), np.uint32)
    parts: list[list[int]] = []
    for first in range(0, len(digits), TOGETHER):
        modular_kernels.pack(digits[first : first + TOGETHER], base, limbs)
        parts.append([int.from_bytes(row.tobytes(), "little") for row in limbs.astype("<u4")])
    powers = _powers(base**TOGETHER, len(parts))
    return [_joined(list(column), powers) for column in zip(*parts, strict=True)]


def _digits(value: int, base: int) -> list[int]:
    """Return the digits of a number, least significant first."""
    powers = [base]
    while powers[-1] ** 2 <= value:
        powers.append(powers[-1] ** 2)
    parts = [value]
    for power in reversed(powers):
        parts = [digit for part in parts for digit in divmod(part, power)[::-1]]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return parts
