"""Measures the first use of every command: CPU seconds from an empty cache, and the kernels.

    python benchmarks/first_use.py [WORD...]

runs each command of `urcx/reports/display/data/compiling.toml` with an empty cache, and again, or
only the commands with one of the words. It prints user seconds of both. After each command it
writes the kernels with their CPU seconds into that file, for the progress bar, and the commands
that compile kernels into `docs/first_use.csv`. The first line there is a program that compiles an
empty kernel. Repeat it after large changes of kernels or commands, on an idle machine.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import shlex
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

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
        seconds: list[float] = []
        kernels: list[list[Any]] = []
        for line, cache in lines:
            code = (EMPTY,) if command == BASELINE else (CODE, directory, *shlex.split(line))
            seconds.append(run((sys.executable, "-P", "-c", *code), cache).user or 0.0)
            file = place / "kernels.json"
            kernels.append(json.loads(file.read_text()) if file.exists() else [])
    compiled = [(name.removeprefix("urcx."), took) for name, _, took in kernels[-2]]
    return FirstUse(seconds[-2], seconds[-1], compiled)


def write(kernels: dict[str, list[tuple[str, float]]], rows: dict[str, list[str]]) -> None:
    """Write both files, from the kernels and the row of the table of each command."""
    text = HEAD
    shown: dict[str, list[str]] = {}
    for command, compiled in kernels.items():
        lines = "".join(f'    ["{name}", {took:.1f}],\n' for name, took in compiled)
        listed = f"[\n{lines}]" if compiled else "[]"
        text += f'\n[[runs]]\ncommand = "{command}"\nkernels = {listed}\n'
        row = rows.get(f"``urcx {command}``", ["0"])
        if row[-1] != "0":
            shown.setdefault(command.split()[0], row)
    FILE.write_text(text, encoding="utf-8")
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerows([*filter(None, [rows.get(BASELINE)]), *shown.values()])


def main() -> None:
    """Measure the commands, and write both files after each."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise each run would compile modules
    typical = tomllib.loads(FILE.read_text(encoding="utf-8"))["runs"]
    kernels = {run["command"]: run["kernels"] for run in typical}
    with contextlib.ExitStack() as stack:
        old = stack.enter_context(TABLE.open(encoding="utf-8")) if TABLE.exists() else ()
        rows = {row[0]: row for row in csv.reader(old)}
    for command in [BASELINE, *kernels]:
        if sys.argv[1:] and not {*sys.argv[1:]} & {*command.split()}:
            continue
        use = measured(command)
        text = command if command == BASELINE else f"``urcx {command}``"
        row = [text, f"{use.first:.1f}", f"{use.again:.1f}", str(len(use.kernels))]
        rows[text] = row
        sys.stderr.write("{1:>6} s, again {2:>5} s, {3:>2} kernels  {0}\n".format(*row))
        if command != BASELINE:
            kernels[command] = [(name, took) for name, took in use.kernels if took >= LEAST]
        write(kernels, rows)


if __name__ == "__main__":
    main()
