"""Write urcx/explore/data/examples.toml: positions of Finkel's game that are worth looking at.

They are found in a tablebase of the whole game (``urcx solve --rules finkel -o finkel.urcx``), in
some ten minutes on two cores:

    python benchmarks/example_positions.py finkel.urcx

`urcx.explore.examples` says what is looked for.
"""

from __future__ import annotations

import sys

from urcx.explore.examples import FILE, examples_text, found_examples
from urcx.solving.files.rgu import open_solution

if __name__ == "__main__":
    with open_solution(sys.argv[1]) as base:
        FILE.write_text(examples_text(base.rules, found_examples(base)), encoding="utf-8")
