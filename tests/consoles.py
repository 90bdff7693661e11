"""Console blocks in the README and the documentation: commands with their output."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from contextlib import chdir, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import pytest

from urcx.cli import main

# In Markdown between fences, in reStructuredText indented below the directive.
INDENTED = re.compile(r"^\.\. code-block:: console\n\n((?:[ ]{3}[^\n]*\n|\n)+)", re.MULTILINE)
FENCED = re.compile(r"^```console\n(.*?)```", re.DOTALL | re.MULTILINE)


def commands(file: Path) -> list[tuple[str, str]]:
    """Return the commands in a file's console blocks, each with the output shown."""
    pattern = FENCED if file.suffix == ".md" else INDENTED
    blocks = pattern.findall(file.read_text(encoding="utf-8"))
    parts = [
        part
        for block in blocks
        for part in re.split(r"^\$ ", textwrap.dedent(block), flags=re.MULTILINE)[1:]
    ]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def printed(command: str, text: str = "") -> str:
    """Return what a shell command prints, with this environment's ``urcx``."""
    scripts = Path(sys.executable).parent
    done = subprocess.run(  # noqa: S602 - pipelines of our own
        command,
        shell=True,
        capture_output=True,
        text=True,
        check=True,
        input=text,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"},
    )
    return done.stdout


@cache
def inside(command: str, place: Path) -> str:
    """Return the output of an ``urcx`` command, run within this process in a directory."""
    with redirect_stdout(StringIO()) as out, chdir(place), pytest.raises(SystemExit) as end:
        main(shlex.split(command)[1:])
    assert end.value.code == 0
    return out.getvalue()


def shown(command: str, place: Path) -> str:
    """Return the output of a shell command, with as little use of a shell as possible.

    Most of a command's time is the start of its process, which has tests of its own.
    """
    if os.name != "posix" and re.search(r"[|>]|/tmp/", command):
        pytest.skip("needs POSIX: a shell's pipes, and /tmp")
    first, _, rest = command.partition(" | ")
    if not first.startswith("urcx ") or ">" in first or "urcx " in rest:
        return printed(command)
    text = inside(first, place)
    return printed(rest, text) if rest else text


def without_speed(text: str) -> str:
    """Return text without what varies from run to run, and without alignment blanks."""
    text = re.sub(r"[\d,.]+ M\b", "N M", text)
    text = re.sub(r"(\d\.\d{12})\d+", r"\1", text)  # beyond what solving is certified to
    return re.sub(r"(-{3,}|\s+)", " ", text).strip()
