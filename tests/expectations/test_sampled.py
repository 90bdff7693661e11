"""By how many standard errors games are off the exact means."""

from __future__ import annotations

import pytest

from urcx.expectations.expected import mean_off, share_off
from urcx.games.statistics import Measure


@pytest.mark.parametrize(
    ("exact", "ci95", "off"),
    [
        # Half an interval is 1.96 standard errors.
        (10.0, (11.0, 13.0), pytest.approx(2 * 1.959964, rel=1e-6)),
        (14.0, (11.0, 13.0), pytest.approx(-2 * 1.959964, rel=1e-6)),
        (10.0, None, None),
        (10.0, (12.0, 12.0), None),
    ],
)
def test_means(exact: float, ci95: tuple[float, float] | None, off: float | None) -> None:
    assert mean_off(exact, Measure("plies", "plies", 12.0, 1.0, ci95, None)) == off


def test_a_share() -> None:
    # 60 of 100 where 50 are expected, with a standard deviation of 5.
    assert share_off(0.5, 0.6, 100) == pytest.approx(2)
    assert share_off(1.0, 1.0, 100) is None
