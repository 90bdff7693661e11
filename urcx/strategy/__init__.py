"""Dice sequences, journeys of a piece, captures and gain: strategy without solving the game."""
