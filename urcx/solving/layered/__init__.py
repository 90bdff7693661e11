"""The solver for paths crossed once: layer by layer, a row of states at a time.

Begin at `urcx.solving.layered.solver`; `solve_pair` there is the unit of work, with arguments that
can be pickled.

States of a layer (pieces home of the mover and of the other) are numbered by shared pattern. It is
found once, for every row of states, where the values that it compares begin, so that a sweep only
reads, takes the greatest and adds, eight states at a time, sixteen in single precision. The order
by progress is part of the file format: a change of it needs a new ``FORMAT`` of tablebases and of
layers at work. In memory, the patterns that are renewed together are next to each other, an order
that no file depends on; layers are rearranged when they are read and when they are written.

A sweep renews first one layer of a pair, then the other, in waves whose parts neither read nor
write what another part writes, so that threads change no bit. Sweeps are combined by reduced rank
extrapolation until values settle; then one evaluation each of an upper and of a lower bound gives
the certificate, for which one array holds the values and either bound in turn. Layers go to a
store: memory, which drops a layer once its last reader has read it, or a directory of finished
layers that a later run certifies and goes on from.
"""
