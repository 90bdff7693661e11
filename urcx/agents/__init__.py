"""Agents, which choose the moves: from random play to tree search and perfect play."""
