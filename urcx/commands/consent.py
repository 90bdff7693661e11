"""Announce long or large computations, and ask the user before they start.

Commands pass the estimates of their work, `urcx.engine.costs.WorkEstimate`, to `confirm_long_run`.
It prints nothing if the work is quick and small, and refuses work that would take over a year.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

from urcx.engine.costs import SOME_FILES, TOO_LONG, WorkEstimate
from urcx.engine.memory import check_memory
from urcx.errors import InterruptedRunError, TooLargeError
from urcx.reports.display.output import message, note


def confirm_long_run(
    *estimates: WorkEstimate, yes: bool = False, notes: Sequence[str] = ()
) -> None:
    """Ask before long or large work on a terminal. Elsewhere announce it, or require ``--yes``.

    Parameters
    ----------
    estimates
        Pieces of work that follow one another: times and disk space are added, memory is not. The
        message names the longest.
    yes
        Whether the user has agreed in advance, with ``--yes``.
    notes
        Notes to print before the question and the work. They are not printed if the work is
        refused.

    Raises
    ------
    TooLargeError
        If the work would take longer than `TOO_LONG` or more memory than is free, or if it needs
        consent and there is no terminal.
    InterruptedRunError
        If the user answers no.
    """
    if not estimates:
        return
    longest = max(estimates, key=lambda item: item.seconds)
    total = replace(
        longest,
        seconds=sum(item.seconds for item in estimates),
        memory=max(item.memory for item in estimates),
        disk=sum(item.disk for item in estimates),
    )
    check_memory(round(total.memory), total.what, total.advice)
    if total.seconds > TOO_LONG:
        raise TooLargeError(f"{total}. To do less: {total.advice}")
    terminals = sys.stdin.isatty() and sys.stderr.isatty()
    if total.needs_consent and not (yes or terminals):
        raise TooLargeError(f"{total}. Add --yes to start, or {total.advice}")
    for text in notes:
        note(text)
    ask = total.needs_consent and terminals and not yes
    # A terminal has a progress bar, so only large files are announced there.
    if total.noteworthy and not ask and (yes or not terminals or total.disk >= SOME_FILES):
        note(str(total))
    if not ask:
        return
    sys.stderr.write(message(f"urcx: {total}. Start? [Y/n]") + " ")
    sys.stderr.flush()
    answer = ""
    try:
        answer = sys.stdin.readline()
    finally:
        if not answer:  # the end of input, or Ctrl-C
            sys.stderr.write("\n")
    if answer.strip().lower() not in ("", "y", "yes") or not answer:
        raise InterruptedRunError(f"not started. To do less: {total.advice}")
