"""``urcx dice``, ``journey`` and ``rush``: figures, interfaces and bad input."""

from __future__ import annotations

import csv
import io
import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from command_line import Result, assert_one_line, run

from urcx.rules import catalogue

COINS = [sum(marks) for marks in product((0, 1), repeat=4)]


def table(result: Result) -> list[dict[str, str]]:
    assert (result.code, result.err) == (0, "")
    return list(csv.DictReader(io.StringIO(result.out)))


def document(*arguments: str) -> Any:
    found = run("dice", *arguments, "--json").json
    assert found["schema"] == "urcx.dice/1"
    return found


def test_all_dice_without_options() -> None:
    found = document()
    assert found["dice"] == list(catalogue.catalogue().dice)
    rows = {(row["dice"], row["roll"]): row for row in found["rows"]}
    for roll in range(5):
        row = rows["binary4", roll]
        assert row["probability"] == str(Fraction(COINS.count(roll), 16))
        assert row["probability_decimal"] == COINS.count(roll) / 16
    assert ("binary3-0as4", 0) not in rows
    short = {item["dice"]: item for item in found["summaries"]}
    assert [item["mean"] for item in short.values()] == ["2", "3/2", "2", "2", "5/2", "19/4", "6"]
    assert short["d6-substitute"]["variance"] == "5/3"
    assert short["binary3"]["entropy_bits"] == pytest.approx(1.811278, abs=1e-6)
    text = run("dice").out
    assert "Three binary dice, none marked counts as 4" in text
    assert "2.030639" in text


def test_dice_are_chosen_by_name_or_rules() -> None:
    assert document("--rules", "masters")["dice"] == ["binary3-0as4"]
    assert document("--dice", "binary3,binary4")["dice"] == ["binary3", "binary4"]
    assert document("--table", "--rules", "masters")["dice"] == ["binary3-0as4"]
    assert document("--table")["dice"] == ["binary4"]


def test_a_sequence_and_its_class() -> None:
    found = document("--sequence", "122")
    assert found["probability"] == "9/256"
    assert (found["members"], found["multisets"], found["sequences"]) == ("122 223", "2", "6")
    assert (found["orders"], found["any_order"], found["total"]) == ("3", "27/256", "27/128")
    text = run("dice", "--sequence", "122").out
    assert "1/4 x 3/8 x 3/8" in text
    long = document("--sequence", "2" * 250)
    assert Fraction(long["probability"]) == Fraction(3, 8) ** 250
    assert "..." in run("dice", "--sequence", "2" * 250).out


def test_table_2() -> None:
    rows = table(run("dice", "--table", "--csv"))
    assert len(rows) == 16
    assert rows[0]["members"] == "22"
    assert {row["members"] for row in rows} > {"112 123 233", "001 003 014 034 144 344"}
    for length in ("2", "3"):
        assert sum(Fraction(row["total"]) for row in rows if row["length"] == length) == 1
    one = document("--table", "--rolls", "1")["rows"]
    assert [row["members"] for row in one] == ["2", "1 3", "0 4"]


def test_table_4() -> None:
    found = document("--sum", "4", "--rolls", "1..3")
    assert found == document("--sum", "4")
    rows = {row["rolls"]: row for row in found["rows"]}
    assert list(rows) == ["4", "04", "13", "22", "004", "013", "022", "112"]
    assert [row["orders"] for row in rows.values()] == ["1", "2", "2", "1", "3", "6", "3", "3"]
    three = list(product(COINS, repeat=3))
    assert Fraction(rows["112"]["total"]) == Fraction(
        sum(sorted(rolls) == [1, 1, 2] for rolls in three), 4096
    )
    assert Fraction(found["reached"]) == Fraction(
        sum(4 in (a, a + b, a + b + c) for a, b, c in three), 4096
    )
    assert round(found["added_decimal"] * 100, 1) == 45.7


