from __future__ import annotations

from urcx.results.numbers import count_text, grouped, number, power_of_two


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
