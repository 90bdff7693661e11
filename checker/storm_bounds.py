"""Storm's bounds of a solved game from both sides, beside those of urcx, in one run.

    python checker/storm_bounds.py [RULES] [PIECES] [PYTHON]

PYTHON is one that has ``stormpy`` (this one by default). urcx solves the game, and ``umb.py``
writes it twice: with light's policy fixed, where what dark can do at best bounds light's chance
from below, and with dark's, where light's best bounds it from above. Storm finds these by
optimistic value iteration. One program runs at a time; seconds are those of processors.
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

# What Storm's Python runs: a file and a property in; bounds, states and processor seconds out.
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
wanted = stormpy.parse_properties(sys.argv[2])[0]
since = time.process_time()
found = stormpy.model_checking(model, wanted, only_initial_states=True, environment=environment)
solved = time.process_time() - since
chance = found[model.initial_states[0]]
print(json.dumps([chance.lower, chance.upper, model.nr_states, read, solved]))
"""


def storm(python: str, file: Path, best: str) -> tuple[float, float, int, float, float]:
    """Return Storm's bounds of light's chance, the states, and seconds to read and to solve."""
    command = [python, "-P", "-c", STORM, str(file), f'P{best}=? [F "light_wins"]']
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    low, high, states, read, solved = json.loads(ended.stdout.splitlines()[-1])
    return low, high, states, read, solved


def both_bounds(rules: RuleSet, python: str) -> tuple[float, float, float, float, list[str]]:
    """Return urcx's bounds of the value and Storm's, and what is to be printed of the run."""
    urcx.solve(urcx.ruleset(rules, pieces=1))  # compiles what is not kept
    with TemporaryDirectory() as directory:
        file = Path(directory, "solved.urcx")
        since = time.process_time()
        solved = urcx.solve(rules, file).solved
        took = time.process_time() - since
        bounds = f"at least {solved.lower:.15f}, at most {solved.upper:.15f}"
        lines = [f"urcx:  {bounds}: {solved.states:,} states, {took:.1f} s"]
        found = []
        for fixed, best, word in (("light", "min", "at least"), ("dark", "max", "at most")):
            model = Path(directory, f"{fixed}.umb")
            since = time.process_time()
            with urcx.open_tablebase(file) as base:
                export_umb(base, model, fixed)
            wrote = time.process_time() - since
            low, high, states, read, took = storm(python, model, best)
            found.append(low if best == "min" else high)
            lines.append(
                f"Storm: {word} {found[-1]:.15f} ({fixed} fixed): {states:,} states, {took:.1f} s "
                f"(and {wrote:.1f} s to write, {read:.1f} s to read)"
            )
    return solved.lower, solved.upper, found[0], found[1], lines


if __name__ == "__main__":
    name, pieces, python = [*sys.argv[1:], *("finkel", "3", sys.executable)[len(sys.argv) - 1 :]]
    *_, said = both_bounds(urcx.ruleset(name, pieces=int(pieces)), python)
    print("\n".join(said))
