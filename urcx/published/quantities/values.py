"""Quantities, and values that are more than a number: samples, ranges and words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from typing import Any, TypeVar

from urcx.complexity.game_tree import Z95, plus_minus
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

Params = dict[str, Any]
T = TypeVar("T")
UNLUCKY = 0.01  # the chance that any sample of the sources is called wrong that was only unlucky


def allowance(samples: int) -> float:
    """Return how many standard errors off each of so many samples may be, by Sidak's rule.

    Independent samples all lie within it with a chance of 1 - `UNLUCKY`.
    """
    each = (1.0 - UNLUCKY) ** (1 / max(samples, 1))
    return NormalDist().inv_cdf((1.0 + each) / 2)


def rules_from(params: Params) -> RuleSet:
    """Return the rule set of a quantity, with its number of pieces if that is given."""
    rules = catalogue.ruleset(params["rules"])
    return replace(rules, pieces=params["pieces"]) if "pieces" in params else rules


def half_unit(printed: Decimal) -> Fraction:
    """Return half a unit of the last digit of a printed number."""
    return Fraction(10) ** int(printed.as_tuple().exponent) / 2


@dataclass(frozen=True)
class Sampled:
    """A mean of games; ``error`` is the standard error of its difference from the printed figure.

    The error combines that of the mean with that of the games behind the printed figure.
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
        """Return whether a printed figure, give or take its rounding, lies in the 95 % interval."""
        return self.off(printed) <= Z95

    def off(self, printed: Decimal) -> float:
        """Return how many standard errors a printed figure is off, give or take its rounding."""
        beyond = abs(float(printed) - self.value) - float(half_unit(printed))
        return beyond / self.error if beyond > 0 else 0.0


@dataclass(frozen=True)
class Ranged:
    """A range of values: the source leaves open which it means."""

    low: float
    high: float

    def __str__(self) -> str:
        """Return both ends."""
        return f"{self.low:.6g} to {self.high:.6g}"

    def __mul__(self, factor: Fraction) -> Ranged:
        """Return the same in other units."""
        return Ranged(self.low * float(factor), self.high * float(factor))

    def allows(self, printed: Decimal) -> bool:
        """Return whether a printed figure lies in the range, allowing for its rounding."""
        half = float(half_unit(printed))
        return self.low - half <= float(printed) <= self.high + half


@dataclass(frozen=True)
class Worded:
    """A result in words that a source could have printed, with the numbers behind it."""

    words: str
    numbers: str

    def __str__(self) -> str:
        """Return the words, with the numbers in brackets."""
        return f"{self.words} ({self.numbers})"


Value = int | float | Fraction | str | Sampled | Ranged | Worded


def changed(*changes: tuple[T, Params]) -> Callable[[Params], Iterator[tuple[T, Params]]]:
    """Return a function that yields parameters with each change, behind its words or cost."""
    return lambda params: ((about, {**params, **change}) for about, change in changes)


NONE: Callable[[Params], Iterator[tuple[Any, Params]]] = changed()


@dataclass(frozen=True)
class Quantity:
    """How to compute a quantity, and other possible meanings.

    ``variants`` are slips that a source may have made: other forms, pieces, paths or tiles, each
    with a cost, so that the nearest one that gives the printed figure can be named. ``readings``
    are other meanings of the source's words, with a description. ``unit`` selects the readings of
    numbers in ``urcx/published/data/readings.toml`` that apply as well.

    ``again`` computes in minutes, from the rule set's tablebase, a number on which the quantity
    rests; ``compute`` finds it as the text ``found`` in its parameters.
    """

    compute: Callable[[Params], Value]
    variants: Callable[[Params], Iterator[tuple[float, Params]]] = NONE
    readings: Callable[[Params], Iterator[tuple[str, Params]]] = NONE
    unit: str = ""
    again: Callable[[Params, Path], int | float | Fraction] | None = None
