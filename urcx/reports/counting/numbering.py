"""What ``urcx rank``, ``unrank`` and ``sample`` show: positions and their ranks.

The table has only the requested one, a line each, as soon as it is known; JSON and CSV have both.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from urcx.reports.display.output import Style
from urcx.results.fields import COUNT, Field, Fields
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.tables import Table

if TYPE_CHECKING:
    from urcx.enumerate.rankings.ranking_base import Ranking

COLUMNS = ("position", "rank")
RANKING = Fields(
    Field("path", of="path.name"),
    Field("pieces"),
    Field("dark_pieces"),
    Field("convention", "convention"),
    Field("order", "order"),
    Field("states", "states", COUNT, of="size"),
)
Numbered = tuple[str, str]  # a position and its rank


def numbering_report(
    style: Style, numbering: Ranking, found: Iterable[Numbered], column: str
) -> None:
    """Write positions and ranks: ``column`` alone as lines of text, both in JSON and CSV."""
    if style.form == "table":
        wanted = COLUMNS.index(column)
        style.write(f"{item[wanted]}\n" for item in found)
    elif style.form == "csv":
        style.write(map(_csv_line, chain([COLUMNS], found)))
    else:
        records = [dict(zip(COLUMNS, item, strict=True)) for item in found]
        schema = "urcx.rank/1" if column == "rank" else "urcx.unrank/1"
        style.show(Report(schema, {**RANKING.record(numbering), "rows": records}, records))


def show_sample(style: Style, numbering: Ranking, found: Iterator[Numbered], seed: int) -> None:
    """Write random positions: alone as lines of text, with their ranks in JSON and CSV."""
    if style.form == "table":
        style.write(f"{position}\n" for position, _ in found)
        return
    records = [{"rank": rank, "position": position} for position, rank in found]
    data = {
        **RANKING.record(numbering),
        "seed": seed,
        "generator": "Python random.Random, randrange",
        "rows": records,
    }
    style.show(Report("urcx.sample/1", data, records))


def _csv_line(cells: Numbered) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()


def ranking_report(numbering: Ranking) -> Report:
    """Return the JSON members about what is numbered, and how many there are."""
    data = RANKING.record(numbering)
    pieces = f"{numbering.pieces} light and {counted(numbering.dark_pieces, 'dark piece')}"
    title = f"Ranking of {numbering.path.name}, {pieces}"
    table = Table(title, ["<", "<"], RANKING.lines(numbering))
    return Report("urcx.rank/1", data, [data], [table])
