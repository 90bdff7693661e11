"""How long single things take, measured once: what `urcx.commands.estimates` multiplies counts by.

Rates are those of one core of a common machine of 2024, compiling left out; another machine may be
twice as fast or as slow.
"""

from __future__ import annotations

# Seconds of one core, each for one of what it is named after.
VISIT = 1 / 1.5e9  # a diagram, by the enumerator where its lists are short
FORMULATED = 1.5e-6  # a piece of a row of ssc: upper bounds have as many digits as there are pieces
WRITTEN_DIAGRAM = 4e-7  # as a line of text
RANKED_DIAGRAM = 2e-8
DRAWN = 4e-5  # a random position
PLACEMENT = 1.2e-5  # with its tiles, sorted
SEARCHED = 2e-7  # a state that reach looks at, by shared pattern; all levels together
SEARCHED_BY_TILES = 1.4e-6
BACK = 0.01  # a state searched for backwards, on a path crossed once
BACK_TWICE = 0.25  # and on others, where many searches are given up
PROCEDURE = 4e-6  # a state, by Michon's procedure
SOLVED = 2e-6  # a state, by shared pattern, both bounds proven
SOLVED_BY_TILES = 1e-5  # on one thread
FRACTIONS = 1e-7  # a state squared: digits grow with the states
SWEPT = 1e-7  # a state of a tablebase that is checked
EXPORTED = 2e-7
FOLLOWED = 2.5e-6  # a state through which all games are followed
FOLLOWED_BY_TILES = 2e-5
PLY = 4e-8  # of a game: dice, moves, counts
OWN_MOVE = 1e-4  # by a function of the user's
GAMBLED = {
    0: 2e-5,
    1: 1e-4,
    2: 4e-3,
    3: 0.15,
    4: 6.0,
}  # a gambling game, by plies looked at
PRUNED = 5.5  # times longer for a ply more, in positions of a game
SIMULATED = 8e-8  # a piece on its way in a rush
REPORT = {True: 30.0, False: 90.0}  # processor seconds, quick or not
# A choice of each kind of agent that does not look ahead.
CHOICE = {
    "random": 5e-8,
    "first": 5e-8,
    "last": 5e-8,
    "greedy": 1e-7,
    "gain": 5e-6,
    "optimal": 2e-6,
}

CAPTURED = 1.5  # times the way home that pieces go in a game, captures included
LINE = 30  # bytes of a position in notation
GROWTH = 3.2  # of positions a ply, on the way to the middle of the game
