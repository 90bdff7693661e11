"""The report as a browser shows it: nothing fails to load, nothing is cut off, on paper too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chromium_window import browser
from tiny_report import tiny_report

from urcx.published.figures import FAILS, INCONSISTENT, sources
from urcx.published.verify import Verdict, Verdicts
from urcx.reports.page import Item, Section, page
from urcx.results.result import Report

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAPER = 694  # CSS pixels between the margins of a sheet of A4

# What a page says of itself.
PROBE = """() => {
  const all = chosen => [...document.querySelectorAll(chosen)];
  const boxes = chosen => all(chosen).filter(element => !element.closest("details"))
    .map(element => {
      const box = element.getBoundingClientRect();
      return [box.width, box.height];
    });
  const page = document.documentElement;
  return {
    tables: boxes("table"),
    figures: boxes(".picture svg"),
    boards: boxes("svg.board"),
    formulas: boxes("math"),
    clipped: all(".math").filter(element => element.scrollWidth > element.clientWidth + 1).length,
    wide: page.scrollWidth - page.clientWidth,
    width: page.clientWidth,
    beyond: all("body *").filter(element =>
      element.getBoundingClientRect().right > page.clientWidth + 1
      && !element.closest(".scroll, .picture, .math, svg")
    ).map(element => element.outerHTML.slice(0, 80)),
    scrolling: all(".scroll").filter(element => element.scrollWidth > element.clientWidth + 1)
      .map(element => element.getAttribute("aria-label")),
    ground: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.querySelector(".picture svg") || document.body).fill,
    board: getComputedStyle(document.querySelector("svg.board .names text")).fill,
    story: document.querySelector("#story").getBoundingClientRect().bottom,
    contents: document.querySelector("nav").getBoundingClientRect().top,
  };
}"""

pytestmark = pytest.mark.chromium


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


def _opened(
    chromium: Browser, file: Path, width: int, *, dark: bool = False, paper: bool = False
) -> Any:
    """Return what a page says of itself in a window as wide, in its colours or on paper."""
    troubles: list[str] = []
    with chromium.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        offline=True,
    ) as context:
        window = context.new_page()
        window.on("pageerror", lambda error: troubles.append(str(error)))
        window.on("console", lambda message: troubles.append(message.text))
        window.on("request", lambda request: troubles.append(f"asked for {request.url}"))
        window.emulate_media(media="print" if paper else "screen")
        window.goto(file.as_uri())
        seen = window.evaluate(PROBE)
    assert troubles == [f"asked for {file.as_uri()}"], "something fails or is loaded"
    assert seen["width"] == width
    return seen


def _level(colour: str) -> int:
    return sum(map(int, re.findall(r"\d+", colour)[:3]))


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_browser_shows_all_of_it(chromium: Browser, width: int, dark: bool) -> None:
    _, target = tiny_report()
    seen = _opened(chromium, target / "index.html", width, dark=dark)
    assert len(seen["figures"]) == len(list(target.glob("figures/*.svg")))
    for w, h in (*seen["tables"], *seen["figures"], *seen["boards"]):
        assert w > 50
        assert h > 15
    assert len(seen["formulas"]) > 4
    assert all(w > 3 and h > 3 for w, h in seen["formulas"]), "a formula that is not set"
    assert seen["wide"] <= 0, "the page itself scrolls sideways"
    assert seen["beyond"] == [], "an element runs out of the page"
    assert seen["contents"] >= seen["story"] - 1, "the story comes first"
    levels = [_level(seen[key]) for key in ("ground", "ink", "board")]
    for ink in levels[1:]:
        assert (levels[0] < ink) == dark
        assert abs(levels[0] - ink) > 300, "too little contrast"
    assert min(w for w, _ in seen["figures"]) > 380, "letters too small to be read"


def test_on_screens_and_paper_no_table_is_cut(chromium: Browser, every_source: Path) -> None:
    _, target = tiny_report()
    for file in (target / "index.html", every_source):
        assert _opened(chromium, file, 1280)["scrolling"] == []
        seen = _opened(chromium, file, PAPER, paper=True)
        assert seen["beyond"] == seen["scrolling"] == []
        assert [w for w, _ in seen["tables"] if w > PAPER + 1] == []
        assert seen["clipped"] == 0, "a formula that a sheet cuts"
    assert max(h for _, h in _opened(chromium, target / "index.html", PAPER)["figures"]) < 800


def _sheets(chromium: Browser, file: Path) -> int:
    with chromium.new_context(offline=True) as context:
        window = context.new_page()
        window.goto(file.as_uri())
        printed = window.pdf(format="A4", prefer_css_page_size=True, print_background=True)
    return len(re.findall(rb"/Type /Page\b", printed))


def test_a_report_has_ten_sheets_at_most(chromium: Browser, every_source: Path) -> None:
    _, target = tiny_report()
    # The tiny one has a single source; its other parts are as long as those of a full report but
    # for a few rows. The first sheet of the other has the first page, as that of this one.
    tiny, every = _sheets(chromium, target / "index.html"), _sheets(chromium, every_source)
    assert min(tiny, every) > 1
    assert tiny + every - 1 <= 10


@pytest.fixture(scope="module")
def every_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with the verdicts on all published figures, as they are recorded.

    Nothing is computed for it: what is printed stands for what is computed, once with more digits
    than any table is wide.
    """
    book, _ = tiny_report()
    verdicts = []
    for source, figures in sources():
        judged = [Verdict(figure, figure.value, figure.verdict, ()) for figure in figures]
        judged[0] = replace(judged[0], computed=f"{7**137:,}")
        verdicts.append((source, tuple(judged)))
    found = Verdicts(verdicts, only=(INCONSISTENT, FAILS))
    items = (Item("verify", "All sources", Report(listed=found.tables())),)
    file = tmp_path_factory.mktemp("sources") / "page.html"
    sections = (Section("published", "Published figures", (), items),)
    file.write_text(page(replace(book, sections=sections, answers=()), ()), encoding="utf-8")
    return file
