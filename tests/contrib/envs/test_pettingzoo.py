"""PettingZoo's own tests of the environment, its outputs and its errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pettingzoo.test
import pytest
import random_choices
from own_rules import own

from urcx.contrib.envs.pettingzoo import AGENTS, RawEnvironment, env, raw_env
from urcx.errors import UsageError

# PettingZoo knows the environments that have dictionaries with masks by name, ours not among them.
DICTIONARIES = [
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
]


@pytest.mark.filterwarnings(*DICTIONARIES)
@pytest.mark.parametrize("rules", ["finkel", own("odd"), own("short")], ids=str)
def test_the_interface(rules: Any, capsys: pytest.CaptureFixture[str]) -> None:
    pettingzoo.test.api_test(env(rules=rules), num_cycles=60)
    assert capsys.readouterr().out == "Starting API test\nPassed API test\n"


def test_the_same_seed_gives_the_same_game() -> None:
    pettingzoo.test.seed_test(env, num_cycles=40)


def test_every_render_mode(capsys: pytest.CaptureFixture[str]) -> None:
    pettingzoo.test.render_test(
        lambda render_mode: env(rules="finkel", render_mode=render_mode),
        custom_tests={"ansi": lambda text: "light to move" in text or "dark to move" in text},
    )
    assert "roll: " in capsys.readouterr().out


def played(**options: Any) -> RawEnvironment:
    made: RawEnvironment = raw_env(**options)
    made.reset(seed=5)
    return made


def test_the_same_agent_moves_again_after_an_extra_roll() -> None:
    found = played(rules=own("finkel", pieces=3))
    extra = other = 0
    while not found.round.is_over:
        before, agent = found.round.state, found.agent_selection
        action = random_choices.action(found.book, before)
        moves = {m.start: m for m in found.book.game(before).legal_moves(before.roll)}
        again = action in moves and moves[action].rolls_again
        found.step(action)
        if found.round.winner is None:
            assert (found.agent_selection == agent) == again
            extra += again
            other += not again
    assert extra > 0
    assert other > 0


def test_masks_say_which_actions_are_legal_and_whose_turn_it_is() -> None:
    found = played(rules="finkel")
    for _ in range(40):
        agent = found.agent_selection
        other = AGENTS[1 - AGENTS.index(agent)]
        seen = found.observe(agent)
        info: dict[str, Any] = found.infos[agent]
        legal = found.book.legal(found.round.state)
        assert np.flatnonzero(seen["action_mask"]).tolist() == legal
        assert np.array_equal(seen["action_mask"], info["action_mask"])
        assert not found.observe(other)["action_mask"].any()
        assert found.observation_space(agent).contains(seen)
        found.step(random_choices.action(found.book, found.round.state))


def test_rewards_at_the_end() -> None:
    found = played(rules=own("short"))
    while found.agents and not found.terminations[found.agent_selection]:
        assert set(found.rewards.values()) == {0.0}
        found.step(random_choices.action(found.book, found.round.state))
    winner, loser = AGENTS[found.round.winner or 0], AGENTS[1 - (found.round.winner or 0)]
    assert found.rewards == {winner: 1.0, loser: -1.0}
    assert found.terminations == dict.fromkeys(AGENTS, True)


def test_a_long_game_is_truncated() -> None:
    found = played(rules="finkel", max_plies=5)
    for _ in range(5):
        assert not any(found.truncations.values())
        found.step(random_choices.action(found.book, found.round.state))
    assert found.truncations == dict.fromkeys(AGENTS, True)
    assert found.terminations == dict.fromkeys(AGENTS, False)
    assert set(found.rewards.values()) == {0.0}


def test_any_game_of_a_seed_is_begun_by_its_number() -> None:
    one, other = env(rules="finkel"), env(rules="finkel")
    one.reset(seed=8)
    one.reset()
    one.reset()
    other.reset(seed=8, options={"game": 2})
    assert one.unwrapped.round.stream.__dict__ == other.unwrapped.round.stream.__dict__
    with pytest.raises(UsageError, match="game -1: must be from 0 to"):
        other.reset(seed=8, options={"game": -1})


def test_illegal_actions_and_seeds_are_refused() -> None:
    found = env(rules="finkel")
    with pytest.raises(UsageError, match=r"seed -1: must be from 0 to 2\^63 - 1"):
        found.reset(seed=-1)
    found.reset(seed=1)
    with pytest.raises(UsageError, match="action 9 is not legal in -/-/0-0/L with roll"):
        found.step(9)
    options: Any = 7
    with pytest.raises(UsageError, match="options: must be None or a Mapping, not 7"):
        found.reset(seed=1, options=options)
    with pytest.raises(UsageError, match="unknown agent 'red'; known: player_0, player_1"):
        found.observe("red")
