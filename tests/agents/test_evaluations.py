"""Own evaluations as data, and functions, against a plain recursion by the words of the docs."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from own_rules import own, small

import urcx
from urcx.agents.agents import agent
from urcx.agents.evaluation_kernels import LeafWeights
from urcx.agents.evaluations import read_evaluation, rule_weights
from urcx.agents.levels import level_file
from urcx.agents.policies import Policies, agent_lookahead, leaves_digest
from urcx.agents.search import lookahead
from urcx.engine.moves import centre_step
from urcx.errors import OutOfDomainError, UnknownNameError, UnusableFileError, UsageError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

WEIGHTS: dict[str, Any] = {"home": 20, "centre": 3.5, "rosettes": -0.25, "exposed": -6}
OTHER = WEIGHTS | {"enemy": {"exposed": -1.5, "home": 9}}
OPPOSED = WEIGHTS | {"enemy": {"opposed": False}}


def side_worth(position: Position, light: bool, rules: RuleSet, weights: dict[str, Any]) -> Any:
    """Return the worth of a side's pieces, by their tiles and the naive moves of the enemy."""
    way = rules.path.light if light else rules.path.dark
    pieces, home = (position.light, position.dark)[not light], position.home[not light]
    centre = way[centre_step(rules.path) - 1] if centre_step(rules.path) else None
    total = Fraction(weights["home"]) * home
    opposite = () if weights.get("opposed", True) else (position.dark, position.light)[not light]
    turn = Position(position.light, position.dark, position.home, not light)
    hits = {
        roll: [(after.light, after.dark)[not light] for *_, after in naive.moves(turn, roll, rules)]
        for roll in rules.dice.rolls
    }
    for step in pieces:
        tile = way[step - 1]
        worth = weights.get("steps", range(1, len(way) + 1))[step - 1]
        worth += Fraction(weights["centre"]) * (tile == centre)
        worth += Fraction(weights["rosettes"]) * (tile in rules.path.board.rosettes)
        total += worth * (step not in opposite)
        for roll, chance in zip(rules.dice.rolls, rules.dice.probabilities, strict=True):
            hit = any(step not in left for left in hits[roll])
            total += Fraction(weights["exposed"]) * chance * hit
    return total


def evaluation(position: Position, light: bool, rules: RuleSet, weights: dict[str, Any]) -> Any:
    """Return the value of a position to an agent, light or dark."""
    if rules.pieces in position.home:
        won = Fraction(weights["home"]) * rules.pieces
        return won if position.home[not light] == rules.pieces else -won
    enemy = weights | weights.get("enemy", {})
    return side_worth(position, light, rules, weights) - side_worth(
        position, not light, rules, enemy
    )


def value(position: Position, plies: int, rules: RuleSet, leaf: Any, light: bool) -> Any:
    """Return the value to an agent with plies to go: its best moves, and the worst of the enemy."""
    if plies == 0 or rules.pieces in position.home:
        return leaf(position, light)
    pick = max if position.light_to_move == light else min
    return sum(
        chance * pick(value(to, plies - 1, rules, leaf, light) for to in after)
        for chance, after in naive.rolled(position, rules)
    )


def values(position: Position, roll: int, depth: int, rules: RuleSet, leaf: Any) -> dict[int, Any]:
    light = position.light_to_move
    return {
        start: value(after, depth - 1, rules, leaf, light)
        for start, _, after in naive.moves(position, roll, rules)
    }


MEETING = {  # pieces that can be captured, by one roll, by two, on a rosette, from the pool
    "finkel": ["3,4,6/3,7,9/0-0/L", "2,8/4,10,12/1-0/D", "5,13/4,6/2-1/L"],
    "murray": ["13,18/9,21/0-0/L", "5,9,24/12,20/1-0/D", "6,21/11,13/0-2/L"],
    "short": ["1,4/1,3/0-0/L", "3/5/1-0/D"],
}


@pytest.mark.jit
@pytest.mark.parametrize("weights", [WEIGHTS, OTHER, OPPOSED], ids=["alike", "enemy", "opposed"])
@pytest.mark.parametrize("name", MEETING)
def test_search_agrees_with_a_plain_recursion(name: str, weights: dict[str, Any]) -> None:
    rules = own(name)
    for depth, number in ((1, 3), (2, 1), *([(3, 1)] if name == "short" else [])):
        player = agent(f"expectimax:{depth}", leaf=weights)
        for text in MEETING[name][:number]:
            game = urcx.Game(rules, text)
            leaf = partial(evaluation, rules=rules, weights=weights)
            for roll in rules.dice.rolls[1:4]:
                answer = player.values(game, roll)
                assert answer is not None
                ref = values(game.position, roll, depth, rules, leaf)
                assert {move.start: worth for move, worth in answer.items()} == ref


def test_evaluations_of_small_games_agree_with_a_plain_recursion() -> None:
    rules = own("corner")
    player = agent("expectimax:2", leaf=OTHER)
    game = urcx.Game(rules, "2/3/0-0/L")
    leaf = partial(evaluation, rules=rules, weights=OTHER)
    for roll in (1, 2):
        answer = player.values(game, roll)
        assert answer is not None
        ref = values(game.position, roll, 2, rules, leaf)
        assert {move.start: worth for move, worth in answer.items()} == ref


