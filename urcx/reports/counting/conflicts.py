"""What ``urcx conflicts`` shows: pairs of placements in which both players claim a tile."""

from __future__ import annotations

from collections.abc import Sequence

from urcx.enumerate.conflicts import Conflicts
from urcx.results.numbers import number
from urcx.results.report import Report
from urcx.results.tables import Table
from urcx.rules.model import Path


def conflicts_report(path: Path, found: Sequence[Conflicts]) -> Report:
    """Return the report on a path's conflicts, a row for each number of pieces."""
    records = [
        {
            "path": path.name,
            "pieces": item.pieces,
            "placements": str(item.placements),
            "pairs": str(item.pairs),
            "conflicts": str(item.conflicts),
            "diagrams": str(item.diagrams),
        }
        for item in found
    ]
    table = Table(
        f"Conflicts on {path.name}: pairs of placements in which both players claim a tile",
        ["p", "placements", "pairs", "conflicts", "share", "diagrams"],
        [
            [
                str(item.pieces),
                number(item.placements),
                number(item.pairs),
                number(item.conflicts),
                f"{item.conflicts / item.pairs:.2%}",
                number(item.diagrams),
            ]
            for item in found
        ],
    )
    data = {"path": path.name, "convention": "diagrams", "rows": records}
    return Report("urcx.conflicts/1", data, records, [table])
