"""What the examples in the commands' help print, kept in ``docs/transcripts``, a file a command.

``python docs/transcripts.py`` writes all of them anew, with names of commands only theirs;
``tests/test_docs.py`` holds them against what the commands print.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

from urcx.cli import main

KEPT = Path(__file__).parent / "transcripts"
MOST = 60  # lines of one output
MACHINE = re.compile("(seconds|peak memory|states renewed a second)  ")  # other each time: left out
EXAMPLE = re.compile(r"urcx |[a-z0-9 -]+ \| urcx ")

# Examples whose output is of the machine, or takes minutes or gigabytes: the same in small, if any.
INSTEAD = {
    "urcx solve --rules finkel -o finkel.urcx": "urcx solve --rules finkel -p 2 -o finkel2.urcx",
    "urcx probe finkel.urcx 2/3,6/5-5/L --roll 2": "urcx probe finkel2.urcx 5,8/3,6/0-0/L --roll 4",
    "urcx export finkel.urcx finkel.rgu --values percent16": (
        "urcx export finkel2.urcx finkel2.rgu --values percent16"
    ),
    "urcx compress finkel.urcx -o finkel.play": "urcx compress finkel2.urcx -o finkel2.play",
    "urcx review game.txt --tablebase finkel.urcx": (
        "urcx review game.txt --tablebase finkel2.urcx"
    ),
    "urcx explore finkel.urcx": "",  # serves until it is ended
    "urcx explore --no-open --port 8000": "",
    "urcx regret --tablebase finkel.urcx --agent greedy": (
        "urcx regret --tablebase finkel2.urcx -p 2 --agent greedy"
    ),
    "urcx train td --rules finkel -p 2 --quick --iterations 20 -o small.npz": "",  # says its times
    "urcx train --rules finkel --tablebase finkel.urcx -o finkel.npz": "",
    "urcx bits --tablebase finkel.urcx --plot bits.svg": "",
    "urcx verify --source heled --tablebase finkel.urcx": "urcx verify --source heled --summary",
    "urcx report -o report/": "",
    "urcx report --quick --tablebase finkel.urcx": "",
    "urcx cache": "",
    "urcx cache --only stale --clear": "",
}
MAKE = "urcx solve --rules finkel -p 2 -o finkel2.urcx"


def examples(command: Any) -> list[str]:
    """Return the commands that a command's help has as examples, those of `INSTEAD` replaced."""
    lines = [line.strip() for line in str(command.help).split("\n")]
    found = [line for line in lines if EXAMPLE.match(line)]
    return list(filter(None, (INSTEAD.get(line, line) for line in found)))


def output(command: str) -> str:
    """Return what an example prints to stdout, in the current directory."""
    parts = [shlex.split(part) for part in command.split(" | ")]
    text = ""
    for words in parts:
        if words[0] == "seq":
            text = "".join(f"{k}\n" for k in range(int(words[1]), int(words[2]) + 1))
            continue
        if words[0] == "yes":
            text = f"{words[1]}\n" * 1000
            continue
        out, err, before = StringIO(), StringIO(), sys.stdin
        sys.stdin = StringIO(text)
        try:
            with redirect_stdout(out), redirect_stderr(err):
                main(words[1:])
        except SystemExit as end:
            if end.code not in (0, None):
                raise ValueError(f"{command}: {err.getvalue()}") from end
        finally:
            sys.stdin = before
        text = out.getvalue()
    lines = [line.rstrip() for line in text.rstrip("\n").split("\n") if not MACHINE.match(line)]
    if len(lines) > MOST:
        lines = [*lines[:MOST], f"[{len(lines) - MOST} more lines]"]
    return "\n".join(lines)


def transcript(command: Any) -> str:
    """Return what a command's file is to be: its examples, each with what it prints."""
    with TemporaryDirectory() as directory, chdir(directory):
        found = examples(command)
        if any("finkel2.urcx" in example for example in found) and MAKE not in found:
            output(MAKE)
        if any("review game.txt" in example for example in found):
            copyfile(KEPT.parent / "examples" / "game.txt", "game.txt")
        return "".join(f"$ {example}\n{output(example)}\n\n" for example in found)


def kept(name: str) -> Iterator[tuple[str, str]]:
    """Return the examples of a command that are kept, each with its output."""
    file = KEPT / f"{name}.txt"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed.rstrip("\n")


if __name__ == "__main__":
    import pages  # which takes from here what is kept

    KEPT.mkdir(exist_ok=True)
    known = pages.commands()
    for name in sys.argv[1:] or known:
        text = transcript(known[name][0])
        if text:
            KEPT.joinpath(f"{name}.txt").write_text(text, encoding="utf-8")
