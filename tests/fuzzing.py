"""Random command lines, files and positions, for fuzz tests.

Options come from the app itself, so that new ones are tried automatically. A value is drawn from
typical ones for its option (`USUAL`, by the option's name) or from hostile ones (`HOSTILE`). File
names are those of `lay_out`, so that nothing is written anywhere else.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import unicodedata
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import strategies as st

from urcx import cli

# What takes no file, by the name of the parameter; agents, paths and rule sets of few states first.
USUAL: dict[str, list[str]] = {
    "path": ["bell", "masters", "murray", "bell,aseb", "one"],
    "name": ["bell", "skiriuk", "kwan"],
    "rules": ["finkel", "blitz", "murray", "masters", "mine"],
    "pieces": ["1", "2", "3", "1..2", "7"],
    "dark_pieces": ["1", "2", "7"],
    "names": ["binary4", "binary3", "d6-substitute"],
    "agent": ["random", "first", "greedy", "gain", "panda:2", "expectimax:2", "optimal"],
    "light": ["greedy", "panda:1", "winnings", "last:random"],
    "dark": ["random", "winnings:2", "own.py:choose"],
    "agents": ["random", "greedy", "random,greedy", "optimal", "expectimax:2"],
    "side": ["light", "dark"],
    "resume": ["game.txt", "game.rgn", "over.txt", "junk", "none", "directory", "pipe", "-"],
    "pace": ["0", "0.1"],
    "opponent": ["optimal", "self", "greedy"],
    "host": ["127.0.0.1", "localhost", "::1"],
    "port": ["0", "65536"],
    "allow_origin": ["http://localhost:8888", "null"],
    "allow_host": ["ur.example", "a b"],
    "games": ["1", "2", "20"],
    "networks": ["junk", "finkel.urcx"],
    "table_bits": ["1", "2,4", "16"],
    "n": ["1", "5"],
    "depth": ["1", "2", "3"],
    "samples": ["1", "5"],
    "particles": ["0", "40", "400"],
    "turns": ["1", "106"],
    "seed": ["0", "1", "7"],
    "threads": ["1", "2"],
    "scheduler": ["local", "cluster", "http://a:1"],  # none is an address
    "roll": ["0", "1", "2", "4"],
    "position": ["-/-/0-0/L", "2/3,6/5-5/L", "1/-/0-0/D", "14/14/6-6/L", "1//0-0/L"],
    "ties": ["first", "last", "random"],
    "method": ["auto", "tree", "levels"],
    "first": ["alternate", "light", "dark", "coin"],
    "convention": ["diagrams", "positions", "mover-view"],
    "order": ["tiles", "pattern", "strict", "eagle"],
    "visit": ["write", "count", "branches", "checksum", "ranks"],
    "compare": ["paths", "forms"],
    "source": ["michon"],
    "store": ["f64", "f32", "u16"],
    "values": ["percent16", "f32", "f64"],
    "tolerance": ["1e-12", "1e-6"],
    "endings": ["1", "2"],
    "start": ["0", "A4", "3"],
    "to": ["B4", "home", "4,8..10"],
    "tiles": ["4", "1..12"],
    "within": ["1", "3"],
    "sequence": ["122", "1,2,2"],
    "total": ["4", "0"],
    "counts": ["0:20", "0:7,1:27"],
    "interval": ["0.9", "0.5"],
    "rolls": ["2", "1..3", "106"],
    "sequences": ["AB", "AB,BA", "A"],
    "learning": ["td"],
    "iterations": ["1", "2"],
    "units": ["4", "8,0"],
    "settings": ["games=4,plies=8", "plies=8", "trace=0.5", "units=3,games=2"],
    "minutes": ["0.001", "1"],
    "reading": ["tables", "text", "mended"],
}
HOSTILE = [
    "", " ", "-", "-1", "0", "255", "256", "1000", "10000", "100000000", str(10**18), str(10**20),
    "9" * 5000, "1..", "..1", "1..300", "10000..1", "1..100000", "1,,2", "1e400", "-1e400", "nan",
    "inf", "-inf", "0.1", "1e-400", "x", "None", "\u0663", "\U0001f3b2", "a\nb", "'\"", "%s%n",
    "{0}", "../..", "bell,", ",", "BELL", "panda:0", "panda:99", "panda:1:1", ":", "optimal:",
    "x.py:y", "winnings:9", "1/1/1-1/L", "1,1/-/0-0/L", "A" * 300, "AAAAAA", "0:0", "99:1", "1:",
    "home,home", "\x1b[31m", "\x1b[31mbell", "panda:\x1b[31m", "\x1b]0;title\x07",
    "a\rb", "\x7f", "\x9b31m", "-/-/0-0/L\x1b[31m", "\u202ebell", "own.py:\x1b[31m", "\x1b[31m.svg",
]  # fmt: skip
INPUTS = [
    "finkel.urcx", "finkel.rgu", "mine.toml", "deep.toml", "junk", "empty", "none",
    "loop", "directory", "broken.urcx", "/dev/null", "game.txt", "game.rgn", "over.txt",
    "pipe", "-",
]  # fmt: skip
OUTPUTS = [
    "out.json", "out.csv", "out.svg", "out.png", "out.urcx", "out.rgu", "out", "none/out.svg",
    "loop", "loop.svg", "directory", "away.svg", "junk/out", "n" * 300, "n" * 245 + ".svg",
    "/dev/full",
]  # fmt: skip
# Where these are the values, a file is written.
WRITTEN = {"output", "plot", "save", "export"}
TEXTS = ("boards.toml", "paths.toml", "dice.toml", "rules.toml")

MINE = """
[path.one]
board = "standard"
light = "B1 B2 B3 B4"
[rules.mine]
path = "one"
pieces = 2
dice = "binary3"
rosette_grants_roll = true
rosette_protects = false
capture_grants_roll = true
"""


def subcommands() -> dict[str, Any]:
    """Return the commands of the app by name."""
    group = cli.commands()
    return {name: group.get_command(None, name) for name in group.commands}


def lay_out(directory: Path, tablebase: bytes, rgu: bytes) -> None:
    """Write the files of `INPUTS`, and obstacles to `OUTPUTS`."""
    files = {
        "finkel.urcx": tablebase,
        "broken.urcx": tablebase[: len(tablebase) // 2],
        "finkel.rgu": rgu,
        "mine.toml": MINE.encode(),
        "deep.toml": b"x = " + b"[" * 5000 + b"]" * 5000,
        "junk": bytes(range(256)) * 20,
        "empty": b"",
        "game.txt": b"urcx game 1\npieces: 1\nseed: 3\n\n1. light 2:0-2\n2. dark 1:?\n",
        "game.rgn": b"(1) r2.5a3 (2) r0\n",
        "over.txt": b"urcx game 1\npieces: 1\nstart: 14/-/0-0/L\n1. light 1:14-15\n",
        "own.py": b"def choose(position, roll, moves):\n    return moves[-1]\n",
    }
    for name, data in files.items():
        (directory / name).write_bytes(data)
    (directory / "directory").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(directory / "pipe")
    links = {"loop": "pool", "pool": "loop", "loop.svg": "loop.svg", "away.svg": "nowhere/away.svg"}
    for name, target in links.items():
        with contextlib.suppress(OSError):  # Windows wants rights for it
            (directory / name).symlink_to(target)


def data_text(name: str) -> str:
    """Return one of the files in the package's data on rules."""
    return resources.files("urcx.rules").joinpath("data", name).read_text(encoding="utf-8")


