"""Whether a computed value gives a printed figure: the one rule of rounding.

All printed digits are significant, except leading zeros (0.10 has two, 137,913,936 has nine, 5.0e9
has two). A computed value gives the figure if it is equal after rounding to as many significant
digits, halves away from zero. If final zeros are not significant ("141 million", "once in 800"),
the data say so: 141e6, 8e2.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import (
    ROUND_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_UP,
    Context,
    Decimal,
)
from fractions import Fraction

from urcx.published.quantities.values import Ranged, Sampled, Value, Worded


def number_printed(text: str) -> Decimal | None:
    """Return a printed number with its digits preserved, or None if it is not a number."""
    try:
        found = Decimal(text.replace(",", ""))
    except ArithmeticError:
        return None
    return found if found.is_finite() else None


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
    unit = Fraction(10) ** int(printed.as_tuple().exponent)
    sign = -1 if value < 0 else 1
    return sign * ((abs(value) / unit + Fraction(1, 2)) // 1) * unit


def _twice(value: Fraction, digits: int) -> set[Fraction]:
    before = rounded(value, digits + 1)
    if before == value:
        return set()  # the first rounding changes nothing
    return {rounded(before, digits, how) for how in (ROUND_HALF_UP, ROUND_HALF_EVEN)}


CUT_OFF, UP = ONE_SIDED = "cut off, not rounded", "rounded up"

# Other ways to round a value to a printed number, by description.
OTHER_ROUNDINGS: dict[str, Callable[[Fraction, Decimal], set[Fraction]]] = {
    "halves rounded to the even digit": lambda v, p: {rounded(v, significant(p), ROUND_HALF_EVEN)},
    CUT_OFF: lambda v, p: {rounded(v, significant(p), ROUND_DOWN)},
    UP: lambda v, p: {rounded(v, significant(p), ROUND_UP)},
    "rounded twice": lambda v, p: _twice(v, significant(p)),
    "rounded to as many decimals, not digits": lambda v, p: {_decimals(v, p)},
}
