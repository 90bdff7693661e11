"""The shortest and the longest games.

- `urcx.contrib.extremes.shortest_game` plays all games on by perft's kernels as long as they can
  still end in time, by a bound that counts each piece's way alone; backwards it finds how likely
  such a game is.
- `urcx.contrib.extremes.longest_game`: both players prolong the game. The mean plies to come settle
  from every state, in the solver's layers and order. Games stay in parts of a layer for long, so
  these settle part after part, from both sides, in pairs of floats where floats round too coarsely
  (`urcx.contrib.extremes.prolonging`).
"""

from urcx.contrib import public_names

COMMANDS = {
    "shortest": (
        "commands:shortest",
        "Find the shortest game, and count the games that are as short.",
    ),
    "longest": (
        "commands:longest",
        "Compute how long players can make a game, with proven bounds.",
    ),
}
PUBLIC = {
    "Longest": "longest_game",
    "Shortest": "shortest_game",
    "longest": "longest_game",
    "shortest": "shortest_game",
}

__getattr__ = public_names(__name__, PUBLIC)
