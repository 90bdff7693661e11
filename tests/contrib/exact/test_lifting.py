"""Exact linear algebra against elimination in fractions, its kernels against Python integers."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from urcx.contrib.exact import lifting, modular_kernels
from urcx.contrib.exact.lifting import System, solve_in_fractions
from urcx.errors import UrcxError


def eliminated(system: System) -> list[Fraction]:
    """Solve a system by elimination in fractions, from its equations as they are written."""
    n = len(system.partner)
    rows = [[Fraction(0)] * n + [Fraction(int(b))] for b in system.constants]
    for k, row in enumerate(rows):
        row[k] += system.scale
        for target, weight in zip(system.targets[k], system.weights[k], strict=True):
            row[int(target)] -= int(weight)
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[n] for row in rows]


def game(n: int, seed: int, scale: int = 16) -> System:
    """Return the equations of a random game: any unknown may lead to any other."""
    draw = random.Random(seed)
    shares = [3, 6, scale - 9]
    targets = np.zeros((n, 3), np.int64)
    weights = np.zeros((n, 3), np.int64)
    constants = np.zeros(n, np.int64)
    partner = np.arange(n)
    for k in range(0, n - 1, 2):
        if draw.random() < 0.7:
            partner[[k, k + 1]] = k + 1, k
    for k in range(n):
        for r, share in enumerate(shares):
            kind = draw.random()
            targets[k, r] = k if kind < 0.15 else draw.choice([draw.randrange(n), partner[k]])
            if kind < 0.15:
                constants[k] += draw.choice([0, share])
            elif kind < 0.6:
                weights[k, r] = share
            else:
                weights[k, r] = -share
                constants[k] += share
    return System(scale, targets, weights, constants, partner)


@pytest.mark.parametrize(("n", "seed"), [(1, 3), (2, 1), (9, 2), (24, 3), (40, 4)])
def test_random_systems(n: int, seed: int) -> None:
    system = game(n, seed)
    found = solve_in_fractions(system)
    expected = eliminated(system)
    assert [Fraction(x, found.denominator) for x in found.numerators] == expected
    rows = np.repeat(np.arange(n)[:, None], 3, axis=1)
    assert len(lifting.loops(rows, system.targets, system.partner)) > 0 or n < 3


def test_every_prime_gives_the_same() -> None:
    system = game(20, 7)
    expected = eliminated(system)
    for c in lifting.PRIMES:
        prepared = lifting._prepared(system, c)
        assert prepared is not None
        found = prepared.solve(lambda _: None)
        assert [Fraction(x, found.denominator) for x in found.numerators] == expected


def test_a_system_without_one_solution_is_refused() -> None:
    # x = y and y = x, as a block and as loops.
    weights, constants = np.array([[3], [3], [3]]), np.zeros(3, np.int64)
    for partner in ([1, 0, 2], [0, 1, 2]):
        system = System(3, np.array([[1], [0], [0]]), weights, constants, np.array(partner))
        with pytest.raises(UrcxError, match="no one solution"):
            solve_in_fractions(system)


def test_a_wrong_denominator_is_noticed() -> None:
    # The residual decides, not the random combinations.
    system = game(12, 5)
    prepared = lifting._prepared(system, 1)
    assert prepared is not None
    right = prepared.solve(lambda _: None)
    assert prepared._integers(right.denominator, lambda _: None, 0) == right.numerators
    assert prepared._integers(2 * right.denominator, lambda _: None, 0) is not None
    assert prepared._integers(right.denominator - 1, lambda _: None, 0) is None


def test_it_gives_up_some_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifting, "MOST_ATTEMPTS", 3)
    monkeypatch.setattr(lifting, "_fraction", lambda *_: 1)  # always too small a denominator
    with pytest.raises(UrcxError, match="no fractions"):
        solve_in_fractions(game(12, 5))


def test_progress_counts_digits() -> None:
    calls: list[int] = []
    solve_in_fractions(game(12, 5), calls.append)
    assert calls == sorted(calls)
    assert calls[-1] > lifting.FIRST_DIGITS


@pytest.mark.parametrize("c", lifting.PRIMES)
def test_residues_at_the_edges(c: int) -> None:
    prime = 2**31 - c
    # Each is a prime: no a^(p-1) differs from 1 for these a, and none is divisible by a small one.
    assert all(pow(a, prime - 1, prime) == 1 for a in (2, 3, 5, 7, 11, 13))
    for x in (0, 1, prime - 1, prime, prime + 1, 2**31, (prime - 1) ** 2, 2**62 - 1):
        assert int(modular_kernels.residue(np.int64(x), c)) == x % prime
    for x in (2, prime - 1, prime // 2, 123_456_789):
        assert int(modular_kernels.power(np.int64(x), 12345, c)) == pow(x, 12345, prime)


def test_inverse_of_a_matrix_with_zero_pivots() -> None:
    draw = np.random.default_rng(1)
    prime = 2**31 - 19
    matrix = draw.integers(0, prime, (9, 9))
    matrix[:5, :5] = np.triu(matrix[:5, :5], 2)
    inverse = matrix.copy()
    assert modular_kernels.invert(inverse, 19)
    product = [
        [
            sum(int(a) * int(b) for a, b in zip(row, column, strict=True)) % prime
            for column in inverse.T
        ]
        for row in matrix
    ]
    assert product == np.eye(9, dtype=int).tolist()
    matrix[3] = matrix[4]
    assert not modular_kernels.invert(matrix, 19)


def test_digits_are_put_together() -> None:
    draw = random.Random(2)
    base = 2**31 - 1
    values = [0, 1, base - 1, base, base**300 - 1, draw.randrange(base**290)]
    rows = [lifting._digits(value, base) for value in values]
    table = np.zeros((300, len(values)), np.uint32)
    for k, row in enumerate(rows):
        table[: len(row), k] = row
    assert lifting.integers(table, base) == values
    assert [lifting._joined(row, lifting._powers(base, len(row))) for row in rows] == values


def test_fractions_are_read_or_refused() -> None:
    modulus = (2**31 - 1) ** 12
    fraction = Fraction(3**70 + 1, 7**30)
    value = fraction.numerator * pow(fraction.denominator, -1, modulus) % modulus
    assert lifting._fraction(value, modulus) == fraction.denominator
    assert lifting._fraction(5, modulus) == 1
    assert lifting._fraction(0, modulus) == 1
    assert lifting._fraction(7**130 % modulus, modulus) == 0
