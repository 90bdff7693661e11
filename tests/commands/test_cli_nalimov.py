"""nalimov on the command line."""

from __future__ import annotations

from command_line import run


def test_table_json_and_csv() -> None:
    out = run("nalimov", "-p", "1", "--threads", "1").out
    assert "217 unfinished states (mover-view)" in out
    for words in ("literal", "A cycle, passes", "captures", "undecided if nobody could capture"):
        assert words in out
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
    assert [row["states"] for row in run("nalimov", "-p", "1", "--csv").rows] == ["217"]
