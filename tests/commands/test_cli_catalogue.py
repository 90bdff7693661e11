"""The catalogue and its dice: paths, dice, journey and rush, each option in every form.

That the numbers are right is tested in tests/strategy.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command_line import assert_one_line, run, settled
from own_rules import SHORT

from urcx.rules import catalogue


def test_the_list_has_everything_under_its_name() -> None:
    result = run("paths", "--wide")
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
    for label in ("27 steps", "michon-long-twisted-backtrack", "L24", "D4*", "5,23", "8,20*"):
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


@pytest.mark.parametrize(
    "line",
    [
        "paths NAME", "perft -d 2 --rules NAME", "moves --rules NAME", "journey --rules NAME",
        "ssc -p 1 --no-enumerate --path NAME", "rush --path NAME --dice COIN",
        "rank 1/2/0-0/L -p 2 --path NAME", "dice --dice COIN",
        "journey --dice COIN --rules NAME",
    ],
)  # fmt: skip
def test_the_file_is_named_with_the_entry_or_beside_it(line: str) -> None:
    there = line.replace("NAME", f"{SHORT}:strip").replace("COIN", f"{SHORT}:coin")
    beside = line.replace("NAME", "strip").replace("COIN", "coin")
    found = run(*there.split(), "--json")
    assert found.json == run(*beside.split(), "--path-file", str(SHORT), "--json").json


@pytest.mark.parametrize("line", ["perft -d 2", "moves", "journey", "lengths -p 1", "show"])
def test_the_only_rules_of_a_file_need_no_name(line: str) -> None:
    own = ("--path-file", str(SHORT), "--json")
    found, named = (run(*line.split(), *own, *more).json for more in ((), ("--rules", "strip")))
    assert settled(found) == settled(named)


def test_a_list_takes_names_of_several_files(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(SHORT.read_text("utf-8").replace("strip", "lane"), encoding="utf-8")
    line = ("ssc", "-p", "1", "--no-enumerate", "--json", "--path")
    found = run(*line, f"bell,{SHORT}:strip,{other}:lane,{SHORT}:strip").json
    assert found["paths"] == ["bell", "strip", "lane"]
    changed = other.read_text("utf-8").replace("lane", "strip").replace("A2 A1 B1..B4", "A1 B1..B4")
    other.write_text(changed, encoding="utf-8")
    message = assert_one_line(run(*line, f"{SHORT}:strip,{other}:strip"), 2)
    assert "two different paths are called strip" in message


def test_a_rule_set_draws_its_path_and_says_its_rules() -> None:
    text = run("paths", "blitz").out
    assert "masters: Masters' path" in text
    assert "5 pieces per side" in text
    assert "does not protect, a capture grants a roll" in text
    some = "a rosette grants a roll (only A1, C1) and protects, a capture grants no roll"
    assert some in run("paths", "seleucid").out
    (rules,) = run("paths", "seleucid", "--json").json["rules"]
    assert rules["rosette_grants_roll"] == ["A1", "C1"]
    document = run("paths", "blitz", "--json").json
    assert (document["name"], [r["name"] for r in document["rules"]]) == ("masters", ["blitz"])
    assert [r["name"] for r in run("paths", "bell", "--json").json["rules"]] == ["finkel", "kwan"]


def document(*arguments: str) -> Any:
    result = run("dice", *arguments, "--json").json
    assert result["schema"] == "urcx.dice/2"
    return result


def test_dice_are_chosen_by_name() -> None:
    assert document("--dice", "binary3,binary4")["dice"] == ["binary3", "binary4"]
    assert document("--table")["dice"] == ["binary4"]


OWN = """
[dice.twos]
probabilities = { 0 = "1/2", 2 = "1/2" }
[board.plain]
tiles = "A1 A2 C1 C2"
[path.plain]
board = "plain"
light = "A1 A2"
"""


def test_dice_and_tracks_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN, encoding="utf-8")
    own = ("--path-file", str(file))
    assert document("--dice", "twos", *own)["rows"][1]["probability"] == "1/2"
    every = document(*own)["summaries"]
    assert [row["dice"] for row in every] == [*catalogue.catalogue().dice, "twos"]
    rushed = run("rush", "--dice", "twos", "--path", "plain", *own).out
    assert "A piece cannot be rushed" in rushed


def test_the_figure(tmp_path: Path) -> None:
    one, other = tmp_path / "one.svg", tmp_path / "other.png"
    assert run("dice", "--plot", str(one)).code == 0
    assert run("dice", "--dice", "binary4", "--plot", str(other)).code == 0
    assert one.read_text(encoding="utf-8").startswith("<?xml")
    assert other.read_bytes().startswith(b"\x89PNG")


def test_journeys() -> None:
    result = run("journey", "--json").json
    assert result["schema"] == "urcx.journey/2"
    assert [row["to"] for row in result["rows"]] == list(range(1, 16))
    chosen = run("journey", "--to", "B4,home,1..2", "--json").json["rows"]
    assert [row["goal"] for row in chosen] == ["A4", "A3", "B4, rosette", "home"]
    home = chosen[-1]
    assert home["passing_rolls"] == home["alone_rolls"] == "1280316980941868/129746337890625"
    (later,) = run("journey", "--from", "4", "--to", "8", "--json").json["rows"]
    assert run("journey", "--from", "A1", "--to", "8", "--json").json["rows"] == [later]
    assert later["tiles"] == 4
    other = run("journey", "--dice", "binary3-0as4", "--to", "4", "--json").json
    assert other["dice"] == "binary3-0as4"


def test_many_pieces_and_arrivals() -> None:
    result = run("journey", "--pieces", "1..2", "--json").json
    assert result["schema"] == "urcx.pieces/2"
    assert [row["pieces"] for row in result["rows"]] == [1, 2]
    result = run("journey", "--to", "B4", "--within", "3", "-p", "1,7", "--json").json
    assert result["schema"] == "urcx.arrival/1"
    assert (result["to"], result["goal"]) == (8, "B4, rosette")
    rows = {(row["pieces"], row["turns"]): row["probability_decimal"] for row in result["rows"]}
    assert rows[1, 1] == rows[7, 1] == 1 / 256


def test_rushes() -> None:
    result = run("rush", "--json").json
    assert result["schema"] == "urcx.rush/2"
    rows = {(row["path"], row["dice"]): row for row in result["rows"]}
    assert len(rows) == len(catalogue.catalogue().dice) * len({path for path, _ in rows})
    murray = rows["murray", "binary4"]
    assert (murray["probability"], murray["likeliest"]) == (f"1/{16**7}", "4444444")
    assert Fraction(murray["games"]) == Fraction(16**7, 106)
    bell = rows["bell", "binary4"]
    assert (bell["probability"], bell["games"]) == ("0", None)
    text = run("rush", "--path", "masters,bell", "--turns", "82", "--wide").out
    assert text.index("tetrahedron") < text.index("binary4"), "the likeliest is first"
    assert "each of 82 turns" in text
