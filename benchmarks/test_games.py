"""Benchmarks of playing: random games, agents that look ahead, and gtc as a complete process.

Tests do not assert on time, only that both sides of a comparison play the same game. Run with
``python -m pytest benchmarks -s``; docs/performance.rst has figures. ``URCX_BENCHMARK_PIECES=5``
makes it quick.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from processes import URCX, run
from pytest_benchmark.fixture import BenchmarkFixture
from royalur_games import play_random_games

import urcx
from urcx.agents import networks
from urcx.agents.agents import agent
from urcx.agents.levels import last_level, ranking_for
from urcx.agents.networks import network_leaves, shipped
from urcx.agents.policies import Policies
from urcx.agents.search import lookahead
from urcx.games.records import Games
from urcx.games.simulator import simulated

QUICK = int(os.environ.get("URCX_BENCHMARK_PIECES", "7")) < 7
FINKEL = urcx.ruleset("finkel")
JAVA_RANDOM = 25_000  # random games per second and core of a compiled engine, as published
JAVA_DEPTH_3 = 170  # games per second and core of its expectimax of depth 3


def _print(text: str) -> None:
    sys.stdout.write(f"\n{text}\n")


def _rate(play: Callable[[], int], rounds: int) -> float:
    """Return the median of games per second."""
    rates = []
    for _ in range(rounds):
        began = time.perf_counter()
        games = play()
        rates.append(games / (time.perf_counter() - began))
    return median(rates)


def _games(spec: str, games: int, policies: Policies | None = None) -> Games:
    ready = policies or Policies(FINKEL, games, threads=1)
    return simulated(ready, (urcx.agent(spec),) * 2, games, 1, "alternate")


def _played(spec: str, games: int, policies: Policies) -> int:
    return len(_games(spec, games, policies))


def test_random_games(benchmark: BenchmarkFixture) -> None:
    """Play at random on one core, next to the package royalur if it is installed."""
    number = 20_000 if QUICK else 500_000
    _games("random", 10)  # compiles, or loads what is compiled
    played = benchmark(_games, "random", number)
    rate = _rate(
        partial(_played, "random", number, Policies(FINKEL, number, threads=1)), 1 if QUICK else 7
    )
    line = f"random, finkel, one core: {rate:,.0f} games/s"
    line += f", {rate / JAVA_RANDOM:.1f} times {JAVA_RANDOM:,}"
    try:
        few = 50 if QUICK else 300
        began = time.perf_counter()
        plies = play_random_games(few, 1)
        other = few / (time.perf_counter() - began)
    except ImportError:
        line += "; royalur is not installed"
    else:
        line += f"; royalur {other:,.0f} games/s, ratio {rate / other:,.0f}"
        assert abs(plies / few - played.plies.mean()) < 20  # the same game
    _print(line)


@pytest.mark.parametrize("pieces", [4, 7])
def test_priorities_beside_greedy(pieces: int) -> None:
    """Play agents by wishes on one core, next to greedy, whose wishes are the first."""
    rules, number = urcx.ruleset("finkel", pieces=pieces), 2_000 if QUICK else 200_000
    wishes = ("capture,rosette", "capture,rosette,off", "capture,safe,rosette,flee")
    rates: dict[str, float] = {}
    results: dict[str, list[list[int]]] = {}
    for name in ("greedy", *(f"priority:{text}" for text in wishes)):
        ready = Policies(rules, number, threads=1)
        results[name] = _games(name, 100, ready).results.tolist()
        rates[name] = _rate(partial(_played, name, number, ready), 1 if QUICK else 7)
    listed = ", ".join(f"{name} {rate:,.0f}" for name, rate in rates.items())
    _print(f"finkel with {pieces} pieces, games/s on one core: {listed}")
    assert results["greedy"] == results["priority:capture,rosette"]


def test_expectimax_of_depth_3(benchmark: BenchmarkFixture) -> None:
    """Play expectimax of depth 3 on one core: by value tables, and by searching each position."""
    rules = urcx.ruleset("finkel")
    number = 50 if QUICK else 2_000
    rates = {}
    played = {}
    for method in ("tree",) if QUICK else ("tree", "levels"):
        ready = Policies(rules, number, method=method, keep=False, threads=1)
        began = time.perf_counter()
        ready.of(agent("expectimax:3"))
        prepared = time.perf_counter() - began
        _games("expectimax:3", 10, ready)
        rates[method] = _rate(partial(_played, "expectimax:3", number, ready), 1 if QUICK else 5)
        played[method] = _games("expectimax:3", 100, ready).results.tolist()
        _print(
            f"expectimax:3 by {method}: {rates[method]:,.0f} games/s on one core, "
            f"{rates[method] / JAVA_DEPTH_3:,.0f} times {JAVA_DEPTH_3}; ready in {prepared:.1f} s"
        )
    if not QUICK:
        assert played["tree"] == played["levels"]
    ready = Policies(rules, number, method="tree", keep=False, threads=1)
    benchmark(_games, "expectimax:3", number // 10, ready)


def test_levels() -> None:
    """Compute all value tables of the paper's agent, in states per second."""
    rules = urcx.ruleset("kwan" if QUICK else "finkel")
    look = lookahead(rules, 3 if QUICK else 7, "advance+centre", few_rolls=True)
    size = ranking_for(rules).size
    times = []
    for _ in range(1 if QUICK else 3):
        began = time.perf_counter()
        last_level(rules, look, keep=False)
        times.append(time.perf_counter() - began)
    seconds = median(times)
    sweeps = len(look.weights)
    _print(
        f"{sweeps} levels of {size:,} states ({rules.name}): {seconds:.1f} s, "
        f"{size * (sweeps + 1) / seconds / 1e6:.0f} million states/s"
    )


def test_values_of_a_network_beside_captures_by_each_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Value states by the network for finkel, and again by the method for any path."""
    ranking = ranking_for(FINKEL)
    out = np.zeros(ranking.size, np.int32)
    patterns = range(0, len(ranking.arrays.offset) - 1, 400 if QUICK else 40)

    def valued() -> tuple[Any, float]:
        write = network_leaves(shipped(FINKEL), FINKEL, 1)
        write(0, 0, 1, out)  # compiles
        out[:] = 0
        began = time.process_time()
        for pattern in patterns:
            write(0, pattern, pattern + 1, out)
        seconds = time.process_time() - began
        values = out[out != 0]
        return values, seconds / len(values) * 1e6

    values, fast = valued()
    monkeypatch.setattr(networks, "by_steps", lambda _: False)
    other, slow = valued()
    assert np.array_equal(values, other)
    _print(f"{fast:.2f} microseconds per state, with captures computed for each state {slow:.2f}")


def test_gtc_as_a_process(tmp_path: Path) -> None:
    """Run gtc --games 2000 in the paper's setting: with empty caches, and again.

    The quick size runs it once, with the usual caches.
    """
    smaller = ("--rules", "blitz", "--agent", "panda:3") if QUICK else ()
    command = (URCX, "gtc", "--games", "2000", "--json", *smaller)
    runs = [run(command)] if QUICK else [run(command, tmp_path / "cache") for _ in range(3)]
    assert runs[-1].json["games"] == 2000
    peaks = [each.peak for each in runs if each.peak is not None]
    _print(
        f"urcx gtc --games 2000: first run {runs[0].seconds:.1f} s (target 60), then "
        f"{median(each.seconds for each in runs[1:] or runs):.1f} s"
        + (f"; peak memory {max(peaks):,.0f} MiB" if peaks else "")
    )
