"""Gymnasium's check of the environment, and many games at once next to single games."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pytest
import random_choices
from gymnasium.utils.env_checker import check_env
from own_rules import own

import urcx
import urcx.contrib.envs.pettingzoo
from urcx.contrib.envs.gymnasium import ID, UrEnvironment
from urcx.contrib.envs.many_games import UrVectorEnvironment
from urcx.errors import UsageError
from urcx.rules.model import RuleSet


@pytest.mark.parametrize("options", [{}, {"rules": "masters", "pieces": 2, "side": "dark"}])
def test_the_interface(options: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    check_env(gymnasium.make(ID, **options).unwrapped)
    assert "roll: " in capsys.readouterr().out  # the render mode for people


def test_one_step_plays_until_the_learner_is_to_choose() -> None:
    env = gymnasium.make(ID, rules="finkel", opponent="random")
    seen, info = env.reset(seed=3)
    for _ in range(30):
        now = env.unwrapped.round
        assert now.state.side == 0
        assert np.flatnonzero(info["action_mask"]).tolist() == env.unwrapped.book.legal(now.state)
        assert np.array_equal(seen, env.unwrapped.book.observation(now.state, 0))
        seen, reward, ended, cut, info = env.step(int(np.argmax(info["action_mask"])))
        assert (reward, ended, cut) == (0.0, False, False)
    assert info["plies"] > 50


def test_an_illegal_action_loses_or_raises() -> None:
    env = UrEnvironment("finkel")
    env.reset(seed=1)
    seen, reward, ended, cut, info = env.step(9)
    assert (reward, ended, cut) == (-1.0, True, False)
    assert info["error"].startswith("action 9 is not legal in ")
    assert not info["action_mask"].any()
    assert seen in env.observation_space
    with pytest.raises(UsageError, match=r"action 9 is not legal in .*: the game is over"):
        env.step(9)
    strict = UrEnvironment("finkel", illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(UsageError, match="action 9 is not legal in "):
        strict.step(9)
    env.reset()
    with pytest.raises(UsageError, match="action 99 is not legal"):
        env.step(99)  # no action at all


def test_a_long_game_is_truncated() -> None:
    env = UrEnvironment("finkel", max_plies=7, opponent="random")
    _, info = env.reset(seed=1)
    ended = cut = False
    reward = 1.0
    while not (ended or cut):
        _, reward, ended, cut, info = env.step(int(np.argmax(info["action_mask"])))
    assert (reward, ended, cut, info["plies"]) == (0.0, False, True, 7)


# Errors of all environments, then of environments with an opponent.
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"rules": 7}, "rule set: must be .*, not 7"),
    ({"rules": "finkle"}, "unknown rule set 'finkle'; did you mean finkel?"),
    ({"path_file": 7}, "file: must be a file name or a Path, not 7"),
    ({"first": "both"}, "unknown first mover 'both'; known: light, dark, alternate, coin"),
    ({"max_plies": 0}, "max_plies 0: must be from 1 to 1,000,000"),
    ({"max_plies": 2.5}, "max_plies: must be an integer"),
    ({"render_mode": "svg"}, "render_mode 'svg': must be "),
]
WRONG_OPPONENT: list[tuple[dict[str, Any], str]] = [
    ({"opponent": "gredy"}, "unknown agent 'gredy'; did you mean greedy?"),
    ({"side": "left"}, "side 'left': must be light or dark"),
    ({"illegal": "ignore"}, "unknown illegal 'ignore'; known: lose, raise"),
]


@pytest.mark.parametrize(
    "kind", [UrEnvironment, UrVectorEnvironment, urcx.contrib.envs.pettingzoo.env]
)
def test_wrong_arguments_are_one_line(kind: Any) -> None:
    more = [] if kind is urcx.contrib.envs.pettingzoo.env else WRONG_OPPONENT
    for options, said in WRONG + more:
        with pytest.raises(UsageError, match=said):
            kind(**options)


@pytest.mark.parametrize(
    ("side", "opponent"), [("light", "random"), ("dark", "random"), ("light", "self")]
)
@pytest.mark.parametrize("rules", [own("short"), own("odd")], ids=lambda rules: rules.name)
def test_many_games_do_what_one_does(rules: RuleSet, side: str, opponent: str) -> None:
    together = 6
    options: dict[str, Any] = {"side": side, "opponent": opponent, "max_plies": 16}
    many = UrVectorEnvironment(together, rules, **options)
    ones = [UrEnvironment(rules, **options) for _ in range(together)]
    seen, info = many.reset(seed=9)
    for k, one in enumerate(ones):
        alone, told = one.reset(seed=9, options={"game": k})
        assert np.array_equal(alone, seen[k])
        assert np.array_equal(told["action_mask"], info["action_mask"][k])
    over = np.zeros(together, np.bool_)
    random = np.random.default_rng(2)
    ends = {"won": 0, "lost": 0, "cut": 0, "illegal": 0}
    for _ in range(400):
        actions = np.array([random_choices.action(one.book, one.round.state) if not gone else 0
                            for one, gone in zip(ones, over, strict=True)])  # fmt: skip
        actions = np.where(random.random(together) < 0.02, 3, actions)
        seen, rewards, ended, cut, info = many.step(actions)
        for k, one in enumerate(ones):
            if over[k]:
                number = one.round.number + together
                alone, told = one.reset(seed=9, options={"game": number})
                result: tuple[Any, ...] = (alone, 0.0, False, False, told)
            else:
                result = one.step(int(actions[k]))
            assert np.array_equal(result[0], seen[k])
            assert result[1:4] == (rewards[k], ended[k], cut[k])
            assert np.array_equal(result[4]["action_mask"], info["action_mask"][k])
            for name in ("game", "plies", "player"):
                assert result[4][name] == info[name][k]
            assert ("error" in result[4]) == info["illegal"][k]
            assert many.state(k) == one.round.state
            ends["illegal"] += bool(info["illegal"][k])
            ends["cut"] += bool(cut[k])
            ends["won"] += rewards[k] > 0
            ends["lost"] += rewards[k] < 0 and not info["illegal"][k]
        over = ended | cut
    if opponent == "self":
        assert ends.pop("lost") == 0
    assert min(ends.values()) > 0, ends


def test_who_plays_both_sides_sees_and_is_paid_as_the_player_that_moves() -> None:
    rules = own("odd")
    env = UrEnvironment(rules, opponent="self", first="dark")
    seen, info = env.reset(seed=5)
    now, players, ended = env.round, [], False
    while not ended:
        mover = now.state.side
        assert info["player"] == mover
        assert np.array_equal(seen, env.book.observation(now.state, mover))
        players.append(mover)
        seen, reward, ended, _, info = env.step(int(np.argmax(info["action_mask"])))
        assert reward == (now.winner == mover)
    assert players[0] == 1
    assert len(players) == info["plies"] == now.plies
    assert any(a == b for a, b in pairwise(players))  # after an extra roll


def test_many_games_are_made_by_their_id() -> None:
    made = gymnasium.make_vec(ID, num_envs=3, rules="finkel")
    assert isinstance(made, UrVectorEnvironment)
    assert made.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    seen, info = made.reset(seed=1)
    assert seen in made.observation_space
    once = seen.copy()
    seen, *_, later = made.step(np.argmax(info["action_mask"], axis=1))
    assert (seen != once).any()
    assert not np.shares_memory(info["action_mask"], later["action_mask"])
    again, _ = made.reset(seed=1)
    assert np.array_equal(again, once)
    following, info = made.reset()
    assert info["game"].tolist() == [3, 4, 5]
    assert following.shape == once.shape
    made.close()


def test_many_games_refuse_illegal_actions_and_step_none_then() -> None:
    env = UrVectorEnvironment(4, "finkel", illegal="raise")
    with pytest.raises(UsageError, match="call reset before step"):
        env.step(np.zeros(4, int))
    _, info = env.reset(seed=1)
    good = np.argmax(info["action_mask"], axis=1)
    for bad in (9, -1, 99):
        actions = good.copy()
        actions[2] = bad
        with pytest.raises(UsageError, match=f"^game 2: action {bad} is not legal in .*; legal: "):
            env.step(actions)
    assert env.step(good)[4]["plies"].min() > 0
    for wrong in (good[:3], good.astype(float), [*good.tolist(), 0]):
        with pytest.raises(UsageError, match="actions: must be 4 integers"):
            env.step(wrong)


def test_states_of_many_games_are_counted_from_0() -> None:
    env = UrVectorEnvironment(2, "finkel")
    env.reset(seed=1)
    assert env.state(1).roll > 0
    for game in (2, -1):
        with pytest.raises(UsageError, match=f"^game {game}: must be from 0 to 1$"):
            env.state(game)


def test_many_games_need_an_agent_that_is_compiled() -> None:
    with pytest.raises(UsageError, match=r"scattered\(\) .* vectorization_mode='sync'"):
        UrVectorEnvironment(opponent=random_choices.scattered)
    with pytest.raises(UsageError, match="num_envs 0: must be from 1 to 1,048,576"):
        UrVectorEnvironment(0)
    env = gymnasium.make_vec(
        ID, num_envs=2, vectorization_mode="sync", opponent=random_choices.scattered
    )
    assert env.reset(seed=1)[0].shape == (
        2,
        urcx.contrib.envs.states.rulebook(urcx.ruleset("finkel")).size,
    )
