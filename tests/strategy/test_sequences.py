"""Rolls in a row: against all sequences gone through."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import pytest

import urcx
from urcx.errors import TooLargeError, UsageError
from urcx.rules.catalogue import catalogue
from urcx.rules.model import Dice
from urcx.strategy import dice as module
from urcx.strategy.dice import (
    MAX_SEQUENCE,
    chances,
    equal_class,
    parse_sequence,
    sums,
    written,
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
each_dice = pytest.mark.parametrize("dice", [*DICE, LOADED], ids=lambda dice: dice.name)


@each_dice
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_classes_of_equal_probability_against_all_sequences(dice: Dice, length: int) -> None:
    table = chances(dice)
    groups: dict[Fraction, list[tuple[int, ...]]] = defaultdict(list)
    for rolls in product(dice.rolls, repeat=length):
        groups[math.prod((table[r] for r in rolls), start=Fraction(1))].append(rolls)
    found = {item.probability: item for item in urcx.dice_sequences(dice, [length])}
    assert list(found) == sorted(groups, reverse=True)
    for p, alike in groups.items():
        members = tuple(sorted({tuple(sorted(rolls)) for rolls in alike}))
        for item in (found[p], equal_class(dice, alike[-1])):
            assert item.probability == p
            assert item.sequences == len(alike)
            assert item.multisets == len(members)
            assert item.members == members
            assert item.total == len(alike) * p
    assert sum(item.total for item in found.values()) == 1


def test_members_of_a_large_class_can_be_left_out() -> None:
    full = equal_class(FOUR, [0, 1] * 20)
    short = equal_class(FOUR, [0, 1] * 20, limit=10)
    assert len(full.members) == full.multisets == 21 * 21  # as many 0s for 4s, as many 1s for 3s
    assert short.members == ()
    assert (short.multisets, short.sequences) == (full.multisets, full.sequences)
    assert full.sequences == math.comb(40, 20) * 2**40


@each_dice
@pytest.mark.parametrize("wanted", [1, 4, 6])
def test_sums_against_all_sequences(dice: Dice, wanted: int) -> None:
    found = sums(dice, wanted, range(1, 5))
    table = chances(dice)
    reached = {n: Fraction(0) for n in range(1, 5)}
    for n in range(1, 5):
        sets: Counter[tuple[int, ...]] = Counter()
        for rolls in product(dice.rolls, repeat=n):
            if sum(rolls) == wanted:
                sets[tuple(sorted(rolls))] += 1
                if sum(rolls[:-1]) < wanted:
                    reached[n] += math.prod(table[r] for r in rolls)
        assert {row.rolls: row.orders for row in found.by_length[n]} == sets
        for row in found.by_length[n]:
            assert row.probability == math.prod(table[r] for r in row.rolls)
        assert found.total(n) == sum(row.total for row in found.by_length[n])
    assert found.first == reached
    assert found.reached == sum(reached.values())
    assert found.added == sum(map(found.total, range(1, 5)))


def test_four_tiles_in_three_rolls_by_all_outcomes() -> None:
    # The paper adds 45.7 %; sequences such as 40 are in there with one roll and with two.
    hits = sum(
        1
        for a, b, c in product([sum(k) for k in product((0, 1), repeat=4)], repeat=3)
        if 4 in (a, a + b, a + b + c)
    )
    found = sums(FOUR, 4, [1, 2, 3])
    assert found.reached == Fraction(hits, 4096)
    assert f"{float(found.reached):.3%}" == "43.579%"
    assert f"{float(found.added):.1%}" == "45.7%"


def test_reading_and_writing_sequences() -> None:
    assert parse_sequence("122", FOUR) == parse_sequence("1,2,2", FOUR) == (1, 2, 2)
    assert parse_sequence("0,12,1", LOADED) == (0, 12, 1)
    assert (written((1, 2, 2)), written((0, 12))) == ("122", "0,12")


@pytest.mark.parametrize("text", ["", " ", "1 2", "1,,2", "1,", "-1", "x", "1.2", "\u0663", "1;2"])
def test_malformed_sequences(text: str) -> None:
    with pytest.raises(UsageError, match="write rolls such as 122"):
        parse_sequence(text, FOUR)


def test_impossible_and_long_sequences(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="binary4 cannot roll 5"):
        parse_sequence("125", FOUR)
    with pytest.raises(UsageError, match="251 rolls; at most 250"):
        parse_sequence("2" * (MAX_SEQUENCE + 1), FOUR)
    with pytest.raises(TooLargeError, match="shorter"):
        urcx.dice_sequences(FOUR, [60])
    many = Dice("many", "", tuple(range(99)), tuple(Fraction(n + 1, 4950) for n in range(99)))
    with pytest.raises(TooLargeError, match="fewer rolls"):
        equal_class(many, [1, 2, 3, 4])
    with pytest.raises(UsageError, match="from 1"):
        sums(FOUR, 0, [1])
    monkeypatch.setattr(module, "MAX_MULTISETS", 3)
    assert len(sums(FOUR, 4, [2]).by_length[2]) == 3
    with pytest.raises(TooLargeError, match="fewer rolls"):
        sums(FOUR, 4, [1, 2])


def test_a_sequence_with_its_orders() -> None:
    found = urcx.dice_sequence((1, 2, 2), FOUR)
    assert found.alike == equal_class(FOUR, (1, 2, 2))
    assert found.product == "1/4 x 3/8 x 3/8"
    assert found.orders == 3
    assert found.any_order == 3 * Fraction(9, 256)


def test_a_long_sequence_is_cut_in_the_table_only() -> None:
    rolls = (1, 2) * 40
    report = urcx.dice_sequence(rolls, FOUR).report()
    lines = {row[0]: row[1] for row in report.tables[0].rows}
    assert lines["as a product"].endswith(" x ...")
    assert lines["as a product"].count("1/4") == module.MAX_MEMBERS // 2
    assert lines["probability"] == "-", "too long to read"
    data = json.loads(report.json())
    assert Fraction(data["probability"]) == Fraction(3, 32) ** 40
    assert (data["length"], len(data["sequence"])) == (80, 80)


def test_classes_of_many_members_are_cut_in_the_table_only() -> None:
    classes = urcx.dice_sequences(FOUR, [6])
    report = classes.report()
    many = next(k for k, item in enumerate(classes) if item.multisets == 12)
    assert report.tables[0].rows[many][0].count(" ") == 11
    assert report.records[many]["members"].count(" ") == 11
    assert report.records[many]["length"] == 6


def test_sums_in_two_tables() -> None:
    found = sums(FOUR, 4, [1, 2])
    report = found.report()
    assert [row[1] for row in report.tables[0].rows] == ["4", "04", "13", "22"]
    assert report.tables[1].rows[-1][0] == "added"
    assert json.loads(report.json())["reached"] == str(found.reached)


def test_public_functions_check_what_they_are_given() -> None:
    with pytest.raises(UsageError, match=r"rolls 101: numbers from 1 to 100 are needed"):
        urcx.dice_sums(4, rolls=101)
    with pytest.raises(UsageError, match=r"rolls \(\): numbers from 1 to 250"):
        urcx.dice_sequences(rolls=())
    with pytest.raises(UsageError, match=r"rolls 0: numbers from 1 to 250"):
        urcx.dice_sequence([])
    with pytest.raises(UsageError, match="binary4 cannot roll 5"):
        urcx.dice_sequence("15")
    with pytest.raises(UsageError, match="binary4 cannot roll 5"):
        urcx.dice_counts({5: 1})
    with pytest.raises(UsageError, match="from 0"):
        urcx.dice_counts({4: -1})
    for wrong in (0, 1.0, Fraction(3, 2)):
        with pytest.raises(UsageError, match="between 0 and 1"):
            urcx.dice_intervals(wrong)
    assert urcx.dice_intervals(Fraction(9, 10)) == urcx.dice_intervals(0.9)
