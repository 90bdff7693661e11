"""Figures and drawn boards."""
