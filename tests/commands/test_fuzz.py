"""Any command line and any file gives an answer or one clear line, never a traceback.

Warnings are errors in these tests. Estimates above a second are refused (`QUICK`), so a command
that starts without a question must end soon, or it runs into `tests.fuzzing.time_limit`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import fuzzing
import pytest
from command_line import Result, run
from hypothesis import HealthCheck, given, settings

from urcx.commands import consent
from urcx.engine.files import cache
from urcx.enumerate import state_space
from urcx.explore import server

pytestmark = pytest.mark.jit

QUICK = 1.0  # seconds, by the estimate
MOST_SECONDS = 240  # that one command may take, compiling included

# All but what computes the whole report, and judges all sources, by default.
NAMES = sorted(set(fuzzing.subcommands()) - {"report", "verify"})
FILTERS = ("rank", "unrank")  # which answer nothing to nothing
ORDINARY = settings(
    max_examples=100,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
MANY = settings(ORDINARY, max_examples=700, derandomize=False)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Stand in a directory with files to read, where only what is quick is done."""
    directory = tmp_path_factory.mktemp("desk")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        assert run("solve", "-p", "1", "-o", "finkel.urcx").code == 0
        assert run("export", "finkel.urcx", "finkel.rgu").code == 0
        files = (Path(name).read_bytes() for name in ("finkel.urcx", "finkel.rgu"))
        fuzzing.lay_out(directory, *files)
        patch.setattr(consent, "TOO_LONG", QUICK)
        patch.setattr(cache, "remove", lambda _: None)  # kernels and levels that others need
        patch.setattr(state_space, "VISIT_LIMIT", 1_000_000)
        patch.setattr(server, "serve", lambda *_, ready, **__: ready())  # or it would go on
        patch.setattr(server, "open_browser", lambda _: None)
        yield directory


def tried(line: list[str], stdin: str = "") -> Result:
    """Run a command line and hold its end against what every command promises."""
    with fuzzing.time_limit(MOST_SECONDS):
        result = run(*line, stdin=stdin)
    assert result.code in (0, 1, 2, 130), result
    assert "Traceback" not in result.err
    assert all(text.startswith("urcx: ") for text in result.err.splitlines()), result.err
    assert result.code not in (2, 130) or result.err, "ends without a word"
    written = {"--output", "-o", "--export"} & set(line)
    if result.code == 0 and not written and line[0] not in FILTERS:
        assert result.out, "says nothing"
    assert not fuzzing.control_characters(result.out + result.err), result
    # Lines of at most some hundred characters, whatever was typed.
    assert all(len(text) < 1000 for text in result.err.splitlines())
    return result


@ORDINARY
@given(line=fuzzing.command_lines(NAMES))
def test_random_command_lines(desk: Path, line: list[str]) -> None:
    tried(line, "-/-/0-0/L\n12\n")
    fuzzing.tidy(desk)


@pytest.mark.slow
@MANY
@given(line=fuzzing.command_lines(NAMES))
def test_many_random_command_lines(desk: Path, line: list[str]) -> None:
    tried(line, "-/-/0-0/L\n12\n")
    fuzzing.tidy(desk)


def of_a_file(desk: Path, text: str) -> None:
    """Run commands on a file with this text: all of them, or two if it cannot be read."""
    (desk / "mutated.toml").write_text(text, encoding="utf-8")
    first, *others = CATALOGUE_LINES
    for line in by_turns(others, text) if unreadable(first) else others:
        unreadable(line)


def unreadable(line: str) -> bool:
    """Run a command, and return whether it cannot read its file."""
    result = tried(line.split())
    if result.code != 2 or "mutated.toml" not in result.err:
        return False
    # A message of the reader's names the file; what is wrong is the same for all commands.
    assert re.match(r"urcx: .*mutated\.toml", result.err)
    return True


def by_turns(lines: list[str], text: str) -> list[str]:
    """Return one of the lines, always the same for a text."""
    return [lines[len(text) % len(lines)]]


CATALOGUE_LINES = [
    "paths --path-file mutated.toml",
    "ssc --path-file mutated.toml -p 1..2 --no-enumerate",
    "show --rules mine --path-file mutated.toml",
    "moves --rules mine --path-file mutated.toml --agent gain",
    "journey --rules mine --path-file mutated.toml",
    "journey --rules mine --path-file mutated.toml --pieces 2",
    "gtc --rules mine --path-file mutated.toml --agent greedy -g 2",
    "rush --path-file mutated.toml",
    "dice --path-file mutated.toml",
    "capture 1/2/0-0/L --rules mine --path-file mutated.toml",
]
CATALOGUE = "\n".join(fuzzing.data_text(name) for name in fuzzing.TEXTS)
SMALL_CATALOGUE = (
    fuzzing.MINE
    + """
[dice.own]
probabilities = { 0 = "1/4", 1 = "1/2", 3 = "1/4" }
[board.own]
tiles = "A1..A2 B1..B3 C1..C2"
rosettes = "B2"
mirror = "A C"
[path.own]
board = "own"
light = ["A2..A1 B1..B3", "B3"]
"""
)


@settings(ORDINARY, max_examples=15)
@given(text=fuzzing.mutated(SMALL_CATALOGUE) | fuzzing.mutated(CATALOGUE + fuzzing.MINE))
def test_mutated_catalogues(desk: Path, text: str) -> None:
    of_a_file(desk, text)


@pytest.mark.slow
@settings(MANY, max_examples=400)
@given(
    catalogue=fuzzing.mutated(SMALL_CATALOGUE) | fuzzing.mutated(CATALOGUE + fuzzing.MINE),
)
def test_many_mutated_files(desk: Path, catalogue: str) -> None:
    of_a_file(desk, catalogue)


POSITION_LINES = ["moves --agent greedy", "capture", "gain", "perft -d 2", "probe finkel.urcx"]


def of_a_position(text: str) -> None:
    """Show a position and run commands on it: all of them, or one if it cannot be shown."""
    unread = tried(["show", text]).code == 2
    for line in by_turns(POSITION_LINES, text) if unread else POSITION_LINES:
        tried([*line.split(), text])
    tried(["rank", "-p", "7"], f"{text}\n")


@settings(ORDINARY, max_examples=15)
@given(text=fuzzing.positions())
@pytest.mark.usefixtures("desk")
def test_mutated_positions(text: str) -> None:
    of_a_position(text)


@pytest.mark.slow
@settings(MANY, max_examples=800)
@given(text=fuzzing.positions())
@pytest.mark.usefixtures("desk")
def test_many_mutated_positions(text: str) -> None:
    of_a_position(text)
