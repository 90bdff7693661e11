"""One position: moves, show, perft, gain and capture; and the list of agents.

That the numbers are right is tested in tests/enumerate and tests/strategy.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import assert_one_line, run
from own_rules import SHORT

from urcx.rules.pictures import board_svg

pytest_plugins = ["command_fixtures"]


def test_moves_for_one_roll_and_for_all() -> None:
    one = run("moves", "2/3,6/5-5/L", "--roll", "2", "--json").json
    # By hand: from 2 to the rosette on 4, and another roll; a new piece would land on 2 itself.
    assert [(row["from"], row["to"]) for row in one["rows"]] == [(2, 4)]
    assert one["rows"][0]["rolls_again"] is True
    assert one["rows"][0]["position"] == "4/3,6/5-5/L"
    every = run("moves", "2/3,6/5-5/L", "--json").json
    assert {row["roll"] for row in every["rows"]} == {0, 1, 2, 3, 4}
    (nothing,) = [row for row in every["rows"] if row["roll"] == 0]
    assert nothing == {"roll": 0, "chance": "1/16", "pass": True, "position": "2/3,6/5-5/D"}
    assert "agent" not in every
    out = run("moves", "2/3,6/5-5/L").out
    assert re.search("^ *roll +chance +move +leads to *$", out, re.MULTILINE)
    captures = [row for row in every["rows"] if row.get("captures")]
    assert [(row["roll"], row["position"]) for row in captures] == [(4, "6/3/5-5/D")]


def test_moves_as_a_table_names_tiles() -> None:
    out = run("moves", "2/3,6/5-5/L", "--roll", "4").out
    assert "A3 to B2, captures" in out
    assert "start to A1, rosette, rolls again" in out
    assert "A7 to home" in run("moves", "14/-/0-0/L", "--roll", "1").out


def test_show_draws_both_sides_and_counts_the_rest() -> None:
    result = run("show", "2/3,6/5-5/D")
    assert "A3/C2,B2/5-5/D" in result.out
    assert result == run("show", "A3/C2,B2/5-5/D")
    assert "B |     |  D  |" in result.out
    assert "A |  *  |     |  L  |" in result.out
    assert "dark to move" in result.out
    assert "light: 1 to start, 5 home" in result.out
    assert "dark: 0 to start, 5 home" in result.out
    data = run("show", "2/3,6/5-5/D", "--json").json
    assert data["tiles"] == {"A3": "light 2", "C2": "dark 3", "B2": "dark 6"}
    assert data["light"] == {"start": 1, "home": 5}
    # A finished game, too.
    data = run("show", "-/1/7-0/D", "--json").json
    assert data["tiles"] == {"C4": "dark 1"}
    assert (data["light"], data["dark"]) == ({"start": 0, "home": 7}, {"start": 6, "home": 0})


def test_show_draws_the_board_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "board.svg"
    assert run("show", "2/3,6/5-5/D", "--plot", str(file)).code == 0
    picture = file.read_text(encoding="utf-8")
    title = "A3/C2,B2/5-5/D (finkel)"
    drawn = board_svg("finkel", "2/3,6/5-5/D", pieces=7, title=title, standalone=True)
    assert picture == drawn


def test_positions_that_begin_with_a_hyphen() -> None:
    assert "-/C2/0-0/L" in run("show", "-/3/0-0/L").out
    assert run("moves", "--roll", "1", "--", "-/3/0-0/L").code == 0
    assert run("moves", "-/3/0-0/L", "--roll", "1").code == 0


def test_perft_counts_and_divides() -> None:
    data = run("perft", "--depth", "5", "--divide", "--json").json
    # Another program's counts: 5; 28; 192; 1,492; 12,469 nodes, 5; 28; 104; 347; 990 positions.
    assert [row["nodes"] for row in data["rows"]] == ["5", "28", "192", "1492", "12469"]
    assert [row["positions"] for row in data["rows"]] == ["5", "28", "104", "347", "990"]
    assert sum(int(part["nodes"]) for part in data["divide"]) == 12469
    nothing, *_ = data["divide"]
    assert (nothing["roll"], nothing["from"], nothing["to"]) == (0, None, None)
    table = run("perft", "--depth", "3", "--divide").out
    assert "192" in table
    assert "start to A1, rosette, rolls again" in table


@pytest.mark.parametrize("command", ["moves", "show", "perft", "gain", "capture"])
def test_pieces_of_a_rule_set_can_be_other_than_its_own(command: str) -> None:
    where = "1/6/1-1/L"
    assert run(command, where, "-p", "2").code == 0
    assert "more than 1" in assert_one_line(run(command, where, "--pieces", "1"), 2)


def test_rules_of_a_file() -> None:
    data = run("perft", "--path-file", str(SHORT), "--rules", "strip", "-d", "1", "--json").json
    # By hand: a coin says 1 or 2, and a piece enters by either.
    assert data["rows"][0]["nodes"] == "2"


def test_agents_are_listed() -> None:
    rows = {row["name"]: row for row in run("agents", "--json").json["rows"]}
    assert {"random", "first", "last", "greedy", "gain", "optimal"} <= set(rows)
    assert (rows["panda"]["depth"], rows["panda"]["leaf"]) == (7, "advance+centre")
    assert rows["greedy"]["ties"] == "last"
    shown = run("agents").out
    assert all(name in shown and row["title"] in shown for name, row in rows.items())
    assert len(run("agents", "--csv").rows) == len(rows)


@pytest.mark.jit
def test_moves_and_probe_draw_the_board_and_probe_marks_the_best(two_pieces: Path) -> None:
    board = run("show", "5,8/3,6/0-0/L", "-p", "2").out.split("\n\n", 1)[1]
    assert board.rstrip() in run("moves", "8,5/3,6/0-0/L", "-p", "2", "--roll", "4").out
    text = run("probe", str(two_pieces), "5,8/3,6/0-0/L", "--roll", "4").out
    assert board.rstrip() in text
    lines = [line.split() for line in text.splitlines() if line.startswith("   4  ")]
    assert [line[1:4] for line in lines if line[-1] == "best"] == [["B1", "to", "B5"]]
    assert len(lines) == 2


@pytest.mark.parametrize(
    "line",
    ["show", "moves", "gain", "capture", "perft -d 2 -p 1"],
)
def test_start_is_a_position_everywhere(line: str) -> None:
    name, *options = line.split()
    assert run(name, "start", *options).out == run(name, "-/-/0-0/L", *options).out != ""


def test_start_is_a_position_of_filters_and_solutions() -> None:
    assert run("rank", "start") == run("rank", "-/-/0-0/L") == run("rank", stdin="start\n")
    at_start = run("probe", "-p", "1").out
    assert run("probe", "start", "-p", "1").out == at_start != ""
    lines = run("probe", "-p", "1", "-", "--json", stdin="start\n-/-/0-0/L\n").out.splitlines()
    assert lines[0] == lines[1]
