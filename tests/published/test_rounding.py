from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from urcx.published.rounding import (
    READINGS,
    Ranged,
    Sampled,
    Value,
    Worded,
    digits_shown,
    matches,
    number_printed,
    read_as,
    rounded,
    significant,
)


@pytest.mark.parametrize(
    ("text", "digits"),
    [("0.10", 2), ("137,913,936", 9), ("5.0e9", 2), ("141e6", 3), ("-12", 2), ("0.005", 1)],
)
def test_digits_of_printed_numbers(text: str, digits: int) -> None:
    printed = number_printed(text)
    assert printed is not None
    assert significant(printed) == digits


@pytest.mark.parametrize("text", ["once in 800", "", "nan", "inf", "-Infinity", "1.2.3"])
def test_what_is_no_number(text: str) -> None:
    assert number_printed(text) is None


def test_a_value_is_rounded_once_and_halves_go_away_from_zero() -> None:
    assert rounded(Fraction(25, 2), 2) == 13
    assert rounded(Fraction(-25, 2), 2) == -13
    assert rounded(Fraction(2449, 1000), 2) == Fraction(24, 10)
    assert rounded(Fraction(1, 3), 4) == Fraction(3333, 10000)


@pytest.mark.parametrize(
    ("value", "printed", "result"),
    [
        (Fraction(100, 1024), "0.10", "0.12"),
        (Fraction(15, 100), "0.2", "0.1"),
        (Fraction(149, 1000), "0.1", "0.2"),
        (Fraction(-15, 100), "-0.2", "-0.1"),
        (Fraction(-149, 1000), "-0.1", "-0.2"),
        (Fraction(5, 2), "3", "2"),
        (Fraction(1250), "13e2", "12e2"),
    ],
)
def test_rounding_to_as_many_decimals(value: Fraction, printed: str, result: str) -> None:
    words = "rounded to as many decimals, not digits"
    assert read_as(words, value, printed)
    assert not read_as(words, value, result)


def test_rounding_twice_where_the_first_time_changes_something() -> None:
    # 1.2449 is 1.245 first, and then 1.25, or 1.24 with halves to the even digit.
    for value, printed, holds in (
        ("1.2346", "1.24", True), ("1.2346", "1.23", False), ("1.2345678", "1.235", True),
        ("1.2449", "1.25", True), ("1.2449", "1.24", True), ("1.245", "1.24", False),
    ):  # fmt: skip
        assert read_as("rounded twice", Fraction(value), printed) == holds


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (137_913_936, "137,913,936"),
        (Fraction(6, 3), "2"),
        (Fraction(2, 3), "0.666667"),
        (2.5, "2.5"),
        ("lower bound", "lower bound"),
        (Ranged(1.0, 2.5), "1 to 2.5"),
        (Sampled(105.3, 0.4), "105.3 ± 0.78"),
        (Worded("likely", "71.8%"), "likely (71.8%)"),
    ],
)
def test_values_as_text(value: Value, text: str) -> None:
    assert digits_shown(value) == text


def test_values_have_as_many_digits_as_are_printed() -> None:
    assert digits_shown(Fraction(2, 3), "0.666666666") == "0.666666667"
    assert (
        digits_shown(Fraction(2, 3), "0.7")
        == digits_shown(Fraction(2, 3), "two thirds")
        == "0.666667"
    )


def test_values_in_other_units() -> None:
    assert Sampled(2.0, 0.5) * Fraction(1, 2) == Sampled(1.0, 0.25)
    assert Ranged(2.0, 3.0) * Fraction(100) == Ranged(200.0, 300.0)


def test_values_allow_half_of_the_last_digit_printed() -> None:
    for printed, inside in (("1.0", True), ("0.5", True), ("0.4", False), ("2.6", False)):
        assert Ranged(0.55, 2.4).allows(Decimal(printed)) is inside
    # 95 % of a mean are 1.96 standard errors to either side.
    for printed, inside in (("11.96", True), ("8.04", True), ("12.0", True), ("12.02", False)):
        assert Sampled(10.0, 1.0).allows(Decimal(printed)) is inside


EXAMPLES = [
    ("halves rounded to the even digit", Fraction(25, 10), "2", "3"),
    ("cut off, not rounded", Fraction(29, 10), "2", "3"),
    ("rounded up", Fraction(21, 10), "3", "2"),
    ("rounded twice", Fraction(2449, 1000), "2.5", "2.6"),
    ("rounded to as many decimals, not digits", Fraction(1234, 100), "12.3", "12.4"),
    ("at least so much", Fraction(94), "86", "85"),  # no further off than a tenth
    ("at least so much", Fraction(94), "94", "94.1"),
    ("at most so much", Fraction(31), "34", "35"),
    ("at most so much", Fraction(31), "31", "30.9"),
]


@pytest.mark.parametrize(("name", "value", "printed", "other"), EXAMPLES)
def test_other_readings(name: str, value: Fraction, printed: str, other: str) -> None:
    assert set(READINGS) == {words for words, *_ in EXAMPLES}
    assert read_as(name, value, printed)
    assert not read_as(name, value, other)


@pytest.mark.parametrize(
    ("value", "printed", "same"),
    [
        (137_913_936, "137,913,936", True),
        (137_913_936, "137,913,937", False),
        (12_218_269, "1.2e7", True),
        (12_500_000, "1.2e7", False),  # halves go up
        (12_500_000, "1.3e7", True),
        (12_499_999, "1.2e7", True),
        (121_658_293, "1.2e7", False),  # the exponent counts
        (999_999_999, "1.00e9", True),
        (Fraction(726_864_992, 137_913_936), "5.3", True),
        (Fraction(25, 4), "6.25", True),
        (Fraction(25, 2), "12", False),
        (Fraction(25, 2), "13", True),  # whole numbers are rounded as all others
        (Fraction(100, 1024), "0.10", False),  # two digits, as 0.098
        (Fraction(100, 1024), "0.1", True),
        (Fraction(100, 1024), "0.098", True),
        (Fraction(100, 1024), "0.09", False),
        (Fraction(995, 1000), "1.0", True),
        (Fraction(-5, 2), "2.5", False),
        (5, "five", False),
        ("lower bound", "lower bound", True),
        ("lower bound", "upper bound", False),
        (Fraction(1, 3), "0.333", True),
        (Fraction(1, 3), "0.3334", False),
        (10**40 + 4, f"{10**40 + 4:,}", True),
        (10**40 + 4, f"{10**40 + 5:,}", False),
        (Worded("more", "5 to 3"), "more", True),
        (Worded("more", "5 to 3"), "more (5 to 3)", False),
        (Sampled(105.3, 0.4), "106.08", True),
        (Sampled(105.3, 0.4), "106.35", False),
        (Ranged(54.97, 60.84), "61", True),
        (Ranged(54.97, 60.84), "62", False),
    ],
)
def test_comparison_to_the_printed_digits(value: Value, printed: str, same: bool) -> None:
    assert matches(value, printed) is same
