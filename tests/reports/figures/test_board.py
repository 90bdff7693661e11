"""Boards and paths drawn as text."""

from __future__ import annotations

import re

import pytest

import urcx
from urcx.reports.figures.board import path_report, steps_by_tile
from urcx.rules.catalogue import catalogue, path_names
from urcx.rules.drawing import draw_board
from urcx.rules.load import load

TILE = re.compile(r"\b([A-Z])(\d+)(\*?)")


def drawn(text: str) -> list[str]:
    """Return the lines of the drawing in a report."""
    return [line for line in text.splitlines() if re.match(r"[A-Z ] *[+|]", line)]


@pytest.mark.parametrize(("name", "last"), [("standard", 8), ("aseb", 12)])
def test_every_tile_is_drawn_once_in_its_place(name: str, last: int) -> None:
    board = urcx.board(name)
    head, *lines = draw_board(board, {tile: tile for tile in board.tiles}).splitlines()
    numbers = {int(match[0]): match.end() for match in re.finditer(r"\d+", head)}
    assert list(numbers) == list(range(1, last + 1)), "tiles from left to right"
    seen = {}
    for line in lines:
        for match in TILE.finditer(line):
            column, number, star = match.groups()
            assert line[0] == column
            assert abs(match.start() + 1 - numbers[int(number)]) <= 2
            seen[column + number] = bool(star)
    assert list(dict.fromkeys(tile[0] for tile in seen)) == ["C", "B", "A"], "light's wing is below"
    assert set(seen) == set(board.tiles)
    assert {tile for tile, star in seen.items() if star} == board.rosettes


def test_a_tile_has_borders_on_all_sides_and_a_hole_none() -> None:
    lines = draw_board(urcx.board("standard"), {}).splitlines()
    wing, lane = (next(line for line in lines if line[0] == row) for row in "AB")
    assert lane.count("|") == 9
    assert wing.count("|") == 5 + 3
    # Between the wing's two parts nothing is drawn below the lane.
    assert lines[-1][2:].split() == ["+-----" * 4 + "+", "+-----" * 2 + "+"]


def test_steps_of_masters() -> None:
    labels = steps_by_tile(urcx.path("masters"))
    # Hand-checked: light's step 12 is dark's step 16, and the two agree on the lane.
    assert labels["C7"] == "L12 D16"
    assert labels["A7"] == "L16 D12"
    assert labels["A4"] == "L1"
    assert labels["C4"] == "D1"
    assert labels["B1"] == "5"
    assert labels["B8"] == "14"
    assert labels["A8"] == "L15 D13"


def test_a_tile_off_the_path_has_no_steps() -> None:
    path = load("x.toml", '[path.x]\nboard = "standard"\nlight = "B1 B2"\n', catalogue()).paths["x"]
    labels = steps_by_tile(path)
    assert labels["A1"] == ""
    assert labels["B2"] == "2"


@pytest.mark.parametrize("name", path_names())
def test_every_path_is_drawn_with_all_its_steps(name: str) -> None:
    path = urcx.path(name)
    report = path_report(path)
    lines = drawn(report.text())
    written = " ".join(line.replace("|", " ") for line in lines)
    numbers = [int(n) for n in re.findall(r"\d+", written)]
    # A step is written once where both agree, and else once for each.
    agree = sum(a == b for a, b in zip(path.light, path.dark, strict=True))
    labels = steps_by_tile(path)
    assert set(numbers) == set(range(1, path.length + 1))
    assert sorted(numbers) == sorted(
        int(n) for label in labels.values() for n in re.findall(r"\d+", label)
    )
    assert len(numbers) == 2 * path.length - agree
    assert f"Home is step {path.length + 1}" in report.text()


def test_borders_stay_in_line_when_a_tile_has_many_steps() -> None:
    lap = '"A4..A1 B1..B8 A8 A7"'
    text = f'[path.four]\nboard = "standard"\nlight = [{", ".join([lap] * 4)}]\n'
    path = load("x.toml", text, catalogue()).paths["four"]
    lines = drawn(path_report(path).text())
    edges = [{k for k, char in enumerate(line) if char == "+"} for line in lines]
    places = max(edges, key=len)
    for line in lines:
        assert {k for k, char in enumerate(line) if char in "+|"} <= places, line
    written = " ".join(lines)
    for step in range(1, 57):
        assert re.search(rf"(?<!\d){step}(?!\d)", written), step


def test_the_report_of_a_path_has_each_step_of_both() -> None:
    path = urcx.path("masters")
    report = path_report(path)
    rows = [(row["side"], row["step"], row["tile"]) for row in report.records()]
    assert rows[:16] == [("light", s, tile) for s, tile in enumerate(path.light, start=1)]
    assert rows[16:] == [("dark", s, tile) for s, tile in enumerate(path.dark, start=1)]
    assert report.schema == "urcx.path/1"
    assert "other names: michon-single-long" in report.text()
