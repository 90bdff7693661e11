"""How large a game is beside others."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from urcx.complexity.game_tree import other_games
from urcx.published.quantities import states


def test_a_power_is_right_to_ten_digits() -> None:
    params = {"b": 3, "d": 50}
    assert states.power_log10(params) == pytest.approx(50 * math.log10(3))
    assert states.power_of(params) == pytest.approx(3**50, rel=1e-10)
    assert states.power_of({**params, "c": 5}) == pytest.approx(15**50, rel=1e-10)
    assert isinstance(states.power_of(params), int)


def test_a_game_tree_is_smaller_similar_or_larger() -> None:
    # (2.45 x 5)^106.35 is 10^115.8.
    for game in other_games():
        apart = 115.75 - game.gtc
        expected = "similar" if abs(apart) < 10 else "larger" if apart > 0 else "smaller"
        assert states.compared({"game": game.name}) == expected, game.name


def test_a_size_against_another() -> None:
    # Bell's path with one piece a side: 16 places each, less 8 shared tiles, 10^2.394.
    params = {"path": "bell", "pieces": 1}
    assert str(states.size_against({**params, "than": 2})) == "more (2.394 to 2)"
    assert states.size_against({**params, "than": 3}).words == "less"
    assert states.size_against({"b": 10, "d": 4, "than": 3.5}).words == "more"


def test_a_share_of_time() -> None:
    share = states.share_of_time({"bits": 10, "years": 2, "days": 365})
    assert share == Fraction(1024, 2 * 365 * 86_400)
