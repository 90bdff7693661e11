"""Visits of all configurations of a path: counting, folding a checksum, ranking."""

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
DIAGRAM = Fields(Field(about="a configuration as a position", of=str, key="diagram"))


class Visited(Visit):
    """The result of a visitor, with a part of these fields."""

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
    """Visit every configuration of a path once.

    ``count``, ``branches`` and ``checksum`` return the counts of the enumerator, the last one with
    a checksum over all configurations. ``ranks`` returns how often each rank of an ``order`` was
    hit. It always runs in this process.

    Raises
    ------
    TooLargeError
        If the path or the numbers of pieces exceed the limits of the kernels.
    OutOfDomainError
        If the order is not defined for the path.
    """
    if visitor == "ranks":
        return ranking(path, pieces, dark_pieces, order=order).prove(progress)
    checksum = visitor == "checksum"
    return count(path, pieces, dark_pieces, checksum=checksum, executor=executor, progress=progress)


def list_report(
    path: Path, pieces: int, dark_pieces: int | None, diagrams: Iterable[Position]
) -> Report:
    """Return the report that lists configurations as rows."""
    rows = DIAGRAM.records(diagrams)
    dark = pieces if dark_pieces is None else dark_pieces
    about = Visited(path, pieces, dark, "write", None, Fields())
    return Report(Visited.schema, about.document() | {"rows": rows}, rows)


def visited(
    visitor: str, path: Path, pieces: int, dark_pieces: int | None, result: Count | Marks
) -> Visited:
    """Return the result of a visitor with the fields that it shows."""
    extra = {"branches": BRANCHES, "checksum": ("checksum",)}.get(visitor, ())
    fields = fields_of(Marks)
    if isinstance(result, Count):
        fields = fields_of(Count).pick("diagrams", *extra, *SPEED)
    dark = pieces if dark_pieces is None else dark_pieces
    return Visited(path, pieces, dark, visitor, result, fields)
