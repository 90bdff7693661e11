"""Counts and single states: ssc, enumerate, rank, unrank and sample.

That the numbers are right is tested in tests/complexity and tests/enumerate.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from command_line import assert_one_line, run

import urcx
from urcx.complexity import tiles
from urcx.rules.position import parse_position, position_on

# The post's table of 2021: pieces, states, branches.
POST = {
    1: (248, 232),
    2: (13_112, 24_148),
    3: (264_304, 714_720),
    4: (2_606_947, 9_131_362),
    5: (14_680_840, 61_834_256),
    6: (53_212_388, 255_752_544),
    7: (137_913_936, 726_864_992),
    8: (280_408_902, 1_572_665_124),
    9: (482_210_816, 2_817_358_656),
    10: (740_777_984, 4_446_087_488),
}
# So many decimal digits are more than Python writes without being asked to.
UNREADABLE = 10_000


def rows(*arguments: str) -> list[dict[str, Any]]:
    document = run("ssc", "--json", *arguments).json
    assert document["schema"] == "urcx.ssc/1"
    return list(document["rows"])


def diagrams(path: str, pieces: int, dark: int | None = None) -> str:
    """Return the number that tests/complexity holds against a search by hand."""
    return str(tiles.diagrams(urcx.path(path), pieces, dark or pieces))


# Numbers.


@pytest.mark.parametrize("most", [2, pytest.param(10, marks=pytest.mark.jit)])
def test_the_posts_table(most: int) -> None:
    found = rows("--path", "bell", "-p", f"1..{most}")
    assert [row["pieces"] for row in found] == list(range(1, most + 1))
    for row in found:
        states, branches = (str(value) for value in POST[row["pieces"]])
        assert (row["enumerated"], row["branches"]) == (states, branches)
        for form in ("tile-polynomial", "reader", "michon"):
            assert row["forms"][form] == states
            assert form in row["agree"]
    # "2 * 7 * 4 or 56 bits", "34 bits total", and its table of binomials.
    (row,) = rows("-p", "7", "--no-enumerate")
    naive = {"bits": str(2**34), "bits-pieces": str(2**56), "binomial": "130873600"}
    assert row["forms"].items() >= naive.items()
    assert not naive.keys() & set(row["agree"])


# Interface.


def test_what_takes_hours_is_enumerated_only_on_demand() -> None:
    result = run("ssc", "--json", "--path", "murray", "-p", "1,9")
    assert [row["enumerated"] for row in result.json["rows"]] == [diagrams("murray", 1), None]
    assert result.err.startswith("urcx: ")
    assert result.err.count("\n") == 1
    assert "--enumerate" in result.err


def test_closed_forms_go_beyond_what_the_enumerator_holds(tmp_path: Path) -> None:
    file = tmp_path / "four.toml"
    laps = ", ".join(['"A4..A1 B1..B8 A8 A7"'] * 4)
    file.write_text(f'[path.four]\nboard = "standard"\nlight = [{laps}]\n', encoding="utf-8")
    for arguments, count in (
        (("-p", "1", "--dark-pieces", "300"), diagrams("bell", 1, 300)),
        (("-p", "300"), diagrams("bell", 300)),
        # 56 steps each, and as many ways to clash as four laps over eight shared tiles have.
        (("--path-file", str(file), "-p", "1"), str(58**2 - 8 * 4 * 4)),
    ):
        (row,) = rows(*arguments)
        assert row["enumerated"] is None
        assert row["forms"]["tile-polynomial"] == count


@pytest.mark.parametrize("form", [["--json"], ["--csv"], []])
def test_numbers_of_many_digits_are_written(form: list[str]) -> None:
    result = run("ssc", *form, "-p", str(UNREADABLE), "--no-enumerate")
    count = diagrams("bell", UNREADABLE)
    assert result.code == 0
    assert (count if form else f"{int(count):,}") in result.out


def test_numbers_are_sorted_and_paths_in_the_order_given(tmp_path: Path) -> None:
    found = rows("-p", "3, 1..2,2", "--no-enumerate")
    assert [row["pieces"] for row in found] == [1, 2, 3]
    names = "masters,finkel,bell,michon-single-long,aseb"
    found = rows("--path", names, "-p", "1", "--no-enumerate")
    assert [row["path"] for row in found] == ["masters", "bell", "aseb"]
    # A file brings its own: two private tiles and one that both cross; one private tile.
    file = tmp_path / "mine.toml"
    text = '[path.{}]\nboard = "standard"\nlight = "{}"\n'
    file.write_text(text.format("mine", "B1 B2") + text.format("other", "A1"), encoding="utf-8")
    found = rows("--path-file", str(file), "-p", "1")
    counts = {row["path"]: row["enumerated"] for row in found}
    assert counts == {"mine": str(4 * 4 - 2), "other": str(3 * 3)}
    found = rows("--path-file", str(file), "--path", "other,bell", "-p", "1", "--no-enumerate")
    assert [row["path"] for row in found] == ["other", "bell"]


@pytest.mark.parametrize("form", [[], ["--json"], ["--csv"]])
def test_a_file_gets_what_stdout_would(form: list[str], tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_text("old", encoding="utf-8")
    arguments = ("ssc", "-p", "1..4", "--no-enumerate", *form)
    result = run(*arguments, "-o", str(file))
    assert (result.code, result.out) == (0, "")
    assert file.read_text(encoding="utf-8") == run(*arguments).out
    assert list(tmp_path.iterdir()) == [file], "no temporary file stays"


# enumerate


def test_enumerate_writes_every_diagram_once(tmp_path: Path) -> None:
    result = run("enumerate", "-p", "1")
    assert (result.code, result.err) == (0, "")
    # One piece each: start, a step or home; no two on the lane's tile.
    expected = set()
    for light, dark in product(range(16), repeat=2):
        if not (light == dark and 5 <= light <= 12):
            sides = [str(step) if 1 <= step <= 14 else "-" for step in (light, dark)]
            expected.add(f"{sides[0]}/{sides[1]}/{light // 15}-{dark // 15}/L")
    lines = result.out.splitlines()
    assert sorted(lines) == sorted(expected), "no line comes twice"
    assert len(lines) == POST[1][0] == 248
    # The same in other forms.
    rows = run("enumerate", "-p", "1", "--json").json["rows"]
    assert [row["diagram"] for row in rows] == lines
    assert [row["diagram"] for row in run("enumerate", "-p", "1", "--csv").rows] == lines
    file = tmp_path / "out.txt"
    assert run("enumerate", "-p", "1", "-o", str(file)).out == ""
    assert file.read_text(encoding="utf-8") == result.out


# rank and unrank


@pytest.mark.parametrize(
    "options", ["", "--order pattern", "--path murray", "--path masters --dark-pieces 2"]
)
def test_ranks_number_what_enumerate_writes(options: str) -> None:
    lines = run("enumerate", "-p", "1", *options.replace("--order pattern", "").split()).out
    ranks = run("rank", "-p", "1", *options.split(), stdin=lines)
    assert (ranks.code, ranks.err) == (0, "")
    assert sorted(map(int, ranks.out.split())) == list(range(lines.count("\n")))
    back = run("unrank", "-p", "1", *options.split(), "--json", stdin=ranks.out).json
    assert [row["position"] for row in back["rows"]] == lines.split()


@pytest.mark.parametrize("convention", ["diagrams", "positions", "mover-view"])
@pytest.mark.parametrize("path", ["bell", "skiriuk"])
def test_rank_and_unrank_are_inverse(path: str, convention: str) -> None:
    options = ("--path", path, "-p", "7", "--convention", convention)
    drawn = run("sample", *options, "-n", "50", "--seed", "5", "--json").json
    ranks = "".join(f"{row['rank']}\n" for row in drawn["rows"])
    positions = "".join(f"{row['position']}\n" for row in drawn["rows"])
    assert run("rank", *options, stdin=positions).out == ranks
    read = run("unrank", *options, stdin=ranks).out
    on = urcx.path(path)
    assert read.split() == [parse_position(text).on(on) for text in positions.split()]
    assert run("rank", *options, stdin=read).out == ranks


def test_positions_and_ranks_are_lines_or_words() -> None:
    assert run("rank", "-p", "1", stdin="\n-/-/0-0/L\n  \n").out.count("\n") == 1
    assert run("rank", "2/6,3/5-5/L", "-/-/0-0/L").out == "52846063\n0\n"


def test_what_a_rank_makes_of_darks_turn_is_said_once() -> None:
    line = ("rank", "-p", "1", "1/-/0-0/D", "2/-/0-0/D", "2/-/0-0/L", "--convention")
    assert run(*line, "positions").err == ""
    turned = run("rank", "-p", "1", "-/1/0-0/L", "--convention", "mover-view")
    assert run(*line, "mover-view").out.startswith(turned.out)
    for convention, words in (("diagrams", "no side to move"), ("mover-view", "sides exchanged")):
        done = run(*line, convention)
        assert done.err.count("\n") == 1
        assert words in done.err
        assert run(*line[:3], "2/-/0-0/L", "--convention", convention).err == ""
    assert run("unrank", "52846063", "0").out == "A3/C2,B2/5-5/L\n-/-/0-0/L\n"
    document = run("rank", "2/6,3/5-5/L", "--json").json
    assert (document["schema"], document["path"]) == ("urcx.rank/1", "bell")
    assert document["rows"] == [{"position": "2/3,6/5-5/L", "rank": "52846063"}]
    back = run("unrank", "--json", stdin="52846063\n").json
    assert (back["schema"], back["rows"]) == ("urcx.unrank/1", document["rows"])
    for command, word in (("rank", "2/3,6/5-5/L"), ("unrank", "52846063")):
        rows = run(command, word, "--csv", "--no-header").out
        assert rows == 'position,rank\n"2/3,6/5-5/L",52846063\n'


def test_a_filter_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "ranks.txt"
    file.write_text("old\n", encoding="utf-8")
    result = run("rank", "-p", "1", "-o", str(file), stdin="-/-/0-0/L\n\n-/-/0-0/X\n")
    assert "line 3" in assert_one_line(result, 2)
    assert file.read_text(encoding="utf-8") == "old\n"
    assert list(tmp_path.iterdir()) == [file]


# sample


def test_sample_says_how_it_drew() -> None:
    options = ("sample", "--path", "masters", "-p", "7", "-n", "20", "--seed")
    drawn = run(*options, "3").out
    positions = [position_on(line, urcx.path("masters")) for line in drawn.splitlines()]
    assert len(positions) == 20
    assert run(*options, "3").out == drawn
    assert run(*options, "4").out != drawn
    document = run(*options, "3", "--json").json
    assert (document["schema"], document["seed"]) == ("urcx.sample/1", 3)
    assert document["states"] == diagrams("masters", 7)
    assert [row["position"] for row in document["rows"]] == list(map(str, positions))
    assert all(isinstance(row["rank"], str) for row in document["rows"])
    assert run(*options, "3", "--csv").rows == document["rows"]


@pytest.mark.parametrize("command", ["ssc --no-enumerate -p 2", "enumerate -p 1", "sample -n 3"])
def test_a_path_may_be_a_word(command: str) -> None:
    assert run(*command.split(), "aseb").out == run(*command.split(), "--path", "aseb").out


# Other games.


def test_other_games_on_the_command_line(tmp_path: Path) -> None:
    document = run("ssc", "--game", "backgammon,chess", "--json").json
    assert document["schema"] == "urcx.board-games/1"
    assert [row["states"] for row in document["rows"]] == ["18528584051601162496", None]
    ranged = run("ssc", "--game", "checkers", "-p", "1..3", "--csv").rows
    assert [row["pieces"] for row in ranged] == ["1", "2", "3"]
    checked = run("ssc", "--game", "senet", "--symbolic", "--enumerate").out
    assert "sympy agrees in 1 of 1, visits agree in 1 of 1" in checked
    assert r"\left(" in run("ssc", "--game", "senet", "--latex").out
    file = tmp_path / "games.svg"
    run("ssc", "--game", "all", "--plot", str(file))
    assert file.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("--game backgamon", "did you mean backgammon?"),
        ("--game backgammon -p 31", "--pieces 31: must be from 1 to 30"),
        ("--game go-9 -p 7", "--pieces 7: go-9 has a fixed number"),
        ("--game all -p 7", "--pieces needs a single game"),
        ("bell --game go-9", "a path cannot be combined with --game"),
        ("--game go-9 --form michon", "--form cannot be combined with --game"),
        ("--game go-9 --dark-pieces 3", "--dark-pieces cannot be combined"),
        ("--game go-9 --bfile", "--bfile cannot be combined with --game"),
        ("--symbolic", "--symbolic needs --game"),
    ],
)
def test_what_makes_no_sense_with_other_games(line: str, reason: str) -> None:
    assert reason in assert_one_line(run("ssc", *line.split()), 2)
