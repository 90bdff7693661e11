"""The reports on what visitors find."""

from __future__ import annotations

import pytest

import urcx
from urcx.enumerate.enumerator import Count
from urcx.enumerate.rankings.ranking_base import Marks
from urcx.errors import TooLargeError
from urcx.reports.counting.visitors import (
    MAX_RECORDS,
    check_records,
    count_rows_report,
    list_report,
)

BELL = urcx.path("bell")
FOUND = Count(BELL, 2, 1, 1000, 2345, 1500, 0x12, 0.5, 2)


def test_a_checksum_is_no_number() -> None:
    shown = count_rows_report("checksum", BELL, 2, 1, FOUND)
    assert shown.data["checksum"] == "0000000000000012"
    assert ["checksum", "0000000000000012"] in shown.tables[0].rows
    assert ["diagrams per second", "2,000"] in shown.tables[0].rows
    assert shown.records == [shown.data]
    assert "branches" not in shown.data


def test_branches_only_where_asked_for() -> None:
    shown = count_rows_report("branches", BELL, 2, 1, FOUND)
    assert (shown.data["branches"], shown.data["mean_branches"]) == ("2345", 2.345)
    assert ["mean branches", "2.345"] in shown.tables[0].rows
    assert "checksum" not in shown.data


def test_ranks_that_are_no_bijection() -> None:
    shown = count_rows_report("ranks", BELL, 2, None, Marks(10, 8, 1, 0), "pattern")
    assert shown.data["dark_pieces"] == 2
    assert shown.data["bijective"] is False
    assert ["ranks hit repeatedly", "1"] in shown.tables[0].rows
    assert "seconds" not in shown.data


def test_diagrams_are_rows_as_long_as_they_fit() -> None:
    shown = list_report(BELL, 1, None, [urcx.Position()])
    assert shown.data["rows"] == shown.records == [{"diagram": "-/-/0-0/L"}]
    check_records(MAX_RECORDS)
    with pytest.raises(TooLargeError, match="leave out --json"):
        check_records(MAX_RECORDS + 1)
