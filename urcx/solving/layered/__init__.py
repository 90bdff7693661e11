"""The solver for paths crossed once: layer by layer, a row of states at a time.

Begin at `urcx.solving.layered.solver`. Its `solve_pair` is the unit of work, with arguments that
can be pickled.

States of a layer (pieces home of the mover and of the other side) are numbered by shared pattern.
For every row of states, the places of the values that it compares are computed once. A sweep then
only reads, takes the greatest and adds, eight states at a time, sixteen in single precision. The
order by progress is part of the file format, so changing it needs a new ``FORMAT`` of tablebases
and of unfinished work. In memory, patterns that are updated together are next to each other. No
file depends on this order, because layers are rearranged when they are read and written.

A sweep updates first one layer of a pair, then the other, in waves. No part of a wave reads or
writes a value that another part writes, so the results do not depend on threads. Sweeps are
combined by reduced rank extrapolation until values settle. Then one evaluation of an upper bound
and one of a lower bound give the certificate. The same array contains the values, the upper bound
and the lower bound in turn. Layers go to a store: memory, which drops a layer after its last
reader, or a directory of finished layers, which a later run certifies and resumes from.
"""
