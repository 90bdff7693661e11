"""Games with their measures, the conventions' figures, and published figures to compare with."""

from __future__ import annotations

from dataclasses import dataclass

from urcx.complexity.game_tree import Estimate, constants, evaluate
from urcx.games.records import Games
from urcx.games.statistics import Measure, measured, measures
from urcx.published.quantities.game_tree import PublishedMeasure, compare


@dataclass(frozen=True)
class Found:
    """Games with their measures, the conventions' figures, and the published figures that apply."""

    games: Games
    measures: tuple[Measure, ...]
    estimates: tuple[Estimate, ...]
    published: tuple[PublishedMeasure, ...]


def evaluated(games: Games) -> Found:
    """Return the measures of games, with the published figures that apply to them."""
    found = measures(games)
    estimates = evaluate(measured(games), constants(games.rules))
    return Found(games, found, estimates, compare(games, found, estimates))
