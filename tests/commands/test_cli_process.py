"""urcx as a process among others: pipes that close, interrupts, terminals, full disks."""

from __future__ import annotations

import compileall
import contextlib
import errno
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from unittest import mock

import pytest
from command_line import (
    COMMAND,
    Result,
    assert_one_line,
    in_shell,
    interrupted,
    limited,
    run,
    run_process,
    started,
    with_memory,
)
from terminals import on_terminal

import urcx
from urcx import cli

pytest_plugins = ["command_fixtures"]
posix = pytest.mark.posix("signals and terminals")


def test_a_process_says_what_a_call_does() -> None:
    arguments = ("ssc", "-p", "1..3", "--no-enumerate", "--json")
    assert run_process(*arguments) == run(*arguments)


def test_variables_of_libraries_are_no_tracebacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plot = tmp_path / "z.svg"
    line = ("ssc", "-p", "1", "--no-enumerate", "--plot", str(plot))
    monkeypatch.setenv("MPLBACKEND", "tkagg")  # opens windows, where there are any
    found = run_process(*line)
    assert (found.code, plot.exists()) == (0, True), found.err
    monkeypatch.setenv("MPLBACKEND", "nonsense")
    assert "MPLBACKEND must be" in assert_one_line(run_process(*line), 2)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "0")
    message = assert_one_line(run_process("perft", "-p", "1", "-d", "2"), 2)
    assert "NUMBA_NUM_THREADS must be at least 1" in message


# A reader that has had enough: `| head -1`.


@pytest.mark.parametrize(
    "arguments",
    [
        # More than a pipe holds, and a little that is only flushed at the end.
        "enumerate -p 2",
        pytest.param("sample -n 20000 -p 7", marks=pytest.mark.slow),
        "paths",
        pytest.param("--help", marks=pytest.mark.slow),
    ],
)
def test_a_pipe_closed_early_is_no_error(arguments: str) -> None:
    read, write = os.pipe()
    with subprocess.Popen(
        [*COMMAND, *arguments.split()], stdout=write, stderr=subprocess.PIPE
    ) as process:
        os.close(write)
        if arguments.startswith(("enumerate", "sample")):
            os.read(read, 1)
        os.close(read)
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_pipe_closed_early_ends_a_filter() -> None:
    with subprocess.Popen(
        [*COMMAND, "unrank", "-p", "7"], stdin=-1, stdout=-1, stderr=-1
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):  # if it has ended before it read everything
            process.stdin.write(b"12345\n" * 20_000)
            process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments", ["paths", pytest.param("enumerate -p 2", marks=pytest.mark.slow)]
)
def test_a_full_disk_is_one_line(arguments: str) -> None:
    message = assert_one_line(in_shell("", arguments, "> /dev/full"), 1)
    assert "No space left" in message


@posix
@pytest.mark.parametrize(
    ("arguments", "redirection"),
    [
        ("rank", "<&-"),
        ("paths", ">&-"),
        pytest.param("paths", "2>&-", marks=pytest.mark.slow),
        pytest.param("paths", ">&- 2>&-", marks=pytest.mark.slow),
    ],
)
def test_closed_standard_streams_are_no_traceback(arguments: str, redirection: str) -> None:
    found = in_shell("", arguments, redirection)
    lost = ">&-" in redirection.split()
    assert found.code == lost
    if lost and "2>&-" not in redirection:
        assert assert_one_line(found, 1) == "cannot write the output: Bad file descriptor"
    else:
        assert found.err == ""


@posix
def test_a_current_directory_that_is_gone_is_named_as_such(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = in_shell(f"cd '{gone}'; rmdir '{gone}';", "paths -o out.txt")
    assert "the current directory has been deleted" in assert_one_line(done, 1)


@pytest.mark.parametrize("archive", [False, True])
def test_without_its_sources_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archive: bool
) -> None:
    monkeypatch.chdir(tmp_path)  # a checkout here would come first
    package = tmp_path / "place" / "urcx"
    shutil.copytree(
        Path(urcx.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    if archive:
        where = shutil.make_archive(str(tmp_path / "urcx"), "zip", package.parent)
    else:
        where = str(package.parent)
        assert compileall.compile_dir(package, maxlevels=0, legacy=True, quiet=1)
        for file in package.rglob("*.py"):
            file.unlink()
    done = run_process("paths", PYTHONPATH=where)
    assert done.code == 1
    assert ".py files" in done.err
    assert done.err.count("\n") == 1


# Little memory.

GAME = Path(__file__).parents[2] / "docs/examples/game.txt"
COMPUTING = (
    "solve -p 5",
    "probe BASE",
    "match random greedy -g 100 -p 2",
    f"review '{GAME}' --moves",
    "gtc --exact -p 2 --agent greedy",
    "ssc bell -p 4",
    "regret -p 2 --tablebase BASE",
)


@limited
@pytest.mark.parametrize(
    "arguments",
    [*COMPUTING[:2], *(pytest.param(one, marks=pytest.mark.slow) for one in COMPUTING[2:])],
)
def test_with_little_memory_a_command_says_so(
    arguments: str, two_pieces: Path, tmp_path: Path
) -> None:
    with_memory(450, arguments, two_pieces, tmp_path / "new", 60.0)
    assert list(tmp_path.iterdir()) == []


@limited
@pytest.mark.slow
@pytest.mark.jit
@pytest.mark.parametrize("megabytes", [60, 150, 300, 500, 600, 700, 850, 950, 2000])
def test_with_any_memory_a_command_ends(megabytes: int, two_pieces: Path, tmp_path: Path) -> None:
    for arguments in COMPUTING:
        with_memory(megabytes, arguments, two_pieces, tmp_path / "new", 300.0)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "not enough memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "not enough memory"),
        (RuntimeError("can't start new thread"), "not enough memory"),
        (OSError("Could not find/load shared object file 'libllvmlite.so'"), "enough memory"),
        (ImportError("libopenblas.so: failed to map segment"), "enough memory"),
        (OSError(errno.ENOSPC, "No space left on device"), "cannot write the output: No space"),
        (OSError(errno.EACCES, "Permission denied", "x"), "cannot open x: Permission denied"),
    ],
)
def test_what_the_system_does_not_give_is_one_line(
    error: Exception, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "_discard_output", lambda: None)  # these are the test's own streams
    monkeypatch.setattr(cli, "_run", mock.Mock(side_effect=error))
    assert words in assert_one_line(run("paths"), 1)


