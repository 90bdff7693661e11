"""The report on what is kept on disk."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from urcx.engine.files.cache import Entry, Listing
from urcx.engine.files.writing import DAY

NOW = time.time()
ENTRIES = (
    Entry("kernels", "0.1.0-mine", (Path("a"), Path("b")), 2_000_000, NOW, current=True),
    Entry("kernels", "0.0.9-other", (Path("c"),), 10, NOW - 3.5 * DAY, current=False),
    Entry("levels", "finkel", (Path("d"),), 10, NOW - 1.5 * DAY, current=True),
    Entry("levels", "old", (Path("e"),), 10, NOW - 40.5 * DAY, current=True),
)


def test_what_is_there() -> None:
    shown = Listing(Path("/cache"), Path("/data"), None, False, ENTRIES)
    assert [row[-1] for row in shown.wide_tables()[0].rows] == [
        *("this version", "another version", "cached", "cached"),
    ]
    assert [row[4] for row in shown.wide_tables()[0].rows] == [
        *("today", "3 days ago", "1 day ago", "40 days ago"),
    ]
    assert [[row[0], row[1], row[3]] for row in shown.tables()[0].rows] == [
        ["kernels", "2", "today"],
        ["levels", "2", "1 day ago"],
    ]
    first = shown.document()["rows"][0]
    assert (first["files"], first["size"], first["current"]) == (2, "2000000", True)
    assert first["last_written"].endswith("+00:00")
    assert shown.document()["size"] == str(sum(entry.size for entry in ENTRIES))


@pytest.mark.parametrize(
    ("only", "cleared", "answer"),
    [
        (None, False, "2 MB in /cache, 5 kB of solved games in /data"),
        ("levels", False, "2 MB in /cache"),
        ("solved", False, "5 kB of solved games in /data"),
        (None, True, "removed 2 MB in /cache, 5 kB of solved games in /data"),
    ],
)
def test_the_answer_says_what_was_done(only: str | None, cleared: bool, answer: str) -> None:
    solved = Entry("solved", "finkel-1-0.urcx", (Path("f"),), 5000, NOW, current=True)
    kept = [*ENTRIES, solved]
    shown = Listing(Path("/cache"), Path("/data"), only, cleared, kept)
    assert shown.answer == answer


def test_without_a_directory_nothing_is_listed() -> None:
    shown = Listing(None, Path("/data"), None, False, ())
    assert shown.document()["directory"] is None
    assert "in no usable directory" in shown.answer
    assert not shown.tables()


def test_names_of_directories_are_shown_as_a_terminal_can_have_them() -> None:
    report = Listing(Path("/\x1b[31mcache"), Path("/data"), None, False, ())
    assert "\\x1b[31mcache" in report.answer
    assert report.answer.isprintable()
