"""Benchmarks of solving and of other work on all states: complete commands, and baselines.

Tests do not assert on time, only that both sides of a comparison have the same result. Run with
``python -m pytest benchmarks -s``; docs/performance.rst has figures. ``URCX_BENCHMARK_PIECES=5``
makes it quick, with one to three pieces instead of all; the full size takes an hour and 10 GB.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import pytest
from processes import URCX, run
from pytest_benchmark.fixture import BenchmarkFixture

import urcx
from urcx.agents.agent_kernels import FIRST
from urcx.agents.agents import Agent
from urcx.agents.policies import Policies, table_policy
from urcx.contrib.exact.rational import solve_exactly
from urcx.contrib.michon.result import nalimov
from urcx.engine.moves import after_pass, legal_moves
from urcx.engine.threads import for_chunks
from urcx.enumerate.rankings.ranking import TileRanking
from urcx.enumerate.reach import reach
from urcx.expectations.expected import expected
from urcx.expectations.flow import Flow
from urcx.expectations.losses import perfect_wins, strength
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.tablebase import Tablebase, open_tablebase
from urcx.solving.general.solver import general_order, solve_general
from urcx.solving.layered import convergence, pair, solver
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.stores import MemoryStore
from urcx.solving.solution import solve

QUICK = int(os.environ.get("URCX_BENCHMARK_PIECES", "7")) < 7
PROBES = 2_000 if QUICK else 20_000
PROBE_TARGET = 20e-6


@dataclass(frozen=True)
class Job:
    """A command, its pieces in the quick size (0: only full), and its targets in seconds and GB.

    In the full size, ``again`` is the number of runs after the first run, which compiles.
    """

    command: tuple[str, ...]
    quick: int
    seconds: float | None = None
    memory: float | None = None
    again: int = 0


JOBS = {
    "finkel certified": Job(("solve", "--rules", "finkel", "--no-keep"), 2, 60, 1.5),
    "blitz certified": Job(("solve", "--rules", "blitz", "--no-keep"), 2, 60, 1.5),
    "masters certified": Job(("solve", "--rules", "masters", "--yes", "--no-keep"), 0, 300, 5),
    "finkel with 3 pieces": Job(
        ("solve", "--rules", "finkel", "-p", "3", "--no-keep"), 3, 1, None, 5
    ),
    "reach of finkel": Job(("reach", "--rules", "finkel"), 3, 120, 1),
    "gtc --exact, 4 pieces": Job(("gtc", "--exact", "--agent", "random", "-p", "4", "--yes"), 2),
    "longest game, 4 pieces": Job(("longest", "-p", "4", "--yes"), 2),
    "shortest game of finkel": Job(("shortest", "--rules", "finkel"), 2),
    "exact fractions, 2 pieces": Job(("exact", "-p", "2"), 1),
    "nalimov of finkel": Job(("nalimov", "--rules", "finkel", "--yes"), 2),
}


def _print(text: str) -> None:
    sys.stdout.write(f"\n{text}\n")


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


def _compared(name: str, work: Callable[[], Any], baseline: Callable[[], Any]) -> tuple[Any, Any]:
    """Run work, again after compilation, and a baseline; print both times and their ratio."""
    work()
    result, seconds = _timed(work)
    other, other_seconds = _timed(baseline)
    _print(
        f"{name}: {seconds:.3f} s, baseline {other_seconds:.3f} s, "
        f"ratio {other_seconds / seconds:,.1f}"
    )
    return result, other


def _finkel(pieces: int) -> RuleSet:
    rules: RuleSet = urcx.ruleset("finkel")
    return replace(rules, pieces=pieces)


@pytest.mark.parametrize("name", [name for name, job in JOBS.items() if job.quick or not QUICK])
def test_command(name: str) -> None:
    """Run a command from outside, and print its time and peak memory with their targets."""
    job = JOBS[name]
    command = (URCX, *job.command, "--json")
    if QUICK:
        command = (URCX, *job.command, "-p", str(job.quick), "--json")
    runs = [run(command) for _ in range(1 + (0 if QUICK else job.again))]
    counted = runs[1:] or runs
    data = runs[-1].json
    if data["schema"] == "urcx.solve/1":
        assert data["lower"] <= data["opening"] <= data["upper"]
        assert data["gap"] <= 1e-12
    peaks = [each.peak for each in counted if each.peak is not None]
    line = f"{name}: {median(each.seconds for each in counted):.2f} s"
    line += f" (target {job.seconds:g} s)" if job.seconds else ""
    line += f"; peak {max(peaks):,.0f} MiB" if peaks else ""
    line += f" (target {job.memory:g} GB)" if job.memory else ""
    rate = data.get("updates_per_second")
    line += f"; {rate / 1e6:.1f} million states/s, {data['sweeps']} sweeps" if rate else ""
    _print(line)


def test_solving_beside_a_state_at_a_time() -> None:
    """Solve by layers and rows, and state by state in the order by tiles: the same bounds."""
    rules = _finkel(2 if QUICK else 3)
    solved, (other, _, _) = _compared(
        f"finkel with {rules.pieces} pieces certified, one thread",
        lambda: solve(rules, threads=1).solved,
        lambda: solve_general(rules),
    )
    assert abs(solved.opening - other.opening) <= solved.gap + other.gap
    assert solved.states == other.states


def _one(work: Callable[[int, int], None], thread: int, part: int, _: int) -> None:
    work(thread, part)


@pytest.mark.parametrize("name", ["finkel"] if QUICK else ["finkel", "blitz", "masters"])
def test_solving_beside_double_precision_threads_a_wave_and_the_order_of_files(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Solve with single precision first, threads started once, and groups; and without each."""
    rules = replace(urcx.ruleset(name), pieces=3 if QUICK else 4)
    monkeypatch.setattr(convergence, "MANY", 100_000)

    def work() -> Any:
        return solve(rules).solved

    with monkeypatch.context() as patch:
        patch.setattr(convergence, "MANY", sys.maxsize)
        work()
        double, slow = _timed(work)

    def wave_by_wave(phases: Any, threads: int) -> None:
        for parts, part in phases:
            for_chunks(parts, 1, partial(_one, part), threads)

    with monkeypatch.context() as patch:
        patch.setattr(pair, "in_phases", wave_by_wave)
        apart, apart_seconds = _timed(work)
    with monkeypatch.context() as patch:
        patch.setattr(solver, "LayerPair", lambda *arguments, **_: pair.LayerPair(*arguments))
        filed, filed_seconds = _timed(work)
    solved, seconds = _timed(work)
    assert abs(solved.opening - double.opening) <= solved.gap + double.gap
    assert solved.opening == apart.opening
    assert abs(solved.opening - filed.opening) <= solved.gap + filed.gap
    _print(
        f"{name} with {rules.pieces} pieces: {seconds:.2f} s, in doubles {slow:.2f} s, with new "
        f"threads for each wave {apart_seconds:.2f} s, in the files' order {filed_seconds:.2f} s"
    )


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_sweeps_beside_copying(kind: Any) -> None:
    """Sweep a pair of layers, and copy the same number of values, in CPU time."""
    layers = ((1, 0), (0, 1))
    swept = pair.LayerPair(LayerOrder(_finkel(3 if QUICK else 6)), layers, 1, grouped=True)
    values = np.random.default_rng(1).random(swept.size).astype(kind)
    source, copied = values[: swept.states], np.empty(swept.states, kind)

    def seconds(work: Callable[[], Any]) -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    pairs = [
        (seconds(lambda: swept.sweep(values)), seconds(lambda: np.copyto(copied, source)))
        for _ in range(9)
    ]
    assert np.array_equal(copied, source)
    sweep, copy = (min(times) / swept.states for times in zip(*pairs, strict=True))
    _print(
        f"sweeping {swept.states:,} states in {np.dtype(kind)}: {sweep * 1e9:.2f} ns per state, "
        f"copying {copy * 1e9:.2f} ns ({2e-9 * values.itemsize / copy:.1f} GB/s), "
        f"ratio {sweep / copy:.1f}"
    )


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tablebase]:
    """Return a memory-mapped tablebase of finkel with 3 pieces."""
    file = tmp_path_factory.mktemp("base") / "finkel-3.urcx"
    solve(_finkel(3), file)
    with open_tablebase(file) as opened:
        yield opened


