"""What ``urcx cache`` shows: what is kept, how large it is, and when it was last used."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from urcx.engine.files.cache import KERNELS, STALE_AFTER_DAYS, Entry
from urcx.engine.memory import size_text
from urcx.reports.display.output import Report, Table, counted, number

DAY = 86400


def report(
    root: Path | None, entries: Sequence[Entry], limit: int, *, only: str | None, cleared: bool
) -> Report:
    """Return the report on entries of the cache.

    Parameters
    ----------
    root
        The cache directory, None if there is none that can be used.
    entries
        What is listed, before it was removed if it was.
    limit
        Bytes that the cache may hold.
    only
        What was asked for, None for all.
    cleared
        Whether the entries were removed.
    """
    size = sum(entry.size for entry in entries)
    rows = [_row(entry) for entry in entries]
    data: dict[str, Any] = {
        "directory": None if root is None else str(root),
        "limit": str(limit),
        "stale_after_days": STALE_AFTER_DAYS,
        "only": only,
        "cleared": cleared,
        "size": str(size),
        "rows": rows,
    }
    place = "no directory that can be used" if root is None else str(root)
    title = f"{place}: {size_text(size)}"
    if cleared:
        title += " removed"
    elif only is None:
        title += f" of at most {size_text(limit)}"
    else:
        title += f" ({only})"
    cells = [
        [
            entry.kind,
            entry.name,
            number(len(entry.files)),
            size_text(entry.size),
            _ago(entry.used),
            _state(entry),
        ]
        for entry in entries
    ]
    notes = [
        "kernels: compiled code, by version and state of the source",
        "levels: what agents that look ahead look up, by rule set and plies",
        f"stale: not used for {STALE_AFTER_DAYS} days; removed when something new is kept",
    ]
    columns = ["<kind", "<name", "files", "size", "last used", "<state"]
    return Report(
        "urcx.cache/1", data, rows, [Table(title, columns, cells, notes if entries else [])]
    )


def _row(entry: Entry) -> dict[str, Any]:
    used = dt.datetime.fromtimestamp(int(entry.used), tz=dt.UTC)
    return {
        "kind": entry.kind,
        "name": entry.name,
        "current": entry.current,
        "stale": entry.stale,
        "files": len(entry.files),
        "size": str(entry.size),
        "last_used": used.isoformat(),
    }


def _state(entry: Entry) -> str:
    if entry.stale:
        return "stale"
    if entry.kind == KERNELS:
        return "this version" if entry.current else "another version"
    return "kept"


def _ago(used: float) -> str:
    days = int((time.time() - used) / DAY)
    return "today" if days <= 0 else f"{counted(days, 'day')} ago"
