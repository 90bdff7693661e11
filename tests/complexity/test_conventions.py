from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import naive
import numpy as np
import pytest

import urcx
from urcx.complexity.game_tree import (
    CONVENTIONS,
    Z95,
    Constants,
    Estimate,
    Measured,
    OtherGame,
    at_means,
    constants,
    convention_estimates,
    entropy,
    other_games,
    wilson,
)
from urcx.published.quantities.games import PAPER_LOG10, POST_BRANCHES, POST_PLIES
from urcx.rules.model import Dice

Z = 1.959964


def made(*games: tuple[float, float, float, float, float]) -> Measured:
    """Return games by plies, moves, choices, log_choices and log_picks of each."""
    return Measured(*(np.array(column, float) for column in zip(*games, strict=True)))


def by_name(measured: Measured, fixed: Constants) -> dict[str, Estimate]:
    return {
        estimate.convention.name: estimate for estimate in convention_estimates(measured, fixed)
    }


# Two games by hand. The first: 4 plies with 10, 1, a pass and 10 choices; the second: 6 plies with
# 1, 1, 4, 25, 1 and a pass.
HAND = made((4, 3, 21, 2.0, 1.0), (6, 5, 32, 2.0, 0.5))
FIXED = Constants(c=10, h=0.5, branches=100.0)


@pytest.mark.parametrize(
    ("name", "ref"),
    [
        # In the mean, 5 plies, 4 moves and 26.5 choices a game: 5.3 a ply, 6.625 a move.
        ("raposo-lamont", 2.5 * math.log10(53)),
        ("raposo-lamont-both", 5 * math.log10(53)),
        ("post", 10),
        ("allis", 4 * math.log10(6.625)),
        ("ludii", (3 * math.log10(7) + 5 * math.log10(6.4)) / 2),
        ("sum-log", 2),
        ("sum-log-outcomes", 7),
        ("sum-log-entropy", 4.5),
        ("entropy", 3.25),
    ],
)
def test_each_convention_by_hand(name: str, ref: float) -> None:
    estimates = by_name(HAND, FIXED)
    assert estimates[name].log10 == pytest.approx(ref)
    assert set(estimates) == {convention.name for convention in CONVENTIONS}
    assert len(estimates) == 9


@pytest.mark.parametrize(
    ("name", "item", "other"),
    [
        ("raposo-lamont", 2 * math.log10(52.5), 3 * math.log10(320 / 6)),
        ("raposo-lamont-both", 4 * math.log10(52.5), 6 * math.log10(320 / 6)),
        ("post", 8, 12),
        ("allis", 3 * math.log10(7), 5 * math.log10(6.4)),
        ("ludii", 3 * math.log10(7), 5 * math.log10(6.4)),
        ("sum-log", 2, 2),
        ("sum-log-outcomes", 6, 8),
        ("sum-log-entropy", 4, 5),
        ("entropy", 3, 3.5),
    ],
)
def test_intervals_by_hand(name: str, item: float, other: float) -> None:
    # Of two games, either left out is the other alone: the jackknife's error is half the
    # difference, and 95 % of games lie 2.5 % of it within the two.
    estimates = by_name(HAND, FIXED)[name]
    half = Z * abs(item - other) / 2
    assert estimates.ci95 == pytest.approx(
        (estimates.log10 - half, estimates.log10 + half), abs=1e-6
    )
    low, high = sorted((item, other))
    edge = 0.025 * (high - low)
    assert estimates.games95 == pytest.approx((low + edge, high - edge))


def test_one_game_has_no_intervals() -> None:
    for estimate in convention_estimates(made((4, 3, 21, 2.0, 1.0)), FIXED):
        assert estimate.ci95 is None
        assert estimate.games95 is None
        assert estimate.log10 > 0


def correlated(draw: np.random.Generator, n: int) -> Measured:
    """Return games as random play has them: all that is counted grows with the plies."""
    plies = np.round(draw.normal(150, 22, n))
    moves = plies - np.round(draw.normal(12, 5, n))
    b = draw.normal(2.6, 0.15, n)
    return Measured(plies, moves, b * moves, 0.36 * moves, 0.3 * moves + draw.normal(0, 2, n))


def test_the_intervals_are_those_of_a_bootstrap() -> None:
    draw = np.random.default_rng(3)
    x, fixed = correlated(draw, 300), constants(urcx.ruleset("finkel"))
    estimates = by_name(x, fixed)
    again: dict[str, list[float]] = {name: [] for name in estimates}
    for _ in range(2000):
        rows = draw.integers(0, 300, 300)
        sample = Measured(*(column[rows] for column in vars(x).values()))
        for convention in CONVENTIONS:
            if convention.mean_of_games:
                value = convention.formula(sample, fixed).mean()
            else:
                means = Measured(*(np.array(column.mean()) for column in vars(sample).values()))
                value = convention.formula(means, fixed)
            again[convention.name].append(float(value))
    for name, estimate in estimates.items():
        assert estimate.ci95 is not None
        low, high = estimate.ci95
        # The standard deviation of 2,000 values is known to 1.6 %.
        assert (high - low) / 2 == pytest.approx(Z * np.std(again[name]), rel=0.07), name
        assert (high + low) / 2 == pytest.approx(estimate.log10)