def test_counts() -> None:
    found = document("--counts", "0:20", "--rolls", "106")
    exactly = Fraction(math.comb(106, 20) * 15**86, 16**106)
    assert found["exactly"] == str(exactly)
    assert found["exactly_decimal"] == float(exactly)
    assert Fraction(found["at_least"]) + Fraction(found["at_most"]) == 1 + exactly
    assert found["counts"] == {"0": 20}
    assert found["expected"] == {"0": "53/8"}
    assert "6.25166" in run("dice", "--counts", "0:20").out.replace("0.00000625166", "6.25166")
    both = document("--counts", "1:1,2:1", "--rolls", "2")
    assert (both["exactly"], both["at_least"]) == ("3/16", None)
    some = run("dice", "--counts", "1:1,2:1", "--rolls", "5").out
    assert "all other rolls taken as one" in some


def test_intervals() -> None:
    found = document("--interval", "0.9", "--rolls", "106")
    assert found["confidence"] == "9/10"
    assert found["z"] == pytest.approx(1.6448536, abs=1e-7)
    assert found["normal_exactness"] == "approximation"
    rows = found["rows"]
    assert [(r["rounded_low"], r["rounded_high"]) for r in rows] == [
        (3, 11),
        (19, 34),
        (32, 48),
        (19, 34),
        (3, 11),
    ]
    for row in rows:
        p = Fraction(COINS.count(row["roll"]), 16)
        inside = sum(
            math.comb(106, k) * p**k * (1 - p) ** (106 - k)
            for k in range(row["exact_low"], row["exact_high"] + 1)
        )
        assert Fraction(row["exact_coverage"]) == inside >= Fraction(9, 10)
    assert "at 90 %" in run("dice", "--interval", "0.9").out


def test_comparison_of_dice() -> None:
    found = document("--compare")
    rows = {row["dice"]: row for row in found["rows"]}
    # Michon: the first rosette once in 16 and once in 8 from the start.
    assert rows["binary4"]["first_rosette_at_once"] == "1/16"
    assert rows["binary3-0as4"]["first_rosette_at_once"] == "1/8"
    assert rows["binary3"]["first_rosette_at_once"] == "0"
    assert rows["binary4"]["distance"] == "0"
    assert len(found["readings"]) == 15
    assert "5 as 0, 6 as 2" in run("dice", "--compare", "--rules", "masters").out


def test_dice_and_tracks_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        """
        [dice.twos]
        probabilities = { 0 = "1/2", 2 = "1/2" }
        [board.plain]
        tiles = "A1 A2 C1 C2"
        [path.plain]
        board = "plain"
        light = "A1 A2"
        [rules.plain]
        path = "plain"
        pieces = 2
        dice = "twos"
        rosette_grants_roll = true
        rosette_protects = false
        capture_grants_roll = false
        """,
        encoding="utf-8",
    )
    own = ("--path-file", str(file))
    assert document("--dice", "twos", *own)["rows"][1]["probability"] == "1/2"
    compared = document("--compare", "--rules", "plain", *own)["rows"]
    assert [row["first_rosette"] for row in compared] == [None] * (
        len(catalogue.catalogue().dice) + 1
    )
    assert "there is no rosette" in run("dice", "--compare", "--rules", "plain", *own).out
    # Three steps home, and twos only: nobody arrives.
    home = run("journey", "--rules", "plain", "--to", "home", *own, "--json").json["rows"][0]
    assert (home["passing_rolls"], home["lands"], home["chosen_rolls"]) == (None, "0", None)
    assert "never" in run("journey", "--rules", "plain", *own).out
    rushed = run("rush", "--dice", "twos", "--path", "plain", *own)
    assert "No piece is ever rushed" in rushed.out
    assert "plain" in rushed.out


def test_the_figure(tmp_path: Path) -> None:
    one, other = tmp_path / "one.svg", tmp_path / "other.png"
    assert run("dice", "--plot", str(one)).code == 0
    assert run("dice", "--dice", "binary4", "--plot", str(other)).code == 0
    assert one.read_text(encoding="utf-8").startswith("<?xml")
    assert other.read_bytes().startswith(b"\x89PNG")


