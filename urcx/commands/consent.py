"""Announces long or large computations before they begin, and has the user agree.

Commands pass the cost of their work, a `urcx.engine.costs.WorkEstimate`, to `confirm_long_run`.
It is silent if the work is quick and small, and refuses work that would take longer than anyone can
wait.
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
    """Ask on a terminal whether to begin what is long or large; announce it elsewhere, or refuse.

    Parameters
    ----------
    estimates
        Pieces of work done one after another: times and disk space are added, memory is not. The
        longest names them.
    yes
        Whether the user has agreed in advance, with ``--yes``.
    notes
        What else to say before the work begins, or is asked for; nothing where it is refused.

    Raises
    ------
    TooLargeError
        If it would take longer than `TOO_LONG`, or more memory than is free; or if it needs
        consent, and there is no terminal to ask on.
    InterruptedRunError
        If the user says no.
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
        raise TooLargeError(f"{total}; {total.advice}")
    terminals = sys.stdin.isatty() and sys.stderr.isatty()
    if total.needs_consent and not (yes or terminals):
        raise TooLargeError(f"{total}; without a terminal, add --yes to begin, or {total.advice}")
    for text in notes:
        note(text)
    asks = total.needs_consent and terminals and not yes
    # A terminal shows a bar for the time; files that stay are said everywhere.
    if total.noteworthy and not asks and (yes or not terminals or total.disk >= SOME_FILES):
        note(str(total))
    if not asks:
        return
    sys.stderr.write(message(f"urcx: {total}. Go on? [Y/n]") + " ")
    sys.stderr.flush()
    answer = ""
    try:
        answer = sys.stdin.readline()
    finally:
        if not answer:  # the end of input, or Ctrl-C
            sys.stderr.write("\n")
    if answer.strip().lower() not in ("", "y", "yes") or not answer:
        raise InterruptedRunError(f"not begun; {total.advice}, or use --yes")
