"""Intervals of probabilities, from how often something happened."""

from __future__ import annotations

import math

from urcx.complexity.game_tree import Z95


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a probability (E. B. Wilson, 1927), for one trial or more."""
    share = hits / trials
    scale = 1 + Z95**2 / trials
    middle = (share + Z95**2 / (2 * trials)) / scale
    half = Z95 / scale * math.sqrt(share * (1 - share) / trials + Z95**2 / (4 * trials**2))
    return max(0.0, middle - half), min(1.0, middle + half)
