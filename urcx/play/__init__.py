"""Agents, the games they play, and what is measured of them."""
