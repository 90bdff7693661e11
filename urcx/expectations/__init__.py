"""Exact expectations over all games of two agents, and regret against perfect play."""
