"""Measured costs: one table, and estimates of long or large work before it starts.

`Cost` is the cost of one state, game, ply or similar unit. The numbers were measured with complete
commands on one core of a common machine of 2024, without compilation. Another machine may be twice
as fast or as slow. The table depends on neither rules nor agents: `estimate` takes counts, and its
callers count states, games and plies by closed forms. Studies have costs of the same form in their
own folders.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import NamedTuple

from urcx.engine.memory import size_text
from urcx.engine.threads import available_cores, chosen_threads


class Cost(NamedTuple):
    """Seconds of one core, bytes of memory and bytes of disk space."""

    seconds: float = 0.0
    memory: float = 0.0
    disk: float = 0.0


# --- the table (comments name the command that was measured, and the unit)

VISITED = Cost(1 / 1.5e9)  # ssc --enumerate: a configuration, if the enumerator's lists are short
CLOSED_FORM = Cost(1.5e-6)  # ssc: a piece in a row (upper bounds have a digit for each piece)
WRITTEN = Cost(4e-7)  # enumerate: a configuration as text
RANKED = Cost(2e-8, memory=1)  # enumerate --visit ranks: a configuration and its mark
SAMPLED = Cost(4e-5)  # sample: a position as text
SAMPLED_RECORD = Cost(8e-5, memory=600)  # sample --json: a position
LINE = Cost(disk=30)  # enumerate, sample: a position in a file
REACHED = Cost(2e-7, memory=1)  # reach: a state by shared pattern, over all depths
REACHED_BY_TILES = Cost(1.4e-6, memory=1)  # reach --rules murray: a state
SEARCHED_BACK = Cost(0.01)  # reach --samples: a state
SEARCHED_BACK_TWICE = Cost(0.25)  # reach --samples --rules murray: a state (many are given up)
COUNTED = Cost(1e-6)  # perft: a position at one depth
SOLVED = Cost(1.2e-6)  # solve: a state by shared pattern, both bounds proven
SOLVED_BY_TILES = Cost(1e-5)  # solve --rules murray: a state, on one thread
CHECKED = Cost(1e-7)  # solve --check: a state, in one sweep
CHECKED_INDEPENDENTLY = Cost(2.5e-6, memory=8)  # solve --check --independent: a state
EXPORTED = Cost(2e-7, disk=4)  # export: a state, with its key but without its value
FOLLOWED = Cost(8e-7)  # gtc --exact: a state
FOLLOWED_BY_TILES = Cost(2e-5)  # gtc --exact --rules murray: a state
FOLLOWED_A_PLY = Cost(1.2e-8)  # lengths: a state at each ply
PLAYED = Cost(4e-8)  # gtc: a ply of a game without its choice (dice, moves, counts)
REVIEWED = Cost(1.5e-4)  # review: a ply
REPORT = {False: Cost(45.0), True: Cost(19.0)}  # report, without and with --quick
# gtc, gtc --exact: seconds of a single choice, and of a choice among all of a layer, by method.
CHOICES = {
    "ties": (5e-8, 5e-8),
    "greedy": (1e-7, 1e-7),
    "priority": (1e-7, 1e-7),
    "gain": (5e-6, 5e-6),
    "solution": (2e-6, 2e-8),  # in a layer: eight at a time
    "file": (2e-5, 4e-7),  # a file of exact play, which is decoded
    "program": (4e-4, 4e-4),
    "function": (1e-4, 1e-4),
}
# gtc --agent panda, learned: orders of magnitude are enough.
SEARCHED = Cost(2e-7)  # a ply of a tree search
SWEPT = Cost(1e-8)  # a state of a value table
NETWORK = Cost(2e-8)  # a network's value
WEIGHT = Cost(8e-11)  # plus this for each of a network's weights after the first layer

# --- estimates

# Work above the first number of each pair is announced if no bar is visible. Above the second
# number the work needs the user's consent.
SOME_TIME, LONG = 30.0, 180.0  # seconds
SOME_MEMORY, LARGE_MEMORY = 500_000_000, 2_000_000_000  # bytes
SOME_FILES, LARGE_FILES = 500_000_000, 1_000_000_000  # bytes on disk
TOO_LONG = 365.25 * 86400  # seconds: a longer time can only be a mistake

UNITS = (("years", 365.25 * 86400), ("days", 86400), ("hours", 3600), ("minutes", 60))


@dataclass(frozen=True)
class WorkEstimate:
    """An estimate of the time, memory and disk space of a piece of work.

    ``what`` names the work and its amount. ``advice`` tells users how to reduce it. ``seconds`` are
    for the chosen threads. ``memory`` and ``disk`` are in bytes.
    """

    what: str
    seconds: float
    memory: float = 0.0
    disk: float = 0.0
    advice: str = "take less"

    @property
    def noteworthy(self) -> bool:
        """Return whether to announce the work to a user who sees no bar."""
        some = self.seconds >= SOME_TIME or self.memory >= SOME_MEMORY or self.disk >= SOME_FILES
        return some or self.needs_consent

    @property
    def needs_consent(self) -> bool:
        """Return whether the work starts only if the user agrees."""
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


def cores(threads: int | None, executor: Executor | None = None) -> int:
    """Return the number of cores in use at a time, of an executor or of this machine."""
    if executor is None:
        return min(chosen_threads(threads), available_cores())
    from urcx.engine.dask import slots

    return slots(executor)


def estimate(
    what: str,
    *parts: tuple[float, Cost],
    threads: int | None = 1,
    executor: Executor | None = None,
    memory: float = 0.0,
    advice: str = "take less",
) -> WorkEstimate:
    """Return the estimate for work that consists of several kinds of units.

    Parameters
    ----------
    what, advice
        The fields of `WorkEstimate`.
    parts
        The number of units and the cost of one, for each kind of work.
    threads, executor
        The threads or the executor for the work, by default one thread.
    memory
        Additional bytes of memory.
    """
    return WorkEstimate(
        what,
        sum(number * cost.seconds for number, cost in parts) / cores(threads, executor),
        memory + sum(number * cost.memory for number, cost in parts),
        sum(number * cost.disk for number, cost in parts),
        advice,
    )


def fewer(pieces: int) -> str:
    """Return advice for work that is too large with so many pieces."""
    return "take fewer pieces with -p" if pieces > 1 else "take a shorter path"
