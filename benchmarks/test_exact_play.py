"""Benchmarks of exact play in a file: writing the file, and looking up a decision from Python.

Tests do not assert on time. Run with ``python -m pytest benchmarks -s``.
``URCX_BENCHMARK_PIECES=5`` makes it quick, with two pieces instead of four.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import urcx
from urcx.contrib.learning import compress
from urcx.solving.files.tablebase import Tablebase

PIECES = 2 if int(os.environ.get("URCX_BENCHMARK_PIECES", "7")) < 7 else 4
CALLS = 200
CHOICE_TARGET = 50e-6  # with seven pieces and a network of 256 units


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("play") / "finkel.urcx"
    urcx.solve(urcx.ruleset("finkel", pieces=PIECES), file)
    return file


def decisions(base: Tablebase, number: int) -> list[tuple[urcx.Game, int]]:
    """Return random games and rolls with two or more legal moves; all states are equally likely."""
    chance = random.Random(1)
    order = base.order
    sizes = [order.size(layer) for layer in order.layers]
    collected: list[tuple[urcx.Game, int]] = []
    while len(collected) < number:
        (layer,) = chance.choices(order.layers, sizes)
        position = order.position(layer, chance.randrange(order.size(layer)))
        game, roll = urcx.Game(base.rules, position=position), chance.randint(1, 4)
        if len(game.legal_moves(roll)) > 1:
            collected.append((game, roll))
    return collected


def print_line(line: str) -> None:
    sys.stdout.write(f"\n{line}\n")


def test_a_decision(benchmark: BenchmarkFixture, solved: Path) -> None:
    file = solved.with_suffix(".play")
    compress(solved, file)
    player, best = urcx.agent(f"optimal:{file}"), urcx.agent(f"optimal:{solved}")
    with urcx.open_tablebase(solved) as base:
        sampled = decisions(base, CALLS)
    assert all(player.choose(*decision) == best.choose(*decision) for decision in sampled)
    benchmark(lambda: [player.choose(*decision) for decision in sampled])
    assert benchmark.stats is not None
    mean = benchmark.stats.stats.mean / CALLS
    print_line(f"a decision takes {mean * 1e6:.1f} microseconds (target {CHOICE_TARGET * 1e6:.0f})")


def test_writing(benchmark: BenchmarkFixture, solved: Path) -> None:
    file = solved.with_suffix(".play")
    result = benchmark(compress, solved, file)
    print_line(
        f"{result.decisions:,} decisions in {result.file_size:,} bytes: {result.bits:.3f} bits each"
    )
