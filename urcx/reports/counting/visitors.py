"""What ``urcx enumerate`` shows: the results of the enumerator's visitors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

from urcx.complexity import tiles
from urcx.engine.compiling import seconds as compile_seconds
from urcx.enumerate import enumerator
from urcx.enumerate.enumerator import Count
from urcx.enumerate.rankings.ranking_base import Marks
from urcx.errors import TooLargeError
from urcx.reports.display.progress import progress
from urcx.results.fields import COUNT, Field, Fields, Kind, Schema, always
from urcx.results.numbers import counted, number
from urcx.results.report import Report
from urcx.results.tables import Table
from urcx.rules.model import Path
from urcx.rules.position import Position

MAX_RECORDS = 5_000_000  # held at a time for JSON and CSV, about a gigabyte
ROUNDED = Kind(lambda seconds: str(round(seconds, 6)), (("", lambda seconds: round(seconds, 6)),))
WHOLE = Kind(lambda value: number(round(value)), (("", round),))
HEXADECIMAL = Kind("{:016x}".format, (("", "{:016x}".format),))
PARAMETERS = Fields(
    Field("path", about="name of the path", of="path.name"),
    Field("pieces", about="pieces of light"),
    Field("dark_pieces", about="pieces of dark"),
    always("convention", "diagrams", "what is visited"),
    Field("visit", about="what was done with each"),
)
RANKS = Fields(
    Field("order", "order", about="the order of the ranking"),
    Field("diagrams", "diagrams", COUNT, "all diagrams", of="size"),
    Field("ranks_hit_once", "ranks hit once", COUNT, "ranks that one diagram has", of="once"),
    Field("ranks_hit_repeatedly", "ranks hit repeatedly", COUNT, "by several", of="repeated"),
    Field("outside", "outside", COUNT, "diagrams with a rank out of range"),
    Field("bijective", "bijective", about="whether each rank was hit once"),
)
DIAGRAMS = Fields(Field("diagrams", "diagrams", COUNT, "diagrams visited"))
BRANCHES = Fields(
    Field("branches", "branches", COUNT, "all diagrams' branches, light to move"),
    Field("dark_branches", "dark branches", COUNT, "the same with dark to move"),
    Field("mean_branches", "mean branches", Kind("{:.3f}".format), "light's branches a diagram"),
)
CHECKSUM = Fields(Field("checksum", "checksum", HEXADECIMAL, "a sum folded over all diagrams"))
SPEED = Fields(
    Field("seconds", "seconds", ROUNDED, "that the visits took"),
    Field("diagrams_per_second", "diagrams per second", WHOLE, "how fast", of="rate"),
    Field("threads", "threads", Kind(number, (("", int),)), "on how many threads"),
)
COUNTED = DIAGRAMS + BRANCHES + CHECKSUM + SPEED
DIAGRAM = Fields(Field("diagram", about="a diagram as a position", of=str))
ENUMERATE = Schema(
    "urcx.enumerate/1",
    {
        "": PARAMETERS
        + RANKS.without("diagrams")
        + COUNTED
        + Fields(Field("compile_seconds", about="how long kernels were compiled for in this run")),
        "rows": DIAGRAM,
    },
)


def lines(path: Path, pieces: int, dark_pieces: int | None) -> Iterator[str]:
    """Yield every diagram in position notation, many lines per text, with a progress bar."""
    total = tiles.diagrams(path, pieces, dark_pieces)
    done = 0
    with progress(f"{path.name}, {counted(pieces, 'piece')}", total, "diagrams") as update:
        for text in enumerator.diagram_lines(path, pieces, dark_pieces):
            yield text
            done += text.count("\n")
            update(done)


def check_records(total: int) -> None:
    """Raise `TooLargeError` if there are too many diagrams for one document."""
    if total > MAX_RECORDS:
        raise TooLargeError(
            f"{total:,} diagrams are too many for one JSON or CSV document; "
            "leave out --json and --csv to write them line by line"
        )


def _parameters(visitor: str, path: Path, pieces: int, dark_pieces: int | None) -> dict[str, Any]:
    dark = pieces if dark_pieces is None else dark_pieces
    item = SimpleNamespace(path=path, pieces=pieces, dark_pieces=dark, visit=visitor)
    return PARAMETERS.record(item)


def list_report(
    path: Path, pieces: int, dark_pieces: int | None, diagrams: Iterable[Position]
) -> Report:
    """Return diagrams as rows."""
    data = _parameters("write", path, pieces, dark_pieces)
    records = DIAGRAM.records(diagrams)
    return Report(ENUMERATE.name, {**data, "rows": records}, records)


def count_rows_report(
    visitor: str,
    path: Path,
    pieces: int,
    dark_pieces: int | None,
    found: Count | Marks,
    order: str = "tiles",
) -> Report:
    """Return the report on a visitor's result."""
    data = _parameters(visitor, path, pieces, dark_pieces)
    item: Any = found
    if isinstance(found, Marks):
        shown, item = RANKS, SimpleNamespace(**vars(found), bijective=found.bijective, order=order)
    else:
        more = {"branches": BRANCHES, "checksum": CHECKSUM}.get(visitor, Fields())
        shown = DIAGRAMS + more + SPEED
        data["compile_seconds"] = round(compile_seconds(), 6)
    data |= shown.record(item)
    return _made(data, shown, item)


def count_report(found: Count) -> Report:
    """Return all that was counted, with the checksum if there is one."""
    visitor = "branches" if found.checksum is None else "checksum"
    data = _parameters(visitor, found.path, found.pieces, found.dark_pieces)
    shown = COUNTED if found.checksum is not None else COUNTED.without("checksum")
    return _made(data | COUNTED.record(found), shown, found)


def _made(data: dict[str, Any], shown: Fields, item: Any) -> Report:
    pieces = f"{data['pieces']} light and {counted(data['dark_pieces'], 'dark piece')}"
    table = Table(
        f"{data['path']}, {pieces}: {data['visit']}", ["<what", "value"], shown.lines(item)
    )
    return Report(ENUMERATE.name, data, [data], [table])
