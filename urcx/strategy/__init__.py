"""Dice, journeys, captures and gain: strategy without solving the game.

These probabilities help at the table. All of them are exact fractions.

- `urcx.strategy.dice`: rolls, their sums and their counts.
- `urcx.strategy.journey`: the time of a piece to a step. A piece that is never captured only
  advances, so the time from each step follows from the times from later steps, without linear
  algebra. Rolls and turns are two clocks of the same Markov chain: on rosettes the clock of turns
  stops. With several pieces the mean time does not exist, so all choices over a few turns are
  followed.
- `urcx.strategy.rush`: a journey within one turn.
- `urcx.strategy.capture` and `urcx.strategy.gain`: captures and the gain, by following the moves of
  a turn.
"""
