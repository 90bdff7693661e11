"""Dice, a piece's way, captures and gain: strategy without solving the game.

What helps at the table? Chances of dice (`urcx.strategy.dice`) stay in fractions throughout. A
piece's way (`urcx.strategy.journey`) needs no linear algebra: a piece that nobody captures only
goes forward, so the rest from each step follows from the steps beyond it; rolls and turns are two
clocks of one chain, which differ in the steps that keep them where they are. With several pieces a
mean time means nothing, so all choices over a few turns are followed. Captures
(`urcx.strategy.capture`) and gain (`urcx.strategy.gain`) follow the moves of a turn.
"""
