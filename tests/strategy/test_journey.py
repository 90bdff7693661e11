"""A piece on its way: by hand, by linear algebra, by simulation, and against other solvers."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import urcx
from urcx.errors import UsageError
from urcx.results.writing import json_text
from urcx.rules.catalogue import catalogue
from urcx.rules.model import Dice
from urcx.strategy.alone import plies_alone
from urcx.strategy.dice import chances
from urcx.strategy.track import (
    Journeys,
    Track,
    journeys,
    leg,
    light_journeys,
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
NEVER = Dice("zeros", "", (0,), (Fraction(1),))


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
        result = leg(way, to)
        assert result.approximation == to / way.dice.mean
        assert result.passing is not None
        assert float(result.passing.rolls) == pytest.approx(inverse[0].sum())
        assert float(result.passing.turns) == pytest.approx(1 + inverse[0] @ ends)
        assert float(result.hit) == pytest.approx(inverse[0] @ hits)
        if result.alone is not None:
            # The chain that is told to hit: transitions weighted by the probability to do so.
            hit = inverse @ hits
            sure = hit > 0
            told = moves[np.ix_(sure, sure)] * hit[sure] / hit[sure][:, None]
            steps = np.linalg.inv(np.eye(int(sure.sum())) - told)
            assert float(result.alone.rolls) == pytest.approx(steps[0].sum())


@pytest.mark.parametrize("way", WAYS)
def test_chosen_journeys_by_value_iteration(way: Track) -> None:
    assert way.length is not None
    for to in (3, 8, way.length + 1):
        chosen = leg(way, to).chosen
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
            assert chosen is not None
            assert float(chosen.turns if turns else chosen.rolls) == pytest.approx(1 + value[0])


def test_alone_to_home_is_what_the_solver_of_one_player_finds() -> None:
    for name in ("finkel", "masters", "aseb"):
        rules = urcx.ruleset(name)
        result = leg(track(rules), rules.path.length + 1)
        assert result.hit == 1
        assert result.alone == result.passing
        assert result.alone is not None
        assert float(result.alone.rolls) == pytest.approx(plies_alone(rules, 1)[0], rel=1e-12)


def test_from_a_step_and_on_a_plain_track_only_the_distance_counts() -> None:
    plain, way = Track(FINKEL.dice), track(FINKEL)
    assert leg(plain, 9, 4).passing == leg(plain, 5).passing
    assert leg(way, 8, 4).hit == leg(plain, 4).hit
    numbers = (1, 2, 3, 7, 30)
    result = plain_journeys(FINKEL.dice, numbers).rows
    unnamed = [replace(row, goal=f"step {row.to}") for row in result]
    assert unnamed == [leg(plain, n) for n in numbers]
    assert [row.goal for row in result][:2] == ["1 tile on", "2 tiles on"]
    with pytest.raises(UsageError, match="at least 1"):
        plain_journeys(FINKEL.dice, (0, 3))


def test_what_cannot_be_reached_never_is() -> None:
    result = leg(Track(TWOS, 4), 3)
    assert result.hit == 0
    assert result.alone is result.chosen is None
    assert result.passing is not None
    home = leg(Track(TWOS, 4), 5)  # an odd number of steps, and it must be exact
    assert home.hit == 0
    assert home.passing is home.alone is home.chosen is None
    report = light_journeys(replace(FINKEL, dice=TWOS), [3])
    (row,) = json.loads(json_text(report))["rows"]
    assert (row["lands"], row["lands_decimal"]) == ("0", 0.0)
    assert (row["alone_rolls"], row["alone_rolls_decimal"]) == (None, None)
    assert report.tables()[0].rows[0][6:8] == ["never", "never"]


def test_rosettes_that_grant_nothing() -> None:
    rules = replace(FINKEL, rosette_grants_roll=False)
    alone = leg(track(rules), 15).alone
    assert alone is not None
    assert alone.rolls == alone.turns
    assert track("seleucid").rosettes == {4}
    assert track(rules).rosettes == frozenset()
    assert path_track(rules.path, rules.dice) == track(FINKEL), "all rosettes, whatever the rules"


@pytest.mark.parametrize(("to", "start"), [(0, 0), (16, 0), (4, 4), (3, 4), (4, -1)])
def test_steps_must_be_in_order(to: int, start: int) -> None:
    with pytest.raises(UsageError, match="up to 15, home"):
        leg(track(FINKEL), to, start)


def test_journeys_are_those_of_each_step_and_have_its_name() -> None:
    for name in ("finkel", "masters"):
        way = track(urcx.ruleset(name))
        assert journeys(way, 14, (5, 0, 13)) == [leg(way, 14, n) for n in (5, 0, 13)]
    result = urcx.journey("finkel", start=2)
    assert isinstance(result, Journeys)
    unnamed = [replace(x, goal=f"step {x.to}" if x.to < 15 else "home") for x in result.rows]
    assert unnamed == [leg(track(FINKEL), step, 2) for step in range(3, 16)]
    assert [row.goal for row in result.rows][:2] == ["A2", "A1, rosette"]
    assert urcx.journey("masters", "C7", "B4") == urcx.journey("masters", 12, 8)
    assert urcx.journey(to=["home", "B4", 8], start="A1") == urcx.journey(to=[8, 15], start=4)
    assert urcx.journey("finkel", dice=TWOS) == urcx.journey(replace(FINKEL, dice=TWOS))
    plain = urcx.journey(tiles=1)
    assert plain == plain_journeys(FINKEL.dice, [1])
    data = json.loads(json_text(plain))
    assert (data["rules"], data["path"], data["dice"]) == (None, None, "binary4")


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("'C4': no tile of light's path bell, nor home", {"to": "C4"}),
        ("murray crosses it more than once; 6 or 22", {"rules": "murray", "to": "B2"}),
        ("'home': no tile of light's path bell$", {"start": "home"}),
        ("--to 16: .* from 1 to 15", {"to": 16}),
        ("--from 15: .* from 0 to 14", {"start": 15}),
        ("zeros never moves a piece", {"dice": NEVER}),
        ("--to and --tiles exclude", {"to": 3, "tiles": 3}),
        ("--within and --tiles exclude", {"within": 3, "tiles": 3}),
        ("--from needs --to", {"start": 3, "tiles": 3}),
        ("--within needs one step", {"to": (3, 4), "within": 2}),
        (r"pieces \[\]: numbers from 1 to 15", {"to": 8, "within": 2, "pieces": []}),
        ("pieces 51: numbers from 1 to 50", {"pieces": 51}),
        ("tiles 1001: numbers from 1 to 1,000", {"tiles": 1001}),
    ],
)
def test_journeys_that_make_no_sense(words: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=words):
        urcx.journey(**arguments)
