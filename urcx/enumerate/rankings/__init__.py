"""Rankings: bijections between a path's states and 0..N-1, in two orders.

Begin at `urcx.enumerate.rankings.ranking`, which describes both: by tiles, for every path, and by
shared pattern, for paths crossed once. The kernels of each rank and unrank one state, for every
kernel that goes through states; the order by tiles is one array of numbers with masks of each
tile's steps, so that neither way needs lists or divisions.
"""
