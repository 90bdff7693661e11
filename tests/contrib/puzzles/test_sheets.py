"""Sheets: their boards, pages and files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import urcx
from urcx.contrib.puzzles import puzzles
from urcx.contrib.puzzles.sheets import Card, CardSection, pages
from urcx.errors import UsageError, WrongObjectError
from urcx.rules.pictures import board_svg


def cards(number: int) -> list[Card]:
    game = urcx.Game("finkel", "A3,B4/C2/0-1/L")
    return [Card(f"{k}. <light> & dark", game, ["one", "two"]) for k in range(1, number + 1)]


def test_boards_are_those_of_the_game_and_flow_over_pages() -> None:
    found = list(pages(CardSection("many", cards(19))))
    boards = [page.count('<svg x="') for page in found]
    assert sum(boards) == 19
    assert len(set(boards[:-1])) == 1
    board = board_svg(urcx.Game("finkel", "A3,B4/C2/0-1/L"), ways=()).partition("\n")[2]
    assert all(page.count(board.rstrip()) == n for page, n in zip(found, boards, strict=True))
    assert [f"&gt;{k}." in page for k, page in ((1, found[0]), (19, found[-1]))] == [False, False]
    assert "1. &lt;light&gt; &amp; dark" in found[0]
    for page in found:  # nothing beyond the page
        places = re.findall(r'<svg x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', page)
        for x, y, wide, high in (map(float, place) for place in places):
            assert x > 0 < y
            assert x + wide < 2100
            assert y + high < 2970


@pytest.mark.jit
def test_solutions_are_on_pages_of_their_own(tmp_path: Path) -> None:
    found = puzzles(urcx.ruleset("finkel", pieces=2), most=3)
    found.sheet(tmp_path / "sheet.html")
    posed, solved = (tmp_path / "sheet.html").read_text("utf-8").split('<svg class="page"')[1:]
    one = found.puzzles[0]
    best = one.solution.describe(found.rules.path, light=True)
    assert f"1. light to move, rolled {one.roll}" in posed
    assert f"1. {best}<" in solved
    assert "greedy plays" not in posed


@pytest.mark.jit
def test_names_of_other_files_are_refused() -> None:
    with pytest.raises(UsageError, match="must end in"):
        puzzles(urcx.ruleset("finkel", pieces=2), most=1).sheet("x.pdf")
    with pytest.raises(WrongObjectError, match="a file name"):
        puzzles(urcx.ruleset("finkel", pieces=2), most=1).sheet(7)  # type: ignore[arg-type]
