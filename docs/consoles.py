"""Console blocks in README and the pages: functions that find, run and update them.

``docs/transcripts.py`` writes their outputs again, and ``tests/test_docs.py`` compares them with
the outputs of the commands. Commands print as on a terminal of 80 columns, without colours. A line
``...`` in a block stands for lines that the page leaves out. This module needs only urcx.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from unittest import mock

DOCS = Path(__file__).parent
README = DOCS.parent / "README.md"

# Blocks are between fences in Markdown, and indented below the directive in reStructuredText.
FENCED = re.compile(r"^```console\n(.*?)```", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"^\.\. code-block:: console\n\n((?:[ ]{3}[^\n]*\n|\n)+)", re.MULTILINE)
PROMPT = re.compile(r"^\$ ", re.MULTILINE)
LEFT_OUT = re.compile(r"^\.\.\.\n", re.MULTILINE)

COLUMNS = 80
PLAIN = {"COLUMNS": str(COLUMNS), "TERM": "dumb", "NO_COLOR": "1"}  # a terminal without colours


class Terminal(StringIO):
    """The text that a command prints on a terminal."""

    def isatty(self) -> bool:
        """Return that this is a terminal."""
        return True


def pages() -> list[Path]:
    """Return README and the handwritten pages."""
    files = (file for file in DOCS.rglob("*.rst") if "generated" not in file.parts)
    return [README, *sorted(files)]


def name(page: Path) -> str:
    """Return a page's name: ``README.md``, or its path in ``docs``."""
    return page.relative_to(DOCS if page.is_relative_to(DOCS) else DOCS.parent).as_posix()


def commands(page: Path) -> list[tuple[str, str]]:
    """Return the commands in a page's console blocks, each with its output there."""
    blocks = _pattern(page).findall(page.read_text(encoding="utf-8"))
    parts = [part for block in blocks for part in PROMPT.split(textwrap.dedent(block))[1:]]
    return [_split(part) for part in parts]


def _split(part: str) -> tuple[str, str]:
    """Return a command, perhaps on several lines that end with a backslash, and its output."""
    command, *output = re.split(r"(?<!\\)\n", part, maxsplit=1)
    return command, "".join(output)


def _pattern(page: Path) -> re.Pattern[str]:
    return FENCED if page.suffix == ".md" else INDENTED


def shown(command: str, page: Path) -> str:
    """Return the output of a command of a page, run in the folder for the page's commands."""
    with chdir(DOCS if page.is_relative_to(DOCS) else DOCS.parent):
        return printed(command)


def printed(command: str) -> str:
    """Return the output of a pipeline; ``urcx`` runs in this process.

    Most of a command's time is the start of its process, which other tests cover.

    Raises
    ------
    ValueError
        If a command of urcx fails.
    subprocess.CalledProcessError
        If another command fails.
    """
    text = ""
    for part in re.sub(r"\s*\\\n\s*", " ", command).split(" | "):
        words = shlex.split(part)
        if words[0] == "urcx":
            text = _inside(part, text, Path.cwd())
        elif words[0] == "seq":  # which Windows lacks
            text = "".join(f"{k}\n" for k in range(int(words[1]), int(words[2]) + 1))
        elif words[0] == "yes":  # which ends with its reader
            text = f"{words[1]}\n" * 1000
        else:
            done = subprocess.run(  # noqa: S602 - pipelines of our own
                part, shell=True, capture_output=True, text=True, check=True, input=text
            )
            text = done.stdout
    return text


@cache
def _inside(command: str, text: str, place: Path) -> str:
    """Return the output of an ``urcx`` command in a directory, with a text on its stdin."""
    from urcx.cli import main  # after the update of the public names

    out, err, before = Terminal(), StringIO(), sys.stdin
    sys.stdin = StringIO(text)
    try:
        terminal = mock.patch.dict(os.environ, PLAIN)
        with terminal, chdir(place), redirect_stdout(out), redirect_stderr(err):
            main(shlex.split(command)[1:])
    except SystemExit as end:
        if end.code not in (0, None):
            raise ValueError(f"{command}: {err.getvalue()}") from end
    finally:
        sys.stdin = before
    return out.getvalue()


def without_speed(text: str) -> str:
    """Return a text without parts that vary between runs, and without alignment blanks."""
    text = re.sub(r"^(date: )[\d-]+$", r"\1D", text, flags=re.MULTILINE)
    text = re.sub(r"[\d,.]+ M\b", "N M", text)
    text = re.sub(r"(\d\.\d{12})\d+", r"\1", text)  # digits beyond the proven ones
    text = re.sub(r'("(?:python|numba|numpy)": )"[^"]*"', r"\1V", text)
    return re.sub(r" *\n *", "\n", re.sub(r"(-{3,}|[^\S\n]+)", " ", text)).strip()


def agrees(old: str, new: str) -> bool:
    """Return whether an output in a page, perhaps with lines left out, is this output."""
    parts = (re.escape(_lines(part)) for part in LEFT_OUT.split(old))
    return re.fullmatch(r"(?:.*\n)?".join(parts), _lines(new), re.DOTALL) is not None


def _lines(text: str) -> str:
    settled = without_speed(text)
    return f"{settled}\n" if settled else ""


def renewed(page: Path, run: Callable[[str, Path], str] = shown) -> str:
    """Return a page's text with the current outputs of its commands.

    Outputs that differ only by speed stay as they are. Where lines are left out at one place, as
    many lines as before stay above and below it.
    """

    def block(match: re.Match[str]) -> str:
        before, *parts = PROMPT.split(textwrap.dedent(match[1]))
        body = before + "".join(f"$ {_updated_part(part, page, run)}" for part in parts)
        indented = textwrap.indent(body, "" if page.suffix == ".md" else "   ")
        return match[0].replace(match[1], indented)

    return _pattern(page).sub(block, page.read_text(encoding="utf-8"))


def _updated_part(part: str, page: Path, run: Callable[[str, Path], str]) -> str:
    command, old = _split(part)
    new = run(command, page)
    if agrees(old, new):
        return part
    lines = [line.rstrip() for line in new.rstrip("\n").split("\n")]
    blank = old[len(old.rstrip("\n")) :] or "\n"
    above, *below = (part.count("\n") for part in LEFT_OUT.split(old.rstrip("\n") + "\n"))
    if len(below) == 1:
        lines[above : len(lines) - below[0]] = ["..."]
    return "\n".join([command, *lines]) + blank
