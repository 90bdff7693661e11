from __future__ import annotations

import csv
import io
from fractions import Fraction
from pathlib import Path

import pytest
from command_line import assert_one_line, run

EXAMPLE = "2/3,6/5-5/L"


def test_table_3_is_printed() -> None:
    out = run("gain", EXAMPLE).out
    rows = [line.split()[:6] for line in out.splitlines() if line[:2] in ("AA", "AB", "BA", "BB")]
    # Raposo and Lamont, Table 3, but for 1.35, 1.24, 0.84 and -5.92, which are wrong.
    assert rows[:4] == [
        ["AA", "tables", "1.34", "0.14", "-5.13", "-3.64"],
        ["AB", "tables", "1.23", "0.02", "-4.25", "-2.99"],
        ["BA", "tables", "2.61", "0.38", "-4.25", "-1.27"],
        ["BB", "tables", "2.61", "1.22", "-9.38", "-5.55"],
    ]
    assert "A at the start, B on step 2" in out
    assert "-(4+4)*(1/16)*(1/16)" in out
    assert "/12" in out
    mended = run("gain", EXAMPLE, "--reading", "mended", "--sequences", "AB").out
    assert "Terms of the reading mended" in mended
    assert "44/443" in mended  # after own 44, the opponent's 443


def test_gain_as_json() -> None:
    data = run("gain", EXAMPLE, "--json").json
    assert data["schema"] == "urcx.gain/1"
    assert data["exactness"] == "exact"
    assert data["pieces"] == [{"label": "A", "step": 0}, {"label": "B", "step": 2}]
    assert data["best"] == {"tables": "BA", "text": "BA", "mended": "BB"}
    assert [row["sequence"] for row in data["rows"]] == ["AA", "AB", "BA", "BB"]
    first = data["rows"][0]
    assert (first["W"], first["A"], first["C"], first["G"]) == ("43/32", "9/64", "-41/8", "-233/64")
    assert (first["C_rounded"], first["G_rounded"]) == ("-5.13", "-3.64")
    for item in (first, first["text"], first["mended"]):
        for part in "WAC":
            values = [Fraction(t["value"]) for t in item["terms"] if t["part"] == part]
            assert sum(values) == Fraction(item[part])
    reply = first["terms"][-1]
    assert (reply["tile"], reply["rolls"], reply["replies"]) == (7, "", "13")
    assert reply["product"] == "-7*(4/16)*(4/16)"


def test_gain_of_a_known_roll_and_of_chosen_sequences() -> None:
    data = run("gain", EXAMPLE, "--roll", "2", "--json").json
    assert (data["roll"], [row["sequence"] for row in data["rows"]]) == (2, ["BA", "BB"])
    assert data["rows"][0]["W"] == "29/8"  # 2 + 2 - 6/16
    data = run("gain", EXAMPLE, "--sequences", "bba,AB", "--json").json
    assert [row["sequence"] for row in data["rows"]] == ["BBA", "AB"]
    dark = run("gain", "3,6/2/5-5/D", "--json").json
    assert dark["rows"] == run("gain", EXAMPLE, "--json").json["rows"]


def test_gain_as_csv(tmp_path: Path) -> None:
    file = tmp_path / "gain.csv"
    assert run("gain", EXAMPLE, "--csv", "-o", str(file)).code == 0
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert [row["reading"] for row in rows] == ["tables"] * 4 + ["text"] * 4 + ["mended"] * 4
    assert rows[2]["G"] == "-81/64"
    assert "A to G at the start" in run("gain").out


def test_capture_of_figure_7() -> None:
    data = run("capture", "1/6/6-6/D", "--json").json
    assert data["schema"] == "urcx.capture/1"
    (own,) = [item for item in data["hunts"] if item["hunter"] == "light"]
    assert [item["rolls"] for item in own["shortest"]] == ["032", "133"]
    assert own["estimate"] == "11/512"
    assert 0.1 < own["ever_value"] == float(Fraction(own["ever"])) < 0.11
    out = run("capture", "1/6/6-6/D").out
    assert "032 133" in out
    assert "2.15 %" in out
    assert "10.55 %" in out


def test_capture_of_figure_6() -> None:
    data = run("capture", "3,4/2,4/0-0/L", "--roll", "2", "--json").json
    found = {(row["from"], row["to"]): row for row in data["rows"]}
    assert found[3, 5]["single_chance"] == "1/2"
    assert found[3, 5]["sequences"] == "1 3 43 421 441 443"
    assert found[4, 6]["chance"] == "7/16"
    assert "43.75 %" in run("capture", "3,4/2,4/0-0/L", "--roll", "2").out
    none = run("capture", "3,4/2,4/0-0/L", "--csv").out
    assert none.startswith("step,tile,single_rolls")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["gain", EXAMPLE, "--sequences", "AC"], "no piece 'C'; known: A (start), B (step 2)"),
        (["gain", EXAMPLE, "--sequences", ","], "empty"),
        (["gain", EXAMPLE, "--sequences", "AAAAAAA"], "at most 6"),
        (["gain", EXAMPLE, "--roll", "5"], "binary4 give 0, 1, 2, 3, 4"),
        (["gain", EXAMPLE, "--roll", "0"], "no piece of light may move by the roll 0"),
        (
            ["gain", EXAMPLE, "--sequences", "A", "--roll", "2"],
            "A (start) may not move by the roll 2",
        ),
        (["gain", EXAMPLE, "--reading", "mend"], "did you mean mended"),
        (["gain", "-/-/7-0/D"], "the game is over"),
        (["gain", "15/-/0-0/L"], "step 15 is off the path bell"),
        (["gain", EXAMPLE, "--json", "--csv"], "exclude each other"),
        (["capture", "1/16/6-6/D"], "step 16 is off the path bell"),
        (["capture", "1/6/6-6/L", "--roll", "0"], "no piece of light may move by the roll 0"),
        (["capture", "1/6/6-6/L", "--roll", "9"], "give 0, 1, 2, 3, 4"),
        (["capture", "1/6/7-6/L"], "more than 7"),
    ],
)
def test_what_has_no_gain_is_one_line(arguments: list[str], words: str) -> None:
    assert words in assert_one_line(run(*arguments), 2)
