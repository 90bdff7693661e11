"""Many positions are looked up at once, and each is what it is alone."""

from pathlib import Path

import urcx
from urcx.solving import probing


def test_a_table_of_positions_has_the_value_of_each(tmp_path: Path) -> None:
    urcx.solve(urcx.ruleset("finkel", pieces=1), tmp_path / "one.urcx")
    with urcx.open_tablebase(tmp_path / "one.urcx") as base:
        found = [probing.probe(base, text) for text in ("-/-/0-0/L", "A4/-/0-0/D")]
        report = probing.positions_report(base, found)
        assert len(report.tables[0].rows) >= len(found)
        assert [one.value for one in found] == [base.probe(one.position) for one in found]
