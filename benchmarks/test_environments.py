"""Benchmarks of environments: many games at once next to games in Python, and other libraries.

Tests do not assert on time, only that both sides of a comparison play the same games. Run with
``python -m pytest benchmarks/test_environments.py -s``; docs/performance.rst has figures.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from statistics import median
from typing import Any

import numpy as np
import pytest

QUICK = int(os.environ.get("URCX_BENCHMARK_PIECES", "7")) < 7
MISSING = [
    name for name in ("gymnasium", "pettingzoo", "pyspiel") if not importlib.util.find_spec(name)
]
GAMES = 1024
ROUNDS = 3 if QUICK else 7

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"without {', '.join(MISSING)}")


def _print(text: str) -> None:
    sys.stdout.write(f"\n{text}\n")


def _alone(env: Any, steps: int) -> tuple[float, list[int]]:
    """Step games in Python one after another; return steps per CPU second, and lengths."""
    _, info = env.reset(seed=1)
    lengths = []
    began = time.process_time()
    for _ in range(steps):
        _, _, ended, _, info = env.step(int(info["action_mask"].argmax()))
        if ended:
            lengths.append(info["plies"])
            _, info = env.reset()
    return steps / (time.process_time() - began), lengths


def _together(env: Any, steps: int) -> tuple[float, dict[int, int]]:
    """Step many games at once; return steps per CPU second, and lengths by number."""
    _, info = env.reset(seed=1)
    lengths: dict[int, int] = {}
    began = time.process_time()
    for _ in range(steps):
        _, _, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
        if ended.any():
            over = np.flatnonzero(ended)
            lengths |= dict(zip(info["game"][over], info["plies"][over], strict=True))
    return GAMES * steps / (time.process_time() - began), lengths


@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_many_games_at_once(opponent: str) -> None:
    """Step 1,024 games of Gymnasium at once, next to single games in Python."""
    from urcx.contrib.envs.gymnasium import UrEnvironment
    from urcx.contrib.envs.many_games import UrVectorEnvironment

    single_game, many = (
        UrEnvironment(opponent=opponent),
        UrVectorEnvironment(GAMES, opponent=opponent),
    )
    _together(many, 2)  # compiles, or loads what is compiled
    _alone(single_game, 2)
    alone = [_alone(single_game, 1000 if QUICK else 20_000) for _ in range(ROUNDS)]
    together = [_together(many, 300 if QUICK else 3000) for _ in range(ROUNDS)]
    lengths = together[0][1]
    assert [lengths[k] for k in range(len(alone[0][1]))] == alone[0][1]  # the same games
    slow, fast = (median(rate for rate, _ in rates) for rates in (alone, together))
    _print(
        f"finkel against {opponent}, steps per CPU second: {GAMES:,} games at once "
        f"{fast:,.0f}, one after another in Python {slow:,.0f}, ratio {fast / slow:,.0f}"
    )


def test_many_games_of_self_play() -> None:
    """Step 1,024 games of self-play at once, next to 1,024 games against greedy."""
    from urcx.contrib.envs.many_games import UrVectorEnvironment

    against, alone = UrVectorEnvironment(GAMES), UrVectorEnvironment(GAMES, opponent="self")
    for env in (against, alone):
        _together(env, 2)  # compiles, or loads what is compiled
    steps = 300 if QUICK else 3000
    pairs = [(_together(against, steps)[0], _together(alone, steps)[0]) for _ in range(ROUNDS)]
    greedy, both = (median(rates) for rates in zip(*pairs, strict=True))
    _print(
        f"finkel, {GAMES:,} games at once, steps per CPU second: self-play {both:,.0f}, "
        f"against greedy {greedy:,.0f}, ratio {both / greedy:.2f}"
    )


@pytest.mark.skipif(QUICK, reason="PettingZoo's benchmark takes five seconds")
def test_pettingzoo_performance(capsys: pytest.CaptureFixture[str]) -> None:
    """Run PettingZoo's own benchmark, which chooses at random."""
    from pettingzoo.test import performance_benchmark

    from urcx.contrib.envs.pettingzoo import env

    made = env()
    made.reset(seed=1)
    performance_benchmark(made)
    printed = capsys.readouterr().out.splitlines()
    with capsys.disabled():
        _print(f"PettingZoo, finkel: {float(printed[1].split()[0]):,.0f} turns/s")


def test_judging_a_policy_of_batches() -> None:
    """Judge a layer of random weights exactly."""
    from urcx.contrib.envs import judge

    weights = np.random.default_rng(1).normal(size=(38, 16))
    own = [0.0]

    def network(seen: Any, masks: Any) -> Any:
        began = time.process_time()
        actions = np.where(masks, seen @ weights, -np.inf).argmax(axis=1)
        own[0] += time.process_time() - began
        return actions

    judge(network, "finkel", pieces=2, batched=True)  # compiles, or loads what is compiled
    own[0], began = 0.0, time.process_time()
    judgement = judge(network, "finkel", pieces=2 if QUICK else 3, batched=True)
    took = time.process_time() - began
    assert judgement.exact
    _print(f"{judgement}; {took:.1f} CPU seconds, of which the policy took {own[0]:.1f}")


def test_openspiel_playouts() -> None:
    """Play random games through OpenSpiel's states."""
    from urcx.contrib.envs.openspiel import load_game

    game, random = load_game("finkel"), np.random.default_rng(1)
    plies = 0
    began = time.process_time()
    for _ in range(5 if QUICK else 50):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(random.choice(outcomes, p=chances)))
            else:
                state.apply_action(int(random.choice(state.legal_actions())))
        assert sorted(state.returns()) == [-1.0, 1.0]
        plies += state.plies
    rate = plies / (time.process_time() - began)
    _print(f"OpenSpiel, finkel, random games: {rate:,.0f} plies per CPU second")
