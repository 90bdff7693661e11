"""Benchmarks of counting states: the enumerator next to the post's search, and complete processes.

Tests never assert on time, only that both sides of a comparison do the same work. Run with ``python
-m pytest benchmarks -s``; docs/performance.rst has figures. ``URCX_BENCHMARK_PIECES=5`` makes it
quick: the comparison has 5 pieces on bell instead of 7, and each process counts 5 pieces instead of
15 and is timed once.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest
from post_dfs import Baseline, SearchResult, baseline, compiler, in_c, in_numba
from processes import URCX, run
from pytest_benchmark.fixture import BenchmarkFixture

import urcx
from urcx.enumerate import enumerator
from urcx.enumerate.enumerator import Count

PIECES = int(os.environ.get("URCX_BENCHMARK_PIECES", "7"))
QUICK = PIECES < 7
VISIT_ROUNDS = 20

SSC = (URCX, "ssc", "--path", "bell", "-p", "1..5" if QUICK else "1..15")
BARE_PYTHON = (sys.executable, "-P", "-c", "pass")
IMPORT_NUMBA = (sys.executable, "-P", "-c", "import numba")


@dataclass(frozen=True)
class Process:
    """A complete process to time, with its target in seconds (None for a baseline)."""

    command: tuple[str, ...]
    rounds: int
    target: float | None = None
    cold: bool = False


PROCESSES = {
    "python -c pass": Process(BARE_PYTHON, 10),
    "import numba": Process(IMPORT_NUMBA, 10),
    "help": Process((URCX, "--help"), 10, 0.3),
    "ssc, not enumerated": Process((*SSC, "--no-enumerate"), 10, 1.0),
    "ssc, warm": Process(SSC, 5, 5.0),
    "ssc, cold": Process(SSC, 3, 15.0, cold=True),
}


@pytest.fixture(scope="module")
def post(tmp_path_factory: pytest.TempPathFactory) -> Baseline:
    return baseline(tmp_path_factory.mktemp("post"))


@pytest.fixture(scope="module")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache directory with the compiled kernels."""
    directory = tmp_path_factory.mktemp("warm")
    run(SSC, directory)
    return directory


@pytest.fixture
def scratch() -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp())
    yield directory
    shutil.rmtree(directory)


def _visit(pieces: int) -> Count:
    return enumerator.count(urcx.path("bell"), pieces, threads=1)


def _same(searched: SearchResult, visited: Count) -> None:
    assert searched.diagrams == visited.diagrams
    assert searched.branches == visited.branches
    assert searched.checksum == visited.checksum


@pytest.mark.skipif(compiler() is None, reason="no C compiler")
@pytest.mark.parametrize("pieces", [1, 2, 3, 4])
def test_c_baseline_visits_the_same(scratch: Path, pieces: int) -> None:
    _same(in_c(scratch).run(pieces, False), _visit(pieces))


@pytest.mark.parametrize("pieces", [1, 2, 3, 4])
def test_numba_baseline_visits_the_same(pieces: int) -> None:
    _same(in_numba().run(pieces, False), _visit(pieces))


@pytest.mark.benchmark(group="visit every configuration, one core")
def test_visiting_singly(benchmark: BenchmarkFixture, post: Baseline) -> None:
    """Visit every configuration with the checksum, next to the post's search with and without."""
    times: list[float] = []

    def visit() -> Count:
        began = time.perf_counter()
        visited = _visit(PIECES)
        times.append(time.perf_counter() - began)
        return visited

    _visit(PIECES)  # compiles, or loads what is compiled
    # The baselines run before and after, and the faster run counts, so noise in a baseline cannot
    # raise the ratio.
    full, plain = [post.run(PIECES, False)], [post.run(PIECES, True)]
    visited = benchmark.pedantic(visit, rounds=VISIT_ROUNDS)  # type: ignore[no-untyped-call]
    full.append(post.run(PIECES, False))
    plain.append(post.run(PIECES, True))

    for searched in full:
        _same(searched, visited)
    for searched in plain:
        assert (searched.diagrams, searched.branches) == (visited.diagrams, visited.branches)
    middle = median(times)
    full_seconds = min(searched.seconds for searched in full)
    plain_seconds = min(searched.seconds for searched in plain)
    benchmark.extra_info.update(
        baseline=post.name,
        pieces=PIECES,
        diagrams=visited.diagrams,
        checksum=str(visited.checksum),
        median_seconds=middle,
        baseline_seconds=full_seconds,
        baseline_plain_seconds=plain_seconds,
        ratio=full_seconds / middle,
        ratio_to_plain=plain_seconds / middle,
    )
    print(
        f"\nbell p = {PIECES}: {visited.diagrams:,} configurations, checksum {visited.checksum}\n"
        f"  urcx, one thread, checksum   {middle:9.4f} s  median of {len(times)}\n"
        f"  post's search, same visitor  {full_seconds:9.4f} s  ratio "
        f"{full_seconds / middle:6.1f}  ({post.name})\n"
        f"  post's search, counts only   {plain_seconds:9.4f} s  ratio "
        f"{plain_seconds / middle:6.1f}"
    )


@pytest.mark.benchmark(group="complete process")
@pytest.mark.parametrize("name", PROCESSES)
def test_process(benchmark: BenchmarkFixture, warm_cache: Path, scratch: Path, name: str) -> None:
    """Time a command from outside; both start-up baselines run before each of its rounds."""
    process = PROCESSES[name]
    times: list[float] = []
    peaks: list[float | None] = []
    bare: list[float] = []
    numba: list[float] = []

    def before() -> tuple[tuple[Path], dict[str, object]]:
        bare.append(run(BARE_PYTHON, warm_cache).seconds)
        numba.append(run(IMPORT_NUMBA, warm_cache).seconds)
        cache = Path(tempfile.mkdtemp(dir=scratch)) if process.cold else warm_cache
        return (cache,), {}

    def once(cache: Path) -> None:
        finished = run(process.command, cache)
        times.append(finished.seconds)
        peaks.append(finished.peak)

    rounds = 1 if QUICK else process.rounds
    benchmark.pedantic(once, setup=before, rounds=rounds)  # type: ignore[no-untyped-call]
    peak = max((each for each in peaks if each is not None), default=None)
    middle = median(times)
    benchmark.extra_info.update(
        target_seconds=process.target,
        median_seconds=middle,
        bare_python_seconds=median(bare),
        import_numba_seconds=median(numba),
        ratio_to_bare_python=middle / median(bare),
        ratio_to_import_numba=middle / median(numba),
        peak_mib=peak,
    )
    print(
        f"\n{name:20} {middle:7.3f} s  median of {len(times)}, slowest {max(times):.3f} s; "
        f"target {'-' if process.target is None else f'{process.target:g} s'}; "
        f"peak {'-' if peak is None else f'{peak:.0f} MiB'}; "
        f"python {median(bare):.3f} s, with numba {median(numba):.3f} s"
    )
