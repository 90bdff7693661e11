"""What ``urcx enumerate`` shows: the enumerator's visitors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from urcx.complexity import tiles
from urcx.engine.compiling import seconds as compile_seconds
from urcx.enumerate import enumerator
from urcx.enumerate.rankings.ranking import ranking
from urcx.errors import TooLargeError
from urcx.reports.display.output import Report, Table, counted, number
from urcx.reports.display.progress import progress
from urcx.rules.model import Path

MAX_RECORDS = 5_000_000  # held at a time for JSON and CSV, about a gigabyte
VISITORS = ("write", "count", "branches", "checksum", "ranks")


def lines(path: Path, pieces: int, dark_pieces: int | None) -> Iterator[str]:
    """Yield every diagram in position notation, many lines a text, behind a progress bar."""
    total = tiles.diagrams(path, pieces, dark_pieces)
    done = 0
    with progress(f"{path.name}, {counted(pieces, 'piece')}", total, "diagrams") as update:
        for text in enumerator.lines(path, pieces, dark_pieces):
            yield text
            done += text.count("\n")
            update(done)


def report(
    visitor: str, path: Path, pieces: int, dark_pieces: int | None, order: str = "tiles"
) -> Report:
    """Return what a visitor found; ``write`` gives the diagrams as rows."""
    dark = pieces if dark_pieces is None else dark_pieces
    data: dict[str, Any] = {
        "path": path.name,
        "pieces": pieces,
        "dark_pieces": dark,
        "convention": "diagrams",
        "visit": visitor,
    }
    if visitor == "write":
        total = tiles.diagrams(path, pieces, dark)
        if total > MAX_RECORDS:
            raise TooLargeError(
                f"{total:,} diagrams are too many for one JSON or CSV document; "
                "leave out --json and --csv to write them line by line"
            )
        records = [{"diagram": str(d)} for d in enumerator.diagrams(path, pieces, dark)]
        return Report("urcx.enumerate/1", {**data, "rows": records}, records)
    found: dict[str, Any]
    label = f"{path.name}, {counted(pieces, 'piece')}"
    if visitor == "ranks":
        numbering = ranking(path, pieces, dark, order=order)
        with progress(label, numbering.size, "diagrams") as update:
            marks = numbering.prove(update)
        found = {
            "order": order,
            "diagrams": str(marks.size),
            "ranks_hit_once": str(marks.once),
            "ranks_hit_repeatedly": str(marks.repeated),
            "outside": str(marks.outside),
            "bijective": marks.bijective,
        }
    else:
        with progress(label, tiles.diagrams(path, pieces, dark), "diagrams") as update:
            count = enumerator.count(
                path, pieces, dark, checksum=visitor == "checksum", progress=update
            )
        found = {"diagrams": str(count.diagrams)}
        if visitor == "branches":
            found["branches"] = str(count.branches)
            found["dark_branches"] = str(count.dark_branches)
            found["mean_branches"] = count.mean_branches
        if visitor == "checksum":
            found["checksum"] = f"{count.checksum:016x}"
        found["seconds"] = round(count.seconds, 6)
        data["compile_seconds"] = round(compile_seconds(), 6)
        found["diagrams_per_second"] = round(count.rate)
        found["threads"] = count.threads
    cells = [[key.replace("_", " "), _shown(key, value)] for key, value in found.items()]
    title = f"{path.name}, {pieces} light and {dark} dark pieces: {visitor}"
    return Report(
        "urcx.enumerate/1",
        {**data, **found},
        [{**data, **found}],
        [Table(title, ["<what", "value"], cells)],
    )


def _shown(key: str, value: object) -> str:
    """Return a finding for the table."""
    if key == "mean_branches":
        return f"{value:.3f}"  # as ssc has it
    text = str(value)
    # A checksum may happen to have only decimal digits; it is no number all the same.
    return number(int(text)) if key != "checksum" and text.isdecimal() else text
