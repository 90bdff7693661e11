"""The shortest and the longest games.

- `urcx.contrib.extremes.shortest_game`: perft's kernels continue all games that can still end in
  time, by a bound that counts the way of each piece alone. The probability of such a game is
  computed backwards.
- `urcx.contrib.extremes.longest_game`: both players prolong the game. The mean number of plies to
  come is computed for every state, in the solver's layers and order. Games stay in parts of a layer
  for a long time, so values are computed part by part, in double-doubles if floats are too coarse
  (`urcx.contrib.extremes.prolonging`).
"""

from urcx.contrib import public_names

COMMANDS = {
    "shortest": (
        "commands:shortest",
        "Find the shortest game, and count the games of this length.",
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