@st.composite
def command_lines(draw: st.DrawFn, names: list[str]) -> list[str]:
    """Draw a command line of a random command, with a random choice of its options."""
    name = draw(st.sampled_from(names))
    line = [name]
    behind: list[str] = []
    parameters = [p for p in subcommands()[name].params if p.name != "help"]
    options = [p for p in parameters if p.param_type_name == "option"]
    # Few at a time: most pairs exclude each other, which is soon tried.
    for option in draw(st.lists(st.sampled_from(options), max_size=7, unique=True)):
        spelling = draw(st.sampled_from([*option.opts, *option.secondary_opts]))
        line.append(spelling)
        if not getattr(option, "is_flag", False):
            line.append(draw(values(option)))
    for argument in parameters:
        if argument.param_type_name == "argument":
            number = draw(st.integers(0, 2)) if argument.nargs == -1 else 1
            behind += [draw(values(argument)) for _ in range(number)]
    return [*line, *behind]


def values(parameter: Any) -> st.SearchStrategy[str]:
    """Return a value for a parameter, mostly a typical one."""
    if parameter.name in WRITTEN:
        return st.sampled_from(OUTPUTS)
    if "file" in parameter.name or parameter.name in ("check", "tablebase"):
        return st.sampled_from(INPUTS)
    hostile = st.sampled_from(HOSTILE)
    usual = USUAL.get(parameter.name)
    if usual is None:
        return hostile
    good = st.sampled_from(usual)
    return st.one_of(good, good, good, hostile)


