"""nalimov on the command line."""

from __future__ import annotations

import csv
import io

import pytest
from command_line import assert_one_line, run


def test_table() -> None:
    out = run("nalimov", "-p", "1", "--threads", "1").out
    assert "217 unfinished states (mover-view)" in out
    assert "literal" in out
    assert "A cycle, passes" in out
    assert "captures" in out
    assert "undecided if nobody could capture" in out


def test_json_and_csv() -> None:
    data = run("nalimov", "--rules", "masters", "-p", "1", "--json").json
    assert data["schema"] == "urcx.nalimov/1"
    assert (data["rules"], data["pieces"], data["exactness"]) == ("masters", 1, "exact")
    assert data["decided"]["literal"] == "0"
    assert int(data["decided"]["passes"]) + int(data["undecided"]) == int(data["states"])
    assert data["undecided_without_captures"] == "0"
    assert sum(int(row["passes"]) for row in data["rows"]) == int(data["decided"]["passes"])
    cycle = data["stalls"]["passes"]["cycle"]
    assert any(ply["captures"] for ply in cycle)
    assert cycle[-1]["after"] == cycle[0]["position"]
    rows = list(csv.DictReader(io.StringIO(run("nalimov", "-p", "1", "--csv").out)))
    assert [row["states"] for row in rows] == ["217"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["-p", "0"], 2, "not from 1"),
        (["--rules", "finkle"], 2, "did you mean finkel"),
        (["--rules", "murray"], 1, "take fewer pieces"),
        (["--threads", "0"], 2, "at least 1"),
        (["--json", "--csv"], 2, "exclude"),
        (["-o", "/nowhere/x.json"], 1, "no directory"),
    ],
)
def test_bad_input(arguments: list[str], code: int, says: str) -> None:
    assert says in assert_one_line(run("nalimov", *arguments), code)
