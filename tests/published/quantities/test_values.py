"""Values of figures that are more than a number."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from urcx.published.quantities.values import Quantity, Ranged, Sampled, Worded


def test_a_sample_allows_its_interval_and_half_a_digit_of_the_print() -> None:
    found = Sampled(100.0, 1.0)
    assert found.allows(Decimal("101.95"))
    assert found.allows(Decimal(102)), "101.96 rounds to it"
    assert not found.allows(Decimal("102.1"))
    assert not found.allows(Decimal("97.9"))
    assert str(found) == "100 ± 2"


def test_a_range_allows_its_ends_and_half_a_digit_of_the_print() -> None:
    found = Ranged(1.25, 2.5)
    assert found.allows(Decimal("1.2"))
    assert found.allows(Decimal("2.5"))
    assert not found.allows(Decimal("1.1"))
    assert not found.allows(Decimal("2.6"))
    assert str(found) == "1.25 to 2.5"


def test_other_units() -> None:
    half = Fraction(1, 2)
    assert Sampled(3.0, 0.5) * half == Sampled(1.5, 0.25)
    assert Ranged(3.0, 5.0) * half == Ranged(1.5, 2.5)


def test_words_have_their_numbers_in_brackets() -> None:
    assert str(Worded("more", "5 to 3")) == "more (5 to 3)"


@pytest.mark.parametrize("name", ["variants", "readings"])
def test_a_quantity_without_other_meanings_yields_none(name: str) -> None:
    assert list(getattr(Quantity(lambda _: 1), name)({"pieces": 7})) == []
