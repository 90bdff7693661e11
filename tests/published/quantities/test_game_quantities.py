"""Quantities that are found by playing; the games themselves have tests of their own."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import naive
import pytest

import urcx
from urcx.complexity.game_tree import Z95
from urcx.published.quantities import games
from urcx.published.rounding import Params, Ranged
from urcx.rules.position import parse_position
from urcx.strategy.journey import plies_alone

RULES = replace(urcx.ruleset("finkel"), pieces=3)


def test_a_measure_has_the_error_of_both_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"plies": SimpleNamespace(mean=200.0, ci95=(196.0, 204.0))}
    monkeypatch.setattr(games, "_measures", lambda *_: found)
    params = {"rules": "finkel", "agent": "random", "measure": "plies", "sample": 5_000}
    one = games.measure(params)
    assert one.value == 200.0
    assert one.error == pytest.approx(4 / Z95 * math.sqrt(1 + games.GAMES / 5_000))
    half = games.measure({**params, "times": 0.5})
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
    assert games.wins({"rules": "finkel", "agent": "a", "opponent": "b"}) == words


def test_one_player_alone() -> None:
    one: dict[str, Any] = {"rules": "finkel", "pieces": 1}
    rules = urcx.ruleset("finkel")
    assert games.alone(one) == plies_alone(rules, 1)[0]
    two = games.alone({**one, "pieces": 2})
    assert two == Ranged(plies_alone(rules, 2)[1], plies_alone(rules, 2, max)[1])


def test_a_piece_alone_in_other_words() -> None:
    one: dict[str, Any] = {"rules": "finkel", "pieces": 1}
    assert games.alone({**one, "what": "mean"}) == Fraction(15, 2)
    plies = games.alone(one)
    turns, beyond = (games.alone({**one, "what": what}) for what in ("turns", "or beyond"))
    assert isinstance(plies, float)
    assert turns < plies  # type: ignore[operator]
    assert beyond < plies  # type: ignore[operator]


@pytest.mark.parametrize("agent", ["expectimax:1", "expectimax:3"])
@pytest.mark.parametrize(
    ("text", "present"),
    # A piece home is worth 16.
    [("2,9/5/0-1/L", 11 - 21), ("2,9/5/0-1/D", 21 - 11), ("-/14/2-2/L", 32 - 46)],
)
def test_what_a_move_adds_is_its_value_less_that_of_the_position(
    agent: str, text: str, present: int
) -> None:
    depth = int(agent[-1])
    position = parse_position(text)
    for roll in (1, 2):
        ref = naive.lookahead_values(position, roll, depth, RULES, "advance", False)
        assert ref
        for start, value in ref:
            params: Params = {
                "rules": "finkel", "pieces": 3, "agent": agent,
                "position": text, "roll": roll, "start": start,
            }  # fmt: skip
            found = games.evaluation(params)
            assert (found.low + found.high) / 2 == pytest.approx(float(value) - present, abs=1e-12)
            # Six decimals of 32-bit numbers are not all theirs.
            assert 1e-6 < found.high - found.low < 1e-3
