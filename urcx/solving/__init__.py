"""Optimal play: solving games, tablebases, and the analysis of solutions.

How much is every position worth? Begin at `urcx.solving.solution`, which joins

- two solvers: `urcx.solving.layered` for paths that cross no tile twice (its ``solver.py`` has
  operator, order, stopping rule and proof), and `urcx.solving.general` for all other paths
- files, `urcx.solving.files`: the tablebase, the layers of an unfinished solve, and RoyalUr-Java's
  format

`urcx.solving.probing` looks up a position in a solution, and `urcx.solving.closeness` measures how
much better the best move is than the second best. `urcx.solving.checking` computes every state of
a file once more. If the precision of the values is unknown, it bounds them by solving the game
again from them.
"""
