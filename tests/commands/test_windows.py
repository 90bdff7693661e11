"""Differences on Windows, as far as other systems can test them.

Files that are open, drives in names, names that are forbidden there, and streams of text. Functions
of Windows' own are in the tests of the modules that call them.
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import windows
from command_line import Result, run
from tiny_report import PLAN

import urcx
from urcx import cli
from urcx.agents.agents import agent
from urcx.agents.levels import last_level
from urcx.agents.search import lookahead
from urcx.engine.files.writing import atomic_file
from urcx.errors import UsageError
from urcx.reports import page
from urcx.solving.files.work import WorkStore

pytest_plugins = ["command_fixtures"]


def done(*arguments: str) -> Result:
    result = run(*arguments)
    assert result.code == 0, result.err
    return result


def flip_a_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


# --- files that are open


@pytest.fixture
def guarded(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty directory, where no file that is open is renamed, replaced or removed."""
    if not windows.OPEN.exists():
        pytest.skip("needs Linux's list of open files")
    windows.forbid_open_files(monkeypatch)
    return here


def test_the_guard_sees_files_that_are_open_or_mapped(guarded: Path) -> None:
    file = guarded / "one.urcx"
    done("solve", "-p", "1", "-o", file.name)
    with urcx.open_tablebase(file):
        for change in (file.unlink, lambda: file.rename("b"), lambda: Path("c").replace(file)):
            with pytest.raises(PermissionError):
                change()
    with file.open("rb"), pytest.raises(PermissionError):
        file.rename("b")
    file.replace("b")


@pytest.mark.jit
def test_no_command_renames_or_removes_what_it_has_open(guarded: Path) -> None:
    for _ in "again":  # after the first time, each file is there already
        done("solve", "-p", "1", "-o", "one.urcx")
        done("export", "one.urcx", "one.rgu")
        done("probe", "one.rgu", "-/-/0-0/L", "-o", "probed.json", "--json")
        done("check", "one.rgu")
        done("ssc", "-p", "1", "--no-enumerate", "-o", "out.csv", "--csv", "--plot", "out.svg")
        done("gtc", "--agent", "optimal:one.urcx", "-g", "20", "-p", "1", "-o", "gtc.txt")
    written = {"one.urcx", "one.rgu", "probed.json", "out.csv", "out.svg"}
    assert {file.name for file in guarded.iterdir()} == {*written, "gtc.txt"}


@pytest.mark.jit
def test_layers_of_an_earlier_run_are_taken_up_or_removed(guarded: Path) -> None:
    work = guarded / "two.urcx.work"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkStore, "remove", lambda _: None)
        done("solve", "-p", "2", "-o", "two.urcx")
    whole = (guarded / "two.urcx").read_bytes()
    flip_a_bit(work / "1-1.layer")
    again = done("solve", "-p", "2", "-o", "two.urcx")
    assert "layers 1-1 of the earlier run were wrong, damaged" in again.err
    assert (guarded / "two.urcx").read_bytes() == whole
    assert not work.exists()


@pytest.mark.jit
def test_a_damaged_level_is_replaced(guarded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(guarded / "cache"))
    rules = urcx.ruleset("finkel", pieces=1)
    look = lookahead(rules, 3, "advance", few_rolls=False)
    file = last_level(rules, look).file
    assert file is not None
    assert file.is_relative_to(guarded)
    flip_a_bit(file)
    assert last_level(rules, look).new
    assert not last_level(rules, look).new, "the damaged one is still in its place"


@pytest.mark.usefixtures("guarded")
def test_a_report_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "plan", lambda **_: PLAN)
    monkeypatch.setattr(page, "PARTS", (("state spaces", page.states_section),))
    # Not there before Python 3.12.
    monkeypatch.delattr(Path, "is_mount")
    for _ in "again":
        done("report", "--quick", "-o", "report")
    assert [file.name for file in Path().iterdir()] == ["report"]
    names = [file.relative_to("report").as_posix() for file in Path("report").rglob("*")]
    assert len({name.lower() for name in names}) == len(names) > 5
    assert not [name for name in names if FORBIDDEN.search(name) or DEVICE.fullmatch(name)]


# --- names

FORBIDDEN = re.compile(r'[<>:"\\|?*\x00-\x1f]|[. ](/|$)')  # in the name of a file
DEVICE = re.compile(r"(.*/)?(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.[^/]*)?", re.IGNORECASE)


@pytest.mark.parametrize(
    ("text", "table", "ties"),
    [
        (r"optimal:C:\games\finkel.urcx", r"C:\games\finkel.urcx", "first"),
        (r"optimal:C:\finkel.urcx:random", r"C:\finkel.urcx", "random"),
        ("optimal:last:d:/games/finkel.urcx", "d:/games/finkel.urcx", "last"),
        (r"optimal:\\host\share\finkel.urcx", r"\\host\share\finkel.urcx", "first"),
        ("optimal:finkel.urcx:last", "finkel.urcx", "last"),
    ],
)
def test_a_tablebase_on_a_drive(text: str, table: str, ties: str) -> None:
    found = agent(text)
    assert (found.table, found.ties) == (table, ties)
    assert agent(found.name) == found


