"""Lengths of games, and luck.

How long, how lucky can a game be? A file for each question:

- `urcx.extremes.lengths` renews the probability that a game goes on, of all states, once for each
  ply.
- `urcx.extremes.luck` needs no sweeps of its own: its sums are those of regret.
"""
