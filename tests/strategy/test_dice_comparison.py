"""Other dice compared under a rule set."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import urcx
from urcx.strategy.dice import distance, substitutes, summary
from urcx.strategy.journey import compare_dice, journey, track

FOUR, THREE = urcx.dice("binary4"), urcx.dice("binary3")


def test_each_of_the_dice_moves_a_piece_over_the_same_path() -> None:
    found = compare_dice([FOUR, THREE], "masters")
    assert (found.rules.name, found.first_rosette) == ("masters", 4)
    four, three = found.rows
    assert four.summary == summary(FOUR)
    assert four.rosette_at_once == Fraction(1, 16)
    assert three.rosette_at_once == 0
    assert four.distance == 0
    assert three.distance == distance(THREE, FOUR)
    way = track(replace(urcx.ruleset("masters"), dice=THREE))
    assert three.home == journey(way, 17).alone
    assert three.rosette == journey(way, 4).hit


def test_without_rosettes_there_is_nothing_to_land_on() -> None:
    rules = replace(urcx.ruleset("finkel"), rosette_grants_roll=False)
    found = compare_dice([THREE], rules)
    assert found.first_rosette is None
    assert (found.rows[0].rosette_at_once, found.rows[0].rosette) == (None, None)


def test_substitutes_are_of_the_first_dice() -> None:
    near = compare_dice([FOUR, THREE], "finkel").readings
    other = compare_dice([THREE, FOUR], "finkel").readings
    assert near[0].distance == distance(near[0].summary.dice, FOUR)
    assert other[0].distance == distance(other[0].summary.dice, THREE)


def test_dice_compared() -> None:
    report = compare_dice([FOUR, THREE], "finkel").report()
    four, three = report.tables[0].rows
    assert (four[0], four[-1]) == ("binary4", "0.0000")
    assert (three[1], three[3]) == ("3/2", "0")
    data = json.loads(report.json())
    wanted = [list(item.five_and_six) for item in substitutes(FOUR)]
    assert [[row["five"], row["six"]] for row in data["readings"]] == wanted
    assert len(report.tables[1].rows) == len(data["readings"]) == 15
