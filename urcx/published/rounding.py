"""Computed values, and whether one gives a printed figure: the one rule of rounding.

All printed digits are significant, except leading zeros (0.10 has two, 137,913,936 has nine, 5.0e9
has two). A computed value gives the figure if it is equal after rounding to as many significant
digits, halves away from zero. If final zeros are not significant ("141 million", "once in 800"),
the data say so: 141e6, 8e2. `READINGS` are other rules, where the entry of a figure names one.

Values that are more than a number are samples, ranges and words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, Context, Decimal
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from urcx.complexity.game_tree import Z95, plus_minus
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

Params = dict[str, Any]
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
    """Return a value rounded once, to so many significant digits."""
    context = Context(prec=digits, rounding=how)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def matches(value: Value, printed: str) -> bool:
    """Return whether a computed value gives a printed one, to the printed precision.

    A mean of games gives any figure in its 95 % interval, a range any figure in it.
    """
    if isinstance(value, Worded):
        return value.words == printed
    if isinstance(value, str):
        return value == printed
    wanted = number_printed(printed)
    if wanted is None:
        return False
    if isinstance(value, Sampled | Ranged):
        return value.allows(wanted)
    return rounded(Fraction(value), significant(wanted)) == Fraction(wanted)


NEAR = Fraction(1, 10)  # of the print: how close "at least" and "at most" must be
SHOWN = 6  # digits, or as many as a source prints if they are more


def digits_shown(value: Value, printed: str = "") -> str:
    """Return a computed value as text: integers in full, others to six digits or those printed."""
    if isinstance(value, str | Sampled | Ranged | Worded):
        return str(value)
    fraction = Fraction(value)
    if fraction.denominator == 1:
        return f"{int(fraction):,}"
    wanted = number_printed(printed)
    digits = SHOWN if wanted is None else max(SHOWN, significant(wanted))
    return f"{float(fraction):.{digits}g}"


def _decimals(value: Fraction, printed: Decimal) -> Fraction:
    """Return a value rounded to as many decimals as are printed."""
    unit = 2 * half_unit(printed)
    sign = -1 if value < 0 else 1
    return sign * ((abs(value) / unit + Fraction(1, 2)) // 1) * unit


def _twice(value: Fraction, digits: int) -> set[Fraction]:
    """Return a value rounded to a digit more first; nothing if that changes nothing."""
    before = rounded(value, digits + 1)
    if before == value:
        return set()
    return {rounded(before, digits, how) for how in (ROUND_HALF_UP, ROUND_HALF_EVEN)}


# Other ways to read a printed number: whether a value gives it in this one. A bound is no further
# off than a tenth of the print.
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
    """Return whether a number gives a printed one in one of the `READINGS`."""
    number = number_printed(printed)
    return number is not None and READINGS[words](Fraction(value), Fraction(number), number)
