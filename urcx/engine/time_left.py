"""Estimates of the remaining time, for people who watch them: they count down and seldom jump.

The speed is a mean over the last half minute (weights fall by a factor e in `MEMORY` seconds),
because resumed work starts fast, and machines are shared. The estimate counts down to an end. The
end moves only if the speed contradicts it by more than `SLACK` of the time left plus `LEAST_SLACK`.
"""

from __future__ import annotations

import math

MEMORY = 30.0  # seconds
SLACK, LEAST_SLACK = 0.25, 2.0  # a share of the time left, and seconds
LEAST_SECONDS, LEAST_SHARE = 4.0, 0.01  # the least work before the first estimate


class TimeLeft:
    """The estimated time until a piece of work is done.

    Parameters
    ----------
    now
        The start of the work, in seconds of any clock.
    share
        The share of the work that is done already.
    """

    def __init__(self, now: float, share: float = 0.0) -> None:
        self._last = self._began = now
        self._share = self._first = share
        self._time = self._done = 0.0  # recent time and work, weighted
        self._end: float | None = None

    def update(self, now: float, share: float) -> None:
        """Record the share of the work that is done now."""
        share = max(share, self._share)  # resumed work goes through finished parts again
        weight = math.exp((self._last - now) / MEMORY)
        self._time = self._time * weight + now - self._last
        self._done = self._done * weight + share - self._share
        self._last, self._share = now, share
        enough = now - self._began >= LEAST_SECONDS and share - self._first >= LEAST_SHARE
        if not enough or self._done <= 0.0:
            return
        left = (1.0 - share) * self._time / self._done
        if self._end is None or abs(now + left - self._end) > SLACK * left + LEAST_SLACK:
            self._end = now + left

    def seconds(self, now: float) -> float | None:
        """Return the seconds that are left, or None before the first estimate."""
        return None if self._end is None else max(self._end - now, 0.0)
