"""Dice sequences, journeys of a piece, and gain: what can be said of a move by hand."""
