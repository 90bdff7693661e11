"""Ties: moves that count as equally good by a solution.

A solution has an error bound. The values of equally good moves may therefore differ by up to twice
that bound, and a smaller difference does not tell which move is better. All moves within this *tie
width* of the best one are best moves, and a tie-breaking rule chooses among them.
"""

from __future__ import annotations

from typing import Any

from urcx.results.numbers import bound_text

ROUNDING = 2.0**-51  # of the difference of two probabilities, each perhaps taken from 1


def note_of_ties(width: float) -> str:
    """Return a note on several best moves, by a solution with this tie width."""
    near = bound_text(width)
    return f"several best moves: they differ by less than {near}, too little to tell them apart"


def tie_width(bound: float) -> float:
    """Return the greatest difference between the values of equally good moves.

    ``bound`` is the error bound of the values, which are probabilities.
    """
    return 2.0 * bound + ROUNDING


def width_of(solution: Any) -> float:
    """Return the tie width of a solution, from its rounding alone without a proven bound."""
    bound = solution.bound
    return tie_width(getattr(solution, "rounding", 0.0) if bound is None else bound)
