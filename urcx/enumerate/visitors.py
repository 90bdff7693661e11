"""What can be done with each diagram of a path as it is visited: counting, folding, ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor

from urcx.engine.compiling import COMPILED, seconds
from urcx.enumerate.enumerator import COUNTED, NAME, VISIT, Count, Visit, count
from urcx.enumerate.rankings.ranking import Marks, ranking
from urcx.results.fields import Field, Fields, Schema, fields_of
from urcx.results.report import Report
from urcx.rules.model import Path
from urcx.rules.position import Position

VISITORS = ("write", "count", "branches", "checksum", "ranks")
BRANCHES = ("branches", "dark_branches", "mean_branches")
SPEED = ("seconds", "diagrams_per_second", "threads")
RANKS = fields_of(Marks)
DIAGRAM = Fields(Field("diagram", about="a diagram as a position", of=str))
ENUMERATE = Schema(
    NAME, {"": VISIT + RANKS.without("diagrams") + COUNTED + COMPILED, "rows": DIAGRAM}
)


def visit(
    visitor: str,
    path: Path,
    pieces: int,
    dark_pieces: int | None = None,
    *,
    order: str = "tiles",
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> Count | Marks:
    """Visit every diagram of a path once.

    ``count``, ``branches`` and ``checksum`` give what the enumerator found, the last with a sum
    over all diagrams; ``ranks`` how often each rank of an ``order`` was hit, which is found in this
    process whatever the executor.

    Raises
    ------
    TooLargeError
        If the path or the numbers of pieces exceed what the kernels hold.
    OutOfDomainError
        If the path has no such order.
    """
    if visitor == "ranks":
        return ranking(path, pieces, dark_pieces, order=order).prove(progress)
    checksum = visitor == "checksum"
    return count(path, pieces, dark_pieces, checksum=checksum, executor=executor, progress=progress)


def list_report(
    path: Path, pieces: int, dark_pieces: int | None, diagrams: Iterable[Position]
) -> Report:
    """Return diagrams as rows."""
    rows = DIAGRAM.records(diagrams)
    visit = Visit(path, pieces, pieces if dark_pieces is None else dark_pieces, "write")
    return Report(NAME, {**VISIT.record(visit), "rows": rows}, rows)


def visit_report(
    visitor: str, path: Path, pieces: int, dark_pieces: int | None, found: Count | Marks
) -> Report:
    """Return the report on a visitor's result."""
    visit = Visit(path, pieces, pieces if dark_pieces is None else dark_pieces, visitor)
    if isinstance(found, Marks):
        return visit.report(RANKS, found)
    more = {"branches": BRANCHES, "checksum": ("checksum",)}.get(visitor, ())
    fields = COUNTED.pick("diagrams", *more, *SPEED)
    return visit.report(fields, found, compile_seconds=round(seconds(), 6))
