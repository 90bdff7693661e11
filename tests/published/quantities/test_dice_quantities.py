"""Statements about dice and single pieces, compared with counts of all outcomes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import pytest

from urcx.errors import OutOfDomainError
from urcx.published.quantities import dice

FOUR = {"dice": "binary4"}
ONE = {roll: Fraction(comb(4, roll), 16) for roll in range(5)}


def _all(rolls: int) -> dict[tuple[int, ...], Fraction]:
    collected = {}
    for outcome in product(range(5), repeat=rolls):
        chance = Fraction(1)
        for roll in outcome:
            chance *= ONE[roll]
        collected[outcome] = chance
    return collected


def test_a_sequence() -> None:
    params = {**FOUR, "sequence": "122", "of": 100}
    assert dice.sequence_chance(params) == 100 * _all(3)[1, 2, 2]
    some = {**params, "any_order": True}
    every = sum(p for rolls, p in _all(3).items() if sorted(rolls) == [1, 2, 2])
    assert dice.sequence_chance(some) == 100 * every
    # P(2) is 37.5 percent, 38 if rounded first.
    rounded = dice.sequence_chance({**params, "rounded_first": "2"})
    assert rounded == 100 * _all(3)[1, 2, 2] * Fraction(38) / Fraction("37.5")


def test_sums() -> None:
    two = {**FOUR, "sum": 4, "up_to": 2, "of": 1}
    there = [sum(p for r, p in _all(n).items() if sum(r) == 4) for n in (1, 2)]
    assert dice.sum_chance({**two, "what": "added"}) == sum(there)
    reached = sum(p for r, p in _all(2).items() if 4 in (r[0], sum(r)))
    assert dice.sum_chance({**two, "what": "reached"}) == reached
    assert dice.likeliest_length({**FOUR, "up_to": 6}) == "S / 2"
    assert dice.likeliest_length({"dice": "binary3", "up_to": 6}).startswith("not S / 2")


def test_any_of_some_rolls() -> None:
    params = {**FOUR, "rolls": [1, 3], "of": 1}
    assert dice.any_of(params) == ONE[1] + ONE[3]
    assert dice.any_of({**params, "less": [0]}) == ONE[1] + ONE[3] - ONE[0]
    assert dice.any_of({**params, "over": [2]}) == (ONE[1] + ONE[3]) / ONE[2]


def test_pairs() -> None:
    # 2 with 2 has 36 of 256, more than a 0 or a 4 has (16), with 0 it has 6.
    assert dice.pairs_likelier({**FOUR, "with": 2, "than": [0, 4]}) == "all but 02, 24"


def test_counts_and_intervals() -> None:
    assert dice.expected_count({**FOUR, "rolls": 32, "roll": 2}) == 12
    zeros = sum(p for rolls, p in _all(4).items() if rolls.count(0) == 1)
    counts = {**FOUR, "counts": "0:1", "rolls": 4, "of": 1}
    assert dice.counts_chance(counts) == zeros
    assert dice.deviations({"confidence": "0.95"}) == pytest.approx(1.959964, abs=1e-6)
    params = {**FOUR, "confidence": "0.9", "roll": 2, "rolls": 4}
    low, high = map(int, dice.normal_interval(params).split(" to "))
    inside = sum(p for rolls, p in _all(4).items() if low <= rolls.count(2) <= high)
    assert dice.coverage(params) == 100 * inside


def test_a_six_sided_die_instead() -> None:
    # Twice 1 keeps the mean too, but 1 is then the likeliest.
    assert dice.substitute(FOUR) == "5 as 0, 6 as 2"
    assert dice.substitute({"dice": "binary3"}) == ""


def test_rushes() -> None:
    bell = {**FOUR, "path": "bell", "of": 1}
    # The second rosette is 8, the next 14: six steps, too far for any roll.
    assert dice.rush_rolls(bell) == "not possible"
    assert dice.rush(bell) == 0
    # On masters they are 4, 8, 12 and 16, and home is 17.
    masters = {**bell, "path": "masters"}
    assert dice.rush_rolls(masters) == "44441"
    assert dice.rush(masters) == ONE[4] ** 4 * ONE[1]
    assert dice.rush_games({**masters, "turns": 100}) == 1 / (100 * ONE[4] ** 4 * ONE[1])
    assert dice.rush({**bell, "sequence": "44"}) == ONE[4] ** 2
    assert dice.rush_path(FOUR) == "masters and aseb"
    with pytest.raises(OutOfDomainError, match="path bell"):
        dice.rush_games({**FOUR, "path": "bell", "turns": 1})


def test_journeys() -> None:
    way = {"rules": "finkel", "what": "rolls", "to": 1, "way": "passing"}
    # Any roll but 0 leads to step 1 or beyond.
    assert dice.journey(way) == 1 / (1 - ONE[0])
    via = {"rules": "finkel", "to": 5, "via": 4, "way": "passing"}
    rolls = dice.journey({**via, "what": "rolls"})
    turns = dice.journey({**via, "what": "turns"})
    assert rolls > turns
    assert str(dice.journey_hit({"rules": "finkel", "to": 1})) == "less likely than not (26.7%)"
    one = dice.journey_hit({"rules": "finkel", "to": 1, "turns": 1})
    # By a 1, or after up to three 4s that each bring a piece to a rosette.
    assert one.numbers == f"{float(ONE[1] * sum(ONE[4] ** n for n in range(4))):.1%}"
    # Overshot by E[r (r - 1)] / (2 E[r]) = 3/4 tiles, at 2 tiles a roll.
    assert dice.journey_rule(FOUR) == "S / 2 + 3/8"
    assert dice.journey_rule({**FOUR, "of": "tiles a roll"}) == "S / 2"
    assert dice.turns_against_rule({"rules": "finkel", "to": 2}) == "not less than S / 2"
    assert dice.war_tiles_passed({"path": "bell", "to": 7}) == 2
