from __future__ import annotations

from dataclasses import replace
from typing import Any

import naive
import pytest
from own_rules import own

import urcx
from urcx.engine.move_kernels import CENTRE
from urcx.engine.moves import centre_step, legal_moves, tables
from urcx.errors import PositionError, TooLargeError, UsageError
from urcx.rules.catalogue import catalogue
from urcx.rules.model import EFFECTS, RuleSet

RULES = [rules for name, rules in catalogue().rules.items() if name == rules.name]
LOOP = own("loop")
# The opposite of each flag, including new ones.
OTHER: dict[str, Any] = {flag: not getattr(LOOP, flag) for flag in EFFECTS}
FLAGGED = [replace(LOOP, name=flag, **{flag: value}) for flag, value in OTHER.items()]


@pytest.mark.parametrize(
    "rules",
    [*RULES, *FLAGGED, LOOP, own("some"), own("peace"), own("harmless")],
    ids=lambda rules: rules.name,
)
def test_agrees_with_the_naive_rules_on_random_positions(rules: RuleSet) -> None:
    ranking = urcx.ranking(rules.path, rules.pieces, convention="positions")
    captures = again = fewer = 0
    usual = replace(rules, captures_blocked=False, rosette_disarms=False)
    for position in ranking.sample(300, seed=17):
        if rules.pieces in position.home:
            continue
        for roll in rules.dice.rolls:
            ref = naive.moves(position, roll, rules)
            comp = legal_moves(position, roll, rules)
            fewer += len(comp) < len(naive.moves(position, roll, usual))
            assert [(m.start, m.end, m.position) for m in comp] == sorted(
                ref, key=lambda move: move[0]
            )
            for move in comp:
                enemies = (len(position.light), len(position.dark))[position.light_to_move]
                left = (len(move.position.light), len(move.position.dark))[position.light_to_move]
                assert move.captures == (left < enemies)
                assert move.rolls_again == (move.position.light_to_move == position.light_to_move)
                captures += move.captures
                again += move.rolls_again
    assert captures > 20 or rules.captures_blocked  # the sample contains enough captures
    assert again > 20
    assert (fewer > 20) == (rules != usual)


def test_refuses_what_cannot_be_played() -> None:
    finkel = urcx.ruleset("finkel")
    with pytest.raises(PositionError, match="both players are on tile B1"):
        legal_moves(urcx.parse_position("5/5/0-0/L"), 1, finkel)
    with pytest.raises(PositionError, match="all of dark's pieces are home"):
        legal_moves(urcx.parse_position("5/-/0-7/L"), 1, finkel)
    with pytest.raises(PositionError, match="more than 7"):
        legal_moves(urcx.parse_position("1,2/-/6-0/L"), 1, finkel)
    with pytest.raises(UsageError, match="binary3-0as4 give 1, 2, 3, 4"):
        legal_moves(urcx.parse_position("-/-/0-0/L"), 0, urcx.ruleset("masters"))


def test_tables_are_read_only() -> None:
    arrays = tables(urcx.ruleset("skiriuk"))
    assert not any(array.flags.writeable for array in (arrays.rolls, arrays.chance, arrays.ways))


def test_refuses_paths_that_are_too_long() -> None:
    with pytest.raises(TooLargeError, match="60 steps"):
        tables(own("long"))


def test_the_centre_is_the_first_rosette_that_both_reach_with_the_same_step() -> None:
    found = {name: centre_step(urcx.path(name)) for name in urcx.path_names()}
    for name, step in found.items():
        path = urcx.path(name)
        both = list(zip(path.light, path.dark, strict=True))
        meeting = [k for k, (a, b) in enumerate(both, 1) if a == b]
        rosettes = [k for k in meeting if path.light[k - 1] in path.board.rosettes]
        assert step == (rosettes[0] if rosettes else 0)
    assert (found["bell"], urcx.path("bell").light[7]) == (8, "B4")
    # Both cross the same tiles, but at other steps, or none of them is a rosette.
    assert centre_step(own("lane").path) == 0
    assert centre_step(own("race").path) == 0
    assert centre_step(own("short").path) == 4
    assert tables(urcx.ruleset("finkel")).ways[:, CENTRE].tolist() == [8, 8]


def test_moves_in_words() -> None:
    bell = urcx.path("bell")
    position = urcx.parse_position("4,14/5/0-0/L")
    words = {
        move.describe(bell, light=True)
        for roll in (1, 4)
        for move in legal_moves(position, roll, urcx.ruleset("finkel"))
    }
    assert words == {
        "start to A4",
        "A1 to B1, captures",
        "A1 to B4, rosette, rolls again",
        "A7 to home",
    }
    (entered,) = legal_moves(urcx.parse_position("-/-/0-0/D"), 4, urcx.ruleset("finkel"))
    assert entered.describe(bell, light=False) == "start to C1, rosette, rolls again"
