from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import naive
import pytest

import urcx
from urcx.errors import PositionError
from urcx.results.writing import csv_text, json_text
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, parse_position
from urcx.strategy.capture import Danger, capture, chances_ever, dangers, dangers_after
from urcx.strategy.dice import chances

FINKEL: RuleSet = urcx.ruleset("finkel")
FIGURE_7 = parse_position("1/6/6-6/D")  # black on 1, grey on 6 and to move


def follow(rules: RuleSet, at: Position, roll: int, light: bool) -> tuple[Position | None, bool]:
    """Return what a forced roll leads to, None if it is over, and whether the hunter captured."""
    made = naive.moves(at, roll, rules)
    after = made[0][2] if made else naive.passed(at)
    hunted = (at.dark, after.dark) if light else (at.light, after.light)
    captured = at.light_to_move == light and hunted[1] != hunted[0]
    over = captured or rules.pieces in after.home
    return None if over else after, captured


def _ends(item: Danger) -> tuple[int, int]:
    assert item.move
    return item.move.start, item.move.end


def test_figure_6() -> None:
    # Grey on 2 and 4; black's 2 takes 3 to 5, where 1 and 3 hit, or 4 to 6, where 2 and 4 hit.
    position = parse_position("3,4/2,4/0-0/L")
    after = {(_ends(item), item.step): item for item in dangers_after(position, 2, FINKEL)}
    five, six = after[(3, 5), 5], after[(4, 6), 6]
    assert five.direct_chance == Fraction(1, 2)
    assert six.direct_chance == six.chance == Fraction(7, 16)
    # Besides: 4 to the rosette on 8 leaves 4 free for the pieces on 2 and in the pool.
    more = Fraction(1, 16) * (
        Fraction(4, 16) + Fraction(6 * 4, 256) + Fraction(1, 16) * Fraction(4 + 4, 16)
    )
    assert five.chance == Fraction(1, 2) + more
    assert after[(3, 5), 4].chance == 0


def test_dangers_are_those_of_the_naive_twin() -> None:
    for name in ("finkel", "blitz"):
        rules = urcx.ruleset(name)
        for position in naive.random_positions(rules, 200, seed=2)[::20]:
            theirs = position.dark if position.light_to_move else position.light
            expected = [(step, naive.taken(position, step, rules)) for step in theirs]
            assert [(item.step, item.chance) for item in dangers(position, rules)] == expected


def test_figure_7_by_all_sequences_of_rolls() -> None:
    _, found = chances_ever(FIGURE_7, FINKEL)
    hits = []
    for rolls in product(FINKEL.dice.rolls, repeat=3):
        at: Position | None = FIGURE_7
        for roll in rolls:
            if at is None:
                break
            at, captured = follow(FINKEL, at, roll, light=True)
            if captured:
                hits.append(rolls)
    assert hits == [(0, 3, 2), (1, 3, 3)]  # as printed
    assert [rolls for rolls, _ in found.shortest] == hits
    # 0.59 % and 1.6 % as printed
    assert [chance for _, chance in found.shortest] == [Fraction(24, 4096), Fraction(64, 4096)]
    assert found.estimate == Fraction(11, 512)


def test_after_the_last_piece_nothing_is_in_danger() -> None:
    assert dangers_after(parse_position("14/6/6-6/L"), 1, FINKEL) == ()


def test_a_turn_that_would_go_on_is_taken_to_end() -> None:
    # Roll 1: 7 to the rosette on 8, where nobody takes it, while 6 is reached by 3 and 12.
    found = dangers_after(parse_position("6,7/3/5-6/L"), 1, FINKEL)
    assert [(_ends(item), item.step, item.chance) for item in found] == [
        ((7, 8), 6, Fraction(4, 16) + Fraction(24, 256)),
        ((7, 8), 8, 0),
    ]


def test_after_a_roll_only_pieces_in_danger_and_the_one_that_moved() -> None:
    position = parse_position("3,4/2,4/0-0/L")
    found = capture(position, "finkel", roll=2)
    assert found.hunts == ()
    assert {_ends(item) for item in found.exposures} == {(0, 2), (3, 5), (4, 6)}
    for item in found.exposures:
        assert item.attempts or item.step == _ends(item)[1]
        assert item.tile == FINKEL.path.light[item.step - 1]
    safe = [item.step for item in found.exposures if not item.attempts]
    assert safe == [2], "on a private tile"


@pytest.mark.parametrize(
    ("name", "position"),
    [
        ("finkel", "1/6/6-6/D"),
        ("finkel", "-/7/6-6/L"),
        ("blitz", "9/5/4-4/L"),
        ("masters", "5/9/6-6/D"),
    ],
)
def test_the_chain_against_following_all_rolls(name: str, position: str) -> None:
    rules, start = urcx.ruleset(name), parse_position(position)
    for item in chances_ever(start, rules):

        def ways(at: Position | None, light: bool = item.light) -> Any:
            """Return what follows, None after a capture, with its chance."""
            for roll, p in chances(rules.dice).items() if at else ():
                assert at
                after, captured = follow(rules, at, roll, light)
                if captured or after:
                    yield (None if captured else after), float(p)

        visits: dict[Position | None, float] = naive.visits({start: 1.0}, ways)
        assert float(item.ever) == pytest.approx(visits[None], abs=1e-12)


def test_nobody_can_move_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urcx.strategy.capture.MOST_SEQUENCES", 100)
    rules = replace(
        FINKEL,
        pieces=1,
        dice=replace(FINKEL.dice, rolls=(20,), probabilities=(Fraction(1),)),
    )
    for item in chances_ever(Position(), rules):
        assert item.ever == 0
        assert not item.shortest


def test_with_a_choice_of_pieces_nobody_knows_what_is_ever_captured() -> None:
    assert chances_ever(parse_position("1,3/6/5-6/D"), FINKEL) == ()
    with pytest.raises(PositionError, match="light has no legal move for the roll 0"):
        dangers_after(position=parse_position("1/6/6-6/L"), roll=0, rules=FINKEL)


def test_captures_of_a_position_are_dangers_and_hunts() -> None:
    found = capture(FIGURE_7, "finkel")
    assert found.exposures == dangers(FIGURE_7, FINKEL)
    assert [item.tile for item in found.exposures] == [FINKEL.path.light[0]], "light's piece on 1"
    assert [item.light for item in found.hunts] == [False, True], "the mover's first"
    assert found.hunts == chances_ever(FIGURE_7, FINKEL)
    data = json.loads(json_text(found))
    assert [row["hunter"] for row in data["hunts"]] == ["dark", "light"]
    assert data["hunts"][1]["shortest"][0] == {"rolls": "032", "chance": "3/512"}
    assert len(found.tables()) == 2
    assert capture("1,3/6/5-6/D", "finkel").hunts == ()


def test_moves_are_those_of_the_roll() -> None:
    with_roll = capture("3,4/2,4/0-0/L", "finkel", roll=2)
    assert {(row["from"], row["to"]) for row in with_roll.records()} == {(0, 2), (3, 5), (4, 6)}
    assert with_roll.tables()[0].heads[0].title == "move"
    without = capture("3,4/2,4/0-0/L", "finkel")
    assert {row["from"] for row in without.records()} == {None}
    assert without.tables()[0].heads[0].title == "piece on"


def test_nothing_to_capture_still_has_a_head() -> None:
    found = capture("-/-/0-0/L", "finkel")
    assert csv_text(found).startswith("step,tile,single_rolls,")
    assert not found.tables()
    assert found.answer.endswith("urcx capture A3/C2,B2/5-5/L")
