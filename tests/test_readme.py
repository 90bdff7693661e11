"""The README's commands, run as written, print what it says."""

from __future__ import annotations

import doctest
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
