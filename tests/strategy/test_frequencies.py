"""Counts of rolls: against all sequences, and the definition of each interval."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

import urcx
from urcx.errors import UsageError
from urcx.rules.model import Dice
from urcx.strategy.dice import (
    chances,
    counts_chance,
    parse_confidence,
    parse_counts,
    wilson_interval,
)

BINARY4 = urcx.dice("binary4")
SURE = Dice("sure", "", (2,), (Fraction(1),))


@pytest.mark.parametrize("name", ["binary4", "binary3-0as4", "d6-substitute"])
@pytest.mark.parametrize("counts", [{1: 2}, {4: 0}, {1: 1, 2: 3}, {1: 1, 2: 1, 3: 1}, {2: 5}])
def test_counts_against_all_sequences(name: str, counts: dict[int, int]) -> None:
    dice = urcx.dice(name)
    table = chances(dice)
    exactly = at_least = at_most = Fraction(0)
    for rolls in product(dice.rolls, repeat=5):
        p = math.prod(table[r] for r in rolls)
        found = [rolls.count(roll) for roll in counts]
        exactly += p * (found == list(counts.values()))
        at_least += p * (found[0] >= next(iter(counts.values())))
        at_most += p * (found[0] <= next(iter(counts.values())))
    found_chance = counts_chance(dice, counts, 5)
    assert found_chance.exactly == exactly
    if len(counts) == 1:
        assert (found_chance.at_least, found_chance.at_most) == (at_least, at_most)
    else:
        assert found_chance.at_least is found_chance.at_most is None


def test_twenty_zeros_as_the_paper_has_them() -> None:
    found = counts_chance(BINARY4, {0: 20}, 106)
    assert found.exactly == Fraction(math.comb(106, 20) * 15**86, 16**106)
    assert f"{float(found.exactly):.2e}" == "6.25e-06"


@pytest.mark.parametrize(
    ("counts", "rolls", "words"),
    [
        ({0: 21}, 20, "counts of 21 in 20 rolls"),
        ({0: 1, 1: 1, 2: 1, 3: 1, 4: 1}, 6, "make 5, not the 6"),
        ({5: 1}, 6, "binary4 cannot roll 5"),
    ],
)
def test_counts_that_do_not_fit(counts: dict[int, int], rolls: int, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        counts_chance(BINARY4, counts, rolls)


def test_a_certain_roll() -> None:
    assert counts_chance(SURE, {2: 7}, 7).at_least == 1
    found = wilson_interval(SURE, 2, 7, Fraction(9, 10))
    assert found.rounded == found.exact == (7, 7)
    assert found.exact_coverage == 1


@pytest.mark.parametrize("rolls", [1, 8, 106])
@pytest.mark.parametrize("level", [Fraction(1, 100), Fraction(9, 10), Fraction(999, 1000)])
def test_exact_intervals_by_their_definition(rolls: int, level: Fraction) -> None:
    for item in urcx.dice_intervals(level, BINARY4, rolls):
        p = chances(BINARY4)[item.roll]
        terms = [math.comb(rolls, k) * p**k * (1 - p) ** (rolls - k) for k in range(rolls + 1)]
        low, high = item.exact
        side = (1 - level) / 2
        # No more than a half on either side, and with one number less it would be more.
        assert sum(terms[:low]) <= side < sum(terms[: low + 1])
        assert sum(terms[high + 1 :]) <= side < sum(terms[high:])
        assert item.exact_coverage == sum(terms[low : high + 1]) >= level
        a, b = item.rounded
        assert item.rounded_coverage == sum(terms[a : b + 1])


def test_normal_intervals_of_the_paper() -> None:
    found = urcx.dice_intervals(Fraction(9, 10), BINARY4, 106)
    assert [item.rounded for item in found] == [(3, 11), (19, 34), (32, 48), (19, 34), (3, 11)]
    assert {f"{item.z:.3f}" for item in found} == {"1.645"}
    for item in found:
        p = float(chances(BINARY4)[item.roll])
        assert item.delta == pytest.approx(1.644854 * 106 * math.sqrt(p * (1 - p) / 106), rel=1e-6)
        low, high = item.normal
        assert (low + high) / 2 == pytest.approx(float(item.mean))
        assert high - low == pytest.approx(2 * item.delta)


def test_normal_and_exact_intervals_meet_for_many_rolls() -> None:
    item = wilson_interval(BINARY4, 2, 10_000, Fraction(95, 100))
    assert item.exact == pytest.approx(item.normal, abs=1)
    assert float(item.exact_coverage) == pytest.approx(0.95, abs=0.005)


def test_reading_counts() -> None:
    assert parse_counts("0:20", BINARY4) == {0: 20}
    assert parse_counts("0:7, 1:27", BINARY4) == {0: 7, 1: 27}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "write roll:times"),
        ("0", "write roll:times"),
        ("0:", "write roll:times"),
        ("0:-1", "write roll:times"),
        ("0:1:2", "write roll:times"),
        ("0:1,", "write roll:times"),
        ("0:\u0663", "write roll:times"),
        ("9:1", "binary4 cannot roll 9"),
        ("0:1,0:2", "roll 0 comes twice"),
    ],
)
def test_malformed_counts(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_counts(text, BINARY4)


def test_reading_confidence() -> None:
    assert parse_confidence("0.9") == parse_confidence(".90") == Fraction(9, 10)


@pytest.mark.parametrize("text", ["0", "1", "1.0", "90", "-0.5", "", ".", "90%", "nan", "1e-1"])
def test_confidence_must_lie_between_0_and_1(text: str) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        parse_confidence(text)


def test_intervals_as_they_are_shown() -> None:
    items = urcx.dice_intervals(Fraction(9, 10), BINARY4, 20)
    row = items.report().records[2]
    assert (row["normal_low"], row["normal_high"]) == items[2].normal
    assert (row["exact_low"], row["exact_high"]) == items[2].exact
