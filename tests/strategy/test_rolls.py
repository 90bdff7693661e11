"""Several rolls: against all sequences gone through, and the definition of each interval."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import urcx
from urcx.errors import TooLargeError, UsageError, WrongObjectError
from urcx.results.writing import json_text
from urcx.rules.catalogue import catalogue
from urcx.rules.model import Dice
from urcx.strategy import rolls as module
from urcx.strategy.dice import chances, written
from urcx.strategy.rolls import (
    SequenceChance,
    confidence_level,
    count_interval,
    counts_by_roll,
    counts_chance,
    equal_class,
    intervals,
    sequence_rolls,
    sequences,
    sums,
)

DICE = list(catalogue().dice.values())
FOUR = urcx.dice("binary4")
# A die on which unlike rolls are as probable as others together: 1/2 x 1/8 = 1/4 x 1/4.
LOADED = Dice(
    "loaded",
    "",
    (0, 1, 12, 13),
    (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)),
)
SURE = Dice("sure", "", (2,), (Fraction(1),))
each_dice = pytest.mark.parametrize("dice", [*DICE, LOADED], ids=lambda dice: dice.name)


@each_dice
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_classes_of_equal_probability_against_all_sequences(dice: Dice, length: int) -> None:
    table = chances(dice)
    groups: dict[Fraction, list[tuple[int, ...]]] = defaultdict(list)
    for rolls in product(dice.rolls, repeat=length):
        groups[math.prod((table[r] for r in rolls), start=Fraction(1))].append(rolls)
    classes = {item.probability: item for item in sequences(dice, [length]).rows}
    assert list(classes) == sorted(groups, reverse=True)
    for p, alike in groups.items():
        members = tuple(sorted({tuple(sorted(rolls)) for rolls in alike}))
        for item in (classes[p], equal_class(dice, alike[-1])):
            assert (item.probability, item.total) == (p, len(alike) * p)
            assert (item.sequences, item.multisets) == (len(alike), len(members))
            assert item.members == members


def test_members_of_a_large_class_can_be_left_out() -> None:
    full = equal_class(FOUR, [0, 1] * 20)
    short = equal_class(FOUR, [0, 1] * 20, limit=10)
    assert len(full.members) == full.multisets == 21 * 21  # as many 0s for 4s, as many 1s for 3s
    assert short.members == ()
    assert (short.multisets, short.sequences) == (full.multisets, full.sequences)
    assert full.sequences == math.comb(40, 20) * 2**40


@each_dice
@pytest.mark.parametrize("target", [1, 4, 6])
def test_sums_against_all_sequences(dice: Dice, target: int) -> None:
    result = sums(dice, target, range(1, 5))
    table = chances(dice)
    first = {n: Fraction(0) for n in range(1, 5)}
    for n in range(1, 5):
        sets: Counter[tuple[int, ...]] = Counter()
        for rolls in product(dice.rolls, repeat=n):
            if sum(rolls) == target:
                sets[tuple(sorted(rolls))] += 1
                if sum(rolls[:-1]) < target:
                    first[n] += math.prod(table[r] for r in rolls)
        assert {row.members: row.sequences for row in result.by_length[n]} == {
            (rolls,): number for rolls, number in sets.items()
        }
        for row in result.by_length[n]:
            assert row.probability == math.prod(table[r] for r in row.members[0])
        assert result.total(n) == sum(row.total for row in result.by_length[n])
    assert result.first == first
    assert result.reached == sum(first.values())
    assert result.added == sum(map(result.total, range(1, 5)))
    assert sums(dice, target, [4]).first == {4: first[4]}


def test_four_tiles_in_three_rolls_by_all_outcomes() -> None:
    # The paper adds 45.7 %; sequences such as 40 are in there with one roll and with two.
    hits = sum(
        4 in (a, a + b, a + b + c)
        for a, b, c in product([sum(k) for k in product((0, 1), repeat=4)], repeat=3)
    )
    result = sums(FOUR, 4, [1, 2, 3])
    assert result.reached == Fraction(hits, 4096)
    assert f"{float(result.added):.1%}" == "45.7%"


def test_sequences_in_texts() -> None:
    assert sequence_rolls("122", FOUR) == sequence_rolls("1,2,2", FOUR) == (1, 2, 2)
    assert sequence_rolls("0,12,1", LOADED) == (0, 12, 1)
    assert (written((1, 2, 2)), written((0, 12))) == ("122", "0,12")
    for text in ("", " ", "1 2", "1,,2", "1,", "-1", "x", "1.2", "\u0663", "1;2"):
        with pytest.raises(UsageError, match="write rolls such as 122"):
            sequence_rolls(text, FOUR)


def test_what_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    many = Dice("many", "", tuple(range(99)), tuple(Fraction(n + 1, 4950) for n in range(99)))
    with pytest.raises(TooLargeError, match="fewer rolls"):
        equal_class(many, [1, 2, 3, 4])
    with pytest.raises(TooLargeError, match="shorter"):
        sequences(FOUR, [60])
    monkeypatch.setattr(module, "MAX_MULTISETS", 3)
    assert len(sums(FOUR, 4, [2]).by_length[2]) == 3
    with pytest.raises(TooLargeError, match="fewer rolls"):
        sums(FOUR, 4, [1, 2])


def test_a_long_sequence_is_cut_in_the_table_only() -> None:
    short = SequenceChance((FOUR,), (1, 2, 2), equal_class(FOUR, (1, 2, 2)))
    assert short.product == "1/4 x 3/8 x 3/8"
    report = urcx.dice_chances(FOUR, sequence=(1, 2) * 40)
    lines = {row[0]: row[1] for row in report.tables()[0].rows}
    assert lines["as a product"].endswith(" x ...")
    assert lines["as a product"].count("1/4") == module.MAX_MEMBERS // 2
    assert lines["probability"] == "-", "too long to read"
    data = json.loads(json_text(report))
    assert Fraction(data["probability"]) == Fraction(3, 32) ** 40
    assert (data["length"], len(data["sequence"])) == (80, 80)


def test_classes_of_many_members_are_cut_in_the_table_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_MEMBERS", 5)
    classes = sequences(FOUR, [6])
    many = next(k for k, item in enumerate(classes.rows) if item.multisets == 12)
    report = classes
    assert report.tables()[0].rows[many][0].endswith(" and 7 more")
    assert report.records()[many]["members"].count(" ") == 11


@pytest.mark.parametrize("name", ["binary4", "binary3-0as4", "d6-substitute"])
@pytest.mark.parametrize("counts", [{1: 2}, {4: 0}, {1: 1, 2: 3}, {1: 1, 2: 1, 3: 1}, {2: 5}])
def test_counts_against_all_sequences(name: str, counts: dict[int, int]) -> None:
    dice = urcx.dice(name)
    table = chances(dice)
    exactly = at_least = at_most = Fraction(0)
    for rolls in product(dice.rolls, repeat=5):
        p = math.prod(table[r] for r in rolls)
        times = [rolls.count(roll) for roll in counts]
        exactly += p * (times == list(counts.values()))
        at_least += p * (times[0] >= next(iter(counts.values())))
        at_most += p * (times[0] <= next(iter(counts.values())))
    result = counts_chance(dice, counts, 5)
    sides = (at_least, at_most) if len(counts) == 1 else (None, None)
    assert (result.exactly, result.at_least, result.at_most) == (exactly, *sides)


def test_twenty_zeros_as_the_paper_has_them() -> None:
    result = counts_chance(FOUR, {0: 20}, 106)
    assert result.exactly == Fraction(math.comb(106, 20) * 15**86, 16**106)
    assert f"{float(result.exactly):.2e}" == "6.25e-06"


def test_a_certain_roll() -> None:
    assert counts_chance(SURE, {2: 7}, 7).at_least == 1
    item = count_interval(SURE, 2, 7, Fraction(9, 10))
    assert item.rounded == item.exact == (7, 7)
    assert item.exact_coverage == 1


@pytest.mark.parametrize("rolls", [1, 8, 106])
@pytest.mark.parametrize("level", [Fraction(1, 100), Fraction(9, 10), Fraction(999, 1000)])
def test_exact_intervals_by_their_definition(rolls: int, level: Fraction) -> None:
    for item in intervals(FOUR, rolls, level).rows:
        p = chances(FOUR)[item.roll]
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
    result = intervals(FOUR, 106, Fraction(9, 10))
    ends = [item.rounded for item in result.rows]
    assert ends == [(3, 11), (19, 34), (32, 48), (19, 34), (3, 11)]
    assert f"{result.z:.3f}" == "1.645"
    for item, row in zip(result.rows, result.records(), strict=True):
        p = float(chances(FOUR)[item.roll])
        assert item.delta == pytest.approx(1.644854 * 106 * math.sqrt(p * (1 - p) / 106), rel=1e-6)
        low, high = item.normal
        assert (row["normal_low"], row["normal_high"]) == (low, high)
        assert (low + high) / 2 == pytest.approx(float(item.mean))
        assert high - low == pytest.approx(2 * item.delta)
    many = count_interval(FOUR, 2, 10_000, Fraction(95, 100))
    assert many.exact == pytest.approx(many.normal, abs=1)


def test_counts_and_confidence_in_texts() -> None:
    assert counts_by_roll("0:7, 1:27") == counts_by_roll({0: 7, 1: 27}) == {0: 7, 1: 27}
    for text in ("", "0", "0:", "0:-1", "0:1:2", "0:1,", "0:\u0663"):
        with pytest.raises(UsageError, match="write roll:times"):
            counts_by_roll(text)
    assert confidence_level("0.9") == confidence_level(".90") == Fraction(9, 10)
    assert urcx.dice_chances(confidence=0.9) == urcx.dice_chances(confidence=Fraction(9, 10))
    for level in ("0", "1", "1.0", "90", "-0.5", "", ".", "90%", "nan", "1e-1", Fraction(3, 2)):
        with pytest.raises(UsageError, match="between 0 and 1"):
            confidence_level(level)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("counts of 21 in 20 rolls", {"counts": {0: 21}, "rolls": 20}),
        ("make 5, not the 6", {"counts": "0:1,1:1,2:1,3:1,4:1", "rolls": 6}),
        ("binary4 cannot roll 5", {"counts": {5: 1}}),
        ("from 0", {"counts": {4: -1}}),
        ("from 0", {"counts": {}}),
        ("a roll comes twice", {"counts": "0:1,0:2"}),
        ("binary4 cannot roll 5", {"sequence": "15"}),
        ("251 rolls; from 1 to 250", {"sequence": "2" * 251}),
        ("0 rolls; from 1 to 250", {"sequence": []}),
        ("sequence: a text such as", {"sequence": 5}),
        (r"lengths \(\): numbers from 1 to 250", {"lengths": ()}),
        ("rolls 101: numbers from 1 to 100", {"sum": 4, "rolls": 101}),
        ("sums are from 1", {"sum": 0}),
        ("between 0 and 1", {"confidence": 0}),
        ("rolls 10001: numbers from 1 to 10,000", {"confidence": 0.9, "rolls": 10_001}),
        (r"rolls \(1, 2\): confidence takes one", {"confidence": 0.9, "rolls": (1, 2)}),
        ("sum and counts exclude each other", {"sum": 4, "counts": {0: 1}}),
        ("rolls need sum, counts or confidence", {"sequence": "12", "rolls": 2}),
        ("sum takes one kind of dice", {"dice": ["binary4", "binary3"], "sum": 2}),
    ],
)
def test_questions_that_make_no_sense(words: str, arguments: dict[str, Any]) -> None:
    with pytest.raises((UsageError, WrongObjectError), match=words):
        urcx.dice_chances(**arguments)