@pytest.mark.parametrize("error", [RecursionError(), ImportError("no x", name="urcx.rules.model")])
def test_an_error_of_ours_is_none_of_the_systems(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "_run", mock.Mock(side_effect=error))
    with pytest.raises(type(error)):
        cli.main(["paths"])


# Ctrl-C.


def has_threads(pid: int) -> bool:
    """Return whether the enumerator's threads run."""
    tasks = Path(f"/proc/{pid}/task")
    if not tasks.exists():
        time.sleep(10)  # no such view of a process here: give it time enough
        return True
    return len(list(tasks.iterdir())) > 1


def assert_interrupted(result: Result) -> None:
    assert result.code == 130
    lines = [line for line in result.err.splitlines() if "will take about" not in line]
    assert len(lines) == 1
    assert lines[0].startswith("urcx: interrupted")
    assert "Traceback" not in result.err + result.out


@posix
def test_an_interrupt_leaves_finished_rows() -> None:
    arguments = ("ssc", "--path", "murray", "-p", "1,9", "--enumerate", "--yes", "--json")
    run(*arguments[:4], "1")  # with kernels in the cache, the first row takes no time
    with started(*arguments, ready=has_threads) as process:
        time.sleep(2)
        result = interrupted(process)
    assert_interrupted(result)
    first, second = Result(0, result.out, "").json["rows"]
    # 29 x 29 placements, without those that clash on 7 tiles crossed twice and 13 crossed once.
    assert first["enumerated"] == str(29 * 29 - 7 * 4 - 13)
    assert second["enumerated"] is None


@posix
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        *(pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGTERM, signal.SIGHUP)),
    ],
)
def test_an_interrupt_leaves_no_half_a_file(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "out.txt"
    file.write_text("old\n", encoding="utf-8")

    def writing(_: int) -> bool:
        return any(f.stat().st_size > 10_000 for f in tmp_path.iterdir() if f != file)

    arguments = ("enumerate", "--path", "murray", "-p", "7", "--yes", "-o", str(file))
    with started(*arguments, ready=writing) as process:
        assert_interrupted(interrupted(process, number))
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_text(encoding="utf-8") == "old\n"


# A terminal.


@posix
def test_a_narrow_terminal_shows_every_digit() -> None:
    width = 50
    line = [*COMMAND, "ssc", "-p", "9..10", "--no-enumerate", "--wide"]
    shown = on_terminal(line, "stdout", width)
    assert shown.code == 0
    for value in (482_210_816, 740_777_984, 2_817_358_656, 4_446_087_488):
        assert f"{value:,}" in shown.text
    assert "\u2026" not in shown.text
    assert max(len(line.rstrip()) for line in shown.text.splitlines()) <= width


@posix
@pytest.mark.parametrize(
    "environment",
    [
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in ({"TERM": "xterm"}, {"TERM": "dumb"}, {"NO_COLOR": "1"})
        ),
        {"PYTHONIOENCODING": "ascii"},
    ],
    ids=str,
)
def test_a_board_is_painted_only_where_the_terminal_can(environment: dict[str, str]) -> None:
    line = [*COMMAND, "show", "A3/C2,B2/5-5/L"]
    usual = {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", "COLORTERM": ""}
    can = on_terminal(line, "stdout", 80, **usual)
    assert "\x1b[38;5;234;48;5;223m" in can.raw
    assert {"○", "●", "✽"} <= set(can.text)
    assert "|" not in can.text
    cannot = on_terminal(line, "stdout", 80, **{**usual, **environment})
    piped = subprocess.run(line, capture_output=True, check=True, text=True).stdout
    board = piped.partition("\n\n")[2]
    assert board.rstrip() in cannot.text.replace("\r", "")
    assert not {"○", "●", "✽"} & set(cannot.raw + piped)
    assert "48;5" not in cannot.raw
