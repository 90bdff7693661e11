"""What a quantity is, and the values that are more than a number: samples, ranges, words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from urcx.complexity.game_tree import Z95, plus_minus

Params = dict[str, Any]


def _half_unit(printed: Decimal) -> Fraction:
    """Return half of the last digit of a printed number."""
    return Fraction(10) ** int(printed.as_tuple().exponent) / 2


@dataclass(frozen=True)
class Sampled:
    """A mean of games; ``error`` is the standard error of what a printed figure may differ by.

    That is its own, and that of the games the printed figure comes from.
    """

    value: float
    error: float

    def __str__(self) -> str:
        """Return the mean with the half width of its 95 % interval."""
        return plus_minus(f"{self.value:.5g}", f"{Z95 * self.error:.2g}")

    def __mul__(self, factor: Fraction) -> Sampled:
        """Return the same in other units."""
        return Sampled(self.value * float(factor), self.error * float(factor))

    def allows(self, printed: Decimal) -> bool:
        """Return whether a printed figure lies within 95 %, but for its rounding."""
        return abs(float(printed) - self.value) <= Z95 * self.error + float(_half_unit(printed))


@dataclass(frozen=True)
class Ranged:
    """All values from ``low`` to ``high``: what a source means leaves them open."""

    low: float
    high: float

    def __str__(self) -> str:
        """Return the ends."""
        return f"{self.low:.6g} to {self.high:.6g}"

    def __mul__(self, factor: Fraction) -> Ranged:
        """Return the same in other units."""
        return Ranged(self.low * float(factor), self.high * float(factor))

    def allows(self, printed: Decimal) -> bool:
        """Return whether a printed figure lies within, but for its rounding."""
        half = float(_half_unit(printed))
        return self.low - half <= float(printed) <= self.high + half


@dataclass(frozen=True)
class Worded:
    """A finding in the words that a source could have printed, with the numbers behind it."""

    words: str
    numbers: str

    def __str__(self) -> str:
        """Return the words and, in brackets, the numbers."""
        return f"{self.words} ({self.numbers})"


Value = int | float | Fraction | str | Sampled | Ranged | Worded


def _none(_: Params) -> Iterator[Any]:
    return iter(())


@dataclass(frozen=True)
class Quantity:
    """How to compute a quantity, and what else its words may mean.

    ``variants`` are slips that a source may have made: other forms, pieces, paths or tiles, each
    with a cost, so that the nearest one that gives the printed figure can be named. ``readings``
    are other meanings of the same words, each in words. ``unit`` says which of the ways to read a
    number (``urcx/published/data/readings.toml``) apply besides.
    """

    compute: Callable[[Params], Value]
    variants: Callable[[Params], Iterator[tuple[float, Params]]] = _none
    readings: Callable[[Params], Iterator[tuple[str, Params]]] = _none
    unit: str = ""
