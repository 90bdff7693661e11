"""The README's commands, run as written, print what it says."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)


def _commands() -> list[tuple[str, str]]:
    found = []
    for block in BLOCKS:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def _without_speed(text: str) -> str:
    # Diagrams a second differ from run to run; so do the blanks that align them.
    text = re.sub(r"[\d,.]+ M\b", "N M", text)
    return re.sub(r"(-{3,}|\s+)", " ", text).strip()


@pytest.mark.jit
@pytest.mark.parametrize(("command", "output"), _commands(), ids=lambda text: text[:40])
def test_commands_print_what_the_readme_says(command: str, output: str) -> None:
    scripts = Path(sys.executable).parent
    path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S602 - the README's own pipelines
        command,
        shell=True,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": path},
    )
    assert _without_speed(done.stdout) == _without_speed(output)


@pytest.mark.jit
def test_python_session() -> None:
    failures, tried = doctest.testfile(str(README), module_relative=False)
    assert tried >= 5
    assert failures == 0
