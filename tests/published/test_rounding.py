from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from urcx.published.quantities.values import Ranged, Sampled, Value, Worded
from urcx.published.rounding import (
    OTHER_ROUNDINGS,
    digits_shown,
    matches,
    number_printed,
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
        (Fraction(100, 1024), "0.10", "0.10"),
        (Fraction(15, 100), "0.1", "0.2"),
        (Fraction(149, 1000), "0.1", "0.1"),
        (Fraction(-15, 100), "0.1", "-0.2"),
        (Fraction(-149, 1000), "0.1", "-0.1"),
        (Fraction(5, 2), "1", "3"),
        (Fraction(1250), "1e2", "1300"),
    ],
)
def test_rounding_to_as_many_decimals(value: Fraction, printed: str, result: str) -> None:
    by_decimals = OTHER_ROUNDINGS["rounded to as many decimals, not digits"]
    assert by_decimals(value, Decimal(printed)) == {Fraction(result)}


def test_rounding_twice_where_the_first_time_changes_something() -> None:
    twice = OTHER_ROUNDINGS["rounded twice"]
    assert twice(Fraction("1.2346"), Decimal("1.23")) == {Fraction("1.24")}
    assert twice(Fraction("1.2345678"), Decimal("1.234")) == {Fraction("1.235")}
    # 1.2449 is 1.245 first, and then 1.25, or 1.24 with halves to the even digit.
    assert twice(Fraction("1.2449"), Decimal("1.24")) == {Fraction("1.25"), Fraction("1.24")}
    assert twice(Fraction("1.245"), Decimal("1.24")) == set()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (137_913_936, "137,913,936"),
        (Fraction(6, 3), "2"),
        (Fraction(2, 3), "0.666667"),
        (2.5, "2.5"),
        ("lower bound", "lower bound"),
        (Ranged(1.0, 2.5), "1 to 2.5"),
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
