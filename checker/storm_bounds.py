"""Storm's bounds of a solved game from both sides, compared with urcx's bounds, in one run.

    python checker/storm_bounds.py [RULES] [PIECES] [PYTHON]

PYTHON is a Python with ``stormpy``, by default the current one. urcx solves the game, and
``umb.py`` writes it twice. With light's policy fixed, dark's best play gives a lower bound of
light's win probability. With dark's policy fixed, light's best play gives an upper bound. Storm
computes them by optimistic value iteration. One program runs at a time, and all times are CPU
seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from umb import export_umb

import urcx
from urcx.rules.model import RuleSet

# The program for Storm's Python. It takes a file and a property, and prints bounds, states and CPU
# seconds.
STORM = """
import json, sys, time
import stormpy
from stormpy import environments
since = time.process_time()
model = stormpy.build_model_from_umb(sys.argv[1])
read = time.process_time() - since
environment = environments.sound()
solver = environment.solver().min_max()
solver.method = environments.MinMaxMethod.OPTIMISTIC_VALUE_ITERATION
solver.precision = stormpy.Rational("1/10000000000000")
solver.relative_termination_criterion = False
query = stormpy.parse_properties(sys.argv[2])[0]
since = time.process_time()
result = stormpy.model_checking(model, query, only_initial_states=True, environment=environment)
solved = time.process_time() - since
chance = result[model.initial_states[0]]
print(json.dumps([chance.lower, chance.upper, model.nr_states, read, solved]))
"""


def storm(python: str, file: Path, best: str) -> tuple[float, float, int, float, float]:
    """Return Storm's bounds of light's win probability, the states, and the CPU seconds."""
    command = [python, "-P", "-c", STORM, str(file), f'P{best}=? [F "light_wins"]']
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    low, high, states, read, solved = json.loads(ended.stdout.splitlines()[-1])
    return low, high, states, read, solved


def both_bounds(rules: RuleSet, python: str) -> tuple[float, float, float, float, list[str]]:
    """Return urcx's bounds of the value, Storm's bounds, and the lines to print."""
    urcx.solve(urcx.ruleset(rules, pieces=1))  # compiles kernels that are not cached
    with TemporaryDirectory() as directory:
        file = Path(directory, "solved.urcx")
        since = time.process_time()
        solved = urcx.solve(rules, file).solved
        took = time.process_time() - since
        bounds = f"at least {solved.lower:.15f}, at most {solved.upper:.15f}"
        lines = [f"urcx:  {bounds}: {solved.states:,} states, {took:.1f} s"]
        storm_bounds = []
        for fixed, best, word in (("light", "min", "at least"), ("dark", "max", "at most")):
            model = Path(directory, f"{fixed}.umb")
            since = time.process_time()
            with urcx.open_tablebase(file) as base:
                export_umb(base, model, fixed)
            wrote = time.process_time() - since
            low, high, states, read, took = storm(python, model, best)
            bound = low if best == "min" else high
            storm_bounds.append(bound)
            lines.append(
                f"Storm: {word} {bound:.15f} ({fixed} fixed): {states:,} states, {took:.1f} s "
                f"(and {wrote:.1f} s to write, {read:.1f} s to read)"
            )
    return solved.lower, solved.upper, storm_bounds[0], storm_bounds[1], lines


if __name__ == "__main__":
    name, pieces, python = [*sys.argv[1:], *("finkel", "3", sys.executable)[len(sys.argv) - 1 :]]
    *_, lines = both_bounds(urcx.ruleset(name, pieces=int(pieces)), python)
    print("\n".join(lines))
