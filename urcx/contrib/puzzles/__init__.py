"""Puzzles: positions with one clearly best move, which an agent misses in its own games.

Begin with `urcx.contrib.puzzles.search`. `urcx.contrib.puzzles.sheets` draws puzzles on pages to
print.
"""

from urcx.contrib import public_names

COMMANDS = {
    "puzzles": (
        "commands:puzzles",
        "Find positions with one clearly best move that an agent misses.",
    ),
}
PUBLIC = {"Puzzle": "search", "Puzzles": "search", "puzzles": "search"}

__getattr__ = public_names(__name__, PUBLIC)
