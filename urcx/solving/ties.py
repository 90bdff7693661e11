"""Ties: when two moves count as equally good by a solution.

A solution's values are off by at most its bound. So the values of equally good moves may differ by
up to twice the bound, and a smaller difference does not tell which move is better. All moves that
are within this *tie width* of the best one are best moves, and a tie-breaking rule chooses among
them.
"""

from __future__ import annotations

from typing import Any

from urcx.results.numbers import bound_text

ROUNDING = 2.0**-51  # of the difference of two probabilities, each perhaps taken from 1


def note_of_ties(width: float) -> str:
    """Return a note on several best moves, by a solution with this tie width."""
    near = bound_text(width)
    return f"several best moves: within {near} of each other, too near to tell which is better"


def tie_width(bound: float) -> float:
    """Return the greatest difference between the values of equally good moves.

    ``bound`` is the error bound of the values, which are probabilities.
    """
    return 2.0 * bound + ROUNDING


def width_of(known: Any) -> float:
    """Return the tie width of a solution; without a proven bound, that of its rounding."""
    bound = known.bound
    return tie_width(getattr(known, "rounding", 0.0) if bound is None else bound)
