"""Sparse systems of linear equations with integer coefficients, solved in exact fractions.

The system. Unknown k has ``scale * x[k] = constants[k] + sum over r of weights[k, r] *
x[targets[k, r]]``, all in integers. Unknowns are numbered so that most equations lead to earlier
ones: beside these they may lead to the unknown itself, to its partner (the one before or behind it,
and each other's), and to a few later ones, the loops.

Modulo a prime. Were the loops' values known, one pass from first to last would solve the system, a
partner pair at a time. What a pass makes of guesses for the loops is linear, so that a dense system
over the loops alone remains; its matrix is inverted once, and each right-hand side then takes two
passes and a product with the inverse.

Lifting (J. D. Dixon, 1982). A solution modulo the prime p gives the last digit, in base p, of the
true one; what is left of the right-hand side divided by p is the right-hand side for the next
digit. The digits of some random integer combinations of all unknowns are put together until each
is a fraction n / d with n and d so small that no other fits; the d's least common multiple is taken
for the common denominator D. Then the system is lifted again with its right-hand side times D: its
solution is integers, as long as D.

Proof. After k digits of that second lifting, the numbers N that they make satisfy the system times
D exactly if and only if nothing is left of its right-hand side. This is looked at, so the result is
right whatever the random combinations were; a D that was too small is noticed and made greater.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from math import gcd, isqrt

import numpy as np
from numpy.typing import NDArray

from urcx.errors import UrcxError
from urcx.solving.exact import modular_kernels

IntArray = NDArray[np.int64]

# Below 2^31: primes are 2^31 minus these.
PRIMES = (1, 19, 61, 69)
COMBINATIONS = 16
MIXING = 1 << 10  # weights of a combination are below
FIRST_DIGITS = 32
GROWTH = 1.4  # of the digits between attempts to read fractions
SPARE_BITS = 64  # how much smaller a fraction must be than what could be any
MOST_ATTEMPTS = 60
COLUMNS = 32  # of the loops' matrix, at a time
TOGETHER = 128  # digits that compiled code puts together


@dataclass(frozen=True)
class System:
    """A system as above, of n unknowns.

    ``targets`` and ``weights`` have a row for each unknown, ``partner`` and ``constants`` an entry;
    an unknown without a partner is its own. Weights are smaller than 2^24 in amount.
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
    """Return the unknowns, ascending, that an equation before theirs leads to.

    The equation of ``rows[i]`` leads to ``targets[i]``; both have the same shape.
    """
    later = (targets > rows) & (targets != partner[rows])
    return np.unique(targets[later])


def solve_in_fractions(system: System, progress: Callable[[int], None] | None = None) -> Fractions:
    """Solve a system whose solution is known to be one, with all unknowns from 0 to 1.

    ``progress`` is called with the number of digits found.

    Raises
    ------
    UrcxError
        If there is no one solution, as far as four primes can tell.
    """
    for c in PRIMES:
        lifting = _prepared(system, c)
        if lifting is not None:
            return lifting.solve(progress or (lambda _: None))
    raise UrcxError("the equations have no one solution")


def _prepared(system: System, c: int) -> _Lifting | None:
    """Return what solves a system modulo 2^31 - c, or None where the prime does not do."""
    n = len(system.partner)
    rows = np.broadcast_to(np.arange(n)[:, None], system.targets.shape)
    blocks = np.empty((n, 2), np.int64)
    own = system.scale, system.targets, system.weights, system.partner
    if not modular_kernels.invert_blocks(*own, c, blocks):
        return None
    again = loops(rows, system.targets, system.partner)
    inside = (system.targets == rows) | (system.targets == system.partner[rows])
    known = np.where(inside, 0, system.weights)
    # Guesses for the loops stand behind the unknowns.
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
    return _Lifting(system, c, sources, known, blocks, matrix, again)


