"""Compares the user time of command lines in this tree and in another revision.

    python benchmarks/beside.py REVISION [--only WORD ...] [--runs N] [--place DIRECTORY]

runs all of ``LINES``, or only lines with one of the words. The revision gets a work tree, and each
tree gets a cache of compiled kernels, in a temporary directory. With ``--place`` the directory
stays, so kernels need not be compiled again. After a first run of each that does not count, both
run in turn. A row has the least user seconds, the ratios of new to old for the least times and for
medians, whether both ratios are above 1.05, and the fields of JSON that differ, except fields that
only the new revision has. A line that one of the trees cannot run is named with the error.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path
from statistics import median
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory
from typing import Any

from processes import Ran, run

ROOT = Path(__file__).parents[1]
# The fields of JSON that depend on the run, by the ends of their names.
OF_THE_RUN = ("provenance", "version", "seconds", "memory", "per_second", "file")
# Commands of urcx, whose outputs are compared if they have --json, and scripts of benchmarks.
# {here} is a directory of the tree, with the output of SOLVED; {new} is empty before each run. A
# first use begins with an empty cache.
SOLVED = "solve -p 3 -o {here}/3.urcx --threads 1"
LINES = """\
--help
ssc --path bell -p 1..12 --json
perft --depth 14 --json
reach -p 4 --threads 1 --json
gtc --games 300000 --agent random --threads 1 --json
gtc -p 4 --games 20000 --agent panda:5 --no-cache --threads 1 --json
gtc --games 1000 --agent expectimax:3 --method tree --threads 1 --json
gtc --exact --agent greedy -p 4 --threads 1 --json
gtc --exact --agent random -p 3 --threads 1 --json
gtc --exact --agent random -p 2 --rules murray --threads 1 --json
match -p 3 random greedy optimal --games 50000 --threads 1 --json
solve -p 4 --threads 1 --json
solve -p 2 --rules murray --threads 1 --json
solve -p 1 --rules masters --threads 1 --json
exact --endings 1 --json
compress {here}/3.urcx -o {new}/3.play --threads 1 --json
nalimov -p 3 --threads 1 --json
regret -p 3 --agent greedy,random --threads 1 --json
luck -p 4 --light greedy --dark optimal --threads 1 --json
bits -p 3 --agent greedy --table-bits 2,4 --exact --threads 1 --json
lengths -p 3 --agent greedy --threads 1 --json
lengths -p 1 --rules blitz --threads 1 --json
shortest -p 3 --rules murray --json
longest -p 3 --threads 1 --json
longest -p 3 --threads 1 --json
puzzles -p 3 --seed 2 --threads 1 --json
gamble --games 10000 --agent winnings --threads 1 --json
train td -p 2 --quick --iterations 50 -o {new}/2.npz --threads 1 --json
first use: gtc -p 3 --games 2000 --agent panda:3 --threads 1 --json
longest_game.py {new} -p 3
heled_players.py -p 2
"""


def execute(tree: Path, directory: Path, line: str) -> Ran:
    """Run a line in a tree, with the cache in the tree's directory, or with an empty cache."""
    with TemporaryDirectory() as new:
        line = line.format(here=directory, new=new)
        words = shlex.split(line.removeprefix("first use: "))
        script = str(tree / "benchmarks" / words[0])
        command = (script, *words[1:]) if script.endswith(".py") else ("-P", "-m", "urcx", *words)
        os.environ["PYTHONPATH"] = str(tree)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise each run would compile modules
        return run(
            (sys.executable, *command), Path(new) if "first use" in line else directory / "cache"
        )


def differing(old: Any, new: Any, name: str = "") -> set[str]:
    """Return the names of the fields that differ, except fields that depend on the run."""
    if name.endswith(OF_THE_RUN):
        return set()
    if isinstance(old, dict) and isinstance(new, dict):
        return set().union(*(differing(old[key], new.get(key), key) for key in old))
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return set().union(*(differing(*pair, name) for pair in zip(old, new, strict=True)))
    return set() if old == new else {name}


def compare(line: str, trees: dict[Path, Path], runs: int) -> str:
    """Run a line in both trees, in turn, and return its row."""
    rounds = [[execute(*tree, line) for tree in trees.items()] for _ in range(runs + 1)]
    taken = [[ran.user or 0.0 for ran in both] for both in zip(*rounds[1:], strict=True)]
    (old, new), (before, now) = map(min, taken), map(median, taken)
    row = f"{old:7.3f}{new:8.3f}{new / old:8.2f}{now / before:8.2f}  {line}"
    row += "  SLOWER" if new > 1.05 * old and now > 1.05 * before else ""
    other = differing(*(ran.json for ran in rounds[0])) if "--json" in line else ()
    return row + f"  DIFFERS: {', '.join(sorted(other))}" * bool(other)


def main(revision: str, lines: list[str], runs: int, place: Path) -> None:
    """Print a row for each line."""
    trees = {place / "tree": place / "old", ROOT: place / "new"}
    git = ("git", "-C", str(ROOT), "worktree")
    subprocess.run([*git, "add", "--quiet", "--detach", str(place / "tree"), revision], check=True)
    try:
        for tree, directory in trees.items():
            directory.mkdir(exist_ok=True)
            (directory / "3.urcx").unlink(missing_ok=True)
            execute(tree, directory, SOLVED)
        print(f"{'old':>7}{'new':>8}{'least':>8}{'medians':>8}")
        for line in lines:
            try:
                row = compare(line, trees, runs)
            except CalledProcessError as error:  # such as a command that the revision does not have
                row = f"{'not run':>31}  {line}: {error.stderr.decode().splitlines()[0]}"
            print(row, flush=True)
    finally:
        subprocess.run([*git, "remove", "--force", str(place / "tree")], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision")
    parser.add_argument("--only", nargs="+", default=[""])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--place", type=Path)
    options = parser.parse_args()
    chosen = [line for line in LINES.splitlines() if any(word in line for word in options.only)]
    with TemporaryDirectory() as temporary:
        main(options.revision, chosen, options.runs, (options.place or Path(temporary)).resolve())
