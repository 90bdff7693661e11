"""Files that cannot be written: links in circles, names too long, full disks, no permission."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command_line import assert_one_line, run
from disks import full_after

pytestmark = pytest.mark.posix("makes links, which need rights on Windows")

ROWS = ("ssc", "-p", "1..9", "--no-enumerate")


def names() -> list[str]:
    """Return what is there."""
    return sorted(file.name for file in Path().iterdir())


@pytest.fixture(autouse=True)
def _desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand among links that lead round in circles, and one to where there is nothing."""
    monkeypatch.chdir(tmp_path)
    for suffix in ("", ".svg", ".urcx", ".rgu", ".json"):
        Path(f"loop{suffix}").symlink_to(f"pool{suffix}")
        Path(f"pool{suffix}").symlink_to(f"loop{suffix}")
    Path("away.svg").symlink_to("nowhere/away.svg")


LOOPS = [
    "ssc -p 1 --no-enumerate -o loop",
    "ssc -p 1 --no-enumerate --plot loop.svg",
    "ssc -p 1 --no-enumerate -o loop.svg --plot loop.svg",
    "ssc -p 1 --no-enumerate -o out --plot loop.svg",
    "paths -o loop/file",
    "conflicts -p 1 --plot loop.svg",
    "dice --plot loop.svg",
    "gtc -g 1 -p 1 --plot loop.svg",
    "report --quick -o loop",
    "report --quick -o loop/report",
    "solve -p 1 -o loop.urcx",
    "solve -p 1 --exact-fractions -o loop.json",
    "export none.urcx loop.rgu",
]


@pytest.mark.parametrize("line", LOOPS)
def test_links_in_circles(line: str) -> None:
    before = names()
    message = assert_one_line(run(*line.split()), 1)
    assert "cannot write loop" in message
    assert "circles" in message
    assert names() == before


@pytest.mark.parametrize(
    "line",
    [
        "ssc --path-file loop", "probe loop", "solve --check loop", "regret --tablebase loop",
        "gamble --game-file loop", "match random optimal:loop.urcx",
    ],
)  # fmt: skip
def test_links_in_circles_to_read_from(line: str) -> None:
    assert "cannot read loop" in assert_one_line(run(*line.split()), 2)


def test_a_link_to_a_place_that_is_not_there_is_refused_beforehand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def computed(*_: object, **__: object) -> None:
        pytest.fail("computed before the output was checked")

    monkeypatch.setattr("urcx.enumerate.state_space.evaluate", computed)
    message = assert_one_line(run(*ROWS, "--plot", "away.svg"), 1)
    assert "cannot write away.svg" in message
    assert "nowhere" in message


def test_a_link_stays_one() -> None:
    Path("to.json").symlink_to("real.json")
    assert run(*ROWS, "--json", "-o", "to.json").code == 0
    assert Path("to.json").is_symlink()
    assert Path("real.json").read_text(encoding="utf-8").startswith("{")


def test_names_of_any_length() -> None:
    longest = "n" * 251 + ".svg"
    assert run(*ROWS, "-o", longest).code == 0
    message = assert_one_line(run(*ROWS, "-o", "n" * 300), 1)
    assert "too long" in message
    assert not [name for name in names() if name.startswith(".")]


@pytest.mark.parametrize("option", ["-o", "--plot"])
@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_leaves_what_was_there(option: str, there: bool) -> None:
    if there:
        Path("out.svg").write_text("before", encoding="utf-8")
    known = names()
    run(*ROWS, "--plot", "warm.png")  # what figures keep for themselves is written before
    Path("warm.png").unlink(missing_ok=True)
    arguments = [*ROWS, option, "out.svg"]
    with full_after(100):
        result = run(*arguments)
    message = assert_one_line(result, 1)
    assert "cannot write" in message
    assert "out.svg" in message
    assert names() == known
    if there:
        assert Path("out.svg").read_text(encoding="utf-8") == "before"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("option", ["-o"])
def test_a_device_that_is_full(option: str) -> None:
    message = assert_one_line(run(*ROWS, option, "/dev/full"), 1)
    assert "cannot write /dev/full" in message


@pytest.mark.parametrize("option", ["-o", "--plot"])
def test_a_directory_that_may_only_be_read(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("locked").mkdir(mode=0o500)
    if os.geteuid() == 0:  # who may write everywhere
        monkeypatch.setattr(os, "access", lambda *_: False)
    message = assert_one_line(run(*ROWS, option, "locked/out.svg"), 1)
    assert "permission" in message
    assert list(Path("locked").iterdir()) == []


def test_a_file_that_is_full_in_the_middle_of_a_stream() -> None:
    # Written as it comes: the file must not appear with the first part of it.
    with full_after(4000):
        message = assert_one_line(run("enumerate", "-p", "2", "-o", "all.txt"), 1)
    assert "cannot write all.txt" in message
    assert not Path("all.txt").exists()
