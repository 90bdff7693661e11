"""Benchmarks of the report: the whole command, once it has been compiled.

No time is asserted. Run with ``python -m pytest benchmarks/test_report.py -s``;
docs/performance.rst has figures. ``URCX_BENCHMARK_PIECES=5`` leaves the full report out, which
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
    """Write a report from outside, and say its time and its peak memory beside the target."""
    command = (URCX, "report", *options, "-o", str(tmp_path / "report"))
    if options and not QUICK:
        run(command)  # compiles
    found = run(command)
    assert (tmp_path / "report" / "index.html").stat().st_size > 0
    peak = f"; peak {found.peak:,.0f} MiB" if found.peak is not None else ""
    sys.stdout.write(
        f"\n{' '.join(command[1:-2])}: {found.seconds:.1f} s (target {target} s){peak}\n"
    )
