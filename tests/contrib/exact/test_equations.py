"""The solver of equations in fractions, against elimination in fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from urcx.contrib.exact import equations
from urcx.contrib.exact.equations import Fractions, System, denominator_of, solve_in_fractions
from urcx.errors import UrcxError


def eliminated(system: System) -> list[Fraction]:
    """Solve a system by elimination in fractions."""
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
    calls: list[int] = []
    solution = solve_in_fractions(system, calls.append)
    expected = eliminated(system)
    assert [Fraction(x, solution.denominator) for x in solution.numerators] == expected
    assert calls == sorted(calls)
    assert calls[0] == equations.FIRST_DIGITS * equations.BITS


def test_a_wrong_denominator_is_noticed_and_more_bits_are_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = game(12, 5)
    right = solve_in_fractions(system)
    true = equations._common_denominator
    wrong = iter([1, right.denominator - 1])
    monkeypatch.setattr(
        equations, "_common_denominator", lambda *given: next(wrong, 0) or true(*given)
    )
    assert solve_in_fractions(system) == right
    monkeypatch.setattr(equations, "_common_denominator", lambda *_: 1)
    monkeypatch.setattr(equations, "MOST_ATTEMPTS", 3)
    with pytest.raises(UrcxError, match="fractions"):
        solve_in_fractions(system)


def test_games_too_long_for_floats_are_refused() -> None:
    # x = 2^-20 + (1 - 2^-20) y and y = (1 - 2^-20) z and so on: nearly singular.
    most = 2**20
    targets = np.array([[1], [2], [0]])
    weights = np.array([[most - 1], [most], [most]])
    system = System(most, targets, weights, np.array([1, 0, 0]), np.arange(3))
    with pytest.raises(UrcxError, match="too long"):
        solve_in_fractions(system)


def test_digits_are_put_together() -> None:
    digits = np.array([[1, 0, -1], [5, -(2**33), 7], [2**40, 3, 2**32 - 1]])
    base = 1 << equations.BITS
    expected = [
        4 * base**3 + sum(int(row[k]) * base ** (2 - i) for i, row in enumerate(digits))
        for k in range(3)
    ]
    assert equations._append_digits([4, 4, 4], digits) == expected


def test_denominators_are_read_or_refused() -> None:
    bits, fraction = 372, Fraction(3**70 + 1, 7**30)
    for error in (0, 3, -3):
        value = (fraction.numerator << bits) // fraction.denominator + error
        assert denominator_of(value, bits) == fraction.denominator
    assert denominator_of(5 << bits, bits) == denominator_of((5 << bits) - 1, bits) == 1
    assert denominator_of(0, bits) == 1
    assert denominator_of(7**130, bits) == 0


def test_fractions_satisfy_every_equation_or_are_refused() -> None:
    system = game(20, 7)
    solution = solve_in_fractions(system)
    assert equations._satisfies(system, solution.numerators, solution.denominator)
    for k in range(20):
        wrong = [value + (i == k) for i, value in enumerate(solution.numerators)]
        assert not equations._satisfies(system, wrong, solution.denominator)
    assert isinstance(solution, Fractions)
