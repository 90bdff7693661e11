"""Sweeps: passes over all states of a pair of layers, a row of states at a time.

1. Rows, the moves that policies choose, and configurations are named tuples, which kernels of
   several packages take (`urcx.sweeps.layout_kernels`).
2. A Gauss-Seidel sweep updates the expected number of plies to come, or a similar value
   (`urcx.sweeps.sweep_kernels`). Its operator combines the values after the moves: the greatest, or
   the mean of a policy's moves. The kernels are compiled for the operator's type.
3. They are also compiled for the type of numbers: floats, or double-doubles with twice the digits
   (`urcx.sweeps.number_kernels`).
4. A block is swept at a time, which is a pair of layers or a part of one, divided among threads
   (`urcx.sweeps.blocks`).
5. Between sweeps, values are extrapolated (`urcx.sweeps.acceleration`).
"""
