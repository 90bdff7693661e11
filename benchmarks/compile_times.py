"""Measures the compile times of the kernels of typical commands, for the progress bar.

    python benchmarks/compile_times.py [WORD]

runs each command of `urcx/reports/display/data/compiling.toml` (only commands with a word, if it is
given) with an empty cache. It writes into that file the kernels that each command compiles, with
CPU seconds. Repeat it after large changes of kernels or commands. A command that compiles nothing
is left out.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import urcx

FILE = Path(urcx.__file__).parent / "reports" / "display" / "data" / "compiling.toml"
HEAD = """\
# Typical commands with the kernels that each compiles with an empty cache, in order, and the CPU
# seconds on one machine. The bar in urcx/reports/display/progress.py uses them for its estimates.
# Kernels that took less than a tenth of a second are left out. Written by
# benchmarks/compile_times.py.
"""
LEAST = 0.1
CODE = """\
import json, sys
from urcx.cli import main
from urcx.engine import compiling
try:
    main(sys.argv[1:])
except SystemExit as end:
    print(json.dumps([end.code, compiling.kernels()]), file=sys.stderr)
"""


def measured(command: str) -> list[tuple[str, float]]:
    """Return the kernels that a command line compiles, with seconds."""
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            [sys.executable, "-P", "-c", CODE, *shlex.split(command)],
            capture_output=True,
            text=True,
            check=True,
            cwd=place,
            env={
                **os.environ,
                "URCX_CACHE_DIR": str(Path(place) / "cache"),
                "URCX_DATA_DIR": str(Path(place) / "data"),
            },
        )
    code, kernels = json.loads(done.stderr.splitlines()[-1])
    if code:
        raise SystemExit(f"urcx {command}: {done.stderr}")
    return [(name.removeprefix("urcx."), took) for name, _, took in kernels if took >= LEAST]


def main() -> None:
    """Measure all commands and write the file."""
    text = HEAD
    typical = tomllib.loads(FILE.read_text(encoding="utf-8"))["runs"]
    for run in typical:
        kernels = run["kernels"]
        if not sys.argv[1:] or sys.argv[1] in run["command"].split():
            kernels = measured(run["command"])
        sys.stderr.write(f"{sum(took for _, took in kernels):6.1f} s  urcx {run['command']}\n")
        if kernels:
            lines = "".join(f'    ["{name}", {took:.1f}],\n' for name, took in kernels)
            text += f'\n[[runs]]\ncommand = "{run["command"]}"\nkernels = [\n{lines}]\n'
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
