"""Closed forms of the state space, numerically and symbolically."""
