"""Games with their measures, the conventions' figures, and published figures to compare with."""

from __future__ import annotations

from dataclasses import dataclass

from urcx.complexity.game_tree import Estimate, constants, evaluate
from urcx.games.records import Games
from urcx.games.statistics import Measure, measured, measures
from urcx.published.exact import ExactMeans, exact_means
from urcx.published.quantities.game_tree import PublishedMeasure, compare


@dataclass(frozen=True)
class Found:
    """Games with their measures, the conventions' figures, and the published figures that apply.

    ``exact`` are the means over all games of the same agents, if they are known.
    """

    games: Games
    measures: tuple[Measure, ...]
    estimates: tuple[Estimate, ...]
    published: tuple[PublishedMeasure, ...]
    exact: ExactMeans | None = None


def evaluated(games: Games) -> Found:
    """Return the measures of games, with the published figures that apply to them."""
    found = measures(games)
    estimates = evaluate(measured(games), constants(games.rules))
    exact = exact_means(games.rules, games.light, games.dark)
    return Found(games, found, estimates, compare(games, found, estimates), exact)
