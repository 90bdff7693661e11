"""Print how often opponents that err win: lines of urcx/explore/data/opponents.toml.

Of a tablebase (``urcx solve --rules finkel -o finkel.urcx``); 400 games each take some minutes:

    python benchmarks/opponents.py finkel.urcx
"""

from __future__ import annotations

import sys

from urcx.explore.opponents import MISTAKES, SHARES, judged
from urcx.solving.files.rgu import open_solution

GAMES, SEED = 400, 1

if __name__ == "__main__":
    with open_solution(sys.argv[1]) as base:
        for percent in SHARES:
            found = judged(base, percent, GAMES, SEED)
            numbers = f"wins = {found.wins:.4f}, within = {found.within:.4f}"
            print(f'"{MISTAKES}:{percent}" = {{ {numbers} }}', flush=True)
