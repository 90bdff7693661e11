"""Quantities that are found by playing; the games themselves have tests of their own."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

import urcx
from urcx.complexity.game_tree import Z95
from urcx.published.quantities import played
from urcx.published.quantities.values import Ranged
from urcx.strategy.alone import plies_alone


def test_a_measure_has_the_error_of_both_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"plies": SimpleNamespace(mean=200.0, ci95=(196.0, 204.0))}
    monkeypatch.setattr(played, "_measures", lambda *_: found)
    params = {"rules": "finkel", "agent": "random", "measure": "plies", "sample": 5_000}
    one = played.published_measure(params)
    assert one.value == 200.0
    assert one.error == pytest.approx(4 / Z95 * math.sqrt(1 + played.GAMES / 5_000))
    half = played.published_measure({**params, "times": 0.5})
    assert half.value == 100.0
    assert half.error == pytest.approx(one.error / 2)


def test_only_plies_have_other_meanings() -> None:
    meant = [p["measure"] for _, p in played.measure_readings({"measure": "plies"})]
    assert meant == ["turns", "moves"]
    assert list(played.measure_readings({"measure": "turns"})) == []


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
    monkeypatch.setattr(played, "_share", lambda *_: (share, (low, high)))
    assert played.published_wins({"rules": "finkel", "agent": "a", "opponent": "b"}) == words


def test_one_player_alone() -> None:
    one: dict[str, Any] = {"rules": "finkel", "pieces": 1}
    rules = urcx.ruleset("finkel")
    assert played.alone_measure(one) == plies_alone(rules, 1, min)
    two = played.alone_measure({**one, "pieces": 2})
    assert two == Ranged(plies_alone(rules, 2, min), plies_alone(rules, 2, max))


def test_a_piece_alone_in_other_words() -> None:
    one: dict[str, Any] = {"rules": "finkel", "pieces": 1}
    words = {p["what"]: p for _, p in played.alone_readings(one)}
    assert list(words) == ["mean", "turns", "moves", "or beyond"]
    assert played.alone_measure(words["mean"]) == Fraction(15, 2)
    plies = played.alone_measure(one)
    turns, moves, beyond = (played.alone_measure(words[what]) for what in list(words)[1:])
    assert isinstance(plies, float)
    assert moves < turns < plies  # type: ignore[operator]
    assert moves < beyond < plies  # type: ignore[operator]
    assert list(played.alone_readings({**one, "pieces": 2})) == []
