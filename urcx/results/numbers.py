"""The text of numbers for people: grouped, short enough to read, with signs."""

from __future__ import annotations

import math
import re
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

MAX_DIGITS = 21  # of an integer in a table. Programs get all digits
WORDS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
SHORT_DIGITS = 7  # of the mantissa of a longer integer

# Integers of five digits or more, or with separators and too long, but no decimals or exponents.
_LONG = re.compile(r"(?<![\w.,^])(?:[1-9]\d{4,}|\d{1,3}(?:,\d{3}){7,})(?!\w|[.,]\d)")


def number(value: int) -> str:
    """Return an integer with thousands separators, or in scientific notation.

    Integers of more than `MAX_DIGITS` digits are in scientific notation, such as ``5.287776e115``.
    """
    if abs(value) < 10**MAX_DIGITS:
        return f"{value:,}"
    sign, digits, exponent = Context(prec=SHORT_DIGITS).create_decimal(value).as_tuple()
    text = "".join(map(str, digits)).rstrip("0").ljust(2, "0")
    size = len(digits) - 1 + int(exponent)
    return f"{'-' if sign else ''}{text[0]}.{text[1:]}e{size}"


def every_digit(value: int) -> str:
    """Return an integer with all its digits, although ``str`` stops at 4,300."""
    return str(Decimal(int(value)))


def grouped(text: str) -> str:
    """Return a text in which integers of five digits or more are written as by `number`."""
    return _LONG.sub(lambda match: number(int(Decimal(match[0].replace(",", "")))), text)


def count_text(value: int, noun: str) -> str:
    """Return a count with its noun, whose plural ends in s, such as ``1 piece``."""
    return f"{number(value)} {noun}" if value == 1 else f"{number(value)} {noun}s"


def number_word(value: int) -> str:
    """Return an integer for running text, as a word up to twelve."""
    return WORDS[value] if 0 <= value < len(WORDS) else number(value)


def percent_text(share: float | Fraction, digits: int = 2) -> str:
    """Return a share or probability in percent for running text, such as ``51.86 %``."""
    return f"{float(100 * share):.{digits}f} %"


def power_of_two(value: int) -> str:
    """Return ``2^34`` for powers of two above 2^20, and the number itself otherwise."""
    exponent = value.bit_length() - 1
    return f"2^{exponent}" if value == 1 << exponent and exponent > 20 else number(value)


def interval(pair: tuple[float, float] | None, digits: int) -> str:
    """Return an interval with ``digits`` decimals, or "" for None."""
    return "" if pair is None else f"{pair[0]:.{digits}f} to {pair[1]:.{digits}f}"


def with_interval(
    value: float, pair: tuple[float, float] | None, digits: int, sign: str = ""
) -> str:
    """Return an estimate with ``digits`` decimals, and half the width of its interval, if any.

    An interval with unequal halves stands in parentheses: ``1.0 (0.7 to 1.4)``. With ``sign``
    ``+``, positive values have a sign too.
    """
    text = f"{value:{sign}.{digits}f}"
    if pair is None:
        return text
    if _difference(value, pair) < 0.5 / 10**digits:
        return f"{text} ± {(pair[1] - pair[0]) / 2:.{digits}f}"
    return f"{text} ({interval(pair, digits)})"


def percent_with_interval(share: float, pair: tuple[float, float] | None, unit: str = " %") -> str:
    """Return an estimated share in percent, such as ``47.8 ± 4.4 %`` or ``93.0 % (90.4 to 94.9)``.

    Half the width of the interval has two digits, and at most two decimals, if its halves differ by
    less than one in the last of them. It has one digit fewer if they are equal then, and not small.
    """
    if pair is None:
        return percent_text(share)
    value, ends = 100 * share, (100 * pair[0], 100 * pair[1])
    half, off = (ends[1] - ends[0]) / 2, _difference(value, ends)
    most = 2 if half < 1 else 1 if half < 10 else 0
    for digits, units, least in ((most, 1.0, 0.5), (most - 1, 0.5, 2.5)):
        last = 10.0**-digits
        if digits >= 0 and off < units * last and half >= least * last:
            return f"{value:.{digits}f} ± {half:.{digits}f}{unit}"
    return f"{value:.{most}f}{unit} ({interval(ends, most)})"


def _difference(value: float, pair: tuple[float, float]) -> float:
    """Return the difference between both halves of an interval."""
    return abs(pair[0] + pair[1] - 2 * value)


def power_of_ten(bound: float) -> float:
    """Return the least power of ten above a bound, because its digits differ from run to run."""
    return 10.0 ** math.ceil(math.log10(bound)) if 0.0 < bound < math.inf else bound


def rounded_bound(bound: float | None) -> str:
    """Return the least power of ten above a bound as text, or "" for None."""
    return "" if bound is None else f"{power_of_ten(bound):.0e}"


def bound_text(bound: float, digits: int = 1) -> str:
    """Return a bound as text with ``digits`` digits, rounded up, so it holds as printed."""
    up = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(bound))
    return f"{float(up):.{digits - 1}e}"


def known_digits(value: float, bound: float, most: int = 12) -> str:
    """Return a probability with the decimals that its error bound proves, at most ``most``."""
    digits = most if bound <= 0.0 else min(most, max(1, math.floor(-math.log10(bound))))
    return f"{value:.{digits}f}"
