"""Dice sequences, journeys of a piece, captures and gain: strategy without solving the game.

What helps at the table? Dice (`urcx.strategy.dice`) stay in fractions throughout. A journey
(`urcx.strategy.journey`) needs no linear algebra: a piece that nobody captures only goes forward,
so what is to come from each step follows from the steps beyond it; rolls and turns are two clocks
of one chain, which differ in the steps that keep them where they are. One piece's way is taken by
`as_track`. With several pieces a mean time means nothing, so `urcx.strategy.alone` goes through
all choices over a few turns. Probabilities of 10^-9 are also estimated by splitting, beside the
exact ones (`urcx.strategy.journey`); `urcx.strategy.alone` is value iteration over one player's
boards with bounds from both sides. Captures and gain: `urcx.strategy.capture`,
`urcx.strategy.gain`.
"""
