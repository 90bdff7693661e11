"""Optimal play in exact fractions, for rule sets and endings with few states.

The method is policy iteration, which starts from the 64-bit values. Each choice of moves gives
linear equations. Begin with `urcx.contrib.exact.rational`. Three facts are proven in integers:

- The solution satisfies the equations.
- No other move is better.
- Every game ends.
"""

from urcx.contrib import public_names

COMMANDS = {
    "exact": ("commands:exact", "Solve a small rule set, or endings, in exact fractions."),
}
PUBLIC = {"ExactSolution": "exact_solution", "solve_exactly": "rational"}

__getattr__ = public_names(__name__, PUBLIC)
