"""The states of other games again, by sympy: closed expressions, expanded as power series.

Nothing here uses `urcx.complexity.polynomials`. The contents of a tile are a closed expression,
such as 1/(1-x) + 1/(1-y) - 1, which LaTeX prints. Sympy expands it as a polynomial, whose powers
are taken by repeated squaring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from math import factorial, prod
from typing import Any

import sympy as sp

from urcx.complexity.board_games import BoardGame, Setup, TileGroup

Factors = list[tuple[Any, int]]  # expressions with their powers


def _contents(setup: Setup, tiles: TileGroup, cycle: int) -> Any:
    """Return the expression of a tile's contents, or of a cycle of tiles with equal contents."""
    total = sp.Integer(1)
    for kind, letters in tiles.kinds.items():
        pieces = [sp.Mul(*map(sp.Symbol, setup.counted.get(name, name))) for name in letters]
        series = [sp.exp(piece) if setup.named else 1 / (1 - piece) for piece in pieces]
        if kind == "choice":
            total += sp.Add(*(piece**cycle for piece in pieces))
        elif kind == "column":
            total += sp.Add(*(sp.Add(*pieces) ** (level + 1) for level in range(tiles.height)))
        elif kind == "shared":
            total += sp.Mul(*series) - 1
        else:
            total += sp.Add(*series) - len(series)
    return total


def _terms(board: BoardGame, setup: Setup) -> Iterator[tuple[int, Factors]]:
    """Yield the products whose mean is the generating function, each with its weight."""
    for symmetry in board.symmetries:
        cycles = symmetry["cycles"].items()
        yield (
            symmetry["of"],
            [(_contents(setup, setup.tiles[0], int(cycle)), number) for cycle, number in cycles],
        )
    if not board.symmetries:
        yield 1, [(_contents(setup, tiles, 1), tiles.number) for tiles in setup.tiles]


def series_states(board: BoardGame, pieces: int | None = None) -> int | None:
    """Return the number of states, by sympy alone, or None if the game is only cited."""
    if not board.tiles:
        return None
    setup = board.setup(pieces)
    counts = [(weight, _coefficients(setup, factors)) for weight, factors in _terms(board, setup)]
    whole = sum(weight * count for weight, count in counts)
    return whole // sum(weight for weight, _ in counts) - setup.without


def _coefficients(setup: Setup, factors: Factors) -> int:
    """Return the sum of the coefficients of a product that meet the conditions."""
    names = setup.variables or ("t",)  # a ring needs a variable
    limits = setup.limits or (0,)
    symbols = sp.symbols(names)
    domain = sp.QQ if setup.named else sp.ZZ
    ring = sp.ring(names, domain)[0]
    expanded = []
    for expression, times in factors:
        for factor in sp.Mul.make_args(expression):
            rest = dict.fromkeys(factor.free_symbols - {*symbols}, 1)
            series = _truncated(factor.subs(rest), dict(zip(symbols, limits, strict=True)))
            base = ring.from_dict(dict(sp.Poly(series, *symbols, domain=domain).terms()))
            expanded.append(_power(_cut(base, limits), times, limits))
    result = 0
    for exponents, ways in reduce(lambda a, b: _cut(a * b, limits), expanded).terms():
        totals = exponents[: len(setup.variables)]
        if setup.allows(totals):
            result += int(ways * prod(map(factorial, totals)) if setup.named else ways)
    return result


def _truncated(expression: Any, limits: dict[Any, int]) -> Any:
    """Return an expression with polynomials instead of 1/(1-m) and exp(m), m a monomial."""

    def series(piece: Any, *, named: bool) -> Any:
        degrees = piece.as_powers_dict()
        most = min(limits[symbol] // int(degree) for symbol, degree in degrees.items())
        return sp.Add(*(piece**n / (sp.factorial(n) if named else 1) for n in range(most + 1)))

    return expression.replace(
        lambda part: part.is_Pow and part.exp == -1,
        lambda part: series(1 - part.base, named=False),
    ).replace(lambda part: isinstance(part, sp.exp), lambda part: series(part.args[0], named=True))


def _cut(polynomial: Any, limits: Sequence[int]) -> Any:
    """Return a polynomial without the terms above the limits."""
    return polynomial.ring.from_dict(
        {
            exponents: ways
            for exponents, ways in polynomial.terms()
            if all(n <= most for n, most in zip(exponents, limits, strict=True))
        }
    )


def _power(base: Any, times: int, limits: Sequence[int]) -> Any:
    """Return a truncated power, by repeated squaring."""
    result = base.ring.one
    for digit in f"{times:b}":
        result = _cut(result * result, limits)
        if digit == "1":
            result = _cut(result * base, limits)
    return result


def formula(board: BoardGame, pieces: int | None = None) -> str:
    """Return the generating function in LaTeX, after the conditions on the exponents."""
    if not board.tiles:
        return ""
    setup = board.setup(pieces)
    conditions = [
        f"{name} = {low}" if low == high else rf"{low} \le {name} \le {high}"
        for name, (low, high) in setup.totals.items()
    ]
    if setup.alternate:
        conditions.append(rf"0 \le {' - '.join(setup.alternate)} \le 1")
    products = []
    for weight, factors in _terms(board, setup):
        bases = [(rf"\left({sp.latex(base)}\right)", times) for base, times in factors]
        text = " ".join(base + (f"^{{{times}}}" if times > 1 else "") for base, times in bases)
        products.append(text if weight == 1 else f"{weight} {text}")
    text = " + ".join(products)
    if board.symmetries:
        whole = sum(symmetry["of"] for symmetry in board.symmetries)
        text = rf"\frac{{1}}{{{whole}}} \left[{text}\right]"
    text = rf"[{', '.join(conditions)}] \; {text}" if conditions else rf"{text} \Big|_{{x = y = 1}}"
    return f"{text} - {setup.without}" if setup.without else text
