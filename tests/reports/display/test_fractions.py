from __future__ import annotations

from fractions import Fraction

import pytest

from urcx.results.fractions import (
    MAX_WIDTH,
    decimal,
    fraction,
    fraction_digits,
    fraction_text,
    percent,
    rounded_fraction,
)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(1, 3), 6, "0.333333"),
        (Fraction(2, 3), 3, "0.667"),
        (Fraction(25, 1000), 1, "0.03"),  # half goes up, where half to even gave 0.02
        (Fraction(1, 10**400), 6, "1e-400"),  # below what a float holds
        (Fraction(2), 6, "2"),
        (Fraction(-1, 8), 2, "-0.13"),
    ],
)
def test_decimals(value: Fraction, digits: int, text: str) -> None:
    assert decimal(value, digits) == text


def test_probabilities_in_percent() -> None:
    assert percent(Fraction(1, 8)) == "12.5"
    assert percent(Fraction(2, 3), 3) == "66.7"


def test_fractions_too_long_to_read_are_left_out() -> None:
    assert fraction(Fraction(3, 16)) == "3/16"
    assert fraction(Fraction(4)) == "4"
    widest = Fraction(1, 10 ** (MAX_WIDTH - 3))
    assert fraction(widest) == str(widest)
    assert len(str(widest)) == MAX_WIDTH
    assert not fraction(Fraction(1, 10 ** (MAX_WIDTH - 2)))
    assert not fraction(Fraction(10**MAX_WIDTH + 1, 10**MAX_WIDTH))


def test_numbers_of_any_length_become_text() -> None:
    for value in (0, 7, 10**4000, 3**30_000):
        text = fraction_digits(value)
        assert text[:1] != "0" or value == 0
        total = 0
        for start in range(0, len(text), 3000):
            part = text[start : start + 3000]
            total = total * 10 ** len(part) + int(part)
        assert total == value


def test_fractions_and_decimals() -> None:
    assert fraction_text(Fraction(4, 7)) == "4/7"
    assert fraction_text(Fraction(3)) == "3"
    assert rounded_fraction(Fraction(2, 3)) == "0." + 30 * "6", "down"
    assert rounded_fraction(Fraction(1)) == "1." + 30 * "0"
