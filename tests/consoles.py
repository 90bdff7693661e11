"""What the README and the documentation show of a terminal: commands with what they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

# In Markdown between fences, in reStructuredText indented below the directive.
INDENTED = re.compile(r"^\.\. code-block:: console\n\n((?:[ ]{3}[^\n]*\n|\n)+)", re.MULTILINE)
FENCED = re.compile(r"^```console\n(.*?)```", re.DOTALL | re.MULTILINE)


def commands(file: Path) -> list[tuple[str, str]]:
    """Return the commands of a file, each with the output that it is said to have."""
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


def without_speed(text: str) -> str:
    """Return text without what differs from run to run, nor the blanks that align it."""
    text = re.sub(r"[\d,.]+ M\b", "N M", text)
    text = re.sub(r"(\d\.\d{12})\d+", r"\1", text)  # beyond what solving is certified to
    return re.sub(r"(-{3,}|\s+)", " ", text).strip()
