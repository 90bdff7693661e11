"""What ``urcx cache`` shows: what is kept, how large it is, and when it was last used."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

from urcx.engine.files.cache import KERNELS, STALE_AFTER_DAYS, Entry
from urcx.engine.memory import size_text
from urcx.results.fields import COUNT, Field, Fields, Kind, Schema, always, column
from urcx.results.numbers import counted, number
from urcx.results.report import Report

DAY = 86400


def _state(entry: Entry) -> str:
    if entry.stale:
        return "stale"
    if entry.kind == KERNELS:
        return "this version" if entry.current else "another version"
    return "kept"


def _iso(used: float) -> str:
    return dt.datetime.fromtimestamp(int(used), tz=dt.UTC).isoformat()


def _ago(used: float) -> str:
    days = int((time.time() - used) / DAY)
    return "today" if days <= 0 else f"{counted(days, 'day')} ago"


BYTES = Kind(size_text, (("", str),))
ENTRIES = Fields(
    Field("kind", "<kind", about="kernels or levels"),
    Field("name", "<name", about="name of the version, or of the level"),
    Field("current", about="whether this version may use it"),
    Field("stale", about="whether nobody has used it for long"),
    Field("files", "files", Kind(lambda files: number(len(files)), (("", len),)), "how many files"),
    Field("size", "size", BYTES, "bytes"),
    Field("last_used", "last used", Kind(_ago, (("", _iso),)), "when, to the hour", of="used"),
    column("<state", _state),
)
CACHE = Schema(
    "urcx.cache/1",
    {
        "": Fields(
            Field("directory", about="the cache directory, null if none can be used"),
            Field("limit", kind=COUNT, about="bytes that it may hold"),
            always("stale_after_days", STALE_AFTER_DAYS, "days without use, then it is stale"),
            Field("only", about="what was asked for, null for all"),
            Field("cleared", about="whether what is listed was removed"),
            Field("size", kind=COUNT, about="bytes of what is listed"),
        ),
        "rows": ENTRIES,
    },
)


def cache_report(
    root: Path | None, entries: Sequence[Entry], limit: int, *, only: str | None, cleared: bool
) -> Report:
    """Return the report on entries of the cache.

    Parameters
    ----------
    root
        The cache directory, None if there is none that can be used.
    entries
        The entries listed, as they were before any removal.
    limit
        Bytes that the cache may hold.
    only
        The kind of entries requested, None for all.
    cleared
        Whether the entries were removed.
    """
    size = sum(entry.size for entry in entries)
    directory = None if root is None else str(root)
    item = SimpleNamespace(directory=directory, limit=limit, only=only, cleared=cleared, size=size)
    data = CACHE.data(item, rows=entries)
    place = directory or "no directory that can be used"
    title = f"{place}: {size_text(size)}"
    if cleared:
        title += " removed"
    elif only is None:
        title += f" of at most {size_text(limit)}"
    else:
        title += f" ({only})"
    notes = [
        "kernels: compiled code, by version and state of the source",
        "levels: what agents that look ahead look up, by rule set and plies",
        f"stale: not used for {STALE_AFTER_DAYS} days; removed when something new is kept",
    ]
    table = ENTRIES.table(title, entries, notes if entries else [])
    return Report(CACHE.name, data, data["rows"], [table])
