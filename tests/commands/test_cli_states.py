"""``enumerate``, ``rank``, ``unrank``, ``sample`` and ``conflicts``: single states and pairs."""

from __future__ import annotations

from itertools import product
from math import comb
from pathlib import Path

import pytest
from command_line import assert_one_line, run

import urcx
from urcx.complexity import tiles
from urcx.rules.position import check, parse_position

# The post's counts.
POST = {1: (248, 232), 2: (13_112, 24_148), 3: (264_304, 714_720)}


def parsed(text: str, path: str, pieces: int, dark: int | None = None) -> set[str]:
    """Return lines of positions, each parsed and checked."""
    lines = text.splitlines()
    for line in lines:
        check(parse_position(line), urcx.path(path), pieces, dark)
    assert len(set(lines)) == len(lines), "no line comes twice"
    return set(lines)


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
    assert parsed(result.out, "bell", 1) == expected
    assert len(expected) == POST[1][0] == 248
    # The same in other forms.
    lines = result.out.splitlines()
    rows = run("enumerate", "-p", "1", "--json").json["rows"]
    assert [row["diagram"] for row in rows] == lines
    assert [row["diagram"] for row in run("enumerate", "-p", "1", "--csv").rows] == lines
    file = tmp_path / "out.txt"
    assert run("enumerate", "-p", "1", "-o", str(file)).out == ""
    assert file.read_text(encoding="utf-8") == result.out


def test_enumerate_murray_with_unequal_numbers() -> None:
    out = run("enumerate", "--path", "murray", "-p", "2", "--dark-pieces", "1").out
    assert len(parsed(out, "murray", 2, 1)) == tiles.diagrams(urcx.path("murray"), 2, 1)


@pytest.mark.parametrize("visit", ["count", "branches", "checksum", "ranks"])
def test_enumerate_visitors(visit: str) -> None:
    document = run("enumerate", "-p", "2", "--visit", visit, "--json").json
    assert document["schema"] == "urcx.enumerate/1"
    assert (document["path"], document["pieces"], document["dark_pieces"]) == ("bell", 2, 2)
    assert document["diagrams"] == str(POST[2][0])
    assert "13,112" in run("enumerate", "-p", "2", "--visit", visit).out
    if visit == "branches":
        assert document["branches"] == document["dark_branches"] == str(POST[2][1])
    if visit == "checksum":
        assert len(document["checksum"]) == 16
        again = run("enumerate", "-p", "2", "--visit", visit, "--json").json
        assert again["checksum"] == document["checksum"]
    if visit == "ranks":
        assert document["bijective"] is True
        assert document["ranks_hit_once"] == str(POST[2][0])
        assert document["ranks_hit_repeatedly"] == document["outside"] == "0"
        other = run("enumerate", "-p", "2", "--visit", visit, "--order", "pattern", "--json").json
        assert (other["order"], other["bijective"]) == ("pattern", True)


# rank and unrank


@pytest.mark.parametrize(
    "options", ["", "--order pattern", "--path murray", "--path masters --dark-pieces 2"]
)
def test_ranks_number_what_enumerate_writes(options: str) -> None:
    lines = run("enumerate", "-p", "1", *options.replace("--order pattern", "").split()).out
    ranks = run("rank", "-p", "1", *options.split(), stdin=lines)
    assert (ranks.code, ranks.err) == (0, "")
    assert sorted(map(int, ranks.out.split())) == list(range(lines.count("\n")))
    assert run("unrank", "-p", "1", *options.split(), stdin=ranks.out).out == lines


@pytest.mark.parametrize("convention", ["diagrams", "positions", "mover-view"])
@pytest.mark.parametrize("path", ["bell", "skiriuk"])
def test_rank_and_unrank_are_inverse(path: str, convention: str) -> None:
    options = ("--path", path, "-p", "7", "--convention", convention)
    drawn = run("sample", *options, "-n", "50", "--seed", "5", "--json").json
    ranks = "".join(f"{row['rank']}\n" for row in drawn["rows"])
    positions = "".join(f"{row['position']}\n" for row in drawn["rows"])
    assert run("rank", *options, stdin=positions).out == ranks
    assert run("unrank", *options, stdin=ranks).out == positions


