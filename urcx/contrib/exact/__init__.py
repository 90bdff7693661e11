"""Perfect play in exact fractions.

For rule sets and endings with few states: policy iteration from the 64-bit values on, each choice
of moves turned into linear equations. Begin at `urcx.contrib.exact.rational`. Proven are the
solution (it satisfies the equations, in integers), the choice (no move is better, compared as
integers) and that every game ends.
"""

from urcx.contrib import public_names

COMMANDS = {
    "exact": ("commands:exact", "Solve a small rule set, or endings, in exact fractions."),
}
PUBLIC = {"ExactSolution": "exact_solution", "solve_exactly": "rational"}

__getattr__ = public_names(__name__, PUBLIC)
