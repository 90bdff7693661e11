"""``urcx paths``: the catalogue listed, a path drawn."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from command_line import run

from urcx.rules import catalogue


def test_the_list_has_everything_under_its_name() -> None:
    result = run("paths")
    assert (result.code, result.err) == (0, "")
    full = catalogue.catalogue()
    words = result.out.replace(";", " ").split()
    for name in (*full.paths, *full.rules, *full.dice):
        assert name in words


def test_json_of_the_list() -> None:
    document = run("paths", "--json").json
    assert document["schema"] == "urcx.paths/1"
    paths = {item["name"]: item for item in document["paths"]}
    assert tuple(paths) == catalogue.path_names()
    assert paths["masters"]["light"][11] == paths["masters"]["dark"][15] == "C7"
    assert paths["murray"]["private"] == [0, 0]
    rules = {item["name"]: item for item in document["rules"]}
    assert (rules["blitz"]["path"], rules["blitz"]["pieces"]) == ("masters", 5)
    assert rules["blitz"]["capture_grants_roll"] is True
    assert rules["finkel"]["aliases"] == ["bell", "bm", "standard"]
    dice = {item["name"]: item for item in document["dice"]}
    # Exact, as fractions: a float would round a third.
    assert dice["d6-substitute"]["probabilities"]["2"] == "1/3"
    assert dice["binary3"]["mean"] == "3/2"


def test_csv_of_the_list() -> None:
    table = list(csv.DictReader(io.StringIO(run("paths", "--csv").out)))
    assert [(row["name"], row["steps"]) for row in table[:5]] == [
        ("bell", "14"),
        ("masters", "16"),
        ("murray", "27"),
        ("skiriuk", "23"),
        ("aseb", "16"),
    ]


def test_a_path_is_drawn() -> None:
    result = run("paths", "murray")
    assert (result.code, result.err) == (0, "")
    assert "27 steps" in result.out
    assert "michon-long-twisted-backtrack" in result.out
    for label in ("L12 D16", "L4 D24", "5,23", "B4*"):
        assert label in result.out
    assert run("paths", "michon-long-twisted-backtrack").out == result.out


def test_json_of_a_path() -> None:
    document = run("paths", "skiriuk", "--json").json
    assert document["schema"] == "urcx.path/1"
    assert document["name"] == "skiriuk"
    assert len(document["light"]) == document["steps"] == 23
    assert document["laps"] == [16, 7]
    assert document["crossings"]["B3"] == [2, 2]
    assert document["crossings"]["A1"] == [1, 0]


def test_csv_of_the_catalogue_has_all_that_the_tables_show() -> None:
    rows = list(csv.DictReader(io.StringIO(run("paths", "--csv").out)))
    document = run("paths", "--json").json
    for kind, key in (("path", "paths"), ("rules", "rules"), ("dice", "dice")):
        assert [r["name"] for r in rows if r["kind"] == kind] == [r["name"] for r in document[key]]
    murray = next(row for row in rows if row["name"] == "murray" and row["kind"] == "path")
    assert (murray["private_light"], murray["private_dark"]) == ("0", "0")
    crossings = next(p for p in document["paths"] if p["name"] == "murray")["crossings"]
    assert murray["twice"] == str(sum(2 in times for times in crossings.values()))
    dice = next(row for row in rows if row["name"] == "binary4")
    assert dice["probabilities"].startswith("0: 1/16; 1: 1/4")


def test_csv_of_a_path() -> None:
    table = list(csv.DictReader(io.StringIO(run("paths", "bell", "--csv").out)))
    assert len(table) == 28
    rosettes = [(row["side"], row["step"]) for row in table if row["rosette"] == "True"]
    assert rosettes == [(side, step) for side in ("light", "dark") for step in ("4", "8", "14")]


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        '[path.mine]\ntitle = "My own"\nboard = "standard"\nlight = "B1 B2"\n'
        '[rules.game]\npath = "mine"\npieces = 3\ndice = "binary3"\nrosette_grants_roll = false\n'
        "rosette_protects = false\ncapture_grants_roll = false\n",
        encoding="utf-8",
    )
    listed = run("paths", "--path-file", str(file)).out
    assert "mine (yours)" in listed
    assert listed.count("(yours)") == 1
    assert "game" in listed
    drawn = run("paths", "mine", "--path-file", str(file))
    assert "My own" in drawn.out


def test_a_path_that_replaces_a_built_in_one_is_the_one_listed(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[path.bell]\nboard = "standard"\nlight = "B1 B2"\n', encoding="utf-8")
    document = run("paths", "--path-file", str(file), "--json").json
    assert [p["light"] for p in document["paths"] if p["name"] == "bell"] == [["B1", "B2"]]
    assert run("paths", "bell", "--path-file", str(file), "--json").json["light"] == ["B1", "B2"]


def test_a_rule_set_draws_its_path_and_says_its_rules() -> None:
    text = run("paths", "blitz").out
    assert "masters: Masters' path" in text
    assert "5 pieces a side" in text
    assert "does not protect, a capture grants a roll" in text
    some = "a rosette grants a roll (only A1, C1) and protects, a capture grants no roll"
    assert some in run("paths", "seleucid").out
    (rules,) = run("paths", "seleucid", "--json").json["rules"]
    assert rules["rosette_grants_roll"] == ["A1", "C1"]
    document = run("paths", "blitz", "--json").json
    assert (document["name"], [r["name"] for r in document["rules"]]) == ("masters", ["blitz"])
    assert [r["name"] for r in run("paths", "bell", "--json").json["rules"]] == ["finkel", "kwan"]


def test_all_paths_are_counted_by_one_word() -> None:
    rows = run("ssc", "--path", "all", "-p", "2", "--no-enumerate", "--json").json["rows"]
    assert tuple(row["path"] for row in rows) == catalogue.path_names()