@pytest.mark.parametrize(
    ("options", "lines", "different"),
    [
        ("-p 1", "1/-/0-0/L 1/-/0-0/D", 1),  # a diagram has no side to move
        ("-p 1 --convention positions", "1/-/0-0/L 1/-/0-0/D", 2),
        ("-p 7 --convention mover-view", "1,3/5/0-2/L 5/1,3/2-0/D", 1),
    ],
)
def test_what_is_one_state_depends_on_the_convention(
    options: str, lines: str, different: int
) -> None:
    ranks = run("rank", *options.split(), stdin=lines.replace(" ", "\n")).out.split()
    assert len(ranks) == 2
    assert len(set(ranks)) == different


def test_positions_and_ranks_are_lines_or_words() -> None:
    assert run("rank", "-p", "1", stdin="\n-/-/0-0/L\n  \n").out.count("\n") == 1
    assert run("rank", "2/6,3/5-5/L", "-/-/0-0/L").out == "52846063\n0\n"
    assert run("unrank", "52846063", "0").out == "2/3,6/5-5/L\n-/-/0-0/L\n"
    document = run("rank", "2/6,3/5-5/L", "--json").json
    assert (document["schema"], document["path"]) == ("urcx.rank/1", "bell")
    assert document["rows"] == [{"position": "2/3,6/5-5/L", "rank": "52846063"}]
    back = run("unrank", "--json", stdin="52846063\n").json
    assert (back["schema"], back["rows"]) == ("urcx.unrank/1", document["rows"])
    for command, word in (("rank", "2/3,6/5-5/L"), ("unrank", "52846063")):
        assert run(command, word, "--csv").out == 'position,rank\n"2/3,6/5-5/L",52846063\n'


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
    assert len(parsed(drawn, "masters", 7)) == 20
    assert run(*options, "3").out == drawn
    assert run(*options, "4").out != drawn
    document = run(*options, "3", "--json").json
    assert (document["schema"], document["seed"]) == ("urcx.sample/1", 3)
    assert document["states"] == str(tiles.diagrams(urcx.path("masters"), 7, 7))
    assert [row["position"] for row in document["rows"]] == drawn.splitlines()
    assert all(isinstance(row["rank"], str) for row in document["rows"])
    assert run(*options, "3", "--csv").rows == document["rows"]


def test_sample_reaches_everything() -> None:
    # That 5,000 draws miss one of 248 has a chance below 1e-6; the seed makes it all or nothing.
    drawn = run("sample", "-p", "1", "-n", "5000").out.splitlines()
    assert set(drawn) == set(run("enumerate", "-p", "1").out.splitlines())


# conflicts


def test_conflicts_are_the_pairs_that_are_no_diagrams() -> None:
    document = run("conflicts", "-p", "1..3", "--json").json
    assert document["schema"] == "urcx.conflicts/1"
    for row, pieces in zip(document["rows"], (1, 2, 3), strict=True):
        # On 14 steps k pieces, and the others in the pool or home.
        own = sum(comb(14, k) * (pieces - k + 1) for k in range(pieces + 1))
        assert (row["pieces"], row["placements"], row["pairs"]) == (pieces, str(own), str(own**2))
        assert row["diagrams"] == str(POST[pieces][0])
        assert int(row["pairs"]) - int(row["conflicts"]) == POST[pieces][0]
    rows = run("conflicts", "-p", "1..3", "--csv").rows
    assert [row["diagrams"] for row in rows] == [str(states) for states, _ in POST.values()]
    text = run("conflicts", "-p", "1..3").out
    assert all(f"{states:,}" in text for states, _ in POST.values())
    (row,) = run("conflicts", "--path", "murray", "-p", "1", "--json").json["rows"]
    # Seven tiles crossed twice by each, thirteen once.
    assert (row["pairs"], row["conflicts"]) == (str(29**2), str(7 * 4 + 13))


def test_json_is_one_object_that_names_schema_and_version_first() -> None:
    for arguments in (["sample"], ["conflicts"], ["enumerate", "--visit", "count"], ["paths"]):
        document = run(*arguments, "--json").json
        assert list(document)[:2] == ["schema", "version"]
        assert document["version"] == urcx.__version__


@pytest.mark.parametrize(
    "command", ["ssc --no-enumerate -p 2", "conflicts -p 1", "enumerate -p 1", "sample -n 3"]
)
def test_a_path_may_be_a_word(command: str) -> None:
    assert run(*command.split(), "aseb").out == run(*command.split(), "--path", "aseb").out
