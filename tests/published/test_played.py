"""Games with the sources' figures beside."""

from __future__ import annotations

from urcx.games.simulator import simulate
from urcx.games.statistics import measures
from urcx.published.played import evaluated


def test_games_have_measures_conventions_and_published_figures() -> None:
    games = simulate("random", games=10, seed=1)
    found = evaluated(games)
    assert found.measures == measures(games)
    assert {"raposo-lamont", "post", "allis"} <= {e.convention.name for e in found.estimates}
    assert {item.verdict for item in found.published} >= {"another agent than the paper's"}


def test_nothing_is_published_of_other_rules() -> None:
    found = evaluated(simulate("random", rules="blitz", games=2, seed=1))
    assert found.published == ()
