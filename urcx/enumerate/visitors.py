"""What can be done with each diagram of a path as it is visited: counting, folding, ranking."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

from urcx.enumerate.enumerator import Count, count
from urcx.enumerate.rankings.ranking import ranking
from urcx.enumerate.rankings.ranking_base import Marks
from urcx.rules.model import Path

VISITORS = ("write", "count", "branches", "checksum", "ranks")


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
