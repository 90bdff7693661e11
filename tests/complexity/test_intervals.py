"""Wilson's interval: by hand, by its equation, and how often it covers the truth."""

from __future__ import annotations

import pytest

from urcx.complexity.game_tree import Z95, wilson


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
