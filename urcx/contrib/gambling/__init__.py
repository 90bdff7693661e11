"""The gambling game: rules, counts, agents, simulation and statistics.

How is the game of the tablet of 177 BC played, and how large is it? It has labelled pieces, rolls
to enter by, a second die at a player's risk, and counters. Little of this belongs to a race game,
so the rules, the simulator and the counts have their own package.

Begin at `urcx.contrib.gambling.rules`. It has the game (``data/gamble.toml``, with the source's
statements) and `CHOICES`, the rules that the source leaves open; each is an option of
``urcx gamble``. Rules, agents with their search, and whole games are kernels; the rest are
functions over them. The closed form and the enumerator of labelled diagrams know nothing of each
other, and `urcx.contrib.gambling.state_counts` compares them.
``tests/contrib/gambling/naive_gamble.py`` replays whole games.

To add a rule that the text leaves open: a `Choice` in `rules`, its number in `rule_arrays` and the
kernels, its plain version in the naive replay, and its option of ``urcx gamble``.
"""

from urcx.contrib import public_names

COMMANDS = {
    "gamble": (
        "commands:gamble",
        "Play the gambling game of Itti-Marduk-balatu; count its states.",
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
