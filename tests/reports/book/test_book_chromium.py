"""The report as a browser shows it: nothing fails to load, nothing is cut off, on paper too."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chromium_window import browser
from tiny_report import tiny_report

from urcx.published.figures import sources
from urcx.published.verify import Verdict
from urcx.reports.book import verdicts
from urcx.reports.book.elements import Section
from urcx.reports.book.page import page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAPER = 694  # CSS pixels between the margins of a sheet of A4

# What a page says of itself.
PROBE = """() => {
  const all = chosen => [...document.querySelectorAll(chosen)];
  const boxes = chosen => all(chosen).map(element => {
    const box = element.getBoundingClientRect();
    return [box.width, box.height];
  });
  const page = document.documentElement;
  const shown = element => element && getComputedStyle(element).display !== "none";
  const scrolling = all(".scroll").filter(element => element.scrollWidth > element.clientWidth + 1);
  const smallest = svg => {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const sizes = [...svg.querySelectorAll("[transform]")].map(
      text => /scale\\(([0-9.]+) -/.exec(text.getAttribute("transform"))).filter(found => found);
    return Math.min(...sizes.map(found => 100 * scale * Number(found[1])));
  };
  return {
    tables: boxes("table"),
    figures: boxes("figure.picture svg"),
    captions: boxes("figure.picture figcaption"),
    boards: boxes("svg.board"),
    formulas: boxes("math"),
    clipped: all(".math").filter(element => element.scrollWidth > element.clientWidth + 1
      || getComputedStyle(element).overflowX !== "visible").length,
    wide: page.scrollWidth - page.clientWidth,
    width: page.clientWidth,
    beyond: all("body *").filter(element =>
      element.getBoundingClientRect().right > page.clientWidth + 1
      && !element.closest(".scroll") && !element.closest(".math") && !element.closest("svg")
    ).map(element => element.outerHTML.slice(0, 80)),
    letters: Math.min(...all("figure.picture svg").map(smallest)),
    scrolling: scrolling.map(element => element.getAttribute("aria-label")),
    unsaid: scrolling.filter(element => !shown(element.parentElement.querySelector(".hint")))
      .map(element => element.getAttribute("aria-label")),
    cut: scrolling.filter(element => getComputedStyle(element).overflowX !== "auto").length,
    ground: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.querySelector("figure.picture svg") || document.body).fill,
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
    assert len(seen["tables"]) == len(list(target.glob("tables/*.csv")))
    assert len(seen["figures"]) == len(list(target.glob("figures/*.svg"))) == len(seen["captions"])
    for w, h in (*seen["tables"], *seen["figures"], *seen["captions"], *seen["boards"]):
        assert w > 50
        assert h > 15
    assert len(seen["formulas"]) > 10
    assert all(w > 3 and h > 3 for w, h in seen["formulas"]), "a formula that is not set"
    assert seen["wide"] <= 0, "the page itself scrolls sideways"
    assert seen["beyond"] == [], "an element runs out of the page"
    assert seen["cut"] == 0
    assert seen["unsaid"] == [], "a table is cut, and nothing says so"
    assert seen["contents"] >= seen["story"] - 1, "the story comes first"
    levels = [_level(seen[key]) for key in ("ground", "ink", "board")]
    for ink in levels[1:]:
        assert (levels[0] < ink) == dark
        assert abs(levels[0] - ink) > 300, "too little contrast"
    # The smallest letters of figures, in pixels: on a phone nothing is left out, so they shrink.
    assert seen["letters"] > (7 if width < 500 else 10)


@pytest.mark.parametrize(("width", "paper"), [(1280, False), (390, False), (PAPER, True)])
def test_tables_of_all_sources_fit(
    chromium: Browser, every_source: Path, width: int, paper: bool
) -> None:
    seen = _opened(chromium, every_source, width, paper=paper)
    assert len(seen["tables"]) == len(sources())
    assert seen["scrolling"] == []
    assert seen["beyond"] == []
    assert [w for w, _ in seen["tables"] if w > width] == []


def test_on_screens_and_paper_no_table_is_cut(chromium: Browser) -> None:
    _, target = tiny_report()
    assert _opened(chromium, target / "index.html", 1280)["scrolling"] == []
    seen = _opened(chromium, target / "index.html", PAPER, paper=True)
    assert seen["beyond"] == []
    assert [w for w, _ in seen["tables"] if w > PAPER + 1] == []
    assert max(h for _, h in seen["figures"]) < 500, "a figure that takes half a sheet"
    assert seen["clipped"] == 0, "a formula that a sheet cuts"


def _printed(chromium: Browser, file: Path) -> list[tuple[float, int]]:
    with chromium.new_context(offline=True) as context:
        window = context.new_page()
        window.goto(file.as_uri())
        return _written(
            window.pdf(format="Letter", prefer_css_page_size=True, print_background=True)
        )


def test_no_printed_page_is_mostly_white(chromium: Browser, every_source: Path) -> None:
    _, target = tiny_report()
    pages = _printed(chromium, target / "index.html")
    assert 5 <= len(pages) <= 20
    assert min(down for down, _ in pages[:-1]) > 0.6, "a page that ends in its upper part"
    assert pages[0][1] > 2000, "the story does not fill the first page"
    pages = _printed(chromium, every_source)[1:-1]
    # Narrow columns of words beside empty ones gave pages of 500 to 1,500 letters.
    assert min(letters for _, letters in pages) > 1200
    assert sum(letters for _, letters in pages) / len(pages) > 2000


@pytest.fixture(scope="module")
def every_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page with the tables of all published figures, as they are recorded.

    Nothing is computed for it: what is printed stands for what is found, one of them with more
    digits than any table is wide.
    """
    book, _ = tiny_report()
    tables = []
    for source, figures in sources():
        found = [Verdict(figure, figure.value, figure.verdict, ()) for figure in figures]
        found[0] = replace(found[0], computed=f"{7**137:,}")
        tables.append(verdicts._figures(source, found))
    section = Section("verification", "Published figures", tuple(tables))
    file = tmp_path_factory.mktemp("sources") / "page.html"
    text = page("All sources", {"made": "", "when": ""}, book.front, [section])
    file.write_text(text, encoding="utf-8")
    return file


def _written(data: bytes) -> list[tuple[float, int]]:
    """Return of each page of a PDF file of Chromium's how far down it is written on, and how much.

    The first is a share of its height, the second the number of letters. Content streams are
    compressed; they turn the page, move to its place in the whole document, and place each text
    with ``Tm``, from the upper edge on.
    """
    objects = dict(re.findall(rb"\n(\d+) 0 obj\n(.*?)\nendobj", data, flags=re.DOTALL))
    found = []
    for body in objects.values():
        contents = re.search(rb"/Contents (\d+) 0 R", body)
        if contents is None or b"/Type /Page" not in body:
            continue
        box = re.search(rb"/MediaBox \[\S+ \S+ (\S+) (\S+)\]", body)
        stream = objects[contents[1]].split(b"stream\n", 1)[1]
        text = zlib.decompressobj().decompress(stream)
        unit = re.search(rb"(\S+) 0 0 -\1 \S+ \S+ cm", text)
        place = re.search(rb"(\S+) 0 0 \1 \S+ (\S+) cm", text)
        assert box is not None
        assert unit is not None
        assert place is not None
        lines = [
            (float(y) * float(place[1]) + float(place[2])) * float(unit[1]) / float(box[2])
            for y in re.findall(rb"1 0 0 -1 \S+ (\S+) Tm", text)
        ]
        letters = sum(len(codes) // 4 for codes in re.findall(rb"<([0-9A-Fa-f]+)> Tj", text))
        found.append((max(lines, default=0.0), letters))
    return found
