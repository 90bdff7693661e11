"""Quantities that are found by playing; the games themselves have tests of their own."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

import urcx
from urcx.complexity.game_tree import Z95
from urcx.published.quantities import games
from urcx.published.rounding import Ranged
from urcx.strategy.alone import plies_alone


def test_a_measure_has_the_error_of_both_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"plies": SimpleNamespace(mean=200.0, ci95=(196.0, 204.0))}
    monkeypatch.setattr(games, "_measures", lambda *_: found)
    params = {"rules": "finkel", "agent": "random", "measure": "plies", "sample": 5_000}
    one = games.published_measure(params)
    assert one.value == 200.0
    assert one.error == pytest.approx(4 / Z95 * math.sqrt(1 + games.GAMES / 5_000))
    half = games.published_measure({**params, "times": 0.5})
    assert half.value == 100.0
    assert half.error == pytest.approx(one.error / 2)


@pytest.mark.parametrize(
    ("share", "low", "high", "words"),
    [
        (0.51, 0.49, 0.53, "50 %"),
        (0.6, 0.59, 0.61, "above 50 %"),
        (0.4, 0.39, 0.41, "below 50 %"),
        (0.75, 0.74, 0.76, "far above 50 %"),
        (0.25, 0.24, 0.26, "far below 50 %"),
    ],
)
def test_wins_in_words(
    share: float, low: float, high: float, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "_share", lambda *_: (share, (low, high)))
    assert games.published_wins({"rules": "finkel", "agent": "a", "opponent": "b"}) == words


def test_one_player_alone() -> None:
    one: dict[str, Any] = {"rules": "finkel", "pieces": 1}
    rules = urcx.ruleset("finkel")
    assert games.alone_measure(one) == plies_alone(rules, 1)[0]
    two = games.alone_measure({**one, "pieces": 2})
    assert two == Ranged(plies_alone(rules, 2)[1], plies_alone(rules, 2, max)[1])


def test_a_piece_alone_in_other_words() -> None:
    one: dict[str, Any] = {"rules": "finkel", "pieces": 1}
    assert games.alone_measure({**one, "what": "mean"}) == Fraction(15, 2)
    plies = games.alone_measure(one)
    turns, beyond = (games.alone_measure({**one, "what": what}) for what in ("turns", "or beyond"))
    assert isinstance(plies, float)
    assert turns < plies  # type: ignore[operator]
    assert beyond < plies  # type: ignore[operator]
