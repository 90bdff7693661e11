"""Benchmarks of exact play in a file: writing it, and finding a decision from Python.

No time is asserted. Run with ``python -m pytest benchmarks -s``. ``URCX_BENCHMARK_PIECES=5`` makes
it quick, with two pieces in place of four.
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
    """Return random games and rolls with two or more legal moves, all states alike."""
    chance = random.Random(1)
    order = base.order
    sizes = [order.size(layer) for layer in order.layers]
    found: list[tuple[urcx.Game, int]] = []
    while len(found) < number:
        (layer,) = chance.choices(order.layers, sizes)
        position = order.position(layer, chance.randrange(order.size(layer)))
        game, roll = urcx.Game(base.rules, position=position), chance.randint(1, 4)
        if len(game.legal_moves(roll)) > 1:
            found.append((game, roll))
    return found


def say(line: str) -> None:
    sys.stdout.write(f"\n{line}\n")


def test_a_decision(benchmark: BenchmarkFixture, solved: Path) -> None:
    file = solved.with_suffix(".play")
    compress(solved, file)
    player, best = urcx.agent(f"optimal:{file}"), urcx.agent(f"optimal:{solved}")
    with urcx.open_tablebase(solved) as base:
        asked = decisions(base, CALLS)
    assert all(player.choose(*one) == best.choose(*one) for one in asked)
    benchmark(lambda: [player.choose(*one) for one in asked])
    assert benchmark.stats is not None
    mean = benchmark.stats.stats.mean / CALLS
    say(f"a decision takes {mean * 1e6:.1f} microseconds (target {CHOICE_TARGET * 1e6:.0f})")


def test_writing(benchmark: BenchmarkFixture, solved: Path) -> None:
    file = solved.with_suffix(".play")
    found = benchmark(compress, solved, file)
    say(f"{found.decisions:,} decisions in {found.file_size:,} bytes: {found.bits:.3f} bits each")
