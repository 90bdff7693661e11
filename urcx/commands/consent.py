"""Announces long or large computations before they begin, and has the user agree.

Commands make an `Estimate` (`urcx.commands.estimates`) and pass it to `agree`, which is silent if
the work is quick and small, and refuses work that would take longer than anyone can wait.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from urcx.engine.memory import check_memory, size_text
from urcx.errors import InterruptedRunError, TooLargeError
from urcx.reports.display import terminal
from urcx.reports.display.output import note

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


def agree(*estimates: WorkEstimate, yes: bool = False) -> None:
    """Ask on a terminal whether to begin what is long or large; announce it elsewhere, or refuse.

    Parameters
    ----------
    estimates
        Pieces of work done one after another: times and disk space are added, memory is not.
    yes
        Whether the user has agreed in advance, with ``--yes``.

    Raises
    ------
    TooLargeError
        If it would take longer than `TOO_LONG`, or more memory than is free; or if it needs
        consent, and there is no terminal to ask on.
    InterruptedRunError
        If the user says no.
    """
    total = _sum(estimates)
    if total is None:
        return
    check_memory(round(total.memory), total.what, total.advice)
    if total.seconds > TOO_LONG:
        raise TooLargeError(f"{total}; {total.advice}")
    terminals = sys.stdin.isatty() and sys.stderr.isatty()
    if total.needs_consent and not (yes or terminals):
        raise TooLargeError(f"{total}; without a terminal, add --yes to begin, or {total.advice}")
    if total.noteworthy and (yes or not terminals):
        note(str(total))
    if yes or not terminals or not total.needs_consent:
        return
    sys.stderr.write(terminal.message(f"urcx: {total}. Go on? [Y/n]") + " ")
    sys.stderr.flush()
    answer = ""
    try:
        answer = sys.stdin.readline()
    finally:
        if not answer:  # the end of input, or Ctrl-C
            sys.stderr.write("\n")
    if answer.strip().lower() not in ("", "y", "yes") or not answer:
        raise InterruptedRunError(f"not begun; {total.advice}, or use --yes")


def _sum(estimates: tuple[WorkEstimate, ...]) -> WorkEstimate | None:
    """Return the sum of estimates, named after the longest."""
    if not estimates:
        return None
    longest = max(estimates, key=lambda item: item.seconds)
    return WorkEstimate(
        longest.what,
        sum(item.seconds for item in estimates),
        max(item.memory for item in estimates),
        sum(item.disk for item in estimates),
        longest.advice,
    )