TOKENS = [
    '""', '"B99"', '"A1 A1"', "[]", "[[]]", "{}", "0", "-1", "1.5", "nan", "true", "9" * 30,
    "1979-05-27", '"1/0"', '"1/1"', '"1/3"', '"bell"', '"x y"', '"\\u0000"', "'''", "=", "[", "]",
    '["A4..A1 B1", "B2..B1"]', '"A4..A1 B1..B8 A8"', "255", "256", '"\\u001b[31m"', "#", "",
    '{ 0 = "1" }', '{ 2 = "1" }', '{ 1 = "1/2", 99 = "1/2" }',
]  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, text: str) -> str:
    """Draw a text with a few lines left out, repeated, exchanged, or with other values."""
    lines = text.splitlines()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        what = draw(st.sampled_from(["value", "value", "drop", "repeat", "swap", "character"]))
        if what == "value":
            key, equals, _ = lines[at].partition("=")
            lines[at] = f"{key}{equals} {draw(st.sampled_from(TOKENS))}"
        elif what == "drop" and len(lines) > 1:
            del lines[at]
        elif what == "repeat":
            lines.insert(at, lines[at])
        elif what == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        elif lines[at]:
            k = draw(st.integers(0, len(lines[at]) - 1))
            lines[at] = (
                lines[at][:k] + draw(st.characters(exclude_categories=["Cs"])) + lines[at][k + 1 :]
            )
    return "\n".join(lines) + "\n"


FIELDS = (
    [
        "-",
        "1",
        "2",
        "14",
        "1,2",
        "2,1",
        "8,8",
        "13,14",
        "15",
        "99",
        "0",
        "-1",
        "",
        "1,",
        "x",
        "1..3",
    ],
    ["-", "1", "3,6", "8", "14", "15", "5,6,7,8,9,10,11,12", "", "0"],
    ["0-0", "5-5", "6-6", "7-0", "7-7", "8-0", "0", "0-", "-1-0", "999999999999999999999-0", "a-b"],
    ["L", "D", "l", "", "LD", "X"],
)


def positions() -> st.SearchStrategy[str]:
    """Return texts that are positions, or nearly."""
    whole = st.tuples(*map(st.sampled_from, FIELDS)).map("/".join)
    return st.one_of(whole, whole, st.text(alphabet="0123456789,/-LD .", max_size=30))


def control_characters(text: str) -> set[str]:
    """Return the characters of a text that control a terminal instead of being shown."""
    return {c for c in text if unicodedata.category(c) == "Cc" and c not in "\n\t"}


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Fail if something does not end in time, instead of waiting for it; not on Windows."""
    if sys.platform == "win32":
        yield
        return

    def fail(_: int, __: FrameType | None) -> None:
        raise AssertionError(f"not done in {seconds} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def tidy(directory: Path) -> None:
    """Remove what commands wrote, including remains of unfinished files."""
    for name in OUTPUTS:
        file = directory / name
        with contextlib.suppress(OSError):
            if not name.startswith(("/", "loop", "away", "junk", "directory")):
                file.unlink()
    left = [file.name for file in directory.iterdir() if file.name.startswith(".")]
    assert not left, f"left behind: {left}"
