"""A piece's way: by hand, by linear algebra, by all sequences, and by playing."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from own_rules import own

import urcx
from urcx.engine.moves import legal_moves
from urcx.errors import TooLargeError, UsageError
from urcx.results.writing import json_text
from urcx.rules.catalogue import catalogue
from urcx.rules.model import Dice, RuleSet
from urcx.rules.position import Position
from urcx.strategy.dice import chances
from urcx.strategy.journey import (
    Alone,
    Arrivals,
    Journeys,
    Track,
    arrival,
    leg,
    light_journeys,
    path_track,
    plies_alone,
    track,
)
from urcx.strategy.rush import rush_chance

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


def test_alone_to_home_is_what_the_solver_of_one_player_finds() -> None:
    for name in ("finkel", "masters", "aseb"):
        rules = urcx.ruleset(name)
        result = leg(track(rules), rules.path.length + 1)
        assert result.hit == 1
        assert result.alone == result.passing
        assert result.alone is not None
        assert float(result.alone.rolls) == pytest.approx(plies_alone(rules, 1)[0], rel=1e-12)


def test_what_cannot_be_reached_never_is() -> None:
    result = leg(Track(TWOS, 4), 3)
    assert result.hit == 0
    assert result.alone is None
    assert result.passing is not None
    home = leg(Track(TWOS, 4), 5)  # an odd number of steps, and it must be exact
    assert home.hit == 0
    assert home.passing is home.alone is None
    table = light_journeys(replace(FINKEL, dice=TWOS), [3])
    (row,) = json.loads(json_text(table))["rows"]
    assert (row["lands"], row["lands_decimal"]) == ("0", 0.0)
    assert (row["alone_rolls"], row["alone_rolls_decimal"]) == (None, None)
    assert table.wide_tables()[0].rows[0][6:8] == ["never", "never"]
    assert len(table.tables()[0].rows[0]) == 6


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
    with pytest.raises(UsageError, match="in order"):
        leg(track(FINKEL), to, start)


def test_journeys_are_those_of_each_step_and_have_its_name() -> None:
    result = urcx.journey("finkel", start=2)
    assert isinstance(result, Journeys)
    unnamed = [replace(x, goal=f"step {x.to}" if x.to < 15 else "home") for x in result.rows]
    assert unnamed == [leg(track(FINKEL), step, 2) for step in range(3, 16)]
    assert [row.goal for row in result.rows][:2] == ["A2", "A1, rosette"]
    assert urcx.journey("masters", "C7", "B4") == urcx.journey("masters", 12, 8)
    assert urcx.journey(to=["home", "B4", 8], start="A1") == urcx.journey(to=[8, 15], start=4)
    assert urcx.journey("finkel", dice=TWOS) == urcx.journey(replace(FINKEL, dice=TWOS))
    data = json.loads(json_text(result))
    assert (data["rules"], data["path"], data["dice"]) == ("finkel", "bell", "binary4")
    assert leg(Track(FINKEL.dice), 9, 4).passing == leg(Track(FINKEL.dice), 5).passing


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("'C4': must be a tile of light's path bell", {"to": "C4"}),
        ("murray crosses it more than once.*6 or 22", {"rules": "murray", "to": "B2"}),
        ("'home': must be a tile of light's path bell$", {"start": "home"}),
        ("--to 16: .* from 1 to 15", {"to": 16}),
        ("--from 15: .* from 1 to 14", {"start": 15}),
        ("dice zeros", {"dice": NEVER}),
        ("--to: .*--pieces", {"to": 3, "pieces": 3}),
        ("--from: .* --within and --pieces", {"start": 3, "pieces": 3}),
        ("--from: .* --within and --pieces", {"start": 3, "to": 8, "within": 3}),
        ("within 0", {"to": 8, "within": 0}),
        ("within 11", {"to": 8, "within": 11}),
        ("--within: needs a single step", {"to": (3, 4), "within": 2}),
        (r"pieces \[\]: must be from 1 to 15", {"to": 8, "within": 2, "pieces": []}),
        ("pieces 16: must be from 1 to 15", {"pieces": 16}),
    ],
)
def test_journeys_that_make_no_sense(words: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=words):
        urcx.journey(**arguments)


# One player alone, and several pieces.


def test_a_path_of_one_step_by_hand() -> None:
    path = replace(urcx.path("bell"), light=("A4",), dark=("C4",))
    # From step 1 only a 1 (1/4) helps: 4 plies. From the pool a 1 leads there, a 2 (3/8) home:
    # E = (1 + 1/4 * 4) / (5/8).
    assert plies_alone(replace(FINKEL, path=path), 1) == pytest.approx((2 / (5 / 8),))


def test_dice_that_never_bring_a_piece_home_and_long_paths() -> None:
    with pytest.raises(TooLargeError, match="16 steps"):
        plies_alone(urcx.ruleset("murray"), 1)
    for dice in (_dice(_0="1/2", _2="1/2"), _dice(_0="1")):
        for best in (min, max):
            with pytest.raises(UsageError, match="may never come home"):
                plies_alone(replace(FINKEL, dice=dice), 2, best)


def _dice(**odds: str) -> Dice:
    rolls = {int(roll[1:]): Fraction(p) for roll, p in odds.items()}
    return Dice("own", "", tuple(rolls), tuple(rolls.values()))


def _by_the_games_moves(rules: RuleSet, to: int, left: int, position: Position) -> Fraction:
    """Return the probability with dark passing every turn; the turn that goes on is counted."""
    if left == 0 or position.home[0] == rules.pieces:
        return Fraction(0)
    total = Fraction(0)
    for roll, p in chances(rules.dice).items():
        moves = legal_moves(position, roll, rules)
        best = Fraction(0)
        for move in moves:
            if move.end == to:
                best = Fraction(1)
                break
            after = replace(move.position, light_to_move=True)
            best = max(best, _by_the_games_moves(rules, to, left - (not move.rolls_again), after))
        total += p * (best if moves else _by_the_games_moves(rules, to, left - 1, position))
    return total


@pytest.mark.parametrize(
    ("name", "pieces", "to", "turns"),
    [("finkel", 1, 8, 2), ("finkel", 3, 4, 2), ("finkel", 7, 8, 2), ("masters", 2, 7, 2)],
)
def test_against_the_games_moves(name: str, pieces: int, to: int, turns: int) -> None:
    rules = replace(urcx.ruleset(name), pieces=pieces)
    wanted = [_by_the_games_moves(rules, to, n, Position()) for n in range(1, turns + 1)]
    assert list(arrival(rules, to, pieces, turns)) == wanted


def test_where_the_path_comes_back_a_tile_may_be_taken() -> None:
    rules = own("tiny")
    back = (*rules.path.light, "B2", "B1")
    rules = replace(rules, path=replace(rules.path, light=back, dark=("C1", *back[1:])))
    for to in (5, 7):
        wanted = [_by_the_games_moves(rules, to, n, Position()) for n in (1, 2, 3, 4)]
        assert list(arrival(rules, to, 2, 4)) == wanted


def test_one_piece_arrives_in_the_end_as_often_as_its_chain_says() -> None:
    for to in (4, 8):
        result = arrival(FINKEL, to, 1, 10)
        assert list(result) == sorted(result)
        limit = leg(track(FINKEL), to).hit
        assert 0 <= limit - result[-1] < Fraction(1, 10_000)


def test_more_pieces_are_never_slower() -> None:
    one, two, seven = (arrival(FINKEL, 8, pieces, 5) for pieces in (1, 2, 7))
    assert one[0] == two[0] == seven[0] == Fraction(1, 256)  # two 4s
    assert all(a <= b <= c for a, b, c in zip(one, two, seven, strict=True))
    # The paper expects three turns to the centre; even seven pieces have a quarter.
    assert seven[2] < Fraction(1, 4) < Fraction(1, 2) < seven[3]


def test_numbers_of_pieces_are_those_of_each() -> None:
    result = urcx.journey("finkel", pieces=[3, 1])
    fewest, most = plies_alone(FINKEL, 3, min), plies_alone(FINKEL, 3, max)
    assert fewest[0] == most[0], "nothing to choose"
    assert fewest[1] < most[1]
    assert isinstance(result, Alone)
    assert [*result.rows] == [(1, fewest[0], most[0]), (3, fewest[2], most[2])]
    single = leg(track(FINKEL), 15).alone
    assert single is not None
    assert float(single.rolls) == pytest.approx(fewest[0])


def test_tiles_and_names_say_the_same_as_steps_and_rules() -> None:
    result = urcx.journey(FINKEL, "B4", within=3, pieces=range(1, 3))
    assert result == urcx.journey("finkel", 8, within=3, pieces=[1, 2])
    assert isinstance(result, Arrivals)
    for n in (1, 2):
        rows = [row for row in result.rows if row.pieces == n]
        assert [row.turns for row in rows] == [1, 2, 3]
        assert tuple(row.probability for row in rows) == arrival(FINKEL, 8, n, 3)
    own_pieces = urcx.journey(own("tiny"), "home", within=1)
    assert [row["pieces"] for row in own_pieces.records()] == [own("tiny").pieces]


# Rushes.


DENSE = Track(urcx.dice("d6-substitute"), 7, frozenset({1, 3, 4, 6}))


def _by_all_sequences(way: Track) -> tuple[Fraction, int, set[tuple[int, ...]]]:
    assert way.length is not None
    table = chances(way.dice)
    total, number = Fraction(0), 0
    ways: dict[Fraction, set[tuple[int, ...]]] = {Fraction(0): {()}}
    for n in range(1, len(way.rosettes) + 2):
        for rolls in product([r for r in way.dice.rolls if r], repeat=n):
            stops = [sum(rolls[: k + 1]) for k in range(n)]
            if stops[-1] == way.length + 1 and set(stops[:-1]) <= way.rosettes:
                p = math.prod((table[r] for r in rolls), start=Fraction(1))
                total, number = total + p, number + 1
                ways.setdefault(p, set()).add(rolls)
    return total, number, ways[max(ways)]


@pytest.mark.parametrize(
    "way",
    [
        DENSE,
        *(
            track(replace(FINKEL, path=urcx.path(path), dice=dice))
            for path in ("bell", "masters")
            for dice in catalogue().dice.values()
        ),
    ],
)
def test_rushes_against_all_sequences(way: Track) -> None:
    result = rush_chance(way)
    total, number, likeliest = _by_all_sequences(way)
    assert (result.probability, result.sequences) == (total, number)
    assert result.likeliest in likeliest
    assert number > 5 or way is not DENSE


def test_the_papers_paths_by_hand() -> None:
    wanted = {
        "bell": (Fraction(0), ()),
        "masters": (Fraction(1, 16**4 * 4), (4, 4, 4, 4, 1)),
        "aseb": (Fraction(1, 16**4 * 4), (4, 4, 4, 4, 1)),
        "skiriuk": (Fraction(1, 16**6), (4,) * 6),
        "murray": (Fraction(1, 16**7), (4,) * 7),
    }
    rows = urcx.rush(list(wanted), "binary4").rows
    assert {row.path.name: (row.probability, row.likeliest) for row in rows} == wanted


def test_rushes_of_paths_and_dice_the_likeliest_first() -> None:
    result = urcx.rush(["bell", "masters"], ["binary4", "tetrahedron"], turns=50)
    assert [(row.path.name, row.dice.name) for row in result.rows] == [
        ("masters", "tetrahedron"), ("masters", "binary4"), ("bell", "binary4"),
        ("bell", "tetrahedron"),
    ]  # fmt: skip
    masters = result.rows[1]
    way = Track(FINKEL.dice, 16, frozenset({4, 8, 12, 16}))
    assert (masters.probability, masters.sequences, masters.likeliest) == rush_chance(way)[:3]
    assert masters.games == 1 / (50 * masters.probability)
    assert result.answer.endswith("in 2 of 4 cases")
    none = urcx.rush("bell", "binary4")
    (row,) = none.records()
    assert (row["sequences"], row["likeliest"], row["games"]) == ("0", None, None)
    assert none.answer.startswith("A piece cannot be rushed")
    with pytest.raises(UsageError, match="--turns 0"):
        urcx.rush("aseb", turns=0)
    with pytest.raises(UsageError, match="track: must have an end"):
        rush_chance(Track(FINKEL.dice))
