"""Perfect play: solving games, tablebases, and the analysis of solutions.

What is every position worth? Begin at `urcx.solving.solution`, which joins

- the solver for paths crossed once, `urcx.solving.layered`, whose ``solver.py`` has operator,
  order, stopping rule and proof; and that for every other path, `urcx.solving.general`;
- files, `urcx.solving.files`: the tablebase, layers at work, and RoyalUr-Java's format.

`urcx.solving.probing` says what a solution has of a position, `urcx.solving.closeness` how close
the best moves come. `urcx.solving.checking` computes every state of a file once more, and bounds
values of unknown precision by solving the game again from them.
"""
