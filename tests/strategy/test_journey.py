"""A piece on its way: by hand, by linear algebra, by simulation, and against other solvers."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import urcx
from urcx.errors import PositionError, UsageError
from urcx.rules.catalogue import catalogue
from urcx.rules.model import Dice
from urcx.strategy.alone import plies_alone
from urcx.strategy.dice import chances
from urcx.strategy.journey import (
    Journeys,
    Track,
    journey,
    journeys,
    legs,
    path_track,
    plain_journeys,
    track,
)

FINKEL = urcx.ruleset("finkel")
DICE = list(catalogue().dice.values())
WAYS = [
    track(replace(FINKEL, path=urcx.path(path), dice=dice))
    for path in ("bell", "masters", "murray")
    for dice in DICE
]
TWOS = Dice("twos", "", (0, 2), (Fraction(1, 2), Fraction(1, 2)))


@pytest.mark.parametrize("way", WAYS)
def test_forced_journeys_by_linear_algebra(way: Track) -> None:
    assert way.length is not None
    home = way.length + 1
    for to in (1, 2, 3, 5, 8, home - 1, home):
        # States 0..to-1 and the other clock: rewards are rolls, or ends of turns.
        moves = np.zeros((to, to))
        hits, ends = np.zeros(to), np.zeros(to)
        for at, (roll, p) in product(range(to), chances(way.dice).items()):
            end = at + roll if at + roll <= home else at
            if end < to:
                moves[at, end] += float(p)
                ends[at] += float(p) * (end == at or end not in way.rosettes)
            elif end == to:
                hits[at] += float(p)
        inverse = np.linalg.inv(np.eye(to) - moves)
        found = journey(way, to)
        assert found.approximation == to / way.dice.mean
        assert found.passing is not None
        assert float(found.passing.rolls) == pytest.approx(inverse[0].sum())
        assert float(found.passing.turns) == pytest.approx(1 + inverse[0] @ ends)
        assert float(found.hit) == pytest.approx(inverse[0] @ hits)
        if found.alone is not None:
            # The chain that is told to hit: transitions weighted by the probability to do so.
            hit = inverse @ hits
            sure = hit > 0
            told = moves[np.ix_(sure, sure)] * hit[sure] / hit[sure][:, None]
            steps = np.linalg.inv(np.eye(int(sure.sum())) - told)
            assert float(found.alone.rolls) == pytest.approx(steps[0].sum())


@pytest.mark.parametrize("way", WAYS)
def test_chosen_journeys_by_value_iteration(way: Track) -> None:
    assert way.length is not None
    for to in (3, 8, way.length + 1):
        found = journey(way, to).chosen
        for turns in (False, True):
            value = np.zeros(to)  # still to come, the last roll or turn not counted
            for _ in range(1000):
                before = value.copy()
                for at in reversed(range(to)):
                    total = 0.0
                    for roll, p in chances(way.dice).items():
                        options = [1 + value[at]]
                        if roll and at + roll < to:
                            free = turns and at + roll in way.rosettes
                            options.append(value[at + roll] + (not free))
                        elif roll and at + roll == to:
                            options.append(0.0)
                        total += float(p) * min(options)
                    value[at] = total
                if np.abs(value - before).max() < 1e-12:
                    break
            assert found is not None
            assert float(found.turns if turns else found.rolls) == pytest.approx(1 + value[0])


def test_alone_to_home_is_what_the_solver_of_one_player_finds() -> None:
    for name in ("finkel", "masters", "aseb"):
        rules = urcx.ruleset(name)
        found = journey(track(rules), rules.path.length + 1)
        assert found.hit == 1
        assert found.alone == found.passing
        assert found.alone is not None
        assert float(found.alone.rolls) == pytest.approx(plies_alone(rules, 1), rel=1e-12)


def test_from_a_step_and_on_a_plain_track_only_the_distance_counts() -> None:
    plain = Track(FINKEL.dice)
    assert journey(plain, 9, 4).passing == journey(plain, 5).passing
    way = track(FINKEL)
    assert journey(way, 8, 4).hit == journey(plain, 4).hit


def test_what_cannot_be_reached_never_is() -> None:
    found = journey(Track(TWOS, 4), 3)
    assert found.hit == 0
    assert found.alone is found.chosen is None
    assert found.passing is not None
    home = journey(Track(TWOS, 4), 5)  # an odd number of steps, and it must be exact
    assert home.hit == 0
    assert home.passing is home.alone is home.chosen is None


def test_rosettes_that_grant_nothing() -> None:
    rules = replace(FINKEL, rosette_grants_roll=False)
    found = journey(track(rules), 15).alone
    assert found is not None
    assert found.rolls == found.turns
    assert track("seleucid").rosettes == {4}


@pytest.mark.parametrize(("to", "start"), [(0, 0), (16, 0), (4, 4), (3, 4), (4, -1)])
def test_steps_must_be_in_order(to: int, start: int) -> None:
    with pytest.raises(UsageError, match="up to 15, home"):
        journey(track(FINKEL), to, start)


def test_dice_that_never_move() -> None:
    never = Dice("zeros", "", (0,), (Fraction(1),))
    with pytest.raises(UsageError, match="zeros never moves a piece"):
        journey(Track(never), 1)


def test_many_plain_journeys_are_what_each_is_alone() -> None:
    dice = catalogue().dice["binary4"]
    numbers = (1, 2, 3, 7, 30)
    found = plain_journeys(dice, numbers)
    unnamed = [replace(one, goal=f"step {one.to}") for one in found]
    assert unnamed == [journey(Track(dice), n) for n in numbers]
    with pytest.raises(UsageError, match="at least 1"):
        plain_journeys(dice, (0, 3))


def test_journeys_from_several_steps_are_what_each_is_alone() -> None:
    for name in ("finkel", "masters"):
        way = track(urcx.ruleset(name))
        assert journeys(way, 14, (5, 0, 13)) == [journey(way, 14, n) for n in (5, 0, 13)]


def test_legs_have_their_goals_names() -> None:
    found = legs("finkel", start=2).rows
    unnamed = [replace(leg, goal=f"step {leg.to}" if leg.to < 15 else "home") for leg in found]
    assert unnamed == [journey("finkel", step, 2) for step in range(3, 16)]
    assert [leg.goal for leg in found][:2] == ["A2", "A1, rosette"]
    assert found[-1].goal == "home"
    (only,) = legs("finkel", [8]).rows
    assert only == replace(journey("finkel", 8), goal="B4, rosette")
    plain = plain_journeys(urcx.dice("binary4"), [1, 5])
    assert [leg.goal for leg in plain] == ["1 tile on", "5 tiles on"]


def test_all_rosettes_of_a_path_grant_a_roll_whatever_the_rules() -> None:
    rules = replace(FINKEL, rosette_grants_roll=False)
    assert track(rules).rosettes == frozenset()
    assert path_track(rules.path, rules.dice) == track(FINKEL)


def test_what_never_happens_is_null_and_never() -> None:
    half = Fraction(1, 2)
    even = replace(urcx.dice("binary4"), rolls=(0, 2), probabilities=(half, half))
    rules = replace(FINKEL, dice=even)
    report = legs(rules, [3]).report()
    (row,) = json.loads(report.json())["rows"]
    assert (row["lands"], row["lands_decimal"]) == ("0", 0.0)
    assert (row["alone_rolls"], row["alone_rolls_decimal"]) == (None, None)
    assert report.tables[0].rows[0][6:8] == ["never", "never"]


def test_a_plain_track_has_no_rules() -> None:
    data = json.loads(Journeys(None, plain_journeys(urcx.dice("binary4"), [1])).report().json())
    assert (data["rules"], data["path"], data["dice"]) == (None, None, "binary4")
    assert data["rows"][0]["goal"] == "1 tile on"


def test_ends_may_be_named() -> None:
    assert journey() == journey("finkel", 15)
    assert journey("masters", "C7", "B4") == journey("masters", 12, 8)
    assert journey(track("finkel"), "home", 4) == journey("finkel", 15, start="A1")
    with pytest.raises(PositionError, match="'C4' is no tile of this path"):
        journey("finkel", "C4")
    with pytest.raises(PositionError, match="B2 is crossed more than once; write its step"):
        journey("murray", "B2")
    with pytest.raises(UsageError, match="to 'home': a track has steps, and home if it has an end"):
        journey(Track(TWOS))
