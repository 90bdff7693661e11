"""Agents: what chooses moves, from random play to look-ahead and perfect play."""
