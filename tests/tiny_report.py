"""A report of the smallest size, built once for all tests that read it."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from urcx.reports import page

PLAN = page.Plan(
    seed=7,
    quick=True,
    listed=2,
    visits=5000,
    games=4,
    players=("greedy", "random"),
    plies=2,
    rules=("finkel",),
    solved=1,
    judged=1,
    judges=("random",),
    source="michon",
)


@cache
def tiny_report() -> tuple[page.Book, Path]:
    """Return a report and the directory that it was written to."""
    book = page.build(PLAN)
    target = Path(tempfile.mkdtemp()) / "report"
    page.write_report(book, target)
    return book, target
