"""States, actions and observations agree with a plain version of the rules."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from own_rules import TEXT, own

import urcx
from urcx.contrib.envs.states import (
    NOT_ROLLED,
    Rulebook,
    State,
    chosen_rules,
    chosen_state,
    rulebook,
)
from urcx.errors import UsageError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

RULES = [own("short"), own("odd"), own("tiny"), own("masters", pieces=2), own("skiriuk", pieces=2)]


def seen_by(rules: RuleSet, position: Position, roll: int, viewer: int) -> list[float]:
    """Return an observation, from its description."""
    length = max(len(rules.path.light), len(rules.path.dark))
    boards = position.light, position.dark
    result: list[float] = []
    for side in (viewer, 1 - viewer):
        result += [float(step in boards[side]) for step in range(1, length + 1)]
    sides = (viewer, 1 - viewer)
    result += [rules.pieces - len(boards[k]) - position.home[k] for k in sides]
    result += [position.home[k] for k in sides]
    result[-4:] = [count / rules.pieces for count in result[-4:]]
    result += [float(value == roll) for value in rules.dice.rolls]
    result.append(float(position.light_to_move == (viewer == 0)))
    if not rules.path.symmetric:
        result.append(float(viewer == 0))
    return result


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_actions_lead_where_the_rules_say(rules: RuleSet) -> None:
    book = rulebook(rules)
    passes = 0
    for position in naive.random_positions(rules, 60, seed=3):
        if rules.pieces in position.home:
            continue
        for roll in rules.dice.rolls:
            state = State.of(position, roll)
            ref = {start: after for start, _, after in naive.moves(position, roll, rules)}
            assert book.legal(state) == (sorted(ref) or [book.passing])
            for action in book.legal(state):
                after = book.after(state, action)
                assert after.position == ref.get(action, naive.passed(position))
                assert after.roll == NOT_ROLLED
                passes += action == book.passing
    assert passes > 0


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_observations_are_what_is_described(rules: RuleSet) -> None:
    book = rulebook(rules)
    for position in naive.random_positions(rules, 30, seed=4):
        for roll in (NOT_ROLLED, *rules.dice.rolls):
            for viewer in (0, 1):
                found = book.observation(State.of(position, roll), viewer)
                ref = np.array(seen_by(rules, position, roll, viewer), np.float32)
                assert found.shape == (book.size,)
                assert np.array_equal(found, ref)


def test_a_state_is_a_position_and_back() -> None:
    position = urcx.parse_position("2,6/3,4/1-0/D")
    state = State.of(position, 2)
    assert (state.boards, state.homes, state.side, state.roll) == ((34, 12), (1, 0), 1, 2)
    assert state.position == position


def test_masks_are_of_the_player_to_move_alone() -> None:
    book = rulebook(urcx.ruleset("finkel"))
    state = State.of(urcx.parse_position("2/3,6/5-5/L"), 4)
    assert np.flatnonzero(book.mask(state, 0)).tolist() == book.legal(state) == [0, 2]
    assert not book.mask(state, 1).any()
    assert not book.mask(state._replace(roll=NOT_ROLLED), 0).any()
    assert np.flatnonzero(book.mask(State(roll=0), 0)).tolist() == [book.passing] == [15]


@pytest.mark.parametrize("action", [1, 15, 16, -1, 99, "0", None, 0.0, [0, 2]])
def test_illegal_actions_are_named(action: Any) -> None:
    book = rulebook(urcx.ruleset("finkel"))
    state = State.of(urcx.parse_position("2/3,6/5-5/L"), 4)
    with pytest.raises(UsageError, match=r"is not legal in 2/3,6/5-5/L with roll 4; legal: 0, 2$"):
        book.checked(state, action)


def test_actions_are_numbers_of_any_kind() -> None:
    book = Rulebook(urcx.ruleset("finkel"))
    state = State(roll=1)
    given = (0, np.int64(0), np.int32(0), np.array(0), np.array([0]), False)
    assert [book.checked(state, action) for action in given] == [0] * len(given)
    with pytest.raises(UsageError, match=r"legal: pass \(15\)$"):
        book.checked(State(roll=0), 0)
    over = State(homes=(7, 0), roll=1)
    with pytest.raises(UsageError, match="action 0 is not legal in -/-/7-0/L: the game is over"):
        book.checked(over, 0)


def test_rules_by_name_by_object_and_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(TEXT, encoding="utf-8")
    assert chosen_rules("blitz") is urcx.ruleset("blitz")
    assert chosen_rules(own("short")) == own("short")
    assert chosen_rules("short", path_file=file) == own("short")
    assert chosen_rules("short", 3, path_file=file).pieces == 3
    on_short = chosen_rules("finkel", 2, "short", file)
    assert (on_short.path.length, on_short.dice.name, on_short.pieces) == (5, "binary4", 2)
    assert on_short.name == "finkel-short"
    assert chosen_rules(path=urcx.path("murray")).path == urcx.path("murray")
    assert chosen_rules(path="bell") == urcx.ruleset("finkel")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"rules": "finkle"}, "unknown rule set 'finkle'; did you mean finkel?"),
        ({"rules": 3}, "rule set: must be .*, not 3"),
        ({"pieces": 0}, "pieces 0: must be from 1 to 255"),
        ({"path": "bel"}, "unknown path 'bel'; did you mean bell"),
        ({"path_file": "no.toml"}, "no.toml"),
    ],
)
def test_wrong_rules_are_one_line(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError, match=text) as found:
        chosen_rules(**arguments)
    assert not re.search("\n", str(found.value))


def test_only_what_the_dice_give() -> None:
    with pytest.raises(UsageError, match="roll 5: the dice binary4 give 0, 1, 2, 3, 4"):
        chosen_state(urcx.Game("finkel"), 5)
