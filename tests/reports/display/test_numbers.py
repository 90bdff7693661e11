from __future__ import annotations

import pytest

from urcx.complexity.game_tree import wilson
from urcx.results.numbers import (
    count_text,
    grouped,
    number,
    percent_with_interval,
    power_of_two,
    with_interval,
)


def test_numbers() -> None:
    assert [count_text(n, "piece") for n in (0, 1, 2000)] == [
        "0 pieces",
        "1 piece",
        "2,000 pieces",
    ]
    assert number(1234567) == "1,234,567"
    assert number(10**21 - 1) == f"{10**21 - 1:,}", "no float on the way"
    assert [number(n) for n in (10**21, -(10**25), 2**200)] == ["1.0e21", "-1.0e25", "1.606938e60"]
    assert number(10**30 - 1) == "1.0e30", "rounded up"
    assert power_of_two(2**34) == "2^34"
    assert power_of_two(2**34 - 1) == "17,179,869,183"
    assert power_of_two(2**34 + 1) == "17,179,869,185"
    assert power_of_two(256) == "256", "readable as it is"


def test_numbers_are_grouped_but_what_only_looks_like_one_is_not() -> None:
    assert grouped("15788044 and 2021, 0.123456789") == "15,788,044 and 2021, 0.123456789"
    assert grouped(f"{10**30:,}; {10**20:,}") == f"1.0e30; {10**20:,}"
    assert grouped("00012 10^12345 x12345 12345.5") == "00012 10^12345 x12345 12345.5"


@pytest.mark.parametrize(
    ("value", "pair", "sign", "text"),
    [
        (105.32, (105.02, 105.62), "", "105.3 ± 0.3"),
        (1.0, (0.7, 1.4), "", "1.0 (0.7 to 1.4)"),
        (1.0, (0.68, 1.33), "+", "+1.0 ± 0.3"),
        (1.0, None, "", "1.0"),
    ],
)
def test_an_interval_is_half_its_width_only_if_its_halves_are_equal(
    value: float, pair: tuple[float, float] | None, sign: str, text: str
) -> None:
    assert with_interval(value, pair, 1, sign) == text


@pytest.mark.parametrize(
    ("wins", "games", "text"),
    [
        (239, 500, "47.8 ± 4.4 %"),
        (270, 500, "54.0 ± 4.4 %"),
        (465, 500, "93.0 % (90.4 to 94.9)"),
        (5213, 10_000, "52.13 ± 0.98 %"),
        (538, 10_000, "5.4 ± 0.4 %"),
        (28, 10_000, "0.28 % (0.19 to 0.40)"),
        (499, 500, "99.80 % (98.88 to 99.96)"),
        (10_000, 10_000, "100.00 % (99.96 to 100.00)"),
        (20, 20, "100.0 % (83.9 to 100.0)"),
        (10, 20, "50 ± 20 %"),
    ],
)
def test_a_share_has_the_decimals_that_its_interval_deserves(
    wins: int, games: int, text: str
) -> None:
    assert percent_with_interval(wins / games, wilson(wins, games)) == text


def test_an_exact_share_has_no_interval() -> None:
    assert percent_with_interval(0.5186, None) == "51.86 %"
