"""What a REPL shows of verdicts on published figures: the number of figures with each."""

from __future__ import annotations

from urcx.published.verify import Verdicts
from urcx.reports.display.output import Report
from urcx.reports.verify import report


def verify(found: Verdicts) -> Report:
    """Return the summary alone: all figures with their explanations take many screens."""
    return report(found, summary=True)
