"""One roll: against all faces gone through."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, product

import pytest

import urcx
from urcx.complexity.game_tree import entropy
from urcx.errors import UsageError
from urcx.rules.catalogue import catalogue
from urcx.rules.model import Dice
from urcx.strategy.dice import chance, chances, distance, distribution_report, substitutes, summary

DICE = list(catalogue().dice.values())
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


@pytest.mark.parametrize("name", FACES)
def test_summary_against_all_outcomes(name: str) -> None:
    faces = FACES[name]
    found = summary(urcx.dice(name))
    mean = Fraction(sum(faces), len(faces))
    assert chances(found.dice) == {r: Fraction(n, len(faces)) for r, n in Counter(faces).items()}
    assert found.mean == mean
    assert found.variance == sum((face - mean) ** 2 for face in faces) / len(faces)
    counts = Counter(faces)
    assert set(found.likeliest) == {r for r in counts if counts[r] == max(counts.values())}
    # The entropy is what an outcome says, less what it says beyond its roll.
    beyond = sum(math.log2(counts[face]) for face in faces) / len(faces)
    assert found.bits == pytest.approx(math.log2(len(faces)) - beyond, abs=1e-12)
    assert found.digits == pytest.approx(entropy(found.dice), abs=1e-12)


def test_every_dice_of_the_catalogue_is_covered() -> None:
    assert {dice.name for dice in DICE} == set(FACES)


@pytest.mark.parametrize("other", DICE, ids=lambda dice: dice.name)
def test_distance_is_the_most_that_an_event_differs(other: Dice) -> None:
    one = urcx.dice("binary4")
    ours, theirs = chances(one), chances(other)
    rolls = sorted(ours.keys() | theirs.keys())
    events = chain.from_iterable(combinations(rolls, n) for n in range(len(rolls) + 1))
    zero = Fraction(0)
    differences = [sum((ours.get(r, zero) - theirs.get(r, zero) for r in e), zero) for e in events]
    most = max(map(abs, differences))
    assert distance(one, other) == distance(other, one) == most


def test_michons_reading_of_a_die_is_among_all_and_is_the_catalogues() -> None:
    found = {item.five_and_six: item for item in substitutes(urcx.dice("binary4"))}
    assert len(found) == 15
    own = urcx.dice("d6-substitute")
    assert chances(found[0, 2].summary.dice) == chances(own)
    assert found[0, 2].distance == distance(own, urcx.dice("binary4"))
    # Only this one keeps the average and makes it the likeliest roll.
    kept = [pair for pair, item in found.items() if item.summary.mean == 2]
    assert sorted(kept) == [(0, 2), (1, 1)]
    assert found[1, 1].summary.likeliest == (1,)


def test_a_roll_that_the_dice_cannot_give() -> None:
    assert chance(urcx.dice("binary4"), 4) == Fraction(1, 16)
    with pytest.raises(UsageError, match="binary3-0as4 cannot roll 0; its rolls are 1, 2, 3, 4"):
        chance(urcx.dice("binary3-0as4"), 0)


def test_dice_that_cannot_give_a_roll_have_empty_cells() -> None:
    report = distribution_report([urcx.dice("binary4"), urcx.dice("binary3")])
    assert report.tables[0].rows == [
        ["binary4", "1/16", "1/4", "3/8", "1/4", "1/16"],
        ["binary3", "1/8", "3/8", "3/8", "1/8", ""],
    ]
    assert len(report.records) == 9
    data = json.loads(report.json())
    assert [row["mean"] for row in data["summaries"]] == ["2", "3/2"]
    assert data["dice"] == ["binary4", "binary3"]
