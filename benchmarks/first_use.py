"""Measures the first use of every command: CPU seconds from an empty cache, and the kernels.

    python benchmarks/first_use.py [WORD]

runs each command of `urcx/reports/display/data/compiling.toml` (only commands with a word, if it is
given) with an empty cache, and again. It prints user seconds of both, next to those of a program
that compiles an empty kernel. It writes the kernels with their CPU seconds into that file, for the
progress bar, and the table of the first use of each command into `docs/first_use.csv`. Repeat it
after large changes of kernels or commands, on an idle machine.
"""

from __future__ import annotations

import csv
import io
import json
import shlex
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from processes import run

import urcx

FILE = Path(urcx.__file__).parent / "reports" / "display" / "data" / "compiling.toml"
TABLE = Path(__file__).parent.parent / "docs" / "first_use.csv"
HEAD = """\
# Commands with the kernels that each compiles with an empty cache, in order, and the CPU seconds on
# one machine. The first line of each command is its example in docs/performance.rst. The bar in
# urcx/reports/display/progress.py uses the kernels for its estimates. Kernels that took less than a
# tenth of a second are left out. Written by benchmarks/first_use.py.
"""
LEAST = 0.1
BASELINE = "an empty kernel"
FILES = {  # that commands read, and the commands that write them
    "finkel.urcx": "solve -p 2 -o finkel.urcx",
    "game.txt": "play -p 1 --show --light random --dark random --seed 1 -o game.txt",
}
EMPTY = "import numba; numba.njit(lambda: 0)()"
CODE = """\
import json, os, sys
from urcx.cli import main
from urcx.engine import compiling
os.chdir(sys.argv[1])
sys.stdin = open(os.devnull)
code = 0
try:
    main(sys.argv[2:])
except SystemExit as end:
    code = end.code
json.dump(compiling.kernels(), open("kernels.json", "w"))
sys.exit(code)
"""


class FirstUse(NamedTuple):
    """User seconds of a command with an empty cache and again, and the kernels it compiles."""

    first: float
    again: float
    kernels: list[tuple[str, float]]


def measured(command: str) -> FirstUse:
    """Run a command line with an empty cache, and again."""
    with TemporaryDirectory() as directory:
        place = Path(directory)
        words = shlex.split(command)
        lines = [(FILES[word], place / "other") for word in words if word in FILES]
        lines += [(command, place / "cache")] * 2
        seconds, kernels = [], []
        for line, cache in lines:
            code = (EMPTY,) if command == BASELINE else (CODE, directory, *shlex.split(line))
            seconds.append(run((sys.executable, "-P", "-c", *code), cache).user or 0.0)
            file = place / "kernels.json"
            kernels.append(json.loads(file.read_text()) if file.exists() else [])
    compiled = [(name.removeprefix("urcx."), took) for name, _, took in kernels[-2]]
    return FirstUse(*seconds[-2:], compiled)


def main() -> None:
    """Measure the commands and write both files."""
    toml, table = HEAD, io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    old = {row[0]: row for row in csv.reader(TABLE.open())} if TABLE.exists() else {}
    typical = tomllib.loads(FILE.read_text(encoding="utf-8"))["runs"]
    commands: set[str] = set()
    for run_ in [{"command": BASELINE, "kernels": []}, *typical]:
        command, kernels = run_["command"], run_["kernels"]
        row = old.get(f"``urcx {command}``", old.get(command))
        if not sys.argv[1:] or sys.argv[1] in command.split():
            use = measured(command)
            kernels = [(name, took) for name, took in use.kernels if took >= LEAST]
            text = command if command == BASELINE else f"``urcx {command}``"
            row = [text, f"{use.first:.1f}", f"{use.again:.1f}", str(len(use.kernels))]
            sys.stderr.write("{1:>6} s, again {2:>5} s, {3:>2} kernels  {0}\n".format(*row))
        if row and command.split()[0] not in commands:
            rows.writerow(row)
        commands.add(command.split()[0])
        if command != BASELINE:
            lines = "".join(f'    ["{name}", {took:.1f}],\n' for name, took in kernels)
            kernel_list = f"[\n{lines}]" if kernels else "[]"
            toml += f'\n[[runs]]\ncommand = "{command}"\nkernels = {kernel_list}\n'
    FILE.write_text(toml, encoding="utf-8")
    TABLE.write_text(table.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main()
