"""The ends of the distribution: shortest and longest games, stalling.

How short, how long can a game be? A file for each question:

- `urcx.extremes.shortest` plays all games on by perft's kernels as long as they can still end in
  time, by a bound that counts each piece's way alone; backwards it finds how likely such a game is.
- `urcx.extremes.longest`, if both prolong the game or one stalls. What is to come on average is
  settled from every state, in the solver's layers and order (`urcx.extremes.courses`). Games that
  both prolong stay in parts of a layer for long, so that these are settled part after part, from
  both sides, in pairs of floats where floats round too coarsely (`urcx.extremes.prolonging`).
"""
