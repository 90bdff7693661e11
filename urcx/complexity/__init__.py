"""Closed forms of the state space, numeric and symbolic; conventions of game-tree complexity."""
