"""One roll, against all faces; several rolls, against all sequences gone through."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import urcx
from urcx.complexity.game_tree import entropy
from urcx.errors import TooLargeError, UsageError, WrongObjectError
from urcx.results.writing import json_text
from urcx.rules.catalogue import catalogue
from urcx.rules.model import Dice
from urcx.strategy import dice as module
from urcx.strategy.dice import (
    chances,
    count_interval,
    counts_by_roll,
    counts_chance,
    equal_class,
    equal_classes,
    intervals,
    sequence_rolls,
    summary,
    sums,
    written,
)

DICE = list(catalogue().dice.values())
FOUR, THREE = urcx.dice("binary4"), urcx.dice("binary3")
# A die on which unlike rolls are as probable as others together: 1/2 x 1/8 = 1/4 x 1/4.
LOADED = Dice(
    "loaded",
    "",
    (0, 1, 12, 13),
    (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8)),
)
SURE = Dice("sure", "", (2,), (Fraction(1),))
each_dice = pytest.mark.parametrize("dice", [*DICE, LOADED], ids=lambda dice: dice.name)
# The dice as they are thrown: all equally likely outcomes.
FACES = {
    "binary4": [sum(marks) for marks in product((0, 1), repeat=4)],
    "binary3": [sum(marks) for marks in product((0, 1), repeat=3)],
    "binary3-0as4": [sum(marks) or 4 for marks in product((0, 1), repeat=3)],
    "d6-substitute": [1, 2, 3, 4, 0, 2],
    "tetrahedron": [1, 2, 3, 4],
    "astragali": [1, 2, 3, 4, 5, 6, 7, 10],
    "astragali-added": [1, 2, 3, 4, 1 + 5, 2 + 6, 3 + 7, 4 + 10],
}


@pytest.mark.parametrize("dice", DICE, ids=lambda dice: dice.name)
def test_summary_against_all_outcomes(dice: Dice) -> None:
    faces = FACES[dice.name]
    counts = Counter(faces)
    result = summary(dice)
    mean = Fraction(sum(faces), len(faces))
    assert chances(dice) == {r: Fraction(n, len(faces)) for r, n in counts.items()}
    assert result.mean == mean
    assert result.variance == sum((face - mean) ** 2 for face in faces) / len(faces)
    assert set(result.likeliest) == {r for r in counts if counts[r] == max(counts.values())}
    # The entropy is what an outcome says, less what it says beyond its roll.
    beyond = sum(math.log2(counts[face]) for face in faces) / len(faces)
    assert result.bits == pytest.approx(math.log2(len(faces)) - beyond, abs=1e-12)
    assert result.digits == pytest.approx(entropy(dice), abs=1e-12)


def test_dice_that_cannot_give_a_roll_have_empty_cells() -> None:
    result = urcx.dice_chances(["binary4", THREE])
    assert result.tables()[0].rows == [
        ["binary4", "1/16", "1/4", "3/8", "1/4", "1/16"],
        ["binary3", "1/8", "3/8", "3/8", "1/8", ""],
    ]
    assert len(result.records()) == 9
    data = json.loads(json_text(result))
    assert [row["mean"] for row in data["summaries"]] == ["2", "3/2"]
    assert data["dice"] == ["binary4", "binary3"]


@each_dice
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_classes_of_equal_probability_against_all_sequences(dice: Dice, length: int) -> None:
    table = chances(dice)
    groups: dict[Fraction, list[tuple[int, ...]]] = defaultdict(list)
    for rolls in product(dice.rolls, repeat=length):
        groups[math.prod((table[r] for r in rolls), start=Fraction(1))].append(rolls)
    classes = {item.probability: item for item in equal_classes(dice, length)}
    assert list(classes) == sorted(groups, reverse=True)
    for p, alike in groups.items():
        members = tuple(sorted({tuple(sorted(rolls)) for rolls in alike}))
        for item in (classes[p], equal_class(dice, alike[-1])):
            assert (item.probability, item.total) == (p, len(alike) * p)
            assert (item.sequences, item.members) == (len(alike), members)


def test_sequences_in_texts() -> None:
    assert sequence_rolls("122", FOUR) == sequence_rolls("1,2,2", FOUR) == (1, 2, 2)
    assert sequence_rolls("0,12,1", LOADED) == (0, 12, 1)
    assert (written((1, 2, 2)), written((0, 12))) == ("122", "0,12")
    for text in ("", " ", "1 2", "1,,2", "1,", "-1", "x", "1.2", "\u0663", "1;2"):
        with pytest.raises(UsageError, match="rolls such as 122"):
            sequence_rolls(text, FOUR)


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


def test_what_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLargeError, match="20,475 sets of 24 rolls"):
        equal_class(FOUR, [2] * 24)
    monkeypatch.setattr(module, "MAX_MULTISETS", 3)
    assert len(sums(FOUR, 4, [2]).rows) == 3
    with pytest.raises(TooLargeError, match="fewer rolls"):
        sums(FOUR, 4, [1, 2])


def test_a_sequence_is_one_row_with_those_that_are_as_probable() -> None:
    result = urcx.dice_chances(sequence="122")
    (row,) = result.records()
    assert (row["sequence"], row["probability"], row["members"]) == ("122", "9/256", "122 223")
    assert (row["dice"], row["orders"], row["sequences"]) == ("binary4", "3", "6")
    assert (row["any_order"], row["total"]) == ("27/256", "27/128")
    lines = {row[0]: row[1] for row in result.tables()[0].rows}
    assert (lines["probability"], lines["in any order, %"]) == ("9/256", "10.55")


@each_dice
@pytest.mark.parametrize("target", [1, 4, 6])
def test_sums_against_all_sequences(dice: Dice, target: int) -> None:
    result = sums(dice, target, range(1, 5))
    table = chances(dice)
    for n, total, first in result.lengths:
        sets: Counter[tuple[int, ...]] = Counter()
        reached = Fraction(0)
        for rolls in product(dice.rolls, repeat=n):
            if sum(rolls) == target:
                sets[tuple(sorted(rolls))] += 1
                if sum(rolls[:-1]) < target:
                    reached += math.prod(table[r] for r in rolls)
        rows = [row for row in result.rows if row.length == n]
        assert {row.rolls: row.orders for row in rows} == sets
        for row in rows:
            assert row.probability == math.prod(table[r] for r in row.rolls)
        assert (total, first) == (sum(row.total for row in rows), reached)
    assert [item.length for item in result.lengths] == [1, 2, 3, 4]
    assert result.reached == sum(item.first for item in result.lengths)
    assert result.added == sum(item.total for item in result.lengths)
    assert sums(dice, target, [4]).lengths == result.lengths[3:]


def test_four_tiles_in_three_rolls_by_all_outcomes() -> None:
    # The paper adds 45.7 %; sequences such as 40 are in there with one roll and with two.
    hits = sum(
        4 in (a, a + b, a + b + c)
        for a, b, c in product([sum(k) for k in product((0, 1), repeat=4)], repeat=3)
    )
    result = sums(FOUR, 4, [1, 2, 3])
    assert result.reached == Fraction(hits, 4096)
    assert f"{float(result.added):.1%}" == "45.7%"


def test_a_certain_roll() -> None:
    assert counts_chance(SURE, {2: 7}, 7).at_least == 1
    item = count_interval(SURE, 2, 7, Fraction(9, 10))
    assert (item.rounded, item.rounded_coverage) == ((7, 7), Fraction(1))


@pytest.mark.parametrize("rolls", [1, 8, 106])
@pytest.mark.parametrize("level", [Fraction(1, 100), Fraction(9, 10), Fraction(999, 1000)])
def test_intervals_by_their_definition(rolls: int, level: Fraction) -> None:
    for item in intervals(FOUR, rolls, level).rows:
        p = chances(FOUR)[item.roll]
        low, high = item.normal
        inside = math.erf((high - float(item.mean)) / math.sqrt(2 * rolls * p * (1 - p)))
        assert inside == pytest.approx(float(level))
        assert low + high == pytest.approx(2 * float(item.mean))
        a, b = item.rounded
        assert a == max(0, math.floor(low + 0.5))
        assert b == min(rolls, math.floor(high + 0.5))
        terms = [math.comb(rolls, k) * p**k * (1 - p) ** (rolls - k) for k in range(rolls + 1)]
        assert item.rounded_coverage == sum(terms[a : b + 1])


def test_normal_intervals_of_the_paper() -> None:
    result = intervals(FOUR, 106, Fraction(9, 10))
    ends = [item.rounded for item in result.rows]
    assert ends == [(3, 11), (19, 34), (32, 48), (19, 34), (3, 11)]
    assert f"{result.z:.3f}" == "1.645"
    row = result.records()[2]
    assert (row["normal_low"], row["normal_high"]) == result.rows[2].normal
    assert (row["rounded_low"], row["rounded_high"]) == (32, 48)


def test_counts_and_confidence() -> None:
    assert counts_by_roll("0:7, 1:27") == counts_by_roll({0: 7, 1: 27}) == {0: 7, 1: 27}
    for text in ("", "0", "0:", "0:-1", "0:1:2", "0:1,", "0:\u0663"):
        with pytest.raises(UsageError, match="roll:times"):
            counts_by_roll(text)
    assert urcx.dice_chances(confidence=0.9) == urcx.dice_chances(confidence=Fraction(9, 10))
    row = urcx.dice_chances(counts={0: 7, 1: 27}).records()[0]
    assert (row["counts"], row["rolls"], row["at_least"]) == ("0:7,1:27", 106, None)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("at most 20, not 21", {"counts": {0: 21}, "rolls": 20}),
        ("add up to 6 .*, not 5", {"counts": "0:1,1:1,2:1,3:1,4:1", "rolls": 6}),
        ("roll 5: must be one of 0, 1, 2, 3, 4", {"counts": {5: 1}}),
        ("count", {"counts": {4: -1}}),
        ("count", {"counts": {}}),
        ("roll:times once for each", {"counts": "0:1,0:2"}),
        ("roll 5: must be one of 0, 1, 2, 3, 4", {"sequence": "15"}),
        ("sequence: must have at least one roll", {"sequence": []}),
        ("sequence: must be a string such as", {"sequence": 5}),
        (r"lengths \(\): must be from 1", {"lengths": ()}),
        ("rolls 101: must be from 1 to 100", {"sum": 4, "rolls": 101}),
        ("--sum 0", {"sum": 0}),
        ("between 0 and 1", {"confidence": 0}),
        ("between 0 and 1", {"confidence": Fraction(3, 2)}),
        ("confidence nan", {"confidence": math.nan}),
        ("rolls 10001: must be from 1 to 10,000", {"confidence": 0.9, "rolls": 10_001}),
        (r"rolls \(1, 2\): .* --interval", {"confidence": 0.9, "rolls": (1, 2)}),
        ("--sum and --counts exclude each other", {"sum": 4, "counts": {0: 1}}),
        ("--rolls: needs", {"sequence": "12", "rolls": 2}),
        ("--sum: needs a single kind of dice", {"dice": ["binary4", "binary3"], "sum": 2}),
    ],
)
def test_questions_that_make_no_sense(words: str, arguments: dict[str, Any]) -> None:
    with pytest.raises((UsageError, WrongObjectError), match=words):
        urcx.dice_chances(**arguments)
