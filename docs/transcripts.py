"""Writes the outputs of commands again: in README, in the pages, and for the help.

``python docs/transcripts.py`` updates all of them in a few minutes. With names of commands or pages
(``README.md``, ``tour.rst``) it updates only these. The outputs of examples in the help are saved
in ``docs/transcripts``, a file per command. Outputs that differ only by speed stay as they are. The
public names (``names.py``) are updated first. ``tests/test_docs.py`` and, for the help,
``tests/commands/test_cli_widths.py`` compare all of them with the current outputs.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

import consoles
import names
from consoles import printed, without_speed

KEPT = Path(__file__).parent / "transcripts"
MOST = 60  # lines of an output
# Lines that are left out because they differ in each run.
MACHINE = re.compile(r"(seconds|peak memory|\w+ per second)  ")
EXAMPLE = re.compile(r"urcx |[a-z0-9 -]+ \| urcx ")

# Examples with an output that depends on the machine, or takes minutes or gigabytes: smaller ones.
INSTEAD = {
    "urcx solve --rules finkel": "",
    "urcx solve --rules finkel -o finkel.urcx": "urcx solve --rules finkel -p 2 -o finkel2.urcx",
    "urcx probe finkel.urcx A3/C2,B2/5-5/L --roll 2": (
        "urcx probe finkel2.urcx B1,B4/C2,B2/0-0/L --roll 4"
    ),
    "urcx check finkel.urcx": "urcx check finkel2.urcx",
    "urcx check finkel.urcx --independent": "",  # needs a C compiler
    "urcx export finkel.urcx finkel.rgu": "urcx export finkel2.urcx finkel2.rgu",
    "urcx export finkel.urcx finkel.rgu --values f64": (
        "urcx export finkel2.urcx finkel2.rgu --values f64"
    ),
    "urcx compress finkel.urcx -o finkel.play": "urcx compress finkel2.urcx -o finkel2.play",
    "urcx compress --check finkel.play --tablebase finkel.urcx": (
        "urcx compress --check finkel2.play --tablebase finkel2.urcx"
    ),
    "urcx review *.rgn --csv": "urcx review games.rgn --csv",
    "urcx review game.txt -o game.html": "",  # a page
    "urcx play": "",  # asks for moves
    "urcx explore": "",  # serves until it is stopped
    "urcx explore finkel.urcx": "",
    "urcx explore --no-open --port 8000": "",
    "urcx explore --export ur.html": "",  # a file of two megabytes
    "urcx regret --tablebase finkel.urcx --agent greedy": (
        "urcx regret --tablebase finkel2.urcx -p 2 --agent greedy"
    ),
    "urcx train td --rules finkel -p 2 --quick --iterations 20 -o small.npz": "",  # prints times
    "urcx train --rules finkel --tablebase finkel.urcx -o finkel.npz": "",
    "urcx bits --tablebase finkel.urcx --plot bits.svg": "",
    "urcx verify --source heled --tablebase finkel.urcx": "urcx verify --source heled --summary",
    "urcx report -o report/": "",
    "urcx report --quick --tablebase finkel.urcx": "",
    "urcx cache": "",
    "urcx cache --only solved": "",
    "urcx cache --only levels --clear": "",
}
MAKE = "urcx solve --rules finkel -p 2 -o finkel2.urcx"


def examples(command: Any) -> list[str]:
    """Return the examples in a command's help, with the replacements of `INSTEAD`."""
    lines = [line.strip() for line in str(command.help).split("\n")]
    commands = [line for line in lines if EXAMPLE.match(line)]
    return list(filter(None, (INSTEAD.get(line, line) for line in commands)))


def output(command: str) -> str:
    """Return the output of an example for its file, run in the current directory."""
    lines = [line.rstrip() for line in printed(command).rstrip("\n").split("\n")]
    lines = [line for line in lines if not MACHINE.match(line)]
    if len(lines) > MOST:
        lines = [*lines[:MOST], f"[{len(lines) - MOST} more lines]"]
    return "\n".join(lines)


def transcript(command: Any) -> str:
    """Return the text of a command's file: its examples, each with its output."""
    with TemporaryDirectory() as directory, chdir(directory):
        listed = examples(command)
        if any("finkel2.urcx" in example for example in listed) and MAKE not in listed:
            output(MAKE)
        if any("review game.txt" in example for example in listed):
            for name in ("game.txt", "games.rgn"):
                copyfile(KEPT.parent / "examples" / name, name)
        return "".join(f"$ {example}\n{output(example)}\n\n" for example in listed)


def kept(name: str) -> Iterator[tuple[str, str]]:
    """Yield the saved examples of a command, each with its output."""
    file = KEPT / f"{name}.txt"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed.rstrip("\n")


def settled(text: str) -> str:
    """Return a text without numbers that depend on the order of threads: sweeps and gaps.

    Gaps are rounded up to one digit or to a power of ten, so they can differ between runs.
    """
    text = re.sub(r"^(most sweeps of a layer  ).*", r"\1", text, flags=re.MULTILINE)
    return without_speed(re.sub(r"\b\d(\.\d+)?e-(09|1\d)\b", "E", text))


def renew(wanted: list[str]) -> None:
    """Write the outputs of commands and pages again, by default of all.

    Raises
    ------
    ValueError
        If a name is not the name of a command or a page.
    """
    import pages  # here, because pages imports this module

    all_commands = pages.commands()
    written = {consoles.name(page): page for page in consoles.pages()}
    unknown = [name for name in wanted if name not in {**all_commands, **written}]
    if unknown:
        raise ValueError(f"unknown commands or pages: {', '.join(unknown)}")
    KEPT.mkdir(exist_ok=True)
    for name in wanted or [*all_commands, *written]:
        if name in written:
            text, file = consoles.renewed(written[name]), written[name]
        else:
            text, file = transcript(all_commands[name][0]), KEPT / f"{name}.txt"
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        if text != old if name in written else settled(text) != settled(old):
            file.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{file}\n")


if __name__ == "__main__":
    names.write()
    with TemporaryDirectory() as data:  # the user's saved solutions must not appear
        os.environ["URCX_DATA_DIR"] = data
        renew(sys.argv[1:])
