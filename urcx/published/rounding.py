"""Computed values, and the rule of rounding that compares them with printed figures.

All printed digits are significant, except leading zeros (0.10 has two, 137,913,936 has nine, 5.0e9
has two). A computed value gives the printed figure if both are equal after rounding to the same
number of significant digits, halves away from zero. If final zeros are not significant ("141
million", "once in 800"), the data have exponents: 141e6, 8e2. `READINGS` are other rules, which the
entry of a figure can name.

Other values than numbers are samples, ranges and words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, Context, Decimal
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from urcx.complexity.game_tree import Z95
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

Params = dict[str, Any]
UNLUCKY = 0.01  # probability that chance alone makes any sample of the sources fail


def allowance(samples: int) -> float:
    """Return the allowed deviation of each of ``samples`` samples, by Sidak's rule.

    It is in standard errors. All of these independent samples are within it with a probability of
    1 - `UNLUCKY`.
    """
    each = (1.0 - UNLUCKY) ** (1 / max(samples, 1))
    return NormalDist().inv_cdf((1.0 + each) / 2)


def rules_from(params: Params) -> RuleSet:
    """Return the rule set of a quantity, with the number of pieces in ``params`` if any."""
    rules = catalogue.ruleset(params["rules"])
    return replace(rules, pieces=params["pieces"]) if "pieces" in params else rules


def half_unit(printed: Decimal) -> Fraction:
    """Return half a unit of the last digit of a printed number."""
    return Fraction(10) ** int(printed.as_tuple().exponent) / 2


@dataclass(frozen=True)
class Sampled:
    """A mean of games. ``error`` is the standard error of its difference from the printed figure.

    It combines the errors of our games and of the source's games.
    """

    value: float
    error: float

    def __str__(self) -> str:
        """Return the mean with half the width of its 95 % interval."""
        return f"{self.value:.5g} ± {Z95 * self.error:.2g}"

    def __mul__(self, factor: Fraction) -> Sampled:
        """Return the mean in other units."""
        return Sampled(self.value * float(factor), self.error * float(factor))

    def allows(self, printed: Decimal) -> bool:
        """Return whether a printed figure is in the 95 % interval, allowing for its rounding."""
        return self.off(printed) <= Z95

    def off(self, printed: Decimal) -> float:
        """Return the deviation of a printed figure in standard errors, beyond its rounding."""
        beyond = abs(float(printed) - self.value) - float(half_unit(printed))
        return beyond / self.error if beyond > 0 else 0.0


@dataclass(frozen=True)
class Ranged:
    """A range of values, if the source does not define the figure completely."""

    low: float
    high: float

    def __str__(self) -> str:
        """Return both ends."""
        return f"{self.low:.6g} to {self.high:.6g}"

    def __mul__(self, factor: Fraction) -> Ranged:
        """Return the range in other units."""
        return Ranged(self.low * float(factor), self.high * float(factor))

    def allows(self, printed: Decimal) -> bool:
        """Return whether a printed figure is in the range, allowing for its rounding."""
        half = float(half_unit(printed))
        return self.low - half <= float(printed) <= self.high + half


@dataclass(frozen=True)
class Worded:
    """A result in words that a source could print, with the numbers behind it."""

    words: str
    numbers: str

    def __str__(self) -> str:
        """Return the words, with the numbers in brackets."""
        return f"{self.words} ({self.numbers})"


Value = int | float | Fraction | str | Sampled | Ranged | Worded


def number_printed(text: str) -> Decimal | None:
    """Return a printed number with its digits preserved, or None if it is not a number."""
    try:
        value = Decimal(text.replace(",", ""))
    except ArithmeticError:
        return None
    return value if value.is_finite() else None


def significant(printed: Decimal) -> int:
    """Return the number of significant digits of a printed number."""
    return len(printed.as_tuple().digits)


def rounded(value: Fraction, digits: int, how: str = ROUND_HALF_UP) -> Fraction:
    """Return a value rounded once, to ``digits`` significant digits."""
    context = Context(prec=digits, rounding=how)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def matches(value: Value, printed: str) -> bool:
    """Return whether a computed value gives a printed figure, to the printed precision.

    A mean of games gives each figure in its 95 % interval, a range each figure in it.
    """
    if isinstance(value, Worded):
        return value.words == printed
    if isinstance(value, str):
        return value == printed
    target = number_printed(printed)
    if target is None:
        return False
    if isinstance(value, Sampled | Ranged):
        return value.allows(target)
    return rounded(Fraction(value), significant(target)) == Fraction(target)


NEAR = Fraction(1, 10)  # greatest distance for "at least" and "at most", as a part of the print
SHOWN = 6  # digits of a value, or as many as a source prints if these are more


def digits_shown(value: Value, printed: str = "") -> str:
    """Return a computed value as text: integers in full, others to six digits or as printed."""
    if isinstance(value, str | Sampled | Ranged | Worded):
        return str(value)
    fraction = Fraction(value)
    if fraction.denominator == 1:
        return f"{int(fraction):,}"
    target = number_printed(printed)
    digits = SHOWN if target is None else max(SHOWN, significant(target))
    return f"{float(fraction):.{digits}g}"


def _decimals(value: Fraction, printed: Decimal) -> Fraction:
    """Return a value rounded to the printed number of decimals."""
    unit = 2 * half_unit(printed)
    sign = -1 if value < 0 else 1
    return sign * ((abs(value) / unit + Fraction(1, 2)) // 1) * unit


def _twice(value: Fraction, digits: int) -> set[Fraction]:
    """Return the results of rounding twice, first to one digit more. Empty if nothing changes."""
    before = rounded(value, digits + 1)
    if before == value:
        return set()
    return {rounded(before, digits, how) for how in (ROUND_HALF_UP, ROUND_HALF_EVEN)}


# Other ways to read a printed number, with functions that compare a value with it. A bound is at
# most a tenth of the print away.
READINGS: dict[str, Callable[[Fraction, Fraction, Decimal], bool]] = {
    "at least so much": lambda v, p, _: 0 <= v - p <= abs(p) * NEAR,
    "at most so much": lambda v, p, _: 0 <= p - v <= abs(p) * NEAR,
    "halves rounded to the even digit": lambda v, p, d: (
        rounded(v, significant(d), ROUND_HALF_EVEN) == p
    ),
    "cut off, not rounded": lambda v, p, d: rounded(v, significant(d), ROUND_DOWN) == p,
    "rounded up": lambda v, p, d: rounded(v, significant(d), ROUND_UP) == p,
    "rounded twice": lambda v, p, d: p in _twice(v, significant(d)),
    "rounded to as many decimals, not digits": lambda v, p, d: _decimals(v, d) == p,
}


def read_as(words: str, value: float | Fraction, printed: str) -> bool:
    """Return whether a number gives a printed figure in one of the `READINGS`."""
    number = number_printed(printed)
    return number is not None and READINGS[words](Fraction(value), Fraction(number), number)