@pytest.mark.jit
@pytest.mark.parametrize("depth", [1, 3])
def test_tables_of_all_states_play_as_the_search(depth: int) -> None:
    rules = small("finkel", 2)
    player = agent(f"expectimax:{depth}", leaf=WEIGHTS)
    level, tree = (
        urcx.expected(player, "greedy", rules, method=method, no_cache=True)
        for method in ("levels", "tree")
    )
    assert level.first_wins == pytest.approx(tree.first_wins, abs=1e-12)
    assert level.measured.plies == pytest.approx(tree.measured.plies, abs=1e-9)
    plain = urcx.expected(f"expectimax:{depth}", "greedy", rules, no_cache=True)
    assert abs(plain.first_wins - level.first_wins) > 1e-6


def test_other_weights_of_enemy_pieces_have_no_tables() -> None:
    rules = own("corner")
    policies = Policies(rules, 10**9, method="levels")
    with pytest.raises(OutOfDomainError, match="enemy's pieces differ"):
        policies.of(agent("expectimax:2", leaf=OTHER))


def test_data_equal_to_a_name_is_the_same_agent() -> None:
    rules = small("finkel", 2)
    for name, weights in (
        ("advance", {"steps": list(range(1, 15)), "home": 16, "won": 32, "enemy": {"centre": 0}}),
        ("advance+centre", {"centre": 4.0}),
    ):
        look, leaves = agent_lookahead(agent("expectimax:4", leaf=weights), rules)
        assert leaves is None  # kernels that prune
        ref = lookahead(rules, 4, name, few_rolls=False)
        assert all(np.array_equal(getattr(look, key), getattr(ref, key)) for key in vars(ref))
    uneven, leaves = agent_lookahead(agent("expectimax:4", leaf={"home": 15.5}), rules)
    assert isinstance(leaves, LeafWeights)
    assert leaves.won == uneven.won == 62


def test_files_and_dicts_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(
        "home = 20\ncentre = 3.5\nrosettes = -0.25\nexposed = -6\n[enemy]\nexposed = -1.5\nhome=9\n"
    )
    rules = own("corner")
    file, given = agent("expectimax:3:mine.toml:last"), agent("expectimax:3", leaf=OTHER)
    assert (file.name, file.ties, given.name) == (
        "expectimax:3:mine.toml:last", "last", "expectimax:3:weights",
    )  # fmt: skip
    assert agent("mistakes:20:expectimax:2:mine.toml").base == agent("expectimax:2:mine.toml")
    sides = [rule_weights(item.evaluation, rules) for item in (file, given) if item.evaluation]
    assert sides[0] == sides[1]
    assert agent("expectimax:3:mine.toml") != agent("expectimax:3", leaf={"home": 20})


def test_tables_in_the_cache_are_of_these_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    rules = own("corner")
    files = set()
    for weights in (WEIGHTS, WEIGHTS | {"exposed": -5}, WEIGHTS | {"steps": [1, 2, 4]}, {}):
        look, leaves = agent_lookahead(agent("expectimax:3", leaf=weights), rules)
        files.add(level_file(rules, look, "" if leaves is None else leaves_digest(leaves)))
    assert len(files) == 4


@pytest.mark.parametrize(
    ("weights", "why"),
    [
        ({"stepz": [1]}, "stepz"),
        ({"enemy": {"hom": 1}}, "hom"),
        ({"enemy": 3}, "enemy 3"),
        ({"home": float("nan")}, "home"),
        ({"home": "far"}, "home 'far'"),
        ({"home": True}, "home True"),
        ({"centre": 1e7}, "centre"),
        ({"steps": 3}, "steps 3"),
        ({"steps": [1, None]}, "steps"),
        ({"won": -1}, "won"),
    ],
    ids=str,
)
def test_faults_in_weights_are_one_line(weights: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        read_evaluation(weights)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "error", "why"),
    [
        ("home = inf", UsageError, "home"),
        ("home = 1e-400000", UsageError, "won game"),
        ("home = ", UnusableFileError, "not a TOML file"),
        ("centr = 3", UnknownNameError, "centr.*centre"),
        ("steps = [1, 2]", UsageError, "steps has 2 numbers: must have 3"),
        ("home = -3", UsageError, "won game is worth -6"),
    ],
)
def test_faults_in_files_are_one_line(
    text: str, error: type[Exception], why: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(error, match=why) as caught:
        agent_lookahead(agent(f"expectimax:2:{file}"), own("corner"))
    assert "\n" not in str(caught.value)
    with pytest.raises(UnusableFileError):
        agent(f"expectimax:2:{tmp_path / 'none.toml'}")


def test_sides_that_differ_have_no_own_evaluation() -> None:
    with pytest.raises(OutOfDomainError, match="same for both sides"):
        agent_lookahead(agent("expectimax:2", leaf=WEIGHTS), own("odd"))


def test_a_function_searches_as_its_data_do() -> None:
    rules = own("corner")

    def worth(position: Position) -> Fraction:
        result: Fraction = evaluation(position, position.light_to_move, rules, WEIGHTS)
        return result

    player = agent("expectimax:2:random", leaf=worth)
    data = agent("expectimax:2:random", leaf=WEIGHTS)
    assert player.name == "expectimax:2:worth()"
    for text in ("2/3/0-0/L", "1,3/2/0-0/D", "2/1/0-1/L"):
        game = urcx.Game(rules, text)
        for roll in rules.dice.rolls:
            assert player.move_probabilities(game, roll) == data.move_probabilities(game, roll)
    with pytest.raises(UsageError, match=r"expectimax:3:<lambda>\(\) fails in .* finite number"):
        agent("expectimax", leaf=lambda _: float("nan")).choose(urcx.Game(rules, "2/-/0-0/L"), 1)
