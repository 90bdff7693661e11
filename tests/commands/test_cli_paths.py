"""``urcx paths``: the catalogue listed, a path drawn."""

from __future__ import annotations

from pathlib import Path

from command_line import run

from urcx.rules import catalogue


def test_the_list_has_everything_under_its_name() -> None:
    result = run("paths")
    assert (result.code, result.err) == (0, "")
    full = catalogue.catalogue()
    assert {*full.paths, *full.rules, *full.dice} <= set(result.out.replace(";", " ").split())
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
    # CSV has all that the tables show.
    rows = run("paths", "--csv").rows
    for kind, key in (("path", "paths"), ("rules", "rules"), ("dice", "dice")):
        assert [r["name"] for r in rows if r["kind"] == kind] == [r["name"] for r in document[key]]
    murray = next(row for row in rows if row["name"] == "murray" and row["kind"] == "path")
    assert (murray["steps"], murray["private_light"], murray["private_dark"]) == ("27", "0", "0")
    crossings = paths["murray"]["crossings"].values()
    assert murray["twice"] == str(sum(2 in times for times in crossings))
    binary = next(row for row in rows if row["name"] == "binary4")
    assert binary["probabilities"].startswith("0: 1/16; 1: 1/4")
    # All paths are counted by one word.
    counted = run("ssc", "--path", "all", "-p", "2", "--no-enumerate", "--json").json["rows"]
    assert tuple(row["path"] for row in counted) == catalogue.path_names()


def test_a_path_is_drawn() -> None:
    result = run("paths", "murray")
    assert (result.code, result.err) == (0, "")
    for label in ("27 steps", "michon-long-twisted-backtrack", "L12 D16", "L4 D24", "5,23", "B4*"):
        assert label in result.out
    assert run("paths", "michon-long-twisted-backtrack").out == result.out
    document = run("paths", "skiriuk", "--json").json
    assert (document["schema"], document["name"]) == ("urcx.path/1", "skiriuk")
    assert len(document["light"]) == document["steps"] == 23
    assert document["laps"] == [16, 7]
    assert document["crossings"].items() >= {"B3": [2, 2], "A1": [1, 0]}.items()
    table = run("paths", "bell", "--csv").rows
    assert len(table) == 28
    rosettes = [(row["side"], row["step"]) for row in table if row["rosette"] == "True"]
    assert rosettes == [(side, step) for side in ("light", "dark") for step in ("4", "8", "14")]


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        '[path.mine]\ntitle = "My own"\nboard = "standard"\nlight = "B1 B2"\n'
        '[path.bell]\nboard = "standard"\nlight = "B1 B2"\n'
        '[rules.game]\npath = "mine"\npieces = 3\ndice = "binary3"\nrosette_grants_roll = false\n'
        "rosette_protects = false\ncapture_grants_roll = false\n",
        encoding="utf-8",
    )
    own = ("--path-file", str(file))
    listed = run("paths", *own).out
    assert "mine (yours)" in listed
    assert "game" in listed
    assert "My own" in run("paths", "mine", *own).out
    # One that replaces a built-in path is the one listed.
    assert listed.count("(yours)") == 2
    document = run("paths", *own, "--json").json
    assert [p["light"] for p in document["paths"] if p["name"] == "bell"] == [["B1", "B2"]]
    assert run("paths", "bell", *own, "--json").json["light"] == ["B1", "B2"]


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
