"""How chances of captures are shown."""

from __future__ import annotations

import csv
import io
import json

from urcx.reports.strategy.capture import capture_report
from urcx.strategy.capture import captures


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_hunts_are_rows_of_a_kind_of_their_own() -> None:
    found = captures("1/6/6-6/D", "finkel")
    report = capture_report(found)
    rows = _rows(report.csv())
    assert [row["kind"] for row in rows] == ["danger", "hunt", "hunt"]
    assert [row["hunter"] for row in rows[1:]] == ["dark", "light"]
    assert rows[1]["turn_1"] == str(found.hunts[0].turns[0])
    data = json.loads(report.json())
    assert data["hunts"][0]["turns"] == [str(chance) for chance in found.hunts[0].turns]
    assert "kind" not in data["rows"][0]
    assert len(report.tables) == 2


def test_moves_have_columns_only_where_a_roll_was_made() -> None:
    with_roll = capture_report(captures("3,4/2,4/0-0/L", "finkel", roll=2))
    assert list(_rows(with_roll.csv())[0])[-2:] == ["from", "to"]
    assert with_roll.tables[0].heads[0].title == "move"
    without = capture_report(captures("3,4/2,4/0-0/L", "finkel"))
    assert "from" not in without.csv().splitlines()[0].split(",")
    assert without.tables[0].heads[0].title == "piece on"


def test_nothing_to_capture_still_has_a_head() -> None:
    report = capture_report(captures("-/-/0-0/L", "finkel"))
    assert report.csv() == ("step,tile,single_rolls,single_chance,sequences,chance,chance_value\n")
    assert report.tables[0].rows == []
    assert report.tables[0].notes == [
        "no piece of that side is on the board where one could be captured"
    ]
