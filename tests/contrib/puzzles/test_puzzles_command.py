"""The command puzzles: its answer, sheets and errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import assert_one_line, run
from recorded import recorded

pytest_plugins = ["command_fixtures"]

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.jit
def test_puzzles_are_drawn_to_print(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.html"
    done = run("puzzles", "-p", "2", "--most", "3", "--sheet", str(file))
    assert done.code == 0
    assert f"drew {file}" in done.err
    assert recorded(file)["command"] == "urcx puzzles -p 2 --most 3"
    wrong = run("puzzles", "-p", "2", "--sheet", str(tmp_path / "sheet.gif"))
    assert "must end in .html" in assert_one_line(wrong, 2)
    same = run("puzzles", "-p", "2", "--sheet", str(file), "-o", str(file))
    assert "written twice" in assert_one_line(same, 2)


ERRORS = {
    "-p 1 --most 61": "most 61: must be from 1 to 60",
    "-p 1 --missed-by greed": "greedy",
    "-p 1 --sheet sheet.gif": ".html",
    "-p 5": "urcx solve --rules finkel -p 5",
}


@pytest.mark.parametrize("line", ERRORS)
def test_errors_are_one_line(line: str) -> None:
    result = run("puzzles", *line.split())
    assert result.code != 0
    assert ERRORS[line] in assert_one_line(result, result.code)
    assert list(Path().iterdir()) == []