def test_journeys_on_a_path() -> None:
    found = run("journey", "--json").json
    assert found["schema"] == "urcx.journey/1"
    assert [row["to"] for row in found["rows"]] == list(range(1, 16))
    chosen = run("journey", "--to", "B4,home,1..2", "--json").json["rows"]
    assert [row["goal"] for row in chosen] == ["A4", "A3", "B4, rosette", "home"]
    home = chosen[-1]
    assert home["passing_rolls"] == home["alone_rolls"] == "1280316980941868/129746337890625"
    assert home["lands"] == "1"
    assert Fraction(home["alone_turns"]) < Fraction(home["alone_rolls"])
    later = run("journey", "--from", "4", "--to", "8", "--json").json["rows"][0]
    assert run("journey", "--from", "A1", "--to", "8", "--json").json["rows"] == [later]
    assert later["tiles"] == 4
    other = run("journey", "--dice", "binary3-0as4", "--to", "4", "--json").json
    assert other["dice"] == "binary3-0as4"


def test_journeys_on_a_plain_track() -> None:
    rows = table(run("journey", "--tiles", "1..3", "--csv"))
    assert [row["approximation"] for row in rows] == ["1/2", "1", "3/2"]
    assert rows[0]["passing_rolls"] == rows[0]["passing_turns"] == "16/15"
    assert "plain track" in run("journey", "--tiles", "4").out


def test_many_pieces() -> None:
    found = run("journey", "--pieces", "1..3", "--json").json
    assert found["schema"] == "urcx.pieces/1"
    assert found["bound_rolls_a_piece"] == "15/2"
    low, high = found["long_run_rolls_a_piece"]
    assert 7.5 <= low <= high < 7.5001
    rows = found["rows"]
    assert rows[0]["rolls"] == rows[0]["rolls_worst"] == rows[0]["added_by_last"]
    assert rows[0]["rolls"] == pytest.approx(float(Fraction(found["one_piece_rolls"])))
    assert rows[2]["rolls"] == pytest.approx(rows[1]["rolls"] + rows[2]["added_by_last"])
    assert rows[2]["rolls"] < rows[2]["rolls_worst"]
    assert "In the long run" in run("journey", "-p", "2").out


def test_arrivals() -> None:
    found = run("journey", "--to", "B4", "--within", "3", "-p", "1,7", "--json").json
    assert found["schema"] == "urcx.arrival/1"
    assert (found["to"], found["goal"]) == (8, "B4, rosette")
    rows = {(row["pieces"], row["turns"]): row["probability_decimal"] for row in found["rows"]}
    assert rows[1, 1] == rows[7, 1] == 1 / 256
    assert rows[1, 3] < rows[7, 3] < 0.25
    lines = run("journey", "--to", "B4", "--within", "2").out.splitlines()
    assert lines[2].split()[:4] == ["turns", "1", "piece", "2"]


def test_rushes() -> None:
    found = run("rush", "--samples", "40000", "--json").json
    assert found["schema"] == "urcx.rush/1"
    rows = {(row["path"], row["dice"]): row for row in found["rows"]}
    assert len(rows) == len(catalogue.catalogue().dice) * len({path for path, _ in rows})
    murray = rows["murray", "binary4"]
    assert murray["probability"] == f"1/{16**7}"
    assert murray["likeliest"] == "4444444"
    assert Fraction(murray["games"]) == Fraction(16**7, 106)
    assert murray["simulated_low"] < murray["simulated"] < murray["simulated_high"]
    bell = rows["bell", "binary4"]
    assert (bell["probability"], bell["simulated"], bell["games"]) == ("0", None, None)
    text = run("rush", "--path", "masters,bell", "--samples", "0", "--turns", "82").out
    assert "1/262144" in text
    assert "never: masters (binary3), bell" in text
    one = run("rush", "--path", "masters", "--dice", "binary4", "--samples", "4000").out
    assert "never" not in one


