"""The README's commands, run as written, print what it says."""

from __future__ import annotations

import doctest
import re
import tomllib
from pathlib import Path

import pytest
from consoles import commands, shown, without_speed

from urcx.commands.table import GROUP_OF
from urcx.published.figures import VERDICTS, sources

README = Path(__file__).parent.parent / "README.md"


COMMANDS = commands(README)
# The tour in docs/ plays a shorter match and judges one source; all are judged in tests/published.
LONG = ("urcx match random greedy expectimax:3", "urcx verify --summary")


@pytest.mark.jit
@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param(*found, marks=[pytest.mark.slow] if found[0].startswith(LONG) else [])
        for found in COMMANDS
    ],
    ids=lambda text: text[:40],
)
def test_commands_print_what_the_readme_says(command: str, output: str) -> None:
    assert without_speed(shown(command, README.parent)) == without_speed(output)


def test_the_table_of_verdicts_is_what_is_recorded() -> None:
    ((_, output),) = (found for found in COMMANDS if found[0].startswith(LONG[1]))
    for source, figures in sources():
        judged = [figure.verdict for figure in figures]
        row = [source.name, str(len(figures)), *(str(judged.count(name)) for name in VERDICTS)]
        assert row in [line.split() for line in output.splitlines()]
    assert sum(command.startswith(LONG) for command, _ in COMMANDS) == len(LONG)


@pytest.mark.jit
def test_python_session() -> None:
    failures, tried = doctest.testfile(str(README), module_relative=False)
    assert tried >= 5
    assert failures == 0


def test_what_a_package_index_shows_has_nothing_that_leads_into_the_repository() -> None:
    # An index shows the text alone: a picture or a file beside it is not there.
    text = README.read_text(encoding="utf-8")
    assert "](docs/board.svg)" in text
    project = tomllib.loads(README.with_name("pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    assert [part["path"] for part in hook["fragments"]] == [README.name]
    shown = text
    for change in hook["substitutions"]:
        shown = re.sub(change["pattern"], change["replacement"], shown)
    links = re.findall(r"\]\(([^)]*)\)", shown)
    assert [link for link in links if not link.startswith("https://")] == []
    assert "[tour]" not in shown
    assert len(text) - len(shown) < 800  # nothing else is gone


def test_it_names_every_command() -> None:
    rows = [row for row in README.read_text("utf-8").splitlines() if row.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert named == set(GROUP_OF)
