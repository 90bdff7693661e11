"""The README's commands, run as written, print what it says."""

from __future__ import annotations

import doctest
import re
import tomllib
from pathlib import Path

import pytest
from consoles import commands, printed, without_speed

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.jit
@pytest.mark.parametrize(("command", "output"), commands(README), ids=lambda text: text[:40])
def test_commands_print_what_the_readme_says(command: str, output: str) -> None:
    assert without_speed(printed(command)) == without_speed(output)


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
