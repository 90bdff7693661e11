"""Reports as HTML: escaped, numbers at the right, nothing that only a colour says."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from urcx.results.html import html
from urcx.results.result import Report
from urcx.results.tables import ColouredText, Column, Table

TABLE = Table(
    "A <title> & more",
    [Column("name", text=True), "count"],
    [["<b>x</b>", "1,234"], ["y", ColouredText("DIFFERS", "bad")]],
    ["a < b"],
)


def _parsed(report: Report) -> ET.Element:
    return ET.fromstring(html(report))  # noqa: S314 - our own


def test_a_table_has_caption_heads_cells_and_notes() -> None:
    page = _parsed(Report("s", {}, [], [TABLE]))
    assert [caption.text for caption in page.iter("caption")] == ["A <title> & more"]
    assert [head.text for head in page.iter("th")] == ["name", "count"]
    cells = ["".join(cell.itertext()) for cell in page.iter("td")]
    assert cells == ["<b>x</b>", "1,234", "y", "DIFFERS"]
    assert [note.text for note in page.iter("li")] == ["a < b"]


def test_numbers_stand_at_the_right() -> None:
    page = _parsed(Report("s", {}, [], [TABLE]))
    sides = ["right" if "text-align:right" in cell.get("style", "") else "left"
             for cell in page.iter("td")]  # fmt: skip
    assert sides == ["left", "right", "left", "right"]


def test_colours_are_the_pages_and_emphasis_is_bold() -> None:
    text = html(Report("s", {}, [], [TABLE]))
    assert "#" not in text
    assert "background" not in text
    assert "<strong>DIFFERS</strong>" in text


def test_a_body_stands_as_it_is_and_a_table_without_heads_has_none() -> None:
    page = _parsed(Report("s", {}, [], [Table("t", ["<", "<"], [["a", "b"]])], body="| 1 < 2 |\n"))
    assert [part.text for part in page.iter("pre")] == ["| 1 < 2 |\n"]
    assert not list(page.iter("thead"))
    assert not list(page.iter("li"))
