"""How much work a computation is: its time, memory and disk space, said before it begins.

Estimates are counts of states times rates that were once measured on one core of a common machine
of 2024, without compilation; other machines may be twice as fast or as slow. Training by self-play
tries some of its steps instead. Each stands beside what it estimates, as a function ``cost``.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, replace

from urcx.engine.memory import size_text
from urcx.engine.threads import available_cores, chosen_threads

# What is announced where nobody sees a bar, and from what on somebody has to agree.
SOME_TIME, LONG = 30.0, 180.0  # seconds
SOME_MEMORY, LARGE_MEMORY = 500_000_000, 2_000_000_000  # bytes
SOME_FILES, LARGE_FILES = 500_000_000, 1_000_000_000  # bytes on disk
TOO_LONG = 365.25 * 86400  # seconds: more can only be a mistake

UNITS = (("years", 365.25 * 86400), ("days", 86400), ("hours", 3600), ("minutes", 60))


@dataclass(frozen=True)
class WorkEstimate:
    """An estimate of the time, memory and disk space of a piece of work.

    ``what`` names the work and its amount, ``advice`` says what to do if that is too much.
    ``seconds`` are with the threads chosen, ``memory`` and ``disk`` are in bytes; ``kept`` is what
    stays in memory for the work that follows.
    """

    what: str
    seconds: float
    memory: float = 0.0
    disk: float = 0.0
    advice: str = "take less"
    kept: float = 0.0

    @property
    def noteworthy(self) -> bool:
        """Return whether a user who sees no bar should be told before it begins."""
        some = self.seconds >= SOME_TIME or self.memory >= SOME_MEMORY or self.disk >= SOME_FILES
        return some or self.needs_consent

    @property
    def needs_consent(self) -> bool:
        """Return whether it begins only if the user agrees."""
        return self.seconds >= LONG or self.memory >= LARGE_MEMORY or self.disk >= LARGE_FILES

    def __str__(self) -> str:
        """Return the estimate as a line: the work, its time, memory and disk space."""
        parts = [f"about {duration(self.seconds)}"]
        if self.memory >= SOME_MEMORY:
            parts.append(f"up to {size_text(self.memory)} of memory")
        if self.disk >= SOME_FILES:
            parts.append(f"{size_text(self.disk)} on disk")
        return f"{self.what} will take {', '.join(parts)}"


def duration(seconds: float) -> str:
    """Return a time in a suitable unit: ``45 s``, ``12 minutes``, ``3e+09 years``."""
    for unit, size in UNITS:
        if seconds >= 2 * size:
            number = seconds / size
            return f"{number:.0f} {unit}" if number < 9999.5 else f"{number:.0e} {unit}"
    return f"{max(seconds, 1):.0f} s"


def on_threads(seconds: float, threads: int | None) -> float:
    """Return processor seconds as seconds on so many threads."""
    return seconds / min(chosen_threads(threads), available_cores())


def spread(
    executor: Executor | None, *estimates: WorkEstimate, threads: int | None = None
) -> tuple[WorkEstimate, ...]:
    """Return estimates of work on so many threads as those of the same work on an executor."""
    if executor is None:
        return estimates
    from urcx.engine.executors import slots

    faster = slots(executor) / min(chosen_threads(threads), available_cores())
    return tuple(replace(item, seconds=item.seconds / faster) for item in estimates)


def spread_layers(executor: Executor | None, work: list[WorkEstimate]) -> list[WorkEstimate]:
    """Return estimates of work by layers on an executor, whose workers check their own memory."""
    return work if executor is None else [replace(item, memory=0.0) for item in work]
