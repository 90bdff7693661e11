"""Impossible file names, and other kinds of files, instead of a file to read or write."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzzing import time_limit

import urcx
from urcx.agents.kinds import player_class
from urcx.agents.networks import read_network
from urcx.errors import UnusableFileError, UsageError
from urcx.reading import as_path, open_regular, parse_json, split_names
from urcx.rules.load import read_text
from urcx.solving.files.rgu import is_rgu, open_rgu, open_solution

ROOT = Path(__file__).parents[1]
ONE = urcx.ruleset("finkel", pieces=1)
IMPOSSIBLE = "a\0b"


def played() -> urcx.PlayedGame:
    return urcx.PlayedGame("finkel", light="you").throw(4).play("0-4")


READERS: list[Callable[[str], object]] = [
    open_regular,
    as_path,
    urcx.open_tablebase,
    open_solution,
    open_rgu,
    urcx.read_game,
    read_network,
    lambda name: read_text(Path(name)),
    lambda name: urcx.review(played(), name),
    lambda name: urcx.regret("random", "finkel", tablebase=name),
]
WRITERS: list[Callable[[str], object]] = [
    lambda name: urcx.solve(ONE, name),
    lambda name: played().save(name),
]


@pytest.mark.parametrize("use", READERS + WRITERS)
def test_a_name_that_no_file_can_have(use: Callable[[str], object]) -> None:
    for name in (IMPOSSIBLE, "\ud800"):
        with pytest.raises(UsageError, match="a file cannot have such a name") as raised:
            use(name)
        assert str(raised.value).isprintable()


def test_layers_in_a_directory_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="a file cannot have such a name"):
        urcx.solve(ONE, layers=IMPOSSIBLE)


def test_what_a_file_begins_with(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in (IMPOSSIBLE, tmp_path / "pipe", tmp_path, tmp_path / "none"):
        assert not is_rgu(name)
        assert player_class(name) is None


@pytest.mark.parametrize(
    "read",
    [urcx.open_tablebase, open_solution, open_rgu, read_network, urcx.read_game],
    ids=lambda f: f.__name__,
)
def test_pipes_are_not_waited_for(tmp_path: Path, read: Callable[[str], object]) -> None:
    os.mkfifo(tmp_path / "pipe")
    with time_limit(20), pytest.raises(UnusableFileError, match="it is not a regular file"):
        read(str(tmp_path / "pipe"))


# Modules that open files themselves: data of the package, written or locked files, system files.
OWN_WAY = {
    "reading.py", "cli.py", "engine/dask.py", "engine/memory.py", "engine/files/writing.py",
    "engine/files/cache.py", "engine/files/sources.py",
    "explore/files.py", "solving/files/rgu_export.py",
}  # fmt: skip
OPENING = re.compile(r"(\bopen|\.read_(text|bytes)|np\.(load|fromfile|memmap))\(")
# Not for reading, not files, and other names.
OTHERWISE = re.compile(r"""[(, ]"w|resources|files\(|def |archive\.|webbrowser\.""")


def test_nothing_else_opens_files_to_read_them() -> None:
    package = Path(urcx.__file__).parent
    found = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if OPENING.search(line) and not OTHERWISE.search(line)
    }
    assert found == OWN_WAY


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"capture": false, "x": [], "capture": true}', "'capture' is there twice"),
        ('{"a": [{"b": {"c": 1, "\\u0063": 1}}]}', "'c' is there twice"),
        ('{"\\u001b[2J": 1, "\\u001b[2J": 2}', r"'\\x1b\[2J' is there twice"),
        ("[-Infinity]", "-Infinity"),
        ("[1e999]", "too large"),
        ("[" + "1" * 19 + "]", "18 digits"),
        ('["\\udfff"]', "UTF-8"),
        ("[" * 100_000, "too deeply"),
    ],
)
def test_json_that_two_readers_may_read_differently_is_refused(text: str, fault: str) -> None:
    for data in (text, text.encode()):
        with pytest.raises(ValueError, match=fault):
            parse_json(data)
    assert parse_json(b'{"a": [1, -2.5, "\xc3\xa9"], "b": {"a": null}}') == {
        "a": [1, -2.5, "\u00e9"], "b": {"a": None}
    }  # fmt: skip


def test_nothing_else_reads_json() -> None:
    """The slow twin of urcx-check has its own reader, because it shares nothing with urcx."""
    reader = re.compile(r"\bjson\.loads?\b|\bfrom json import|JSONDecoder\(")
    files = [file for name in ("urcx", "packaging", "docs") for file in (ROOT / name).rglob("*.py")]
    readers = [file for file in files if reader.search(file.read_text("utf-8"))]
    assert readers == [ROOT / "urcx/reading.py"]


def test_a_list_longer_than_the_name_of_a_file_can_be_is_split() -> None:
    names = ["bell", "9" * 5000]
    assert split_names(",".join(names)) == names


def test_commas_of_a_list_and_of_files(tmp_path: Path) -> None:
    place = tmp_path / "a,b: c"
    place.mkdir()
    for name in ("x,y.toml", "mine.py", "z"):
        (place / name).touch()
    for names in (
        [f"{place}/x,y.toml:strip", "finkel", f"{place}/mine.py:best"],
        ["greedy", f"optimal:{place}/z:last", f"mistakes:5:net:{place}/z"],
        [f"{place}/z", f"{place}/z"],
        ["greedy", "", "panda:3"],
        ["a", "b: c/z"],
    ):
        assert split_names(" , ".join(names) if "a" not in names else ",".join(names)) == names
