"""Measured times of single operations, which `urcx.commands.estimates` multiplies by counts.

They were measured on one core of a common machine of 2024, without compilation; other machines may
be twice as fast or as slow.
"""

from __future__ import annotations

# Seconds of one core for one operation or object.
VISIT = 1 / 1.5e9  # a diagram, by the enumerator where its lists are short
FORMULATED = 1.5e-6  # a piece in a row of ssc: upper bounds have as many digits as there are pieces
WRITTEN_DIAGRAM = 4e-7  # as a line of text
RANKED_DIAGRAM = 2e-8
DRAWN = 4e-5  # a random position
PLACEMENT = 1.2e-5  # with its tiles, sorted
SEARCHED = 2e-7  # a state visited by reach, by shared pattern; total over all levels
SEARCHED_BY_TILES = 1.4e-6
SEARCHED_BY_AGENTS = 8e-7  # a state visited in a search by the moves of perfect play alone
BACK = 0.01  # a backward search from a state, on a path crossed once
BACK_TWICE = 0.25  # and on other paths, where many searches are given up
PROCEDURE = 4e-6  # a state, by Michon's procedure
SOLVED = 1.2e-6  # a state, by shared pattern, both bounds proven
SOLVED_BY_TILES = 1e-5  # on one thread
FRACTIONS = 1e-7  # times the square of the states: digits grow with their number
SWEPT = 1e-7  # a state of a tablebase that is checked
EXPORTED = 2e-7
FOLLOWED = 8e-7  # a state, in computing exact means
BY_VALUES = 2e-8  # a choice there by values of all states, eight at a time
DECODED = 4e-7  # a choice there by a file of exact play, which is decoded as a whole
FOLLOWED_BY_TILES = 2e-5
PROLONGED = 2e-6  # a state at 3 pieces a side, where both players prolong games, bounds proven
PROLONGED_MORE = 2.0  # times longer for each further piece a side
SHORTEST = 1.8e-4, 3.4  # times that power of the pieces a side: the search for shortest games
SHORTEST_TWICE = 1.6e-9, 7.7  # the same where a path crosses tiles twice
SHORTEST_POSITION = 4e-6  # a position in that search
STALLED = 5e-5  # a state, where one player stalls
RENEWED = 1.2e-8  # a state with either side to move, for each ply of the lengths of games
PACKED = 1.2e-6  # a state, in counting and coding its decisions, or in decoding them
PACKED_UNIT = 6e-9  # more for each unit of the network
PACKED_BYTES = 0.12  # of a file of exact play, for each state
CODED = 2e-8  # a state, in a quantised table
CODED_BYTES = 10  # its value and its code
PLY = 4e-8  # of a game: dice, moves, counts
OWN_MOVE = 1e-4  # by a user's function
GAMBLED = {
    0: 2e-5,
    1: 1e-4,
    2: 4e-3,
    3: 0.15,
    4: 6.0,
}  # a gambling game, by the agent's depth
PRUNED = 5.7  # times longer for each further ply, in positions of a game
SIMULATED = 8e-8  # a simulated piece in a rush
REPORT = {True: 30.0, False: 90.0}  # processor seconds, quick or not
LOOKED_UP = 2e-5  # a choice by a file of exact play

# Plies for each piece a side until few games go on, by experience, and those of other agents.
LASTING = {"greedy": 35, "random": 50}
LASTING_ELSE = 75
AGAIN = 1.05  # longer for each piece, where a path crosses tiles twice: pieces meet all along it
CAPTURED = 1.5  # steps walked in a game, captures included, over those needed to get home
LINE = 30  # bytes of a position in notation
GROWTH = 3.2  # factor in the number of positions per ply, up to the middle of the game
