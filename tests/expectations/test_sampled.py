"""By how many standard errors games are off the exact means."""

from __future__ import annotations

import pytest

from urcx.expectations.sampled import mean_off, share_off
from urcx.games.statistics import Measure


def measure(mean: float, ci95: tuple[float, float] | None) -> Measure:
    return Measure("plies", "plies", mean, 1.0, ci95, None)


def test_half_an_interval_is_1_96_standard_errors() -> None:
    assert mean_off(10.0, measure(12.0, (11.0, 13.0))) == pytest.approx(2 * 1.959964, rel=1e-6)
    assert mean_off(14.0, measure(12.0, (11.0, 13.0))) == pytest.approx(-2 * 1.959964, rel=1e-6)


def test_without_an_interval_nothing_is_said() -> None:
    assert mean_off(10.0, measure(12.0, None)) is None
    assert mean_off(10.0, measure(12.0, (12.0, 12.0))) is None


def test_a_share() -> None:
    # 60 of 100 where 50 are expected, with a standard deviation of 5.
    assert share_off(0.5, 0.6, 100) == pytest.approx(2)
    assert share_off(1.0, 1.0, 100) is None
