"""The text of exact fractions: in full for programs, and as decimals for people."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

DIGITS = 6
MAX_WIDTH = 24  # of a fraction in a table
DECIMALS = 30  # of an exact probability
PIECE = 4000  # digits, within Python's limit on converting integers to text


def decimal(value: Fraction, digits: int = DIGITS) -> str:
    """Return a fraction as a decimal number with ``digits`` significant digits."""
    context = Context(prec=digits, rounding=ROUND_HALF_UP)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{quotient:.{digits}g}"


def percent(value: Fraction, digits: int = DIGITS) -> str:
    """Return a probability in percent."""
    return decimal(100 * value, digits)


def fraction(value: Fraction) -> str:
    """Return a fraction for a table, or "" if it is too long to read."""
    text = str(value) if value.denominator < 10**MAX_WIDTH else ""
    return text if len(text) <= MAX_WIDTH else ""


def fraction_digits(value: int) -> str:
    """Return a natural number of any length as text."""
    if value < 10**PIECE:
        return str(value)
    half = PIECE
    while 10 ** (2 * half) <= value:
        half *= 2
    high, low = divmod(value, 10**half)
    return fraction_digits(high) + fraction_digits(low).zfill(half)


def fraction_text(value: Fraction) -> str:
    """Return a fraction as text, such as ``4/7``. An integer has no denominator."""
    top = fraction_digits(value.numerator)
    return top if value.denominator == 1 else f"{top}/{fraction_digits(value.denominator)}"


def rounded_fraction(value: Fraction) -> str:
    """Return a probability with `DECIMALS` decimals, rounded down."""
    units, decimals = divmod(value.numerator * 10**DECIMALS // value.denominator, 10**DECIMALS)
    return f"{units}.{decimals:0{DECIMALS}d}"
