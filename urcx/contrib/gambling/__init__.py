"""The gambling game: rules, counts, agents, simulation and statistics.

How is the game of the tablet of 177 BC played, and how large is it? It has labelled pieces that
enter by certain rolls, a second die thrown at the player's risk, and counters. It is not a race
game, so its rules, simulator and counts have their own package.

Begin with `urcx.contrib.gambling.rules`. It has the game (``data/gamble.toml``, with the source's
statements) and `CHOICES`, the rules that the source leaves open. Each of them is an option of
``urcx gamble``. Kernels apply the rules, search for moves and play the games. All other functions
call them. The closed form and the enumerator of labelled configurations are independent, and
`urcx.contrib.gambling.state_counts` compares them. ``tests/contrib/gambling/naive_gamble.py`` plays
whole games again.

To add a rule that the text leaves open, add an entry to `CHOICES`, its number to `rule_arrays` and
the kernels, its plain version to the replay in the tests, and its option to ``urcx gamble``.
"""

from urcx.contrib import public_names

COMMANDS = {
    "gamble": (
        "commands:gamble",
        "Play the gambling game of Itti-Marduk-balatu, or count its states.",
    ),
}
PUBLIC = {
    "Gambler": "agents",
    "Gambles": "records",
    "GamblingGame": "rules",
    "gamble": "simulator",
    "gambling_game": "rules",
}

__getattr__ = public_names(__name__, PUBLIC)