@dataclass(frozen=True)
class _Lifting:
    """A system with all that its lifting takes."""

    system: System
    c: int
    sources: IntArray
    known: IntArray
    blocks: IntArray
    inverse: IntArray
    again: IntArray

    @property
    def prime(self) -> int:
        return (1 << modular_kernels.BITS) - self.c

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
        """Return the next digits of the combinations; renew what is left of the right side."""
        mixed = np.zeros((number, len(mixing)), np.int64)
        self._lift(_padded(factor, number), rest, mixing, mixed, np.empty((0, 0), np.uint32))
        return mixed

    def _lift(
        self,
        factor: IntArray,
        rest: IntArray,
        mixing: IntArray,
        mixed: IntArray,
        digits: NDArray[np.uint32],
    ) -> None:
        own = self.system
        modular_kernels.lift(
            own.scale, own.targets, own.weights, self.sources, self.known, own.partner,
            self.blocks, self.inverse, self.again, self.c,
            own.constants, factor, rest, mixing, mixed, digits,
        )  # fmt: skip

    def _denominator(self, digits: IntArray) -> int:
        """Return the combinations' common denominator, or 0 if there are too few digits."""
        modulus = self.prime ** len(digits)
        denominator = 1
        for column in digits.T:
            value = _joined(column.tolist(), self.prime) * denominator % modulus
            own = _fraction(value, modulus)
            if not own:
                return 0
            denominator *= own
        return denominator

    def _integers(
        self, denominator: int, progress: Callable[[int], None], before: int
    ) -> list[int] | None:
        """Return the solution times the denominator, or None if it is not integers."""
        n = len(self.system.partner)
        factor = np.array(_digits(denominator, self.prime), np.int64)
        digits = np.empty((len(factor), n), np.uint32)
        rest = np.zeros(n, np.int64)
        nothing = np.empty((0, n), np.int64)
        for first in range(0, len(factor), FIRST_DIGITS):
            part = slice(first, first + FIRST_DIGITS)
            some = factor[part]
            self._lift(some, rest, nothing, np.empty((len(some), 0), np.int64), digits[part])
            progress(before + first + len(some))
        if rest.any():
            return None
        return integers(digits, self.prime)


def _padded(digits: IntArray, number: int) -> IntArray:
    found = np.zeros(number, np.int64)
    found[: len(digits)] = digits
    return found


def _fraction(value: int, modulus: int) -> int:
    """Return the denominator of the one small fraction that ``value`` is modulo ``modulus``.

    0 if there is none. Small is a fraction from 1 upwards whose numerator times denominator is
    `SPARE_BITS` shorter than the modulus: there can only be one, and by chance there is none.
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


def _joined(digits: list[int], base: int) -> int:
    """Return the sum of ``digits[k] * base**k``; digits may be of any size."""
    while len(digits) > 1:
        digits = _paired(digits, base)
        base *= base
    return digits[0]


def _paired(digits: list[int], base: int) -> list[int]:
    """Return the digits of the same number in the square of the base."""
    pairs = zip_longest(digits[::2], digits[1::2], fillvalue=0)
    return [low + base * high for low, high in pairs]


def integers(digits: NDArray[np.uint32], base: int) -> list[int]:
    """Return for each column the sum of ``digits[k, column] * base**k``."""
    limbs = np.empty((digits.shape[1], TOGETHER), np.uint32)
    parts: list[list[int]] = []
    for first in range(0, len(digits), TOGETHER):
        modular_kernels.pack(digits[first : first + TOGETHER], base, limbs)
        parts.append([int.from_bytes(row.tobytes(), "little") for row in limbs.astype("<u4")])
    powers = [base**TOGETHER]
    while 1 << len(powers) < len(parts):
        powers.append(powers[-1] ** 2)
    found = []
    for column in zip(*parts, strict=True):
        own = list(column)
        for power in powers:
            own = _paired(own, power)
        found.append(own[0])
    return found


def _digits(value: int, base: int) -> list[int]:
    """Return the digits of a number, the last first."""
    powers = [base]
    while powers[-1] ** 2 <= value:
        powers.append(powers[-1] ** 2)
    parts = [value]
    for power in reversed(powers):
        parts = [digit for part in parts for digit in divmod(part, power)[::-1]]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return parts
