"""Enumerating, ranking and sampling configurations, perft, and reachability.

Start with `urcx.enumerate.enumerator`, which visits every configuration. It does not import any
closed form. Even the total of its progress bar comes from the caller. So
`urcx.enumerate.state_space` can compare its counts with the closed forms.

Perft (`urcx.enumerate.perft`) plays one ply from all positions of a level, and merges equal
positions through a hash table. `urcx.enumerate.reach` finds all states that can be reached from the
start, and `urcx.enumerate.reach_sampling` estimates their share. `urcx.enumerate.rankings` defines
the ranks of states.
"""
