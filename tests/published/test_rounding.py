"""When a computed value gives a printed figure, and how it is written."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from urcx.published.quantities.values import Ranged, Sampled, Worded
from urcx.published.rounding import (
    OTHER_ROUNDINGS,
    matches,
    number_printed,
    rounded,
    shown,
    significant,
)


@pytest.mark.parametrize(
    ("text", "digits"),
    [("0.10", 2), ("137,913,936", 9), ("5.0e9", 2), ("0.002", 1), ("800", 3), ("8e2", 1)],
)
def test_significant_digits_are_those_that_are_printed(text: str, digits: int) -> None:
    found = number_printed(text)
    assert found is not None
    assert significant(found) == digits


def test_words_and_what_is_no_number_are_none() -> None:
    assert [number_printed(text) for text in ("AB", "", "NaN", "inf", "1 of 2")] == [None] * 5


def test_halves_are_rounded_away_from_zero_once() -> None:
    assert rounded(Fraction(25, 10), 1) == 3
    assert rounded(Fraction(-25, 10), 1) == -3
    assert rounded(Fraction(245, 100), 2) == Fraction(25, 10)
    assert rounded(Fraction(2449, 1000), 2) == Fraction(24, 10), "not by way of 2.45"


def test_a_value_gives_a_figure_to_its_digits_and_not_one_more() -> None:
    third = Fraction(1, 3)
    assert matches(third, "0.33")
    assert matches(third, "0.333")
    assert not matches(third, "0.34")
    assert not matches(third, "0.3334")
    assert matches(10**40 + 4, "10,000,000,000,000,000,000,000,000,000,000,000,000,004")
    assert not matches(10**40 + 4, "10,000,000,000,000,000,000,000,000,000,000,000,000,005")


def test_texts_words_samples_and_ranges_are_compared_as_what_they_are() -> None:
    assert matches("AB", "AB")
    assert not matches("AB", "BA")
    assert matches(Worded("more", "5 to 3"), "more")
    assert not matches(Worded("more", "5 to 3"), "more (5 to 3)")
    assert matches(Sampled(10.0, 0.5), "10.9")
    assert not matches(Sampled(10.0, 0.5), "11.1")
    assert matches(Ranged(1.0, 2.0), "2.0")
    assert not matches(Ranged(1.0, 2.0), "2.2")
    assert not matches(3, "three")


def test_integers_are_written_in_full_and_others_to_six_digits() -> None:
    assert shown(137_913_936) == "137,913,936"
    assert shown(Fraction(8, 4)) == "2"
    assert shown(Fraction(1, 3)) == "0.333333"
    assert shown("AB") == "AB"
    assert shown(Worded("more", "5 to 3")) == "more (5 to 3)"


@pytest.mark.parametrize(
    ("name", "value", "printed", "other"),
    [
        ("halves rounded to the even digit", Fraction(25, 10), "2", "3"),
        ("cut off, not rounded", Fraction(29, 10), "2", "3"),
        ("rounded up", Fraction(21, 10), "3", "2"),
        ("rounded twice", Fraction(2449, 1000), "2.5", "2.6"),
        ("rounded to as many decimals, not digits", Fraction(1234, 100), "12.3", "12.4"),
    ],
)
def test_other_roundings(name: str, value: Fraction, printed: str, other: str) -> None:
    found = OTHER_ROUNDINGS[name](value, Decimal(printed))
    assert Fraction(printed) in found
    assert Fraction(other) not in found
