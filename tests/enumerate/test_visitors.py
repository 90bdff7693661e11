"""What visiting all diagrams gives, by visitor."""

from __future__ import annotations

import pytest

import urcx
from urcx.commands.count import MAX_RECORDS, check_records
from urcx.enumerate.counts import Count
from urcx.enumerate.rankings.ranking_base import Marks
from urcx.enumerate.visitors import list_report, visit, visit_report
from urcx.errors import OutOfDomainError, TooLargeError

BELL = urcx.path("bell")
FOUND = Count(BELL, 2, 1, 1000, 2345, 1500, 0x12, 0.5, 2)


def test_only_the_checksum_is_folded_where_it_is_asked_for() -> None:
    path = urcx.path("bell")
    folded, counted = visit("checksum", path, 2), visit("branches", path, 2)
    assert isinstance(folded, Count)
    assert isinstance(counted, Count)
    assert folded.checksum == urcx.count("bell", 2).checksum
    assert counted.checksum is None
    assert (counted.diagrams, counted.branches) == (folded.diagrams, folded.branches)


def test_ranks_are_those_of_the_order() -> None:
    marks = visit("ranks", urcx.path("bell"), 2, order="pattern")
    assert isinstance(marks, Marks)
    assert marks.bijective
    assert marks.size == urcx.count("bell", 2).diagrams
    with pytest.raises(OutOfDomainError):
        visit("ranks", urcx.path("murray"), 1, order="pattern")


def test_a_checksum_is_no_number() -> None:
    shown = visit_report("checksum", BELL, 2, 1, FOUND)
    assert shown.data["checksum"] == "0000000000000012"
    assert ["checksum", "0000000000000012"] in shown.tables[0].rows
    assert ["diagrams per second", "2,000"] in shown.tables[0].rows
    assert shown.records == [shown.data]
    assert "branches" not in shown.data


def test_branches_only_where_asked_for() -> None:
    shown = visit_report("branches", BELL, 2, 1, FOUND)
    assert (shown.data["branches"], shown.data["mean_branches"]) == ("2345", 2.345)
    assert ["mean branches", "2.345"] in shown.tables[0].rows
    assert "checksum" not in shown.data


def test_ranks_that_are_no_bijection() -> None:
    shown = visit_report("ranks", BELL, 2, None, Marks("pattern", 10, 8, 1, 0))
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
