"""gain and capture on the command line; that the numbers are right is tested in tests/strategy."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from command_line import run

EXAMPLE = "2/3,6/5-5/L"


def test_gain_as_a_table_and_csv(tmp_path: Path) -> None:
    out = run("gain", EXAMPLE).out
    rows = [line.split()[:6] for line in out.splitlines() if line[:2] in ("AA", "AB", "BA", "BB")]
    # Raposo and Lamont, Table 3, but for 1.35, 1.24, 0.84 and -5.92, which are wrong.
    assert rows[:4] == [
        ["AA", "tables", "1.34", "0.14", "-5.13", "-3.64"],
        ["AB", "tables", "1.23", "0.02", "-4.25", "-2.99"],
        ["BA", "tables", "2.61", "0.38", "-4.25", "-1.27"],
        ["BB", "tables", "2.61", "1.22", "-9.38", "-5.55"],
    ]
    for words in ("A at the start, B on step 2", "-(4+4)*(1/16)*(1/16)", "/12"):
        assert words in out
    assert "A to G at the start" in run("gain").out
    mended = run("gain", EXAMPLE, "--reading", "mended", "--sequences", "AB").out
    assert "Terms of the reading mended" in mended
    assert "44/443" in mended  # after own 44, the opponent's 443
    table = run("gain", EXAMPLE, "--csv").rows
    assert [row["reading"] for row in table] == ["tables"] * 4 + ["text"] * 4 + ["mended"] * 4
    assert next(row["G"] for row in table if row["sequence"] == "BA") == "-81/64"
    file = tmp_path / "gain.csv"
    assert run("gain", EXAMPLE, "--csv", "-o", str(file)).code == 0
    assert file.read_text("utf-8") == run("gain", EXAMPLE, "--csv").out


def test_gain_as_json() -> None:
    data = run("gain", EXAMPLE, "--json").json
    assert (data["schema"], data["exactness"]) == ("urcx.gain/1", "exact")
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
    dark = run("gain", "3,6/2/5-5/D", "--json").json
    assert dark["rows"] == data["rows"]
    data = run("gain", EXAMPLE, "--roll", "2", "--json").json
    assert (data["roll"], [row["sequence"] for row in data["rows"]]) == (2, ["BA", "BB"])
    assert data["rows"][0]["W"] == "29/8"  # 2 + 2 - 6/16
    data = run("gain", EXAMPLE, "--sequences", "bba,AB", "--json").json
    assert [row["sequence"] for row in data["rows"]] == ["BBA", "AB"]


def test_capture_of_figures_6_and_7() -> None:
    data = run("capture", "1/6/6-6/D", "--json").json
    assert data["schema"] == "urcx.capture/1"
    (own,) = [item for item in data["hunts"] if item["hunter"] == "light"]
    assert [item["rolls"] for item in own["shortest"]] == ["032", "133"]
    assert own["estimate"] == "11/512"
    assert 0.1 < own["ever_value"] == float(Fraction(own["ever"])) < 0.11
    out = run("capture", "1/6/6-6/D").out
    assert all(words in out for words in ("032 133", "2.15 %", "10.55 %"))
    data = run("capture", "3,4/2,4/0-0/L", "--roll", "2", "--json").json
    found = {(row["from"], row["to"]): row for row in data["rows"]}
    assert found[3, 5]["single_chance"] == "1/2"
    assert found[3, 5]["sequences"] == "1 3 43 421 441 443"
    assert found[4, 6]["chance"] == "7/16"
    assert "43.75 %" in run("capture", "3,4/2,4/0-0/L", "--roll", "2").out
    assert run("capture", "3,4/2,4/0-0/L", "--csv").out.startswith("step,tile,single_rolls")
