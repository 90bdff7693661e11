"""solve --exact-fractions on the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from command_line import run
from own_rules import TEXT

from urcx.results.fractions import fraction_digits


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
    text = fraction_digits(value)
    assert (len(text), int(text[:9]), int(text[-9:])) == (
        16_902,
        value // 10**16_893,
        value % 10**9,
    )
    assert [fraction_digits(n) for n in (0, 9, 10**4000, 10**8000 - 1)] == [
        "0", "9", "1" + "0" * 4000, "9" * 8000,
    ]  # fmt: skip
