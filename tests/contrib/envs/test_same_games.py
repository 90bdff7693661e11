"""Every environment plays the games of the simulator, for the same dice and choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import random_choices
from own_rules import own

import urcx
import urcx.contrib.envs.gymnasium
import urcx.contrib.envs.openspiel
import urcx.contrib.envs.pettingzoo
from urcx.contrib.envs.many_games import UrVectorEnvironment
from urcx.contrib.envs.rounds import Stream
from urcx.rules.model import RuleSet

Result = tuple[int, int]  # winner, plies
RULES = [own("short"), own("odd"), own("finkel", pieces=2)]
SEED = 11
GAMES = 50


def simulated(light: Any, dark: Any, rules: RuleSet, games: int, first: str) -> list[Result]:
    result = urcx.simulate(light, dark, rules, games=games, seed=SEED, first=first)
    return [(int(won), int(plies)) for _, won, plies in result.results]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_openspiel(rules: RuleSet) -> None:
    game = urcx.contrib.envs.openspiel.load_game(rules)
    found = []
    for number in range(GAMES):
        stream = Stream(rules, SEED, number, 0)
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rules.dice.rolls.index(stream.roll()))
            else:
                state.apply_action(random_choices.action(game.book, state.state))
        found.append((int(state.returns()[1] > 0), state.plies))
    scattered = random_choices.scattered
    assert found == simulated(scattered, scattered, rules, GAMES, "light")


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_pettingzoo(rules: RuleSet) -> None:
    env = urcx.contrib.envs.pettingzoo.env(rules=rules, first="coin")
    found = []
    for number in range(GAMES):
        env.reset(seed=None if number else SEED)
        now = env.unwrapped.round
        for _ in env.agent_iter():
            over = now.is_over
            env.step(None if over else random_choices.action(now.book, now.state))
        found.append((now.winner, now.plies))
    scattered = random_choices.scattered
    assert found == simulated(scattered, scattered, rules, GAMES, "coin")


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("side", ["light", "dark"])
@pytest.mark.parametrize("opponent", ["random", random_choices.scattered])
def test_gymnasium(rules: RuleSet, side: str, opponent: Any) -> None:
    env = urcx.contrib.envs.gymnasium.UrEnvironment(rules, opponent=opponent, side=side)
    found = []
    for number in range(GAMES):
        env.reset(seed=None if number else SEED)
        now, ended, reward = env.round, False, 0.0
        while not ended:
            _, reward, ended, _, _ = env.step(random_choices.action(now.book, now.state))
        assert reward == (1.0 if now.winner == env.side else -1.0)
        found.append((now.winner, now.plies))
    players: tuple[Any, Any] = (random_choices.scattered, opponent)
    if side == "dark":
        players = players[::-1]
    assert found == simulated(*players, rules, GAMES, "alternate")


@pytest.mark.parametrize("rules", [*RULES, own("finkel")], ids=lambda r: f"{r.name}-{r.pieces}")
@pytest.mark.parametrize(
    ("side", "opponent"),
    [("light", "random"), ("dark", "mistakes:40:greedy"), ("light", "self")],
)
def test_many_games(rules: RuleSet, side: str, opponent: str) -> None:
    games, together = 600, 100
    env = UrVectorEnvironment(together, rules, opponent=opponent, side=side, first="coin")
    _, info = env.reset(seed=SEED)
    found: dict[int, Result] = {}
    for _ in range(20_000):
        if all(number in found for number in range(games)):
            break
        # The move of the least advanced piece, as the agent `first`.
        _, rewards, ended, _, info = env.step(np.argmax(info["action_mask"], axis=1))
        for k in np.flatnonzero(ended):
            won = env.side if rewards[k] > 0 else 1 - env.side
            if opponent == "self":  # the side that moved last has won
                assert rewards[k] == 1.0
                won = 1 - info["player"][k]
            found[int(info["game"][k])] = (won, int(info["plies"][k]))
    other = "first" if opponent == "self" else opponent
    players = ("first", other) if side == "light" else (other, "first")
    assert [found.get(k) for k in range(games)] == simulated(*players, rules, games, "coin")


def test_a_users_agent_has_the_random_numbers_that_it_has_in_the_simulator() -> None:
    class Chancy:
        def choose(self, game: urcx.Game, roll: int, rng: np.random.Generator) -> urcx.Move:
            return game.legal_moves(roll)[int(rng.integers(len(game.legal_moves(roll))))]

    rules = own("short")
    env = urcx.contrib.envs.gymnasium.UrEnvironment(rules, opponent=Chancy())
    found = []
    for number in range(20):
        env.reset(seed=None if number else SEED)
        ended = False
        while not ended:
            action = random_choices.action(env.book, env.round.state)
            ended = env.step(action)[2]
        found.append((env.round.winner, env.round.plies))
    assert found == simulated(random_choices.scattered, Chancy(), rules, 20, "alternate")
