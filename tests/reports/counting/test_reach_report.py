"""The reports on reachable states."""

from __future__ import annotations

from dataclasses import replace

import pytest

import urcx
from urcx.complexity.intervals import wilson
from urcx.enumerate.reach import Reach, reach
from urcx.enumerate.reach_sampling import SampledReach
from urcx.reports.counting.reach import estimate_report, reach_report


@pytest.fixture(scope="module")
def found() -> Reach:
    return reach(replace(urcx.ruleset("masters"), pieces=1))


def test_all_states_are_reached_or_not(found: Reach) -> None:
    report = reach_report(found)
    data = report.data
    assert int(data["states"]) + int(data["unreachable"]) == int(data["closed_form"])
    assert sum(int(row["new"]) for row in data["rows"]) == int(data["states"])
    assert report.records == data["rows"]
    assert report.tables[0].rows[0] == ["reachable, unfinished", f"{found.states:,}"]
    assert len(report.tables[1].rows) == found.depth + 1


def test_what_is_missing_adds_up(found: Reach) -> None:
    missing = reach_report(found).data["missing"]
    for rows in (missing["kinds"], missing["home"]):
        assert sum(int(row["unreachable"]) for row in rows) == found.unreachable
        assert sum(int(row["orphans"]) for row in rows) == int(missing["orphans"])
    notes = reach_report(found).tables[2].notes
    assert "these dice never give 0: whoever can move has to" in notes


def test_the_undecided_widen_the_interval_both_ways() -> None:
    some = SampledReach(urcx.ruleset("finkel"), "mover-view", 10**6, 100, 90, 6, 4)
    data = estimate_report(some, 1).data
    assert data["share"] is None
    assert data["interval"] == [wilson(90, 100)[0], wilson(94, 100)[1]]
    assert data["states_interval"] == [10**6 * end for end in data["interval"]]
    sure = replace(some, reached=94, undecided=0)
    report = estimate_report(sure, 1)
    assert report.data["share"] == 0.94
    assert ["share reachable", "0.9400"] in report.tables[0].rows
    assert report.records[0]["low"] == report.data["interval"][0]