def test_probe(benchmark: BenchmarkFixture, base: Tablebase) -> None:
    """Probe random positions, next to a dictionary and to reading the file for each."""
    ranking = TileRanking(base.rules.path, base.rules.pieces, None, "mover-view")
    positions = [p for p in ranking.sample(PROBES, 1) if base.rules.pieces not in p.home]
    probed = [base.probe(p) for p in positions]

    def rate(probe: Callable[[Position], float], few: list[Position]) -> float:
        return median(_timed(lambda: list(map(probe, few)))[1] / len(few) for _ in range(5))

    def read(position: Position) -> float:
        layer, rank = base.order.place(position)
        with base.file.open("rb") as stream:
            stream.seek(base.rows[layer].offset + 8 * rank)
            return float(memoryview(stream.read(8)).cast("d")[0])

    values_by_position = dict(zip(positions, probed, strict=True))
    assert [read(p) for p in positions[:100]] == probed[:100]
    seconds = rate(base.probe, positions)
    _print(
        f"a probe: {seconds * 1e6:.1f} microseconds (target {PROBE_TARGET * 1e6:g}); reading the "
        f"file for each {rate(read, positions) * 1e6:.1f}, from a dictionary "
        f"{rate(values_by_position.__getitem__, positions) * 1e6:.2f}"
    )
    at = iter(range(1 << 62))
    benchmark(lambda: base.probe(positions[next(at) % len(positions)]))


