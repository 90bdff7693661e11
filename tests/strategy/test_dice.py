"""One roll: against all faces; and dice compared by the piece that they move."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, product

import pytest

import urcx
from urcx.complexity.game_tree import entropy
from urcx.results.writing import json_text
from urcx.rules.catalogue import catalogue
from urcx.rules.model import Dice
from urcx.strategy.dice import chances, distance, substitutes, summary
from urcx.strategy.journey import compare_dice
from urcx.strategy.track import leg, track

DICE = list(catalogue().dice.values())
FOUR, THREE = urcx.dice("binary4"), urcx.dice("binary3")
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


@pytest.mark.parametrize("other", DICE, ids=lambda dice: dice.name)
def test_distance_is_the_most_that_an_event_differs(other: Dice) -> None:
    ours, theirs = chances(FOUR), chances(other)
    rolls = sorted(ours.keys() | theirs.keys())
    events = chain.from_iterable(combinations(rolls, n) for n in range(len(rolls) + 1))
    zero = Fraction(0)
    differences = [sum((ours.get(r, zero) - theirs.get(r, zero) for r in e), zero) for e in events]
    assert distance(FOUR, other) == distance(other, FOUR) == max(map(abs, differences))


def test_michons_reading_of_a_die_is_among_all_and_is_the_catalogues() -> None:
    readings = {item.five_and_six: item for item in substitutes(FOUR)}
    assert len(readings) == 15
    own = urcx.dice("d6-substitute")
    assert chances(readings[0, 2].summary.dice) == chances(own)
    assert readings[0, 2].distance == distance(own, FOUR)
    # Only this one keeps the average and makes it the likeliest roll.
    same_mean = [pair for pair, item in readings.items() if item.summary.mean == 2]
    assert sorted(same_mean) == [(0, 2), (1, 1)]
    assert readings[1, 1].summary.likeliest == (1,)


def test_dice_that_cannot_give_a_roll_have_empty_cells() -> None:
    report = urcx.dice_chances(["binary4", THREE])
    assert report.tables()[0].rows == [
        ["binary4", "1/16", "1/4", "3/8", "1/4", "1/16"],
        ["binary3", "1/8", "3/8", "3/8", "1/8", ""],
    ]
    assert len(report.records()) == 9
    data = json.loads(json_text(report))
    assert [row["mean"] for row in data["summaries"]] == ["2", "3/2"]
    assert data["dice"] == ["binary4", "binary3"]


def test_each_of_the_dice_moves_a_piece_over_the_same_path() -> None:
    result = compare_dice([FOUR, THREE], "masters")
    assert (result.rules.name, result.first_rosette) == ("masters", 4)
    four, three = result.rows
    assert four.summary == summary(FOUR)
    assert (four.rosette_at_once, three.rosette_at_once) == (Fraction(1, 16), Fraction(0))
    assert (four.distance, three.distance) == (Fraction(0), distance(THREE, FOUR))
    way = track(replace(urcx.ruleset("masters"), dice=THREE))
    assert (three.home, three.rosette) == (leg(way, 17).alone, leg(way, 4).hit)
    without = compare_dice(THREE, replace(urcx.ruleset("finkel"), rosette_grants_roll=False))
    assert without.first_rosette is None
    assert (without.rows[0].rosette_at_once, without.rows[0].rosette) == (None, None)


def test_substitutes_are_of_the_first_dice() -> None:
    for first, other in ((FOUR, THREE), (THREE, FOUR)):
        report = compare_dice([first, other], "finkel")
        wanted = [[*item.five_and_six] for item in substitutes(first)]
        readings = json.loads(json_text(report))["readings"]
        assert [[row["five"], row["six"]] for row in readings] == wanted
        assert len(report.tables()[1].rows) == len(wanted) == 15
        assert report.tables()[0].rows[0][0] == first.name
