"""Estimates of the time that is left, with a clock that the tests set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

import pytest

from urcx.engine.time_left import TimeLeft


def ends(reports: Iterable[tuple[float, float]], begun: float = 0.0) -> list[float]:
    """Return the ends that were shown, in order. Only a new end is a jump."""
    estimate, shown = TimeLeft(0.0, begun), list[float]()
    for now, share in reports:
        estimate.update(now, share)
        seconds = estimate.seconds(now)
        if seconds is not None and (not shown or abs(seconds - max(shown[-1] - now, 0.0)) > 1e-6):
            shown.append(now + seconds)
    return shown


def uneven(seed: int) -> Iterator[tuple[float, float]]:
    """Yield reports of work whose parts have different speeds, like a solve's layers."""
    random, now, share = Random(seed), 0.0, 0.0
    while share < 1.0:
        speed = random.choice((0.005, 0.01, 0.02))  # of a part
        for _ in range(random.randint(2, 10)):
            now, share = now + 0.2, share + 0.2 * speed
            yield now, min(share, 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_the_end_seldom_jumps_and_is_near(seed: int) -> None:
    reports = list(uneven(seed))
    shown = ends(reports)
    assert len(shown) < 10
    assert shown[-1] == pytest.approx(reports[-1][0], rel=0.2)


def test_at_one_speed_it_counts_down() -> None:
    (end,) = ends((k / 5, k / 500) for k in range(400))
    assert end == pytest.approx(100.0)


def test_a_speed_that_stays_other_is_believed() -> None:
    fast = [(k / 5, k / 500) for k in range(250)]  # half of it in 50 s, then at a quarter
    slow = [(50.0 + k / 5, 0.5 + k / 2000) for k in range(500)]
    assert ends(fast + slow)[-1] == pytest.approx(250.0, rel=0.25)


def test_layers_of_an_earlier_run_are_no_speed() -> None:
    resumed = [(1.0, 0.2), (2.0, 0.5), *((2.0 + k / 5, 0.5 + k / 1000) for k in range(1, 400))]
    assert ends(resumed, begun=0.5)[-1] == pytest.approx(102.0, rel=0.1)
    assert min(ends(resumed, begun=0.5)) > 90.0


def test_nothing_is_said_before_anything_is_known() -> None:
    estimate = TimeLeft(0.0)
    estimate.update(1.0, 0.5)
    assert estimate.seconds(1.0) is None, "too soon"
    estimate = TimeLeft(0.0)
    estimate.update(60.0, 0.001)
    assert estimate.seconds(60.0) is None, "too little"
    estimate = TimeLeft(0.0)
    estimate.update(10.0, 0.5)
    assert estimate.seconds(15.0) == pytest.approx(5.0)
    assert estimate.seconds(60.0) == 0.0, "late"
