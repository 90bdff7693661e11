"""Michon's procedure, and the cycles where it stalls."""
