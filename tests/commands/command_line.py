"""Run urcx as a user would, in this process or in its own."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from urcx.cli import main
from urcx.reports.display.output import Style
from urcx.results.result import Report

COMMAND = (sys.executable, "-P", "-m", "urcx")
limited = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="memory of a process is limited on Linux alone"
)


@dataclass(frozen=True)
class Result:
    """How a command ended: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the document, but for how it was made, which each command line says otherwise."""
        assert self.code == 0, self.err
        result = json.loads(self.out)
        del result["provenance"]
        return result

    @property
    def rows(self) -> list[dict[str, str]]:
        """Return the rows of CSV."""
        assert self.code == 0, self.err
        return csv_rows(self.out)


# What differs from run to run, and how a result was made.
OTHER = ("updates_per_second", "seconds", "compile_seconds", "version", "provenance", "peak_memory")


def settled(result: Any, *but: str) -> Any:
    """Return a JSON object without what differs from run to run, nor other members."""
    if isinstance(result, dict):
        return {k: settled(v, *but) for k, v in result.items() if k not in (*OTHER, *but)}
    return [settled(one, *but) for one in result] if isinstance(result, list) else result


def csv_rows(text: str) -> list[dict[str, str]]:
    """Return the rows of CSV, without the comments on how it was made."""
    return list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith("# ")))


def run(*arguments: str, stdin: str = "") -> Result:
    """Run a command line in this process; an exception that gets out fails the test."""
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "stdin", io.StringIO(stdin)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main(list(arguments))
    code = ended.value.code
    return Result(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())


def run_process(*arguments: str, stdin: str | bytes = "", **environment: str) -> Result:
    """Run ``python -m urcx`` as a process of its own."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        check=False,
        timeout=300,
        env={**os.environ, **environment},
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def in_shell(before: str, arguments: str, after: str = "", seconds: float = 60.0) -> Result:
    """Run a command in a shell, which limits it or closes its streams."""
    done = subprocess.run(  # noqa: S602 - what a shell is needed for
        f'{before} exec "{sys.executable}" -P -m urcx {arguments} {after}',
        shell=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    return Result(done.returncode, done.stdout, done.stderr)


@contextmanager
def started(*arguments: str, ready: Callable[[int], bool]) -> Iterator[subprocess.Popen[str]]:
    """Start a command in a session of its own, and wait until it is at work."""
    # In the background, or under nohup, signals are ignored, and children inherit that.
    usual: dict[int, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }
    if hasattr(signal, "SIGHUP"):  # not on Windows
        usual[signal.SIGHUP] = signal.SIG_DFL
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    try:
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # One thread before the enumerator's own, so that these can be told.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    try:
        for _ in range(1200):
            if process.poll() is not None or ready(process.pid):
                break
            time.sleep(0.05)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def interrupted(process: subprocess.Popen[str], number: signal.Signals = signal.SIGINT) -> Result:
    assert process.poll() is None, "it ended before it could be interrupted"
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    return Result(process.returncode, out, err)


def assert_one_line(result: Result, code: int) -> str:
    """Assert that a command ended as an error should; return the line without its start."""
    assert "Traceback" not in result.err
    assert result.err.startswith("urcx: "), result.err
    assert result.err.endswith("\n")
    assert result.err.count("\n") == 1, result.err
    assert result.out == ""
    assert result.code == code, result.err
    return result.err.removeprefix("urcx: ").rstrip()


def commands() -> dict[str, str]:
    """Return the commands that the help lists, each with its line, or "" if it is only named."""
    whole = run("--help").out
    named = whole.partition("Research:")[2].partition("Options:")[0]
    return dict.fromkeys(re.findall("[a-z]+", named), "") | dict(
        re.findall(r"^  ([a-z][a-z-]*)  +(\S.*)$", whole, re.MULTILINE)
    )


def names(directory: str = ".") -> list[str]:
    """Return what is in a directory."""
    return sorted(file.name for file in Path(directory).iterdir())


def reports_of(line: str) -> list[Report]:
    """Return what a command would show: a report, none if it only prints lines or writes files."""
    found: list[Report] = []
    with mock.patch.object(Style, "show", lambda _, report: found.append(report.shown)):
        result = run(*line.split(), stdin="")
    assert result.code == 0, result.err
    return found


def report_of(line: str) -> Report:
    (report,) = reports_of(line)
    return report


def completed(line: str) -> dict[str, str]:
    """Return the environment in which bash asks how a line goes on."""
    last = str(len(line.split()) - 1)
    return {"_URCX_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": last}


def with_memory(
    megabytes: int, arguments: str, two_pieces: Path, new: Path, seconds: float
) -> None:
    """Assert that a command does its work in so much address space, or says that it cannot."""
    line = arguments.replace("BASE", f"'{two_pieces}'").replace("NEW", f"'{new}'")
    found = in_shell(f"ulimit -v {megabytes * 1000};", line, seconds=seconds)
    if found.code or megabytes < 500:
        assert "memory" in assert_one_line(found, 1)
