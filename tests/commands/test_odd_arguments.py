"""Arguments that nobody means: empty, blank, or not UTF-8."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import fuzzing
import pytest
from command_line import assert_one_line, run

import urcx

pytest_plugins = ["command_fixtures"]
pytestmark = pytest.mark.usefixtures("here")

COMMANDS = fuzzing.subcommands()
ODD = "\udcff"  # how Python writes the byte FF, which is not UTF-8, in a name


def with_blank(name: str, blank: str) -> Iterator[list[str]]:
    """Yield command lines of a command in which one argument or option is blank."""
    arguments: list[str] = []
    for parameter in COMMANDS[name].params:
        if parameter.param_type_name == "argument":
            yield [name, *arguments, blank]
            arguments.append("1")
        elif not getattr(parameter, "is_flag", False):
            option = max(parameter.opts, key=len)
            yield [name, option, blank]
            yield [name, f"{option}={blank}"]
    yield [name, *arguments, blank]  # where none is expected
    yield [name, "--json", blank]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("blank", ["", " ", "\t\n"], ids=["empty", "blank", "line"])
def test_an_empty_argument_is_named_and_nothing_is_done(name: str, blank: str) -> None:
    for line in with_blank(name, blank):
        message = assert_one_line(run(*line), 2)
        assert "is empty" in message
        option = next((word.partition("=")[0] for word in line[1:] if word[:2] == "--"), "argument")
        assert message.startswith(option), line
    assert list(Path().iterdir()) == []


def test_a_command_cannot_be_empty() -> None:
    assert assert_one_line(run(""), 2).startswith("argument 1 ''")


@pytest.fixture(scope="module")
def oddly_named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory of files whose names are not UTF-8."""
    place = tmp_path_factory.mktemp("names")
    try:
        (place / f"directory{ODD}").mkdir()
    except OSError:
        pytest.skip("file names are UTF-8 here")
    table = place / f"table{ODD}.urcx"
    urcx.solve(urcx.ruleset("finkel", pieces=1), table)
    texts = {
        "mine.toml": fuzzing.MINE,
        "game.txt": "urcx game 1\nrules: finkel\npieces: 1\n1. light 2:0-2\n",
        "own.py": "def choose(position, roll, moves):\n    return moves[-1]\n",
    }
    for name, text in texts.items():
        (place / name.replace(".", f"{ODD}.")).write_text(text, encoding="utf-8")
    shutil.copy(place / f"own{ODD}.py", place / f"directory{ODD}" / "own.py")
    return place


LINES = """
match own?.py:choose greedy -g 2 --json
match directory?/own.py:choose greedy -g 2 --wide
match own?.py:choose greedy -p 1 -g 2 --plot out?.png
match optimal:table?.urcx greedy -p 1 -g 2 --csv
gtc --agent own?.py:choose -g 2 --json
gtc --rules mine --path-file mine?.toml -g 2 -o out?.json --json
luck --light optimal:table?.urcx --dark greedy -p 1 --json
regret --agent greedy -p 1 --tablebase table?.urcx --csv
probe table?.urcx --json
probe -/-/0-0/L -p 1 -o out?.json
solve --rules mine --path-file mine?.toml -o out?.urcx --json
check table?.urcx
export table?.urcx out?.rgu
review game?.txt --tablebase table?.urcx --json
play --resume game?.txt
play --against own?.py:choose -p 1
moves --rules mine --path-file mine?.toml --agent own?.py:choose --json
engine own?.py:choose
paths --path-file mine?.toml --csv
openings -p 1 --tablebase table?.urcx -o out?.txt
puzzles -p 1 --tablebase table?.urcx --missed-by greedy
enumerate -p 1 -o out?.txt
train td -p 1 --quick --iterations 1 -o out?.npz
bits -p 1 --tablebase table?.urcx --agent greedy --table-bits 2
"""


@pytest.mark.posix("file names are bytes")
@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_names_that_are_not_utf_8_are_names(line: str, oddly_named: Path, here: Path) -> None:
    shutil.copytree(oddly_named, here, dirs_exist_ok=True)
    done = run(*line.replace("?", ODD).split())
    assert done.code == 0, done.err.encode(errors="backslashreplace")
    written = [word for word in line.split() if word.startswith("out?")]
    for name in written:
        file = name.replace("?", ODD)
        assert Path(file).exists()
        if file.endswith(".json"):
            Path(file).read_text(encoding="utf-8")
