"""``urcx ssc``: the numbers of the sources, and the stable names of its JSON and CSV."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from command_line import diagrams, run

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
BELL = (
    "A4 A3 A2 A1 B1 B2 B3 B4 B5 B6 B7 B8 A8 A7",
    "C4 C3 C2 C1 B1 B2 B3 B4 B5 B6 B7 B8 C8 C7",
)
MURRAY = (
    "A4 A3 A2 A1 B1 B2 B3 B4 B5 B6 B7 C7 C8 B8 A8 A7 B7 B6 B5 B4 B3 B2 B1 C1 C2 C3 C4",
    "C4 C3 C2 C1 B1 B2 B3 B4 B5 B6 B7 A7 A8 B8 C8 C7 B7 B6 B5 B4 B3 B2 B1 A1 A2 A3 A4",
)
FORMS = {"tile-polynomial", "reader", "michon", "raposo", "raposo-program", "binomial", "bits"}
# So many decimal digits are more than Python writes without being asked to.
UNREADABLE = 10_000


def rows(*arguments: str) -> list[dict[str, Any]]:
    document = run("ssc", "--json", *arguments).json
    assert document["schema"] == "urcx.ssc/1"
    return list(document["rows"])


def no_floats_for_counts(row: dict[str, Any]) -> None:
    counts = [row["branches"], *(value for value in row["forms"].values() if value is not None)]
    counts += [row["enumerated"]] if row["enumerated"] is not None else []
    assert all(isinstance(value, str) and re.fullmatch("[0-9]+", value) for value in counts)


# Numbers.


def check_against_post(found: list[dict[str, Any]], pieces: range) -> None:
    assert [row["pieces"] for row in found] == list(pieces)
    for row in found:
        states, branches = (str(value) for value in POST[row["pieces"]])
        assert row["enumerated"] == states
        assert row["branches"] == branches
        for form in ("tile-polynomial", "reader", "michon"):
            assert row["forms"][form] == states
            assert form in row["agree"]


def test_the_posts_table() -> None:
    check_against_post(rows("--path", "bell", "-p", "1..2"), range(1, 3))


@pytest.mark.jit
def test_the_posts_whole_table() -> None:
    check_against_post(rows("--path", "bell", "-p", "1..10"), range(1, 11))


def test_the_posts_naive_forms() -> None:
    # "2 * 7 * 4 or 56 bits", "34 bits total", and its table of binomials.
    (row,) = rows("-p", "7", "--no-enumerate")
    assert row["forms"]["bits"] == str(2**34)
    assert row["forms"]["bits-pieces"] == str(2**56)
    assert row["forms"]["binomial"] == "130873600"
    assert not {"bits", "bits-pieces", "binomial"} & set(row["agree"])


@pytest.mark.parametrize("pieces", [1, 2])
def test_murray_against_brute_force(pieces: int) -> None:
    (row,) = rows("--path", "murray", "-p", str(pieces))
    count = diagrams(*MURRAY, pieces, pieces)
    # Of 29 x 29 placements of one piece each, 7 tiles crossed twice and 13 crossed once clash.
    assert pieces > 1 or count == 29 * 29 - 7 * 4 - 13
    assert row["enumerated"] == row["forms"]["tile-polynomial"] == str(count)
    assert row["agree"] == ["tile-polynomial"]
    # The sources' forms are stated for paths crossed once; null says so, a number would lie.
    assert row["forms"]["reader"] is row["forms"]["michon"] is row["forms"]["binomial"] is None


def test_long_tracks_as_michon_counts_them() -> None:
    # His 312 is right; his numbers for two pieces and more are not, hence brute force.
    found = rows("--path", "masters", "-p", "1..2", "--no-enumerate")
    assert found[0]["forms"]["michon"] == "312"
    masters = (
        "A4 A3 A2 A1 B1 B2 B3 B4 B5 B6 B7 C7 C8 B8 A8 A7",
        "C4 C3 C2 C1 B1 B2 B3 B4 B5 B6 B7 A7 A8 B8 C8 C7",
    )
    assert found[1]["forms"]["michon"] == str(diagrams(*masters, 2, 2))


@pytest.mark.parametrize(("light", "dark"), [(2, 1), (1, 3)])
def test_unequal_numbers_of_pieces(light: int, dark: int) -> None:
    (row,) = rows("-p", str(light), "--dark-pieces", str(dark))
    assert (row["pieces"], row["dark_pieces"]) == (light, dark)
    assert row["enumerated"] == str(diagrams(*BELL, light, dark))


@pytest.mark.jit
def test_five_pieces_against_seven() -> None:
    (row,) = rows("-p", "5", "--dark-pieces", "7")
    assert (row["path"], row["pieces"], row["dark_pieces"]) == ("bell", 5, 7)
    assert row["enumerated"] == row["forms"]["tile-polynomial"] == str(diagrams(*BELL, 5, 7))
    assert row["forms"]["reader"] is row["forms"]["michon"] is None
    # Exchanging the players exchanges whose branches are whose.
    (turned,) = rows("-p", "7", "--dark-pieces", "5")
    assert turned["enumerated"] == row["enumerated"]
    assert turned["branches"] == row["dark_branches"] != row["branches"]


# Interface.


def test_json_names() -> None:
    document = run("ssc", "--json", "-p", "1").json
    assert list(document)[:2] == ["schema", "version"]
    (row,) = document["rows"]
    named = {"path", "pieces", "dark_pieces", "forms", "enumerated", "branches", "agree", "seconds"}
    assert named <= set(row)
    assert set(row["forms"]) >= FORMS
    assert isinstance(row["seconds"], float)
    assert isinstance(row["pieces"], int)
    no_floats_for_counts(row)
    # Every figure says whether it is exact.
    assert set(document["exactness"]) == set(row["forms"])
    assert document["convention"] == "diagrams"


def test_csv_has_the_numbers_of_the_json() -> None:
    arguments = ("-p", "1..3", "--path", "bell,murray", "--no-enumerate")
    table = list(csv.DictReader(io.StringIO(run("ssc", "--csv", *arguments).out)))
    found = rows(*arguments)
    assert len(table) == len(found) == 6
    for line, row in zip(table, found, strict=True):
        assert (line["path"], int(line["pieces"])) == (row["path"], row["pieces"])
        assert line["branches"] == row["branches"]
        assert line["enumerated"] == ""
        assert line["agree"].split() == row["agree"]
        for form, value in row["forms"].items():
            assert line[form] == (value or "")


def test_the_text_has_every_digit_on_one_line_a_row() -> None:
    result = run("ssc", "-p", "9..10", "--no-enumerate", "--wide")
    assert result.code == 0
    lines = [line for line in result.out.splitlines() if re.match(r" *(9|10) ", line)]
    assert [line.split()[0] for line in lines] == ["9", "10"]
    for line, pieces in zip(lines, (9, 10), strict=True):
        assert all(f"{value:,}" in line for value in POST[pieces])
    assert len(lines[1]) > 80, "not cut to a terminal's width"


def test_nothing_is_enumerated_when_told_not_to() -> None:
    for row in rows("-p", "1..3", "--no-enumerate"):
        assert row["enumerated"] is None
        assert row["seconds"] is None
        no_floats_for_counts(row)
        assert row["branches"] == str(POST[row["pieces"]][1])


def test_what_takes_hours_is_enumerated_only_on_demand() -> None:
    result = run("ssc", "--json", "--path", "murray", "-p", "1,9")
    first, second = result.json["rows"]
    assert first["enumerated"] == str(diagrams(*MURRAY, 1, 1))
    assert second["enumerated"] is None
    assert result.err.startswith("urcx: ")
    assert result.err.count("\n") == 1
    assert "--enumerate" in result.err


@pytest.mark.parametrize("pieces", [("-p", "1", "--dark-pieces", "300"), ("-p", "300")])
def test_closed_forms_go_beyond_what_the_enumerator_holds(pieces: tuple[str, ...]) -> None:
    (row,) = rows(*pieces)
    assert row["enumerated"] is None
    count = diagrams(*BELL, row["pieces"], row["dark_pieces"])
    assert row["forms"]["tile-polynomial"] == str(count)


def test_a_path_too_long_for_the_enumerator_has_closed_forms(tmp_path: Path) -> None:
    file = tmp_path / "four.toml"
    laps = ", ".join(['"A4..A1 B1..B8 A8 A7"'] * 4)
    file.write_text(f'[path.four]\nboard = "standard"\nlight = [{laps}]\n', encoding="utf-8")
    (row,) = rows("--path-file", str(file), "-p", "1")
    assert row["enumerated"] is None
    light, dark = (" ".join([way] * 4) for way in BELL)
    assert row["forms"]["tile-polynomial"] == str(diagrams(light, dark, 1, 1))


@pytest.mark.parametrize("form", ["--json", "--csv", None])
def test_numbers_of_many_digits_are_written(form: str | None) -> None:
    options = [form] if form else []
    result = run("ssc", *options, "-p", str(UNREADABLE), "--no-enumerate")
    count = diagrams(*BELL, UNREADABLE, UNREADABLE)
    assert result.code == 0
    assert (str(count) if form else f"{count:,}") in result.out


def test_ranges_are_sorted_and_without_repeats() -> None:
    found = rows("-p", "3, 1..2,2", "--no-enumerate")
    assert [row["pieces"] for row in found] == [1, 2, 3]


def test_several_paths_and_aliases_in_the_order_given() -> None:
    names = "masters,finkel,bell,michon-single-long,aseb"
    found = rows("--path", names, "-p", "1", "--no-enumerate")
    assert [row["path"] for row in found] == ["masters", "bell", "aseb"]


def test_a_file_brings_its_own_paths(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        '[path.mine]\nboard = "standard"\nlight = "B1 B2"\n'
        '[path.other]\nboard = "standard"\nlight = "A1"\n',
        encoding="utf-8",
    )
    found = rows("--path-file", str(file), "-p", "1")
    assert [row["path"] for row in found] == ["mine", "other"]
    assert [row["enumerated"] for row in found] == [
        str(diagrams("B1 B2", "B1 B2", 1, 1)),
        str(diagrams("A1", "C1", 1, 1)),
    ]
    found = rows("--path-file", str(file), "--path", "other,bell", "-p", "1", "--no-enumerate")
    assert [row["path"] for row in found] == ["other", "bell"]


# Writing to a file.


@pytest.mark.parametrize("form", [[], ["--json"], ["--csv"]])
def test_a_file_gets_what_stdout_would(form: list[str], tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_text("old", encoding="utf-8")
    arguments = ("ssc", "-p", "1..4", "--no-enumerate", *form)
    result = run(*arguments, "-o", str(file))
    assert (result.code, result.out) == (0, "")
    assert file.read_text(encoding="utf-8") == run(*arguments).out
    assert list(tmp_path.iterdir()) == [file], "no temporary file stays"


# Symbolically.


def test_symbolic_polynomial_and_generating_function_give_the_counts() -> None:
    document = run("ssc", "--symbolic", "--json", "--path", "bell,masters").json
    assert document["schema"] == "urcx.symbolic/1"
    bell, masters = document["rows"]
    polynomial = sp.sympify(bell["polynomial"]["text"])
    p, q, z = sp.symbols("p q z")
    for pieces in (14, 20):
        assert int(polynomial.subs({"p": pieces})) == diagrams(*BELL, pieces, pieces)
    assert sp.degree(polynomial, p) == 2
    assert bell["fillable_tiles"] == [14, 14]
    # It holds for p at or above the tiles that a player can fill, and not for all below.
    assert int(polynomial.subs({"p": 12})) != diagrams(*BELL, 12, 12)
    bilinear = sp.sympify(bell["bilinear"]["text"])
    assert int(bilinear.subs({p: 15, q: 17})) == diagrams(*BELL, 15, 17)
    series = sp.Poly(
        sp.series(sp.sympify(bell["generating_function"]["text"]), z, 0, 5).removeO(), z
    )
    assert series.all_coeffs()[::-1] == [1, *(POST[k][0] for k in range(1, 5))]
    assert bell["proof"]["holds"] is masters["proof"]["holds"] is True
    assert masters["fillable_tiles"] == [16, 16]


def test_symbolic_text_and_latex() -> None:
    text = run("ssc", "--symbolic")
    assert (text.code, text.err) == (0, "")
    assert "The identity holds." in text.out
    assert "FAILED" not in text.out
    latex = run("ssc", "--symbolic", "--latex")
    assert r"\binom" in latex.out
    assert r"\binom" not in text.out


def test_symbolic_says_what_is_not_stated_for_murray() -> None:
    (row,) = run("ssc", "--symbolic", "--json", "--path", "murray").json["rows"]
    assert row["forms"]["reader"]["text"] is None
    assert "twice" in row["forms"]["reader"]["reason"]
    assert row["proof"]["holds"] is None
    # 13 tiles crossed once and 7 crossed twice by each, at 20 pieces a side.
    x, y = sp.symbols("x y")
    tiles = sp.Poly((1 + x + y) ** 13 * (1 + 2 * x + 2 * y) ** 7, x, y)
    count = sum(ways * (20 - i + 1) * (20 - j + 1) for (i, j), ways in tiles.terms())
    assert int(sp.sympify(row["polynomial"]["text"]).subs({"p": 20})) == count
    assert row["fillable_tiles"] == [20, 20]
