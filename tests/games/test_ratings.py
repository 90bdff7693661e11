"""Elo ratings: against closed forms, against another algorithm, and at the ends of the scale."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import pytest

import urcx
from urcx.complexity.game_tree import Z95
from urcx.errors import UsageError, WrongObjectError


def by_minorization(shares: dict[tuple[str, str], float]) -> dict[str, float]:
    """Return ratings with mean 1500 by Hunter's minorization (2004), without any derivative."""
    names = sorted({name for pair in shares for name in pair})
    strength = dict.fromkeys(names, 1.0)
    for _ in range(20_000):
        wins, load = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
        for (one, other), share in shares.items():
            wins[one] += share
            wins[other] += 1 - share
            for name in (one, other):
                load[name] += 1 / (strength[one] + strength[other])
        strength = {name: wins[name] / load[name] for name in names}
    points = {name: 400 * math.log10(value) for name, value in strength.items()}
    mean = sum(points.values()) / len(names)
    return {name: 1500 + value - mean for name, value in points.items()}


@pytest.mark.parametrize(
    ("share", "games"), [(0.5, 1), (0.75, 100), (0.9462, 10_000), (0.002, 500)]
)
def test_two_agents_have_the_closed_form(share: float, games: int) -> None:
    first, second = sorted(urcx.elo({("a", "b"): share}, games), key=lambda rating: rating.agent)
    difference = 400 * math.log10(share / (1 - share))
    assert first.elo - second.elo == pytest.approx(difference, abs=1e-6)
    assert first.elo + second.elo == pytest.approx(3000)
    # The variance of the log odds is 1 / (n p q); each rating moves by half of the difference.
    half = Z95 * 400 / math.log(10) / math.sqrt(games * share * (1 - share)) / 2
    assert first.ci95 == pytest.approx((first.elo - half, first.elo + half))
    (exact, _) = urcx.elo({("a", "b"): share})
    assert exact.ci95 is None


def test_ratings_are_those_of_minorization() -> None:
    # Win rates that no ratings fit, so the greatest likelihood matters.
    shares = dict(zip(combinations("abcd", 2), (0.9, 0.45, 0.7, 0.2, 0.66, 0.97), strict=True))
    ratings = urcx.elo(shares, 100)
    ref = by_minorization(shares)
    assert {rating.agent: rating.elo for rating in ratings} == pytest.approx(ref, abs=1e-6)
    assert [rating.agent for rating in ratings] == sorted(ref, key=lambda name: -ref[name])
    assert sum(rating.elo for rating in ratings) == pytest.approx(6000)
    del shares["a", "b"]  # not all pairs are necessary
    ref = by_minorization(shares)
    assert {r.agent: r.elo for r in urcx.elo(shares)} == pytest.approx(ref, abs=1e-6)


def test_intervals_are_the_curvature_of_the_likelihood() -> None:
    shares = dict.fromkeys(combinations("abc", 2), 0.5)
    for rating in urcx.elo(shares, 300):
        # Information n/4 (3 I - J), whose inverse on the differences is (I - J / 3) 4 / (3 n).
        half = Z95 * 400 / math.log(10) * math.sqrt((1 - 1 / 3) * 4 / (3 * 300))
        assert rating.ci95 == pytest.approx((1500 - half, 1500 + half))


def test_an_agent_that_wins_all_games_gets_half_a_loss() -> None:
    ratings = urcx.elo({("a", "b"): 1.0}, 30)
    assert ratings.adjusted
    assert ratings[0].elo - ratings[1].elo == pytest.approx(400 * math.log10(30.5 / 0.5))
    assert "half a win" in str(ratings)
    # No half wins if chains of wins connect all agents: a unanimous pair is data like another.
    shares = {("a", "b"): 1.0, ("b", "c"): 0.6, ("a", "c"): 0.7}
    ratings = urcx.elo(shares, 10)
    assert not ratings.adjusted
    assert {r.agent: r.elo for r in ratings} == pytest.approx(by_minorization(shares), abs=1e-6)


def test_remote_agents_are_rated() -> None:
    chain = {("a", "b"): 1 - 1e-9, ("b", "c"): 1 - 1e-9}
    ratings = urcx.elo(chain)
    assert ratings[0].elo - ratings[2].elo == pytest.approx(2 * 400 * math.log10(1e9), rel=1e-6)


@pytest.mark.parametrize(
    ("shares", "games", "message"),
    [
        ({("a", "b"): 1.0}, None, "cannot be compared"),
        ({("a", "b"): 0.5, ("c", "d"): 0.5}, 10, "cannot be compared"),
        ({("a", "b"): 1.5}, 10, "share of a against b"),
        ({("a", "a"): 0.5}, 10, "different names"),
        ({("a", "b"): 0.5, ("b", "a"): 0.5}, 10, "listed twice"),
        ({("a", "b"): 0.5}, 0, "games 0"),
    ],
)
def test_shares_without_ratings_are_refused(shares: Any, games: int | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        urcx.elo(shares, games)


@pytest.mark.parametrize("shares", [{}, [("a", "b", 0.5)]])
def test_shares_are_a_mapping(shares: Any) -> None:
    with pytest.raises(WrongObjectError, match="shares"):
        urcx.elo(shares)
