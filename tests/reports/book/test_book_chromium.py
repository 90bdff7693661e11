"""The report as a browser shows it: nothing fails to load, nothing is cut off, on paper too."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zlib
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tiny_report import tiny_report

from urcx.published.figures import sources
from urcx.published.verify import Verdict
from urcx.reports.book import verdicts
from urcx.reports.book.elements import Section
from urcx.reports.book.page import page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
PAPER = 694  # CSS pixels between the margins of a sheet of A4

# Run in a copy of the page, which stands in a frame as wide as a phone: no window of a browser
# without a screen is narrower than 500 pixels. What it finds it tells the page around it.
PROBE = """
<script>
const problems = [];
addEventListener("error", event => problems.push(String(event.message || event.target.src)), true);
addEventListener("load", () => {
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
  parent.postMessage(JSON.stringify({
    problems,
    resources: performance.getEntriesByType("resource").map(entry => entry.name),
    tables: boxes("table"),
    figures: boxes("figure.picture svg"),
    captions: boxes("figure.picture figcaption"),
    boards: boxes("svg.board"),
    formulas: boxes("math"),
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
    height: page.scrollHeight,
    ground: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.querySelector("figure.picture svg") || document.body).fill,
    board: getComputedStyle(document.querySelector("svg.board .names text")).fill,
    story: document.querySelector("#story").getBoundingClientRect().bottom,
    contents: document.querySelector("nav").getBoundingClientRect().top,
  }), "*");
});
</script>
"""

FRAME = """
<!DOCTYPE html><meta name="color-scheme" content="light dark">
<script>
addEventListener("message", event => {
  const note = document.createElement("pre");
  note.id = "seen";
  note.textContent = event.data;
  document.body.append(note);
});
</script>
<body><iframe src="page.html" style="border: 0; width: WIDTHpx; height: 900px"></iframe></body>
"""


def _run(tmp_path: Path, *options: str, file: Path) -> str:
    assert BROWSER is not None
    done = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--hide-scrollbars",
            f"--user-data-dir={tmp_path / 'profile'}", "--host-resolver-rules=MAP * ~NOTFOUND",
            *options, file.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )  # fmt: skip
    return done.stdout


def _opened(
    tmp_path: Path, width: int, *, dark: bool = False, paper: bool = False, text: str = ""
) -> Any:
    """Return what a page says of itself in a frame as wide, in its colours or on paper."""
    _, target = tiny_report()
    text = text or (target / "index.html").read_text(encoding="utf-8")
    if paper:
        text = text.replace("@media print", "@media all").replace("@media screen and", "@media not")
    file = tmp_path / "page.html"
    file.write_text(text.replace("<style>", PROBE + "<style>", 1), encoding="utf-8")
    frame = tmp_path / "frame.html"
    frame.write_text(FRAME.replace("WIDTH", str(width)), encoding="utf-8")
    shown = _run(
        tmp_path,
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        f"--window-size={max(width, 500) + 40},1000",
        "--virtual-time-budget=5000",
        "--dump-dom",
        file=frame,
    )
    found = re.search(r'<pre id="seen">(.*?)</pre>', shown, flags=re.DOTALL)
    assert found is not None
    seen = json.loads(unescape(found[1]))
    assert seen["width"] == width
    return seen


def _level(colour: str) -> int:
    return sum(map(int, re.findall(r"\d+", colour)[:3]))


@pytest.mark.chromium
@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed")
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_a_browser_shows_all_of_it(tmp_path: Path, width: int, dark: bool) -> None:
    seen = _opened(tmp_path, width, dark=dark)
    _, target = tiny_report()
    assert seen["problems"] == []
    assert seen["resources"] == [], "the page loads something"
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


@pytest.mark.chromium
@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed")
@pytest.mark.parametrize(("width", "paper"), [(1280, False), (390, False), (PAPER, True)])
def test_tables_of_all_sources_fit(tmp_path: Path, width: int, paper: bool) -> None:
    seen = _opened(tmp_path, width, paper=paper, text=_every_source())
    assert len(seen["tables"]) == len(sources())
    assert seen["scrolling"] == []
    assert seen["beyond"] == []
    assert [w for w, _ in seen["tables"] if w > width] == []


@pytest.mark.chromium
@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed")
def test_on_screens_and_paper_no_table_is_cut(tmp_path: Path) -> None:
    assert _opened(tmp_path, 1280)["scrolling"] == []
    seen = _opened(tmp_path, PAPER, paper=True)
    assert seen["beyond"] == []
    assert [w for w, _ in seen["tables"] if w > PAPER + 1] == []
    assert max(h for _, h in seen["figures"]) < 500, "a figure that takes half a sheet"


def _printed(tmp_path: Path, file: Path) -> list[tuple[float, int]]:
    printed = tmp_path / "report.pdf"
    _run(tmp_path, f"--print-to-pdf={printed}", "--no-pdf-header-footer", file=file)
    return _written(printed.read_bytes())


@pytest.mark.chromium
@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed")
def test_no_printed_page_is_mostly_white(tmp_path: Path) -> None:
    _, target = tiny_report()
    pages = _printed(tmp_path, target / "index.html")
    assert 5 <= len(pages) <= 20
    assert min(down for down, _ in pages[:-1]) > 0.6, "a page that ends in its upper part"
    assert pages[0][1] > 2000, "the story does not fill the first page"
    everything = tmp_path / "every.html"
    everything.write_text(_every_source(), encoding="utf-8")
    pages = _printed(tmp_path, everything)[1:-1]
    # Narrow columns of words beside empty ones gave pages of 500 to 1,500 letters.
    assert min(letters for _, letters in pages) > 1200
    assert sum(letters for _, letters in pages) / len(pages) > 2000


def _every_source() -> str:
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
    return page("All sources", {"made": "", "when": ""}, book.front, [section])


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