def test_a_function_in_a_file_on_a_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path(r"C:\own.py")  # here a name like any other
    file.write_text("def choose(position, roll, moves):\n    return moves[0]\n", encoding="utf-8")
    found = agent(r"C:\own.py:choose")
    code = getattr(found.function, "__code__", None)
    assert code is not None
    assert Path(code.co_filename).name == r"C:\own.py"
    with pytest.raises(UsageError, match=r"write FILE\.py:FUNCTION"):
        agent(r"C:\own.py:choose:C:\own.py")
    with pytest.raises(UsageError, match=r"there is no file C:\\other.py"):
        agent(r"C:\other.py:choose")


# --- text


class Console(io.BytesIO):
    """What stands behind a standard stream; it remembers its bytes after the end."""

    def close(self) -> None:
        """Stay open: the stream on top of it goes."""


def stream(raw: io.BytesIO, encoding: str = "cp1252") -> io.TextIOWrapper:
    """Return a stream as Windows has them."""
    return io.TextIOWrapper(raw, encoding=encoding, newline="\r\n", write_through=True)


def outcome(
    patch: pytest.MonkeyPatch, *arguments: str, read: bytes = b"", encoding: str = "cp1252"
) -> tuple[int, bytes, bytes]:
    """Run a command line with streams of Windows; return exit code and the bytes written."""
    out, err = Console(), Console()
    standard = io.TextIOWrapper(io.BytesIO(read), encoding=encoding)
    with patch.context() as inner:
        inner.setattr(cli, "WINDOWS", encoding == "cp1252")
        inner.delenv("PYTHONIOENCODING", raising=False)
        inner.setattr(sys, "stdin", standard)
        inner.setattr(sys, "stdout", stream(out, encoding))
        inner.setattr(sys, "stderr", stream(err, encoding))
        with pytest.raises(SystemExit) as ended:
            cli.main(list(arguments))
    return int(str(ended.value.code)), out.getvalue(), err.getvalue()


@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_a_pipe_has_the_same_bytes_everywhere(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    line = ("ssc", "-p", "1..3", "--no-enumerate", form)
    wanted = done(*line).out.encode()
    assert b"\r" not in wanted
    assert outcome(monkeypatch, *line) == (0, wanted, b"")


def test_a_file_has_the_same_bytes_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fdopen

    def fdopen(handle: int, mode: str, **how: Any) -> Any:
        # What Windows does where nothing else is said.
        return real(handle, mode, **{"newline": "\r\n", "encoding": "cp1252", **how})

    monkeypatch.setattr(os, "fdopen", fdopen)
    with atomic_file(tmp_path / "out") as file:
        file.write("a\nb \u2248 \udcff\n")
    assert (tmp_path / "out").read_bytes() == "a\nb \u2248 \\udcff\n".encode()


def test_text_that_is_piped_in(monkeypatch: pytest.MonkeyPatch) -> None:
    start = "-/-/0-0/L\r\n"
    for read in (start.encode(), start.encode("utf-8-sig")):  # PowerShell marks it as UTF-8
        assert outcome(monkeypatch, "rank", "-p", "7", read=read) == (
            0, done("rank", "-p", "7", "-/-/0-0/L").out.encode(), b"",
        )  # fmt: skip


def test_a_character_that_the_locale_lacks_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    line = ("ssc", "-p", "1", "--no-enumerate", "-o", str(tmp_path / "\u2b50"))
    assert outcome(monkeypatch, *line, encoding="ascii")[0] == 0
    assert rb"\u2b50" in outcome(monkeypatch, *line, encoding="ascii")[2]


class Left(Console):
    """A pipe on Windows whose reader has had enough."""

    def write(self, _: object) -> int:
        """Say so as Windows does."""
        raise OSError(errno.EINVAL, "Invalid argument")


def test_a_reader_that_has_had_enough_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    monkeypatch.setattr(cli, "_discard_output", lambda: kept.append(1))
    err = Console()
    for windows_itself, code in ((True, 0), (False, 1)):
        with monkeypatch.context() as inner:
            inner.setattr(cli, "WINDOWS", windows_itself)
            inner.setattr(sys, "stdout", stream(Left()))
            inner.setattr(sys, "stderr", stream(err))
            with pytest.raises(SystemExit) as ended:
                cli.main(["paths"])
        assert ended.value.code == code
    assert err.getvalue().count(b"urcx: cannot write the output") == 1
    assert len(kept) == 2
