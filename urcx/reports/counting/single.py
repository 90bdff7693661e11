"""Reports of single results about counting: one row, one enumeration, one ranking."""

from __future__ import annotations

from typing import Any

from urcx.enumerate.enumerator import Count
from urcx.enumerate.rankings.ranking_base import Ranking
from urcx.enumerate.state_space import StateSpace
from urcx.reports.counting.ssc import report as ssc_report
from urcx.reports.display.output import Report, Table, number


def ssc(row: StateSpace) -> Report:
    """Return the report on one row."""
    parameters = {"paths": [row.path.name], "pieces": [row.pieces], "dark_pieces": row.dark_pieces}
    return ssc_report([row], parameters)


def count(found: Count) -> Report:
    """Return the report on an enumeration, with the results of every ``urcx enumerate --visit``."""
    visit = "branches" if found.checksum is None else "checksum"
    data: dict[str, Any] = {
        "path": found.path.name,
        "pieces": found.pieces,
        "dark_pieces": found.dark_pieces,
        "convention": "diagrams",
        "visit": visit,
        "diagrams": str(found.diagrams),
        "branches": str(found.branches),
        "dark_branches": str(found.dark_branches),
        "mean_branches": found.mean_branches,
        "checksum": None if found.checksum is None else f"{found.checksum:016x}",
        "seconds": round(found.seconds, 6),
        "diagrams_per_second": round(found.rate),
        "threads": found.threads,
    }
    lines = [
        ["diagrams", number(found.diagrams)],
        ["branches", number(found.branches)],
        ["dark branches", number(found.dark_branches)],
        ["mean branches", f"{found.mean_branches:.3f}"],
        *([] if found.checksum is None else [["checksum", f"{found.checksum:016x}"]]),
        ["seconds", f"{found.seconds:.6f}"],
        ["diagrams per second", number(round(found.rate))],
        ["threads", str(found.threads)],
    ]
    title = f"{found.path.name}, {found.pieces} light and {found.dark_pieces} dark pieces: {visit}"
    return Report("urcx.enumerate/1", data, [data], [Table(title, ["<what", "value"], lines)])


def ranking(found: Ranking) -> Report:
    """Return what a ranking numbers, and its size."""
    data: dict[str, Any] = {
        "path": found.path.name,
        "pieces": found.pieces,
        "dark_pieces": found.dark_pieces,
        "convention": found.convention,
        "order": found.order,
        "states": str(found.size),
    }
    pieces = f"{found.pieces} light and {found.dark_pieces} dark pieces"
    lines = [
        ["convention", found.convention],
        ["order", found.order],
        ["states", number(found.size)],
    ]
    table = Table(f"Ranking of {found.path.name}, {pieces}", ["<", "<"], lines)
    return Report("urcx.rank/1", data, [data], [table])
