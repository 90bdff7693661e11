"""Polynomials of counts in exact Python integers, truncated at the numbers of pieces.

A polynomial is a dict from exponents to coefficients. The exponents count the pieces of each kind,
and the coefficient is the number of ways to have them, so ``{(0, 0): 1, (1, 0): 2, (0, 1): 1}`` is
1 + 2x + y: an empty tile, a light piece in one of two ways, or a dark piece.

With ``named`` pieces, the coefficients count the ways to have pieces that differ from each other.
Then two sets of pieces can be divided in binomially many ways, and products take the binomials into
account.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import comb, prod
from operator import add, le, sub

Exponents = tuple[int, ...]
Polynomial = dict[Exponents, int]


def truncated_power(
    base: Polynomial, times: int, limits: Sequence[int] | None = None, *, named: bool = False
) -> Polynomial:
    """Return a polynomial to the power ``times``, without the terms above the ``limits``.

    The constant term of ``base`` must not be 0. Euler's recurrence gives each coefficient from the
    ones before it: for Q = P^n, the derivatives satisfy P Q' = n P' Q. So a power takes one product
    for each term of P and Q, however large n is.
    """
    count = len(next(iter(base)))
    zero = (0,) * count
    constant = base[zero]
    terms = [(f, ways) for f, ways in base.items() if f != zero and ways]
    tops = [times * max((f[v] for f, _ in terms), default=0) for v in range(count)]
    if limits is not None:
        tops = [min(pair) for pair in zip(tops, limits, strict=True)]
    result = {zero: constant**times}
    for e in product(*(range(top + 1) for top in tops)):
        if e == zero:
            continue
        v = next(v for v in range(count) if e[v])
        total = 0
        for f, ways in terms:
            before = result.get(tuple(map(sub, e, f)))
            if before:
                term = ways * before * ((times + 1) * f[v] - e[v])
                total += term * prod(map(comb, e, f)) if named else term
        if total:
            result[e] = total // (constant * e[v])
    return result


def truncated_product(
    factors: Iterable[Polynomial], limits: Sequence[int] | None = None, *, named: bool = False
) -> Polynomial:
    """Return the product of at least one polynomial, without the terms above the ``limits``."""
    first, *others = factors
    result = first
    for factor in others:
        terms, result = result, {}
        for e, ways in terms.items():
            for f, more in factor.items():
                both = tuple(map(add, e, f))
                if limits is None or all(map(le, both, limits)):
                    term = ways * more * prod(map(comb, both, f)) if named else ways * more
                    result[both] = result.get(both, 0) + term
    return result
