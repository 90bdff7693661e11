"""Benchmarks of a first use: typical commands with an empty cache, and again with the filled cache.

Tests do not assert on time. Run with ``python -m pytest benchmarks/test_first_use.py -s``;
docs/performance.rst has figures. The baseline is the least time for anything compiled: a program
that compiles an empty kernel. ``URCX_BENCHMARK_PIECES=5`` leaves out searches of six plies.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest
from processes import URCX, run

QUICK = int(os.environ.get("URCX_BENCHMARK_PIECES", "7")) < 7
BASELINE = (sys.executable, "-P", "-c", "import numba; numba.njit(lambda: 0)()")
COMMANDS = {
    "an empty kernel": BASELINE,
    "ssc": (URCX, "ssc", "--path", "bell", "-p", "1..5" if QUICK else "1..15"),
    "gtc": (URCX, "gtc", "--games", "2000", *(("--rules", "blitz", "--agent", "panda:3") * QUICK)),
}
TARGETS = {"gtc": 8.0, "explore": 3.0}  # seconds on two free cores


def print_time(name: str, when: str, seconds: float, user: float | None = None) -> None:
    of_user = "" if user is None else f", {user:.2f} s of user time"
    target = f" (target {TARGETS[name]:.0f})" if when == "first" and name in TARGETS else ""
    sys.stdout.write(f"\n{name}, {when}: {seconds:.2f} s{target}{of_user}\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_command(name: str, tmp_path: Path) -> None:
    """Run a command with an empty cache, and again."""
    first, again = (run(COMMANDS[name], tmp_path) for _ in range(2))
    assert first.output == again.output
    for when, ran in (("first", first), ("again", again)):
        print_time(name, when, ran.seconds, ran.user)


def test_first_answer_of_explore(tmp_path: Path) -> None:
    """Start the explorer with an empty cache, and again, and request a position's values."""
    answers = []
    for when in ("first", "again"):
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "urcx", "explore", "--no-open"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "URCX_CACHE_DIR": str(tmp_path), "URCX_DATA_DIR": str(tmp_path)},
        ) as process:
            assert process.stdout is not None
            address = process.stdout.readline().rpartition("//")[2].strip().rstrip("/")
            connection = HTTPConnection(address)
            connection.request("GET", "/api/view?rules=finkel&position=-/-/0-0/L")
            answers.append(json.load(connection.getresponse()))
            print_time("explore", when, time.perf_counter() - began)
            connection.close()
            process.terminate()
    assert answers[0] == answers[1]
    assert answers[0]["schema"] != "urcx.error/1"
