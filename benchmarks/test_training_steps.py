"""Benchmarks of training: steps by our kernels next to steps by JAX, on the same network and batch.

Tests do not assert on time, only that both sides take the same steps. Run with ``python -m pytest
benchmarks/test_training_steps.py -s``; docs/performance-design.rst has figures.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

QUICK = int(os.environ.get("URCX_BENCHMARK_PIECES", "7")) < 7
SCRIPT = Path(__file__).parent / "training_steps.py"
SHAPES = (
    [(64, 0, 1024)]
    if QUICK
    else [(64, 0, 1024), (256, 0, 1024), (256, 0, 8192), (128, 32, 1024), (384, 160, 1024)]
)
SAMPLES = 20_000 if QUICK else 1_000_000


def _measured(side: str, threads: int, shape: tuple[int, int, int]) -> dict[str, Any]:
    command = [sys.executable, str(SCRIPT), side, *map(str, (threads, *shape, SAMPLES))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    measurement: dict[str, Any] = json.loads(done.stdout)
    return measurement


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not installed")
@pytest.mark.parametrize("shape", SHAPES)
def test_steps_of_training(shape: tuple[int, int, int]) -> None:
    """Take steps of Adam on the cross entropy of values, on one core and on two."""
    units, later, batch = shape
    for threads in (1,) if QUICK else (1, 2):
        own, other = (_measured(side, threads, shape) for side in ("own", "jax"))
        np.testing.assert_allclose(own["weights"], other["weights"], atol=2e-4)
        lines = [
            f"{name}: {row['rate']:,.0f} samples/s, {row['processor']:,.0f} per CPU s; "
            f"import {row['import']:.2f} s, first steps {row['compile']:.2f} s"
            for name, row in (("our kernels", own), ("JAX", other))
        ]
        sys.stdout.write(
            f"\n{units} + {later} units, batches of {batch}, {threads} threads\n"
            + "\n".join(lines)
            + f"\n{own['rate'] / other['rate']:.2f} times JAX's samples/s\n"
        )
