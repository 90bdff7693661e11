"""Estimates of the time that is left, for people who watch it: they count down and seldom jump.

The speed is a mean over the last half minute or so (weights fall by e in `MEMORY` seconds), because
work that resumes begins fast, and machines are shared. The time shown counts down to an end; the
end moves only if the speed contradicts it by more than `SLACK` of the time left and `LEAST_SLACK`.
"""

from __future__ import annotations

import math

MEMORY = 30.0  # seconds
SLACK, LEAST_SLACK = 0.25, 2.0  # a share of the time left, and seconds
LEAST_SECONDS, LEAST_SHARE = 4.0, 0.01  # of work seen, before anything can be said


class TimeLeft:
    """The estimated time until a piece of work is done.

    Parameters
    ----------
    now
        When the work begins, in seconds of any clock.
    share
        The share of the work that is done already.
    """

    def __init__(self, now: float, share: float = 0.0) -> None:
        self._last = self._began = now
        self._share = self._first = share
        self._time = self._done = 0.0  # the last ones, weighted
        self._end: float | None = None

    def update(self, now: float, share: float) -> None:
        """Take in the share of the work that is done now."""
        share = max(share, self._share)  # what was done already is gone through once more
        kept = math.exp((self._last - now) / MEMORY)
        self._time = self._time * kept + now - self._last
        self._done = self._done * kept + share - self._share
        self._last, self._share = now, share
        seen = now - self._began >= LEAST_SECONDS and share - self._first >= LEAST_SHARE
        if not seen or self._done <= 0.0:
            return
        left = (1.0 - share) * self._time / self._done
        if self._end is None or abs(now + left - self._end) > SLACK * left + LEAST_SLACK:
            self._end = now + left

    def seconds(self, now: float) -> float | None:
        """Return the seconds that are left; None at the beginning, when nothing can be said."""
        return None if self._end is None else max(self._end - now, 0.0)
