"""Exact means compared with games that were played, in standard errors."""

from __future__ import annotations

import math

from urcx.complexity.game_tree import Z95
from urcx.games.statistics import Measure


def mean_off(exact: float, sample: Measure) -> float | None:
    """Return the deviation of a sample's mean in standard errors; None if it has no interval."""
    interval = sample.ci95
    if interval is None or interval[0] == interval[1]:
        return None
    return (sample.mean - exact) / ((interval[1] - interval[0]) / 2 / Z95)


def share_off(exact: float, seen: float, games: int) -> float | None:
    """Return the deviation of a share of games in standard errors; None if it is certain."""
    error = math.sqrt(exact * (1 - exact) / games)
    return (seen - exact) / error if error else None
