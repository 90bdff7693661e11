"""solve and probe on the command line."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from command_line import COMMAND, assert_one_line, run, run_process
from own_rules import TEXT

import urcx
from urcx.solving.files.tablebase import write_tablebase
from urcx.solving.files.work import WorkStore, work_directory
from urcx.solving.layered.order import LayerOrder

pytest_plugins = ["command_fixtures"]

OPENING = 0.5300498395248594  # of another engine, one piece per side
WITHOUT = "the file has neither checksums nor error bounds. urcx check"


def test_solve_as_json_and_table() -> None:
    data = run("solve", "-p", "1", "--threads", "1", "--json").json
    assert data["schema"] == "urcx.solve/1"
    assert abs(data["opening"] - OPENING) < 1e-12
    assert data["lower"] <= OPENING <= data["upper"]
    assert (data["states"], len(data["rows"])) == ("217", 1)
    assert data["sweeps"] > 1
    assert int(data["updates"]) == 217 * data["sweeps"]
    assert data["rows"][0]["states"] == "217"
    assert int(data["peak_memory"]) > 0
    assert "the first player wins 53.00 % of" in run("solve", "-p", "1", "--threads", "1").out


def test_probe_and_check(one_piece: Path) -> None:
    data = run("probe", str(one_piece), "8/9/0-0/L", "--json").json
    assert 0 < data["value"] < 1
    assert {row["roll"] for row in data["rows"]} == {0, 1, 2, 3, 4}
    (passed,) = (row for row in data["rows"] if row["pass"])
    assert passed.keys() == {"roll", "pass", "value"}
    assert passed["roll"] == 0
    captured = next(row for row in data["rows"] if row["roll"] == 1)
    assert (captured["from"], captured["to"], captured["regret"]) == (8, 9, 0.0)
    assert "captures" in run("probe", str(one_piece), "8/9/0-0/L", "--roll", "1").out
    checked = run("check", str(one_piece), "--json").json
    assert checked["damaged_layers"] == []
    assert checked["residual"] < 1e-14
    assert "damaged layers" in run("check", str(one_piece)).out
    assert "more than 1" in assert_one_line(run("probe", str(one_piece), "1,2/-/0-0/L"), 2)
    assert "roll 7" in assert_one_line(run("probe", str(one_piece), "--roll", "7"), 2)


def test_probe_draws_the_luck_strip(one_piece: Path, tmp_path: Path) -> None:
    file = tmp_path / "luck.svg"
    assert run("probe", str(one_piece), "8/9/0-0/D", "--plot", str(file)).code == 0
    drawn = file.read_text(encoding="utf-8")
    assert "dark to move" in drawn[: drawn.index("<metadata>")]
    assert drawn.count("<!-- 1/16 -->") == 2
    # Before anything is solved: the file does not even exist.
    many = run("probe", str(tmp_path / "none.urcx"), "-", "--plot", str(file), stdin="")
    assert "--plot draws one position" in assert_one_line(many, 2)


def test_probe_of_many_positions_in_every_form(one_piece: Path, tmp_path: Path) -> None:
    base = str(one_piece)
    lines = "\ufeff8/9/0-0/L\n\nB4/B5/0-0/L  1\r\n-/9/1-0/L\n"
    single = [
        run("probe", base, *words, "--json").json
        for words in (("8/9/0-0/L",), ("8/9/0-0/L", "--roll", "1"), ("-/9/1-0/L",))
    ]
    found = run("probe", base, "-", "--json", stdin=lines)
    each = [json.loads(line) for line in found.out.splitlines()]
    assert [one.pop("provenance")["command"] for one in each] == [f"urcx probe {base} - --json"] * 3
    assert each == single
    rows = run("probe", base, "-", "--csv", stdin=lines).rows
    assert [row["position"] for row in rows] == ["8/9/0-0/L", "8/9/0-0/L", "-/9/1-0/L"]
    assert [float(row["value"]) for row in rows] == [one["value"] for one in single]
    best = single[1]["rows"][0]
    assert [row["best_from"] for row in rows] == ["", str(best["from"]), ""]
    assert float(rows[1]["best_value"]) == best["value"]
    assert [row["winner"] for row in rows] == ["", "", "light"]
    shown = run("probe", base, "-", stdin=lines).out
    assert shown.startswith("3 positions of finkel, 1 piece ")
    assert "proven, ± " in shown.partition("\n")[0]
    assert "B4 to B5, captures" in shown
    assert "light has won" in shown
    # A roll for all, and rules in place of a file.
    again = run("probe", "-p", "1", "-", "--roll", "1", "--csv", stdin="8/9/0-0/L\n").rows
    assert again[0]["best_from"] == str(best["from"])
    assert run("probe", base, "-", "--json").out == ""
    out = tmp_path / "out"
    for wrong, why in (
        ("8/9/0-0", "line 2: "),
        ("8/9/0-0/L 7", "line 2: roll 7"),
        ("8/9/0-0/L x", "line 2: '8/9/0-0/L x': write a position"),
        ("8/9/0-0/L 1 2", "line 2: '8/9/0-0/L 1 2': write"),
        ("-/-/1-1/L", "line 2: home: all pieces of both"),
    ):
        text = f"8/9/0-0/L\n{wrong}\n8/9/0-0/L\n"
        found = run("probe", base, "-", "--json", stdin=text)
        assert json.loads(found.out) | single[0] == json.loads(found.out), "answered before"
        assert found.code == 2
        assert found.err.startswith(f"urcx: {why}")
        assert_one_line(run("probe", base, "-", "--json", "-o", str(out), stdin=text), 2)
        assert not out.exists()
        assert_one_line(run("probe", base, "-", "--csv", stdin=text), 2)
    assert_one_line(run_process("probe", base, "-", stdin=b"\xff"), 2)


@pytest.mark.posix("pipes that are read line by line")
def test_probe_answers_each_line_before_the_next(one_piece: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "probe", str(one_piece), "-", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for place in ("8/9/0-0/L", "9/8/0-0/D"):
            process.stdin.write(f"{place}\n")
            assert json.loads(process.stdout.readline())["position"] == place


def test_probe_of_a_finished_game(one_piece: Path) -> None:
    base = str(one_piece)
    over = run("probe", base, "-/9/1-0/L").out
    assert over.endswith(", -/B5/1-0/L: the game is over, light has won\n")
    lost = run("probe", base, "9/-/0-1/L", "--json").json
    assert (lost["value"], lost["winner"], lost["rows"]) == (0.0, "dark", [])
    assert (lost["lower"], lost["upper"]) == (0.0, 0.0)
    rows = run("probe", base, "-/9/1-0/L", "--csv", "--no-header").out.splitlines()
    assert rows == ["roll,pass,from,to,value,regret", ",,,,1.0,"]
    line = assert_one_line(run("probe", base, "-/-/1-1/L"), 2)
    assert "home: all pieces of both" in line


def test_a_damaged_file_ends_with_1(one_piece: Path, tmp_path: Path) -> None:
    data = bytearray(one_piece.read_bytes())
    data[-70] ^= 1
    bad = tmp_path / "bad.urcx"
    bad.write_bytes(data)
    checked = run("check", str(bad))
    assert (checked.code, checked.err) == (1, "")
    assert "1 of 1 layers are damaged" in checked.out
    says = "is damaged (layer 0-0). Make it again with urcx solve"
    for line in (
        f"probe {bad}",
        f"export {bad} {tmp_path / 'x.rgu'}",
        f"regret --tablebase {bad}",
        f"gtc --agent optimal:{bad} -p 1 --games 2",
        f"match optimal:{bad} random -p 1 --games 2",
    ):
        assert says in assert_one_line(run(*line.split()), 1)
    assert list(tmp_path.iterdir()) == [bad]


@pytest.mark.jit
def test_probe_says_what_is_damaged_elsewhere(two_pieces: Path, tmp_path: Path) -> None:
    assert run("probe", str(two_pieces)).err == ""
    two = tmp_path / "two.urcx"
    content = bytearray(two_pieces.read_bytes())
    content[-5000] ^= 1  # of the last block
    two.write_bytes(content)
    ending = run("probe", str(two), "A7/C7/1-1/L")
    assert ending.code == 0, "the first block has it"
    assert ending.err.startswith(f"urcx: {two} is damaged in layers 0-0")
    wrong = run("probe", str(two))
    assert (wrong.code, wrong.out) == (1, "")
    assert f"{two} is damaged (layer 0-0)" in wrong.err


def test_a_damaged_rgu_file_is_written_again_by_export(one_piece: Path, tmp_path: Path) -> None:
    rgu = tmp_path / "one.rgu"
    assert run("export", str(one_piece), str(rgu), "--values", "f64").code == 0
    content = bytearray(rgu.read_bytes())
    content[-8:] = b"\xff" * 8  # not a number
    rgu.write_bytes(content)
    checked = run("check", str(rgu))
    assert checked.code == 1
    assert "urcx export" in checked.out + checked.err


def test_a_damaged_layer_of_an_interrupted_run_is_said(one_piece: Path, tmp_path: Path) -> None:
    order = LayerOrder(urcx.ruleset("finkel", pieces=1))
    file = tmp_path / "one.urcx"
    work = WorkStore(work_directory(file), order, 1e-12)
    work.put((0, 0), np.zeros(order.size((0, 0))), 0.0)
    layer = work_directory(file) / "0-0.layer"
    layer.write_bytes(layer.read_bytes()[:-1])
    result = run("solve", "-p", "1", "-o", str(file), "--threads", "1", "--json")
    assert "layers 0-0 of the earlier run were wrong, damaged or too old" in result.err
    assert result.json["damaged_layers"] == ["0-0"]
    assert file.read_bytes() == one_piece.read_bytes()


@pytest.fixture
def foreign(one_piece: Path, tmp_path: Path) -> Path:
    """Return an .rgu file, as other programs write them, in percent16."""
    file = tmp_path / "one.rgu"
    assert run("export", str(one_piece), str(file)).code == 0
    return file


def test_values_of_unknown_precision_are_shown_as_such_and_bounded_by_a_check(
    foreign: Path, one_piece: Path
) -> None:
    file = str(foreign)
    probed = run("probe", file, "--json").json
    assert [probed[key] for key in ("gap", "bound", "lower", "upper")] == [None] * 4
    out = run("probe", file).out
    assert f"of unknown precision: {WITHOUT}" in " ".join(out.split())
    over = run("probe", file, "-/9/1-0/L", "--json").json
    assert (over["value"], over["bound"]) == (1.0, 0.0)

    checked = run("check", file, "--json").json
    assert (checked["gap"], checked["bounded_by"]) == (None, "check")
    assert checked["last_change"] is not None
    assert abs(probed["value"] - OPENING) <= checked["bound"] < 8e-6
    out = run("check", file).out
    rows = dict(re.findall(r"^(\S.*?)  +(\S.*)$", out, re.MULTILINE))
    assert rows["gap, as recorded"] == "none"
    assert float(rows["last change, as the file states"]) < 1e-12
    assert rows["error bound"].endswith("e-06, computed now")
    own = run("check", str(one_piece)).out
    assert "e-13, as recorded" in own
    assert "last change" not in own


def test_a_recorded_bound_that_cannot_be_true_ends_with_1(tmp_path: Path) -> None:
    order = LayerOrder(urcx.ruleset("finkel", pieces=1))
    file = tmp_path / "x.urcx"
    write_tablebase(file, order, lambda x: (np.full(order.size(x), 0.5), 1e-12), "f64")
    result = run("check", str(file))
    assert result.code == 1
    assert "the recorded error bound is wrong" in result.out


def test_rounding_is_said_wherever_values_that_were_rounded_are_used(tmp_path: Path) -> None:
    file = tmp_path / "one.urcx"
    solved = run("solve", "-p", "1", "-o", str(file), "--store", "u16", "--json").json
    assert solved["store"] == "u16"
    assert solved["gap"] < 1e-12
    assert 7.6e-6 < solved["bound"] < 7.7e-6
    probed = run("probe", str(file), "--json").json
    assert (probed["bound"], probed["gap"]) == (solved["bound"], solved["gap"])
    judged = run("regret", "--tablebase", str(file), "--agent", "random", "--wide")
    assert "the first player wins 53.01 % of games" in " ".join(judged.out.split())
    assert "error bound of the solution's values: 8e-06" in " ".join(judged.out.split())
    played = run("gtc", "--agent", f"optimal:{file}", "-p", "1", "--games", "2")
    assert "± 8e-06" in played.err


def test_what_foreign_files_say_does_not_reach_the_terminal_as_it_is(
    one_piece: Path, foreign: Path, tmp_path: Path
) -> None:
    data = foreign.read_bytes()
    length = int.from_bytes(data[4:8], "big")
    header = json.loads(data[8 : 8 + length])
    header["author"] = header["game_settings"]["paths"] = "\x1b]0;gotcha\x07\x1b[2J"
    text = json.dumps(header, ensure_ascii=False).encode()
    odd = tmp_path / "odd\x1b[31m\n.rgu"
    odd.write_bytes(data[:4] + len(text).to_bytes(4, "big") + text + data[8 + length :])
    line = assert_one_line(run("probe", str(odd)), 1)
    assert line.isprintable()
    assert r"odd\x1b[31m .rgu" in line
    named = tmp_path / "red\x1b[31m.urcx"
    named.write_bytes(one_piece.read_bytes())
    for arguments in (("check", str(named)), ("export", str(named), str(odd))):
        result = run(*arguments)
        assert result.code == 0
        assert "\x1b" not in result.out + result.err
    rules = tmp_path / "own.toml"
    rules.write_text(TEXT.replace("[path.short]", '[path.short]\ntitle = "\\u001b[2J"'))
    line = assert_one_line(run("paths", "--path-file", str(rules)), 2)
    assert "title: has characters that cannot be printed" in line


def test_a_file_of_no_known_kind_is_wrong_usage(one_piece: Path, tmp_path: Path) -> None:
    picture, damaged = tmp_path / "picture.png", tmp_path / "damaged.urcx"
    picture.write_bytes(b"\x89PNG\r\n")
    for line in (f"probe {picture}", f"probe {tmp_path}", f"gtc --agent optimal:{picture}"):
        assert_one_line(run(*line.split()), 2)
    damaged.write_bytes(one_piece.read_bytes()[:-100])
    assert "cut off" in assert_one_line(run("probe", str(damaged)), 1)


@pytest.mark.jit
@pytest.mark.usefixtures("here")
def test_an_interrupted_solution_says_where_its_work_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    line = ("solve", "-p", "2", "-o", "two.urcx")
    put = WorkStore.put
    for layers, words in (
        (0, "before the first layers"),
        (3, "two.urcx.work. Run the same command again"),
    ):
        # Ctrl-C comes once so many layers are on disk.
        left = iter(range(layers))

        def counted(*arguments: Any, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt
            put(*arguments)

        monkeypatch.setattr(WorkStore, "put", counted)
        message = assert_one_line(run(*line), 130)
        assert words in message
    assert message.startswith("interrupted. 3 solved layers (")
    monkeypatch.setattr(WorkStore, "put", put)
    result = run(*line)
    assert result.code == 0
    assert "3 layers were solved by an earlier run" in result.err
    assert not Path("two.urcx.work").exists()


def test_an_interrupted_solution_in_memory_says_how_to_keep_layers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pressed = mock.Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr("urcx.solving.solution.solve_layers", pressed)
    assert "-o FILE" in assert_one_line(run("solve", "-p", "1", "--no-keep"), 130)
