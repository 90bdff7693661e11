"""Benchmarks of ``urcx explore``: a position's values over HTTP, and the first answer of the page.

Tests do not assert on time. Run with ``python -m pytest benchmarks -s``.
``URCX_BENCHMARK_TABLEBASE=FILE`` uses your tablebase, such as finkel's, which has a gigabyte.
Without it a small game is solved (``URCX_BENCHMARK_PIECES=5``: two pieces instead of four). The
baselines give the same answers without a server: by opening the tablebase for each answer, and by
the command line with a process for each answer.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import urcx
from urcx.results.writing import json_text
from urcx.solving import probing

QUICK = int(os.environ.get("URCX_BENCHMARK_PIECES", "7")) < 7
PIECES = 2 if QUICK else 4
COMMAND = (sys.executable, "-P", "-m", "urcx")
REQUESTS = 20 if QUICK else 200  # positions
VALUES_TARGET, FIRST_TARGET = 20e-3, 0.5  # seconds


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tablebase = os.environ.get("URCX_BENCHMARK_TABLEBASE")
    if tablebase:
        return Path(tablebase)
    file = tmp_path_factory.mktemp("explore") / "finkel.urcx"
    urcx.solve(urcx.ruleset("finkel", pieces=PIECES), file)
    return file


@pytest.fixture(scope="module")
def places(solved: Path) -> list[str]:
    """Return random positions; all states are equally likely."""
    chance = random.Random(1)
    with urcx.open_tablebase(solved) as base:
        order = base.order
        sizes = [order.size(layer) for layer in order.layers]
        layers = chance.choices(order.layers, sizes, k=REQUESTS)
        return [str(order.position(layer, chance.randrange(order.size(layer)))) for layer in layers]


@pytest.fixture(scope="module")
def server(solved: Path) -> Iterator[HTTPConnection]:
    """Connect to a server in a separate process, and print the time of the page."""
    line = [*COMMAND, "explore", str(solved), "--no-open"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().rpartition("//")[2].strip().rstrip("/")
        began = time.perf_counter()
        connection = HTTPConnection(address)
        connection.request("GET", "/")
        assert connection.getresponse().read()
        print_line(f"the page comes in {time.perf_counter() - began:.4f} s (target {FIRST_TARGET})")
        yield connection
        connection.close()
        process.terminate()


def print_line(line: str) -> None:
    sys.stdout.write(f"\n{line}\n")


def over_http(server: HTTPConnection, place: str) -> Any:
    server.request("GET", f"/api/position?position={place}")
    answer = json.load(server.getresponse())
    assert answer["schema"] == "urcx.probe/1", answer
    return answer["value"]


def probe_file(solved: Path, place: str) -> Any:
    with urcx.open_tablebase(solved) as base:
        return json.loads(json_text(probing.probe(base, place)))["value"]


def test_a_position_s_values(
    benchmark: BenchmarkFixture, server: HTTPConnection, solved: Path, places: list[str]
) -> None:
    queue = iter(places * 100)
    pause = 0.02  # the server allows 50 requests per second
    times: list[float] = []

    def request_next() -> None:
        place = next(queue)
        began = time.perf_counter()
        over_http(server, place)
        times.append(time.perf_counter() - began)

    pedantic: Any = benchmark.pedantic
    pedantic(request_next, setup=lambda: time.sleep(pause), rounds=REQUESTS)
    times.sort()
    print_line(
        f"a position's values: {1e3 * times[len(times) // 2]:.2f} ms in the median, "
        f"{1e3 * times[int(0.95 * len(times))]:.2f} ms at the 95th percentile, "
        f"{1e3 * times[-1]:.2f} ms at most (target {1e3 * VALUES_TARGET:.0f} ms)"
    )
    few = places[:10]
    began = time.perf_counter()
    values = [probe_file(solved, place) for place in few]
    print_line(
        f"the tablebase opened for each: {(time.perf_counter() - began) / len(few) * 1e3:.1f} ms"
    )
    assert values == [over_http(server, place) for place in few]
    began = time.perf_counter()
    line = [*COMMAND, "probe", str(solved), few[0], "--json"]
    printed = subprocess.run(line, capture_output=True, check=True).stdout
    print_line(f"the command line: {(time.perf_counter() - began) * 1e3:.0f} ms")
    assert json.loads(printed)["value"] == values[0]
