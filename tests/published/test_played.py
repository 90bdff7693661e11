"""Games with the sources' figures beside."""

from __future__ import annotations

import pytest

from urcx.complexity.game_tree import Z95
from urcx.games.simulator import simulate
from urcx.games.statistics import measures
from urcx.published.played import evaluated
from urcx.published.quantities.game_tree import PAPER_GAMES, _sample_verdict


def test_games_have_measures_conventions_and_published_figures() -> None:
    games = simulate("random", games=10, seed=1)
    found = evaluated(games)
    assert found.measures == measures(games)
    assert {"raposo-lamont", "post", "allis"} <= {e.convention.name for e in found.estimates}
    assert {item.verdict for item in found.published} >= {"another agent than the paper's"}


def test_nothing_is_published_of_other_rules() -> None:
    found = evaluated(simulate("random", rules="blitz", games=2, seed=1))
    assert found.published == ()


@pytest.mark.parametrize(
    ("off", "words"),
    [
        (-1.9, "-1.9 standard errors of both samples: within 95 % of samples"),
        (2.6, "within the 3.3 that chance allows one of 11 samples"),
        (3.4, "beyond the 3.3 that chance allows one of 11 samples"),
    ],
)
def test_a_mean_of_games_is_one_of_many_samples(off: float, words: str) -> None:
    # As many games as the paper's, so the error of the difference is sqrt(2) times that of ours.
    interval = (100 - Z95, 100 + Z95)
    found = _sample_verdict(100 + off * 2**0.5, 0.0, 100, interval, PAPER_GAMES)
    assert found.endswith(words)
