"""The commands of learning: answers, members of JSON, errors, solutions, memory."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from command_line import assert_one_line, limited, names, run, with_memory
from fuzzing import time_limit

import urcx
from urcx.commands import consent
from urcx.contrib.learning import bits, compress
from urcx.errors import UsageError

pytest_plugins = ["command_fixtures"]
pytestmark = pytest.mark.usefixtures("here")

ONE = urcx.ruleset("finkel", pieces=1)
# Command lines that end with 2, and parts of the message.
WRONG_USAGE = """
compress                                      -> missing; urcx compress finkel.urcx -o
train foo                                     -> unknown method of training 'foo'
bits -p 1 --plot a.svg                        -> one piece; -p
compress --check none.play --tablebase x.urcx -> none.play: No such file
compress x.urcx -o x.urcx                     -> must end in .play
train                                         -> --output FILE.npz; urcx train -p 2
compress x.urcx                               -> --output; urcx compress
train --units 4 --set units=3 -o x.npz        -> exclude each other
train --set lambda=1 -o x.npz                 -> unknown setting lambda
train --minutes 0 -o x.npz                    -> minutes 0.0: must be more than 0
train -p 1 --iterations 3 --tablebase no.urcx -o x.npz  -> cannot read no.urcx
train alphazero --set simulations=0 -o x.npz  -> simulations 0: must be; from 1 to 10,000
train alphazero --set gate=1.5 -o x.npz       -> gate 1.5: must be; from 0 to 1
"""
LINES = [line.split(" -> ") for line in WRONG_USAGE.strip().splitlines()]


@pytest.mark.parametrize(("line", "said"), LINES, ids=[line.strip() for line, _ in LINES])
def test_wrong_usage_is_one_line(line: str, said: str) -> None:
    message = assert_one_line(run(*line.split()), 2)
    assert all(word in message for word in said.strip().split("; ")), message
    assert names() == []


def test_nothing_is_written_over_the_tablebase(one_piece: Path) -> None:
    base = Path("p1.urcx")
    base.write_bytes(one_piece.read_bytes())
    message = assert_one_line(run("compress", "p1.urcx", "-o", "p1.urcx"), 2)
    assert "rite to another file" in message
    assert base.read_bytes() == one_piece.read_bytes()


def test_a_long_curve_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "urcx.contrib.learning.curve.bits", mock.Mock(side_effect=AssertionError("begun"))
    )
    printed = io.StringIO()
    monkeypatch.setattr(consent, "note", printed.write)
    with time_limit(60):
        refused = assert_one_line(run("bits", "-p", "3", "-g", "1000000"), 1)
    assert printed.getvalue() in refused
    assert "games of finkel" in refused


@pytest.mark.jit
def test_a_saved_solution_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    line = ("bits", "-p", "2", "--table-bits", "2", "--agent", "greedy", "--json")
    at_once = run(*line)
    assert run("solve", "-p", "2").code == 0
    monkeypatch.setattr(
        "urcx.solving.solution.solve_layers", mock.Mock(side_effect=AssertionError("solved"))
    )
    result = run(*line)
    assert "urcx: used the saved solution " in result.err
    assert result.json == at_once.json


def test_without_a_solution_the_command_that_makes_one_is_printed() -> None:
    assert "urcx solve --rules finkel -p 5" in assert_one_line(run("bits", "-p", "5"), 1)


@pytest.mark.posix("named pipes")
def test_a_network_to_start_from_is_no_pipe() -> None:
    os.mkfifo("pipe")
    line = "train td -p 1 --quick --iterations 2 --start pipe -o x.npz"
    with time_limit(60):
        assert_one_line(run(*line.split()), 2)


@limited
@pytest.mark.parametrize(
    "line",
    [
        "train td -p 2 --quick --iterations 3 -o NEW.npz",
        "train alphazero -p 1 --set iterations=1 -o NEW.npz --yes",
        "train distil -p 2 --quick --iterations 3 --tablebase BASE -o NEW.npz",
        "compress BASE -o NEW.play",
    ],
)
def test_with_little_memory_a_command_ends_in_one_line(
    line: str, two_pieces: Path, tmp_path: Path
) -> None:
    with_memory(450, line, two_pieces, tmp_path / "new", 60.0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.jit
def test_the_curve_draws_itself() -> None:
    result = bits(urcx.ruleset("finkel", pieces=2), agents="greedy", table_bits=[2])
    assert result.figure().axes
    line = "bits -p 2 --agent greedy --table-bits 2 --plot plotted.svg"
    assert run(*line.split()).code == 0
    assert b"<svg" in Path("plotted.svg").read_bytes()


def test_files_of_exact_play_are_read_before_anything_is_computed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*none\.play"):
        bits(ONE, play_files=tmp_path / "none.play", stage=mock.Mock(side_effect=AssertionError))


def test_the_curve_takes_the_rules_of_its_tablebase(one_piece: Path) -> None:
    result = bits(tablebase=str(one_piece), agents="random", table_bits=[2])
    assert result.rules.plays_like(ONE)


def test_numpys_numbers_are_written_to_files(one_piece: Path, tmp_path: Path) -> None:
    block: Any = np.int64(64)
    play = tmp_path / "one.play"
    assert compress(one_piece, play, block=block).file == play


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_name_that_no_file_can_have(name: str) -> None:
    for arguments in ((name, "out.play"), ("missing.urcx", name)):
        with pytest.raises(UsageError, match="a file cannot have such a name"):
            compress(*arguments)
