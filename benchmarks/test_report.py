"""Benchmarks of the report: the complete command, after compilation.

Tests do not assert on time. Run with ``python -m pytest benchmarks/test_report.py -s``;
docs/performance.rst has figures. ``URCX_BENCHMARK_PIECES=5`` leaves out the full report, which
takes minutes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from processes import URCX, run

QUICK = int(os.environ.get("URCX_BENCHMARK_PIECES", "7")) < 7


@pytest.mark.parametrize(
    ("options", "target"), [(("--quick",), 30)] if QUICK else [(("--quick",), 30), ((), 300)]
)
def test_report(options: tuple[str, ...], target: float, tmp_path: Path) -> None:
    """Write a report from outside, and print its time and peak memory with the target."""
    command = (URCX, "report", *options, "-o", str(tmp_path / "report"))
    if options and not QUICK:
        run(command)  # compiles
    finished = run(command)
    assert (tmp_path / "report" / "index.html").stat().st_size > 0
    peak = f"; peak {finished.peak:,.0f} MiB" if finished.peak is not None else ""
    sys.stdout.write(
        f"\n{' '.join(command[1:-2])}: {finished.seconds:.1f} s (target {target} s){peak}\n"
    )