def test_the_papers_figure() -> None:
    # Section 3.2: (2.45 x 5)^106.35 = 5.3e115, with half of 212.70 plies of both.
    x = made((212.70, 200.0, 2.45 * 212.70, 60.0, 60.0))
    estimates = by_name(x, constants(urcx.ruleset("finkel")))
    assert estimates["raposo-lamont"].log10 == pytest.approx(PAPER_LOG10)
    assert round(10 ** (PAPER_LOG10 - 115), 1) == 5.3
    assert estimates["raposo-lamont-both"].log10 == pytest.approx(2 * PAPER_LOG10)


def test_the_posts_figure() -> None:
    # 5.3^120 = 10^87, which the post prints.
    fixed = constants(urcx.ruleset("finkel"))
    assert round(fixed.branches, 1) == POST_BRANCHES
    x = made((POST_PLIES, POST_PLIES, 3.0 * POST_PLIES, 1.0, 1.0))
    estimates = by_name(x, replace(fixed, branches=POST_BRANCHES))["post"]
    assert round(estimates.log10) == 87


def test_constants_of_finkel() -> None:
    fixed = constants(urcx.ruleset("finkel"))
    assert fixed.branches == 726864992 / 137913936
    assert fixed.c == 5
    assert fixed.h == pytest.approx(entropy(urcx.dice("binary4")))


@pytest.mark.parametrize("name", ["finkel", "aseb", "skiriuk"])
def test_branches_are_the_mean_over_all_diagrams(name: str) -> None:
    rules = replace(urcx.ruleset(name), pieces=1)
    found = [naive.branches(diagram, 1) for diagram in naive.diagrams(rules.path, 1)]
    assert constants(rules).branches == pytest.approx(sum(found) / len(found))


def test_entropy_of_a_roll_by_hand() -> None:
    # Four binary dice, in bits: 2 x 4/16 + 2 x 2/4 + 6/16 x (4 - log2 6).
    bits = 2 * 4 / 16 + 2 * 2 / 4 + 6 / 16 * (4 - math.log2(6))
    assert entropy(urcx.dice("binary4")) == pytest.approx(bits * math.log10(2))
    # Two outcomes of 3/8, two of 1/8: 3/4 x (3 - log2 3) + 1/4 x 3.
    bits = 3 / 4 * (3 - math.log2(3)) + 3 / 4
    assert entropy(urcx.dice("binary3-0as4")) == pytest.approx(bits * math.log10(2))
    ten = Dice("ten", "", tuple(range(10)), (Fraction(1, 10),) * 10)
    assert entropy(ten) == pytest.approx(1)
    assert entropy(Dice("one", "", (1,), (Fraction(1),))) == 0


def test_other_games_formulas_give_the_printed_figures() -> None:
    games = {game.name: game for game in other_games()}
    assert len(games) == len(other_games()) == 5
    with_formula = [game for game in games.values() if game.b is not None]
    assert len(with_formula) == 4
    for game in with_formula:
        size = game.with_chance
        assert size is not None
        assert abs(size - game.gtc) <= 1, game.name
    backgammon, chess, ludo = games["Backgammon"], games["Chess"], games["Ludo"]
    assert backgammon.without_chance == pytest.approx(55 * math.log10(20))
    assert chess.without_chance == chess.with_chance == pytest.approx(80 * math.log10(35))
    assert backgammon.one_player == pytest.approx(55 / 2 * math.log10(420))
    assert ludo.with_chance is None
    assert ludo.one_player is None
    assert ludo.without_chance is None


def test_other_games_without_all_figures_have_no_formula() -> None:
    whole = OtherGame("game", "source", 10.0, 20.0, "", 3.0, 2.0, 50.0)
    assert whole.with_chance == pytest.approx(50 * math.log10(6))
    assert whole.without_chance == pytest.approx(50 * math.log10(3))
    for part, without in (
        (replace(whole, b=None), None),
        (replace(whole, c=None), whole.without_chance),
        (replace(whole, d=None), None),
    ):
        assert part.with_chance is None
        assert part.without_chance == without


def test_means_alone_give_what_needs_no_single_games() -> None:
    means = Measured(*(np.array(column.mean()) for column in vars(HAND).values()))
    figures = at_means(means, FIXED)
    estimates = by_name(HAND, FIXED)
    assert set(figures) == {c.name for c in CONVENTIONS if not c.mean_of_games}
    assert figures == {name: pytest.approx(estimates[name].log10) for name in figures}


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        # The bounds p solve (wins/games - p)^2 = z^2 p (1 - p) / games: here by the solution at
        # the ends, z^2 / (n + z^2), and for 1 of 2 by 1/2 +- z / (2 sqrt(2 + z^2)).
        (0, 10, 0, 0.277533),
        (10, 10, 0.722467, 1),
        (1, 2, 0.094531, 0.905469),
        (0, 1, 0, 0.793451),
    ],
)
def test_wilson_by_hand(wins: int, games: int, low: float, high: float) -> None:
    assert wilson(wins, games) == pytest.approx((low, high), abs=5e-7)


@pytest.mark.parametrize(("wins", "games"), [(3, 8), (511, 1000), (1, 100_000), (7, 9)])
def test_wilson_solves_its_equation(wins: int, games: int) -> None:
    share = wins / games
    for bound in wilson(wins, games):
        assert (share - bound) ** 2 == pytest.approx(Z95**2 * bound * (1 - bound) / games)
    low, high = wilson(wins, games)
    assert 0 <= low < share < high <= 1
    assert wilson(games - wins, games) == pytest.approx((1 - high, 1 - low))