WRONG = [
    ("dice --dice binary5", ["'binary5'", "binary4"]),
    ("dice --dice ,", ["--dice ','", "empty"]),
    ("dice --rules finkl", ["'finkl'", "finkel"]),
    ("dice --sequence 125", ["cannot roll 5", "0, 1, 2, 3, 4"]),
    ("dice --sequence 10 --dice binary3-0as4", ["cannot roll 0"]),
    ("dice --sequence abc", ["'abc'", "122"]),
    ("dice --sequence", ["--sequence"]),
    ("dice --table --rolls 3..2", ["'3..2'", "2..3"]),
    ("dice --table --rolls 0", ["rolls '0'"]),
    ("dice --sum x", ["--sum"]),
    ("dice --sum 0", ["--sum", "from 1"]),
    ("dice --sum 4 --rolls 1..999", ["999"]),
    ("dice --counts 0=20", ["'0=20'", "0:20"]),
    ("dice --counts 0:107 --rolls 106", ["107", "106"]),
    ("dice --counts 7:1", ["cannot roll 7"]),
    ("dice --counts 0:1 --rolls 1..3", ["'1..3'", "one number"]),
    ("dice --interval 1", ["'1'", "between 0 and 1"]),
    ("dice --interval 0", ["'0'", "between 0 and 1"]),
    ("dice --interval ninety", ["'ninety'", "0.9"]),
    ("dice --interval 0.9 --rolls 10001", ["10001", "10000"]),
    ("dice --table --sum 4", ["--table and --sum exclude"]),
    ("dice --sum 4 --rolls=", ["rolls ''"]),
    ("dice --rolls 3", ["--rolls needs"]),
    ("dice --table --dice binary3,binary4", ["--table", "one kind of dice"]),
    ("dice --table --plot x.svg", ["--plot", "--table"]),
    ("journey --to 16", ["16", "1 to 15"]),
    ("journey --to B9", ["'B9'", "bell"]),
    ("journey --rules murray --to B4", ["'B4'", "8 or 20"]),
    ("journey --to ,", ["--to ''"]),
    ("journey --from 15", ["--from 15", "0 to 14"]),
    ("journey --from 4 --to 4", ["4 to 4", "in order"]),
    ("journey --from -1", ["-1"]),
    ("journey --from Z9", ["'Z9'", "bell"]),
    ("journey --from B4 --rules skiriuk", ["8 or 20"]),
    ("rush --path bell --samples -1", ["-1 pieces", "40 to 10,000,000"]),
    ("rush --path masters --samples 39", ["39 pieces", "40 to 10,000,000"]),
    ("journey --from 2 --tiles 3", ["--from", "--tiles"]),
    ("journey --to 3 --tiles 3", ["--to and --tiles exclude"]),
    ("journey --tiles 0", ["tiles '0'"]),
    ("journey --dice d7", ["'d7'"]),
    ("journey --within 3", ["--within", "--to B4"]),
    ("journey --within 3 --to 3,4", ["--within", "one step"]),
    ("journey --within 11 --to 3", ["11 turns", "1 to 10"]),
    ("journey --within 3 --to 3 -p 16", ["pieces '16'", "15"]),
    ("journey --within 3 --tiles 4", ["--within and --tiles exclude"]),
    ("journey --within 3 --to 3 --from 2", ["--from", "--within"]),
    ("rush --path bel", ["'bel'", "bell"]),
    ("rush --turns 0", ["--turns 0"]),
    ("rush --samples 3 --path masters", ["3", "40"]),
    ("rush --samples -1 --path masters", ["-1"]),
    ("rush --seed -1", ["seed -1"]),
    ("dice --sum -3", ["--sum -3", "from 1"]),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=[a for a, _ in WRONG])
def test_wrong_usage(
    arguments: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    message = assert_one_line(run(*arguments.split()), 2)
    assert all(word in message for word in words), message
    assert not list(tmp_path.iterdir())


def test_too_long_a_path_for_many_pieces() -> None:
    message = assert_one_line(run("journey", "--rules", "murray", "--pieces", "2"), 1)
    assert "16 steps" in message


def test_too_many_sets_of_rolls() -> None:
    assert "shorter" in assert_one_line(run("dice", "--table", "--rolls", "60"), 1)


def test_dice_are_chosen_once() -> None:
    line = assert_one_line(run("dice", "--dice", "binary3", "--rules", "finkel"), 2)
    assert "--dice and --rules both say" in line
    assert run("dice", "--compare", "--dice", "binary3", "--rules", "finkel").code == 0


def test_rush_without_simulation_has_no_column_for_it() -> None:
    exact = run("rush", "--path", "masters", "--samples", "0").out
    assert "simulated" not in exact
    assert "44441" in exact
    assert "simulated" in run("rush", "--path", "masters", "--samples", "40").out