def _after(position: Position, rules: RuleSet) -> Iterator[tuple[int, Position]]:
    """Yield each roll with the positions after moves or a pass; states have light to move."""
    for roll in rules.dice.rolls:
        moves = legal_moves(position, roll, rules)
        for after in [move.position for move in moves] or [after_pass(position)]:
            yield roll, after if after.light_to_move else after.turned()


def test_reach_beside_a_search_in_python() -> None:
    """Search from the start by ranks, and with positions in a set: the same states."""
    rules = _finkel(1 if QUICK else 2)

    def search() -> int:
        seen, left = {Position()}, deque([Position()])
        while left:
            for _, after in _after(left.popleft(), rules):
                if after not in seen and rules.pieces not in after.home:
                    seen.add(after)
                    left.append(after)
        return len(seen)

    states, other = _compared(
        f"reach of finkel with {rules.pieces} pieces, one thread",
        lambda: reach(rules, threads=1).states,
        search,
    )
    assert states == other


def test_nalimov_beside_sweeps_in_python() -> None:
    """Run Michon's procedure, and the literal procedure over a dictionary of positions."""
    rules = _finkel(1 if QUICK else 2)

    def sweeps() -> int:
        ranking = TileRanking(rules.path, rules.pieces, None, "mover-view")
        states = [p for p in map(ranking.unrank, range(ranking.size)) if p.home[1] < rules.pieces]
        left = {p: {after for _, after in _after(p, rules)} for p in states}
        before = len(left) + 1
        while len(left) < before:
            before = len(left)
            left = {p: after for p, after in left.items() if not left.keys().isdisjoint(after)}
        return len(states) - len(left)

    decided, other = _compared(
        f"nalimov of finkel with {rules.pieces} pieces, one thread",
        lambda: nalimov(rules, threads=1).decided("literal"),
        sweeps,
    )
    assert decided == other


def test_exact_means_beside_sampled_ones() -> None:
    """Follow all random games at once, and play some: the means agree within their errors."""
    rules = _finkel(2 if QUICK else 4)
    games = 5_000 if QUICK else 100_000
    means, played = _compared(
        f"mean plies of random games with {rules.pieces} pieces",
        lambda: expected("random", rules=rules, threads=1),
        lambda: urcx.simulate("random", rules=rules, games=games, threads=1),
    )
    plies = played.plies
    mean_plies = float(means.by_choices.sum())
    error = float(plies.std()) / games**0.5
    _print(f"{mean_plies:.9f} plies exactly; {games:,} games: {plies.mean():.3f} +- {error:.3f}")
    assert abs(float(plies.mean()) - mean_plies) < 6 * error


def test_exact_fractions_beside_64_bits() -> None:
    """Solve in fractions, and with 64-bit bounds: the value is between the bounds."""
    rules = _finkel(1 if QUICK else 2)
    value, (bounds, _, _) = _compared(
        f"finkel with {rules.pieces} pieces in fractions",
        lambda: solve_exactly(rules).value(Position()),
        lambda: solve_general(rules),
    )
    assert bounds.lower <= value <= bounds.upper


def test_strength_beside_rounds_state_by_state() -> None:
    """Follow all games of greedy against optimal play, in rows of states and one by one."""
    rules = _finkel(1 if QUICK else 2)
    store = MemoryStore(keep=True)
    store.layers = solve(rules, threads=1, keep=True).layers
    policies = Policies(rules, 1).of(Agent("greedy", "last")), perfect_wins(store)
    table = table_policy(LayerOrder(rules), lambda key: store.layers[key][0], FIRST, 1.0)
    states = general_order(rules, turned=False)
    wins, other = _compared(
        f"strength of greedy, finkel with {rules.pieces} pieces, one thread",
        lambda: strength(policies[0], store, rules, threads=1).wins[0],
        lambda: Flow(states, (policies[0], table)).run((0.5, 0.5)).wins[0],
    )
    assert abs(wins - float(other)) < 1e-12
