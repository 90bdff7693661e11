"""What can be done with each diagram of a path as it is visited: counting, folding, ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import ClassVar

from urcx.enumerate.enumerator import NAME, Count, Visit, count
from urcx.enumerate.rankings.ranking import Marks, ranking
from urcx.results.fields import Field, Fields, fields_of
from urcx.results.result import Report
from urcx.rules.model import Path
from urcx.rules.position import Position

VISITORS = ("write", "count", "branches", "checksum", "ranks")
BRANCHES = ("branches", "dark_branches", "mean_branches")
SPEED = ("seconds", "diagrams_per_second", "threads", "compile_seconds")
DIAGRAM = Fields(Field(about="a diagram as a position", of=str, key="diagram"))


class Visited(Visit):
    """The result of a visitor, which has some of these fields."""

    schema = NAME
    parts: ClassVar = {
        "": fields_of(Visit) + fields_of(Marks).without("diagrams") + fields_of(Count),
        "rows": DIAGRAM,
    }


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
    dark = pieces if dark_pieces is None else dark_pieces
    about = Visited(path, pieces, dark, "write", None, Fields())
    return Report(Visited.schema, about.document() | {"rows": rows}, rows)


def visited(
    visitor: str, path: Path, pieces: int, dark_pieces: int | None, result: Count | Marks
) -> Visited:
    """Return what a visitor has found, with its members."""
    more = {"branches": BRANCHES, "checksum": ("checksum",)}.get(visitor, ())
    fields = fields_of(Marks)
    if isinstance(result, Count):
        fields = fields_of(Count).pick("diagrams", *more, *SPEED)
    dark = pieces if dark_pieces is None else dark_pieces
    return Visited(path, pieces, dark, visitor, result, fields)
