"""Games with all that is said of them: measures, conventions, and the sources' figures beside."""

from __future__ import annotations

from dataclasses import dataclass

from urcx.complexity.game_tree import Estimate, constants, evaluate
from urcx.games.simulator import Games
from urcx.games.statistics import Measure, measured, measures
from urcx.published.quantities.game_tree import PublishedMeasure, compare


@dataclass(frozen=True)
class Found:
    """Games with measures of them, figures of the conventions, and published ones that apply."""

    games: Games
    measures: tuple[Measure, ...]
    estimates: tuple[Estimate, ...]
    published: tuple[PublishedMeasure, ...]


def evaluated(games: Games) -> Found:
    """Return what is measured of games, and the sources' figures beside it where they apply."""
    found = measures(games)
    estimates = evaluate(measured(games), constants(games.rules))
    return Found(games, found, estimates, compare(games, found, estimates))
