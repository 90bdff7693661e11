"""The report on state-space complexity."""

from __future__ import annotations

import urcx
from urcx.enumerate.state_space import StateSpace
from urcx.reports.counting.ssc import ssc_report
from urcx.results.report import Report


def report_on(*rows: StateSpace, wide: bool = False) -> Report:
    parameters = {"paths": ["bell"], "pieces": [7], "dark_pieces": None}
    return ssc_report(rows, parameters, wide=wide)


def test_how_far_forms_are_off() -> None:
    table = report_on(urcx.ssc("bell", 7, enumerate=False)).tables[0]
    row = dict(zip((head.title for head in table.heads), table.rows[0], strict=True))
    assert row["diagrams"] == "137,913,936"
    assert row["visited"] == "none"
    assert row["agree"] == "exact"
    # 17,179,869,184 states by the post's 34 bits; 11,440^2 by its binomial.
    assert row["bits"] == "x125"
    assert row["binomial"] == "-5.10"


def test_what_was_visited_is_told_from_what_was_not() -> None:
    found = report_on(urcx.ssc("bell", 2), urcx.ssc("bell", 3, enumerate=False))
    assert [row[2] for row in found.tables[0].rows] == ["all", "none"]
    assert "rows not visited agree" in found.tables[0].notes[-2]
    first, second = found.data["rows"]
    assert first["enumerated"] == first["forms"]["michon"]
    assert (second["enumerated"], second["seconds"], second["checksum"]) == (None, None, None)
    assert found.data["compile_seconds"] is not None
    assert found.records[1]["michon"] == second["forms"]["michon"]
    assert "forms" not in found.records[1]


def test_wide_tables_have_every_value() -> None:
    table = report_on(urcx.ssc("bell", 7, 6, enumerate=False), wide=True).tables[0]
    heads = [head.title for head in table.heads]
    assert "dark branches" in heads
    assert table.rows[0][0] == "7+6"
    assert table.rows[0][heads.index("enumerated")] == "not run"


def test_why_a_form_is_not_stated() -> None:
    rows = [urcx.ssc("murray", p, enumerate=False) for p in (1, 2, 3)]
    (note,) = (n for n in report_on(*rows).tables[0].notes if n.startswith("michon is not stated"))
    assert rows[0].reasons["michon"] in note
    assert "(p = " not in note, "it is so at all numbers"
    rows[1].reasons.clear()
    (note,) = (n for n in report_on(*rows).tables[0].notes if n.startswith("michon is not stated"))
    assert note.endswith(" (p = 1,3)")
