"""Michon's procedure for a full table of the game, and the cycles on which it stalls.

Begin with `urcx.contrib.michon.result`, whose docstring explains the procedure and its readings.
"""

from urcx.contrib import public_names

COMMANDS = {
    "nalimov": (
        "commands:nalimov",
        "Run Michon's procedure for a full table, and show where it stalls.",
    ),
}
PUBLIC = {"Nalimov": "result", "nalimov": "result"}

__getattr__ = public_names(__name__, PUBLIC)
