"""The report on games."""

from __future__ import annotations

from dataclasses import replace

import pytest

from urcx.games.simulator import simulate
from urcx.published.gtc import measure_games


@pytest.mark.parametrize(
    ("verdict", "tone"),
    [("within the interval", "good"), ("outside the interval", "bad"), ("too few games", None)],
)
def test_published_figures_are_toned_by_their_verdict(verdict: str, tone: str | None) -> None:
    played = measure_games(simulate("random", games=4, seed=1))
    some = replace(played.published[0], verdict=verdict)
    cell = replace(played, published=(some,)).tables()[3].rows[0][-1]
    assert getattr(cell, "tone", None) == tone
