"""Rankings: bijections between a path's states and 0..N-1, in two orders.

Start with `urcx.enumerate.rankings.ranking`, which describes both orders: by tiles, for every path,
and by shared pattern, for paths that cross no tile twice. The kernels of each order rank and unrank
one state, and all kernels that go through states use them. The order by tiles is one array of
numbers with masks of each tile's steps, so its kernels need no lists or divisions.
"""
