"""The strategy-complexity curve: how many bits a player takes, and how well it plays.

Rules, networks, quantised tables and files of exact play are points of one curve of bits and
strength. Begin at `urcx.learn.curve.bits`.
"""
