"""A report of the smallest size, built once for all tests that read it."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from urcx.reports.book import build
from urcx.reports.book.plan import Plan

PLAN = Plan(
    seed=7,
    quick=True,
    listed=2,
    visits=5000,
    games=4,
    players=("greedy", "random"),
    plies=2,
    rules=("finkel",),
    reached=1,
    solved=1,
    judged=1,
    judges=("random",),
    particles=50,
    sources=("michon",),
)


@cache
def tiny_report() -> tuple[build.Book, Path]:
    """Return a report and the directory that it was written to."""
    book = build.build(PLAN)
    target = Path(tempfile.mkdtemp()) / "report"
    build.write_report(book, target)
    return book, target
