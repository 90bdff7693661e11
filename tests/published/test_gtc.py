"""Games compared with the sources' figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from urcx.complexity.game_tree import Z95
from urcx.errors import UsageError
from urcx.games.simulator import simulate
from urcx.games.statistics import measures
from urcx.published.gtc import gtc, measure_games
from urcx.published.quantities.games import PAPER_GAMES, _sample_verdict
from urcx.rules import catalogue


def test_games_have_measures_conventions_and_published_figures() -> None:
    games = simulate("random", games=10, seed=1)
    played = measure_games(games)
    assert played.measures == measures(games)
    assert {"raposo-lamont", "post", "allis"} <= {e.convention.name for e in played.estimates}
    assert {item.verdict for item in played.published} >= {"another agent than the paper's"}


def test_nothing_is_published_of_other_rules() -> None:
    played = measure_games(simulate("random", rules="blitz", games=2, seed=1))
    assert played.published == ()


def test_exact_figures_are_what_the_estimates_are_of() -> None:
    rules = replace(catalogue.ruleset("finkel"), pieces=1)
    both = gtc("random", "greedy", rules, games=400, exact=True)
    alone = gtc("random", "greedy", rules, exact=True)
    assert (alone.played, alone.estimates, alone.published) == (None, (), ())
    for each in both.estimates:
        if not each.convention.mean_of_games:
            name, middle = each.convention.name, each.log10
            exact, bound = both.exact[name]
            assert (exact, bound) == pytest.approx(alone.exact[name], rel=1e-12, abs=1e-12)
            assert bound < 1e-9
            assert each.ci95 is not None
            assert abs(exact - middle) <= 2.0 * (each.ci95[1] - each.ci95[0])
        else:
            assert each.convention.name not in both.exact
    assert {*both.exact} == {*alone.exact}


def test_where_games_are_only_played_exact_figures_are_those_known_of_whole_rule_sets() -> None:
    tree = gtc("random", games=4)
    assert tree.played is not None
    assert tree.played.exact is not None
    assert tree.exact == tree.played.exact.gtc
    assert gtc("first", games=4).exact == {}
    with pytest.raises(UsageError, match="games 0: must be from 1 to 100,000,000"):
        gtc("random", games=0)


@pytest.mark.parametrize(
    ("off", "words"),
    [
        (-1.9, "-1.9 standard errors of both samples: within 95 % of samples"),
        (2.6, "within the 3.8 that chance allows one of 78 samples"),
        (3.9, "beyond the 3.8 that chance allows one of 78 samples"),
    ],
)
def test_a_mean_of_games_is_one_of_many_samples(off: float, words: str) -> None:
    # As many games as in the paper, so the error of the difference is sqrt(2) times our error.
    interval = (100 - Z95, 100 + Z95)
    verdict = _sample_verdict(100 + off * 2**0.5, 0.0, 100, interval, PAPER_GAMES)
    assert verdict.endswith(words)
