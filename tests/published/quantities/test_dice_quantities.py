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


def test_last_pieces_by_repeated_substitution() -> None:
    # By hand: 4/7 = c / (1 - (1 - c) (1 - c)) with c = 1/4, and Heled's other two.
    bell = {**FOUR, "rosettes": [1]}
    for left, wanted in (([1, 1], "4/7"), ([2, 1], "116/161"), ([1, 2], "74/161")):
        assert dice.last_pieces({**bell, "left": left}) == wanted
    thirds = {"chances": ["1/3"] * 3, "rosettes": []}
    assert dice.last_pieces({**thirds, "left": [1, 1]}) == "3/5"
    # Four steps each, with a rosette one step from home, until nothing changes.
    value = {(a, b): 0.5 for a in range(1, 5) for b in range(1, 5)}
    for _ in range(200):
        for a, b in value:
            parts = []
            for roll, chance in ONE.items():
                rest = a - roll
                if roll == 0 or rest < 0:
                    parts.append(chance * (1 - value[b, a]))
                elif rest == 0:
                    parts.append(float(chance))
                else:
                    after = value[rest, b] if rest == 1 else 1 - value[b, rest]
                    parts.append(chance * after)
            value[a, b] = float(sum(parts))
    for (a, b), number in value.items():
        exact = Fraction(dice.last_pieces({**bell, "left": [a, b]}))
        assert float(exact) == pytest.approx(number, abs=1e-12)


def test_landing_on_a_sum_by_all_sequences() -> None:
    target = 5
    at, first = {}, {}
    for rolls in range(5):
        hits = {seq: p for seq, p in _all(rolls).items() if sum(seq) == target}
        at[rolls] = sum(hits.values(), Fraction(0))
        first[rolls] = sum((p for seq, p in hits.items() if seq[-1]), Fraction(0))
    puzzle = {**FOUR, "sum": target}
    for rolls in range(1, 5):
        assert dice.landing({**puzzle, "rolls": [rolls]}) == at[rolls]
        assert dice.landing({**puzzle, "rolls": [rolls], "first": True}) == first[rolls]
    assert dice.landing({**puzzle, "rolls": [2, 3, 4]}) == at[2] + at[3] + at[4]
    given = {**puzzle, "rolls": [2, 3], "given": [2, 3]}
    assert dice.landing({**given, "rolls": [3]}) == at[3] / (at[2] + at[3])
    mean = (2 * at[2] + 3 * at[3]) / (at[2] + at[3])
    assert dice.landing({**given, "what": "mean"}) == mean
    fifths = {"chances": ["1/5"] * 5, "sum": 2, "rolls": [2]}
    assert dice.landing(fifths) == Fraction(3, 25)
