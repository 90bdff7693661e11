"""solve and probe on the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from command_line import assert_one_line, run
from own_rules import TEXT

from urcx.reports.rational import decimal

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/solved-small.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("solve") / "one.urcx"
    assert run("solve", "-p", "1", "-o", str(file), "--threads", "1").code == 0
    return file


def test_solve_as_json_and_table(base: Path) -> None:
    data = run("solve", "-p", "1", "--threads", "1", "--json").json
    assert data["schema"] == "urcx.solve/1"
    # Another engine's value.
    assert abs(data["opening"] - 0.5300498395248594) < 1e-12
    assert data["lower"] <= 0.5300498395248594 <= data["upper"]
    assert data["states"] == "217"
    assert data["sweeps"] > 1
    assert int(data["peak_memory"]) > 0
    assert len(data["rows"]) == 1
    out = run("solve", "-p", "1", "--threads", "1").out
    assert "who begins wins" in out
    assert base.exists()


def test_solve_a_path_that_is_crossed_twice() -> None:
    data = run("solve", "--rules", "skiriuk", "-p", "1", "--json").json
    # Another engine's value: rosettes protect, captures grant nothing.
    row = next(
        row
        for row in GOLDEN["rows"]
        if (row["path"], row["pieces"], row["rosette_protects"], row["capture_grants_roll"])
        == ("skiriuk", 1, True, False)
    )
    assert abs(data["opening"] - row["p_first"]) < 1e-12


def test_probe_and_check(base: Path) -> None:
    data = run("probe", str(base), "8/9/0-0/L", "--json").json
    assert 0 < data["value"] < 1
    assert {row["roll"] for row in data["rows"]} == {0, 1, 2, 3, 4}
    captured = next(row for row in data["rows"] if row["roll"] == 1)
    assert (captured["from"], captured["to"], captured["regret"]) == (8, 9, 0.0)
    assert "captures" in run("probe", str(base), "8/9/0-0/L", "--roll", "1").out
    checked = run("solve", "--check", str(base), "--json").json
    assert checked["damaged_layers"] == []
    assert checked["residual"] < 1e-14
    assert "damaged layers" in run("solve", "--check", str(base)).out


def test_probe_of_a_finished_game(base: Path) -> None:
    over = run("probe", str(base), "-/9/1-0/L")
    assert over.out == "-/9/1-0/L (finkel): the game is over, light has won\n"
    lost = run("probe", str(base), "9/-/0-1/L", "--json").json
    assert (lost["value"], lost["winner"], lost["rows"]) == (0.0, "dark", [])
    rows = run("probe", str(base), "-/9/1-0/L", "--csv").out.splitlines()
    assert rows == ["roll,pass,from,to,value,regret", ",,,,1.0,"]
    line = assert_one_line(run("probe", str(base), "-/-/1-1/L"), 2)
    assert "all pieces of both players are home" in line


def test_a_damaged_file_ends_with_1(base: Path, tmp_path: Path) -> None:
    data = bytearray(base.read_bytes())
    data[-70] ^= 1
    bad = tmp_path / "bad.urcx"
    bad.write_bytes(data)
    assert run("solve", "--check", str(bad)).code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["solve", "--store", "f16", "-o", "x.urcx"], 2, "unknown store"),
        (["solve", "--store", "u16"], 2, "--store goes with --output"),
        (["solve", "--tolerance", "1"], 2, "tolerance"),
        (["solve", "--rules", "murray", "-p", "1", "-o", "x.urcx"], 2, "no tablebase of murray"),
        (["solve", "--rules", "murray"], 1, "take fewer pieces"),
        (["solve", "-p", "0"], 2, "not from 1"),
        (["solve", "-o", "/nowhere/x.urcx"], 1, "no directory"),
        (["probe", "/nowhere/x.urcx"], 2, "cannot read"),
        (["solve", "--exact-fractions"], 1, "take fewer pieces"),
        (["solve", "--exact-fractions", "--endings", "0"], 2, "not from 1"),
        (["solve", "--exact-fractions", "--endings", "8"], 2, "1 to 7 pieces left"),
        (["solve", "--exact-fractions", "--endings", "1", "-/-/0-0/L"], 2, "more than 1 pieces"),
        (["solve", "--exact-fractions", "-p", "1", "2,3/-/0-0/L"], 2, "more than 1"),
        (["solve", "--exact-fractions", "--check", "x.urcx"], 2, "exclude each other"),
        (["solve", "--endings", "1"], 2, "go with --exact-fractions"),
        (["solve", "-/-/0-0/L"], 2, "go with --exact-fractions"),
        (["solve", "--exact-fractions", "--threads", "0"], 2, "--threads goes without"),
        (["solve", "--exact-fractions", "--store", "f64"], 2, "--store goes without"),
        (["solve", "--exact-fractions", "--tolerance", "5"], 2, "--tolerance goes without"),
        (["solve", "--check", "x.urcx", "--rules", "finkel"], 2, "--rules goes without --check"),
        (["solve", "--check", "x.urcx", "-p", "x"], 2, "--pieces goes without --check"),
        (["solve", "--check", "x.urcx", "-o", "y.urcx"], 2, "--output goes without --check"),
        (["solve", "--check", "x.urcx", "--store", "foo"], 2, "--store goes without --check"),
        (["solve", "-p", "1", "-o", "x.rgu"], 2, "urcx export"),
        (["solve", "-p", "1", "--exact-fractions", "-o", "x.txt"], 2, ".json or .csv"),
        (["solve", "-p", "1", "--exact-fractions", "-o", "x"], 2, ".json or .csv"),
        (["export", "x.urcx", "x.foo"], 2, "must end in .rgu"),
    ],
)
def test_bad_input(arguments: list[str], code: int, says: str) -> None:
    assert says in assert_one_line(run(*arguments), code)


def test_exact_fractions_of_an_ending() -> None:
    arguments = ("solve", "--exact-fractions", "--endings", "1", "14/13/6-6/D")
    data = run(*arguments, "--json").json
    assert data["schema"] == "urcx.fractions/1"
    # By hand.
    assert data["value"] == "116/161"
    assert data["decimal"] == "0.720496894409937888198757763975"
    assert (data["pieces"], data["pieces_left"], data["states"]) == (7, 1, "217")
    one = next(move for move in data["moves"] if move["roll"] == 1)
    assert one == {
        "roll": 1, "pass": False, "from": 13, "to": 14, "value": "4/7", "regret": "0",
    }  # fmt: skip
    assert "dark, to move, wins" in run(*arguments).out
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "--csv").out)))
    layers = [(row["left"], row["states"]) for row in rows if row["kind"] == "layer"]
    assert layers == [("1-1", "217")]
    (position,) = (row for row in rows if row["kind"] == "position")
    assert (position["position"], position["value"]) == (data["position"], data["value"])
    moves = [(row["roll"], row["value"]) for row in rows if row["kind"] == "move"]
    assert moves == [(str(move["roll"]), move.get("value", "")) for move in data["moves"]]


def test_exact_fractions_of_a_finished_game() -> None:
    out = run("solve", "--exact-fractions", "-p", "1", "-/-/1-0/D").out
    assert "0.000000" in out
    assert "Its moves" not in out
    top = run("solve", "--exact-fractions", "-p", "1", "--json").json["value"].split("/")[0]
    opening = run("solve", "--exact-fractions", "-p", "1").out
    assert len(top) > 21
    shown = re.search(r"^numerator +(\S+)$", opening, re.MULTILINE)
    assert shown
    assert float(shown[1]) == pytest.approx(int(top), rel=1e-6)
    assert "Its moves" in opening


def test_exact_fractions_of_every_state(tmp_path: Path) -> None:
    rules = tmp_path / "own.toml"
    rules.write_text(TEXT)
    arguments = ("solve", "--rules", "corner", "--path-file", str(rules), "--exact-fractions")
    shown = run(*arguments, "--json", "-o", str(tmp_path / "all.json")).json
    states = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert states["schema"] == "urcx.fractions-states/1"
    assert len(states["states"]) == int(shown["states"])
    start = next(state for state in states["states"] if state["position"] == "-/-/0-0/L")
    assert start["value"] == shown["value"]
    assert start["moves"] == {"0": [], "1": [0], "2": [0], "3": [0]}
    assert shown["tied_decisions"] == "0"
    assert sum(int(row["states"]) for row in shown["rows"]) == int(shown["states"])
    written = run(*arguments, "-o", str(tmp_path / "all.csv"))
    assert written.code == 0
    assert "wrote" in written.err
    assert "Moves compared" in written.out
    assert "rounds of policy iteration" in written.out
    rows = list(csv.DictReader(io.StringIO((tmp_path / "all.csv").read_text("utf-8"))))
    assert [row["value"] for row in rows] == [state["value"] for state in states["states"]]
    assert [row["roll_1"].split() for row in rows] == [
        [str(step) for step in state["moves"]["1"]] for state in states["states"]
    ]


def test_long_numbers_become_text() -> None:
    value = 7**20_000  # longer than what Python turns into text
    text = decimal(value)
    assert (len(text), int(text[:9]), int(text[-9:])) == (
        16_902,
        value // 10**16_893,
        value % 10**9,
    )
    assert [decimal(n) for n in (0, 9, 10**4000, 10**8000 - 1)] == [
        "0", "9", "1" + "0" * 4000, "9" * 8000,
    ]  # fmt: skip


def test_a_file_of_no_known_kind_is_wrong_usage(base: Path, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n")
    for arguments in (
        ("probe", str(picture)),
        ("probe", str(tmp_path)),
        ("solve", "--check", str(tmp_path / "none.urcx")),
        ("gtc", "--agent", f"optimal:{picture}"),
    ):
        assert_one_line(run(*arguments), 2)
    damaged = tmp_path / "damaged.urcx"
    damaged.write_bytes(base.read_bytes()[:-100])
    assert "cut off" in assert_one_line(run("probe", str(damaged)), 1)


def test_probe_refuses_what_does_not_fit(base: Path) -> None:
    assert "more than 1" in assert_one_line(run("probe", str(base), "1,2/-/0-0/L"), 2)
    assert "roll 7" in assert_one_line(run("probe", str(base), "--roll", "7"), 2)
