"""Files that cannot be written or read: circular links, long names, full disks, pipes."""

from __future__ import annotations

import os
import re
from pathlib import Path
from unittest import mock

import pytest
from command_line import assert_one_line, names, run
from disks import full_after
from fuzzing import subcommands, time_limit
from own_rules import SHORT

from urcx.commands.options import NOT_ONLY_READ

pytest_plugins = ["command_fixtures"]
pytestmark = pytest.mark.posix("makes links, which need rights on Windows")

ROWS = ("ssc", "-p", "1..9", "--no-enumerate")


@pytest.fixture(autouse=True)
def _circles(here: Path) -> None:
    """Stand among links that lead round in circles."""
    for suffix in ("", ".svg", ".urcx", ".rgu", ".json"):
        (here / f"loop{suffix}").symlink_to(f"pool{suffix}")
        (here / f"pool{suffix}").symlink_to(f"loop{suffix}")


LOOPS = [
    "ssc -p 1 --no-enumerate -o loop",
    "ssc -p 1 --no-enumerate --plot loop.svg",
    "ssc -p 1 --no-enumerate -o loop.svg --plot loop.svg",
    "ssc -p 1 --no-enumerate -o out --plot loop.svg",
    "paths -o loop/file",
    "dice --plot loop.svg",
    "gtc -g 1 -p 1 --plot loop.svg",
    "report --quick -o loop",
    "report --quick -o loop/report",
    "solve -p 1 -o loop.urcx",
    "export none.urcx loop.rgu",
]


@pytest.mark.parametrize("line", LOOPS)
def test_links_in_circles(line: str) -> None:
    before = names()
    assert re.match("cannot write loop.*circle", assert_one_line(run(*line.split()), 1))
    assert names() == before


@pytest.mark.parametrize(
    "line",
    [
        "ssc --path-file loop", "probe loop", "check loop", "regret --tablebase loop",
        "match random optimal:loop.urcx",
    ],
)  # fmt: skip
def test_links_in_circles_to_read_from(line: str) -> None:
    assert "cannot read loop" in assert_one_line(run(*line.split()), 2)


@pytest.mark.parametrize("option", ["-o", "--plot"])
@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_leaves_what_was_there(option: str, there: bool) -> None:
    file = Path("out.txt" if option == "-o" else "out.svg")
    if there:
        file.write_text("before", encoding="utf-8")
    known = names()
    run(*ROWS, "--plot", "warm.png")  # what figures keep for themselves is written before
    Path("warm.png").unlink(missing_ok=True)
    arguments = [*ROWS, option, str(file)]
    with full_after(100):
        result = run(*arguments)
    message = assert_one_line(result, 1)
    assert "cannot write" in message
    assert str(file) in message
    assert names() == known
    if there:
        assert file.read_text(encoding="utf-8") == "before"


def test_a_file_that_is_full_in_the_middle_of_a_stream() -> None:
    # Written as it comes: the file must not appear with the first part of it.
    with full_after(4000):
        message = assert_one_line(run("enumerate", "-p", "2", "-o", "all.txt"), 1)
    assert "cannot write all.txt" in message
    assert not Path("all.txt").exists()


# Options and arguments that name a file to be read, of every command.
NAMED = [
    (name, parameter.opts[0] if parameter.param_type_name == "option" else "")
    for name, command in subcommands().items()
    for parameter in command.params
    if "Path" in str(parameter.type_descriptor.annotation)
    and parameter.name not in {*NOT_ONLY_READ, "output"}
]


@pytest.mark.parametrize(("command", "option"), [*NAMED, ("play", "--resume")])
def test_no_command_waits_for_a_pipe(command: str, option: str) -> None:
    os.mkfifo("pipe")
    line = [*command.split(), *([option] if option else []), "pipe"]
    if "output" in (p.name for p in subcommands()[line[0]].params if p.required):
        line += ["out"]
    with time_limit(60):
        found = run(*line)
    assert found.code
    assert_one_line(found, found.code)


def test_no_page_is_made_for_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo("pipe")
    monkeypatch.setattr("urcx.explore.export.exported", mock.Mock(side_effect=AssertionError))
    assert "not a regular file" in assert_one_line(run("explore", "--export", "pipe"), 1)


@pytest.mark.parametrize("line", ["review pipe", "ssc --path-file pipe"])
def test_what_a_pipe_gives_has_a_name(line: str) -> None:
    os.mkfifo("pipe")
    message = assert_one_line(run(*line.split()), 2)
    assert message.endswith("pipe: it is not a regular file. To read from a pipe, write -")
    # A tablebase is written in more than one place at once: no pipe can take it.
    assert "not a regular file" in assert_one_line(run("solve", "-p", "1", "-o", "pipe"), 2)


def test_standard_input_is_a_file_to_read() -> None:
    game = "urcx game 1\npieces: 1\n\n1. light 2:0-2\n"
    assert "start to A3" in run("review", "-", "--moves", stdin=game).out
    text = SHORT.read_text(encoding="utf-8")
    assert run("ssc", "--path-file", "-", "-p", "2", stdin=text).code == 0
    assert "--resume -" in assert_one_line(run("play", "--resume", "-", stdin=game), 2)
