"""How verdicts are shown."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from urcx.published.figures import FAILS, HOLDS, VERDICTS, Figure, Source, sources
from urcx.published.verify import Verdict, Verdicts, by_verdict
from urcx.results.tables import ColouredText
from urcx.results.writing import json_text

SOURCE, FIGURES = sources()[0]
ONE = replace(FIGURES[0], place="here", verdict=HOLDS)
AGREE = [Verdict(replace(ONE, printed=str(n)), str(n), HOLDS) for n in (1, 2)]
WRONG = Verdict(replace(ONE, printed="3"), "4", FAILS)


def test_figures_are_counted_by_verdict() -> None:
    assert by_verdict([*AGREE, WRONG]) == dict.fromkeys(VERDICTS, 0) | {HOLDS: 2, FAILS: 1}
    assert list(by_verdict([])) == list(VERDICTS)


def test_figures_of_a_place_that_hold_stand_in_one_row() -> None:
    found = Verdicts(((SOURCE, (*AGREE, WRONG)),))
    summary, failing, whole = found.tables()
    assert failing.rows == [[f"{SOURCE.name}, here", "3", "4"]]
    assert len(summary.rows) == 1, "no total of one source"
    together, wrong = whole.rows
    assert together[:3] == ["here", "1; 2", "all 2"]
    assert wrong[1:3] == ["3", "4"]
    mark = wrong[3]
    assert mark == f"{FAILS} (recorded: {HOLDS})"
    assert isinstance(mark, ColouredText)
    assert mark.tone == "bad"


def test_what_is_left_out_is_still_counted() -> None:
    found = Verdicts(((SOURCE, (*AGREE, WRONG)),), only=(FAILS,))
    data = json.loads(json_text(found))
    assert [row["printed"] for row in data["rows"]] == ["3"]
    assert (data["sources"][0]["figures"], data["sources"][0]["holds"]) == (3, 2)
    assert data["changed"] == 1
    summary = Verdicts(((SOURCE, (*AGREE, WRONG)),), summary=True)
    assert len(summary.tables()) == 1
    assert [row["name"] for row in summary.records()] == [SOURCE.name]


@pytest.mark.parametrize(
    ("source", "figures"), sources(), ids=lambda item: getattr(item, "name", "")
)
def test_no_two_rows_have_one_name(source: Source, figures: tuple[Figure, ...]) -> None:
    found = Verdicts(((source, tuple(Verdict(f, f.value, f.verdict) for f in figures)),))
    names = [tuple(row[:2]) for row in found.tables()[-1].rows]
    assert len(names) == len(set(names))
