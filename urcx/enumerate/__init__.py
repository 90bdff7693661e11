"""Enumerating, numbering and sampling diagrams; perft and reachability.

How many states are there, one by one? Begin at `urcx.enumerate.enumerator`. It imports no closed
form; even the total of its progress bar is given to it from outside, so that
`urcx.enumerate.state_space` can hold the two against each other.

Perft (`urcx.enumerate.perft`) plays one ply from all positions of a level at once, and merges equal
ones through a hash table. What can be reached from the start is found exhaustively by
`urcx.enumerate.reach` and by sampling in `urcx.enumerate.reach_sampling`. Numbers of states are
those of `urcx.enumerate.rankings`.
"""
