"""Sweeps: going through all states of a pair of layers, a row of states at a time.

1. Rows, the moves that policies choose, and diagrams are named tuples that kernels of several rooms
   take (`urcx.sweeps.layout_kernels`).
2. A sweep in place renews what is to come in a game (`urcx.sweeps.sweep_kernels`). What is made of
   the values that moves lead to is its operator, a type for which it is compiled: the greatest, or
   the mean of a policy's moves.
3. So are numbers: floats, or pairs of floats with twice the digits (`urcx.sweeps.number_kernels`).
4. A block is what is swept at a time, a pair of layers or a part of one, divided among threads
   (`urcx.sweeps.blocks`).
5. Between sweeps, values are extrapolated (`urcx.sweeps.acceleration`).
"""
