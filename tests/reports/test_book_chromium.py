"""The report as a browser shows it: nothing fails to load, nothing is cut off."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tiny_report import tiny_report

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)

# Run in a copy of the page when it has loaded; what it finds is read from the page's text.
PROBE = """
<script>
const problems = [];
addEventListener("error", event => problems.push(String(event.message || event.target.src)), true);
addEventListener("load", () => {
  const boxes = elements => [...document.querySelectorAll(elements)].map(element => {
    const box = element.getBoundingClientRect();
    return [box.width, box.height];
  });
  const seen = {
    problems,
    resources: performance.getEntriesByType("resource").map(entry => entry.name),
    tables: boxes("table"),
    figures: boxes("figure svg"),
    captions: boxes("figcaption"),
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    width: document.documentElement.clientWidth,
    cut: [...document.querySelectorAll(".scroll")].filter(element =>
      element.scrollWidth > element.clientWidth
      && getComputedStyle(element).overflowX !== "auto").length,
    ground: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.querySelector("figure svg")).fill,
  };
  const note = document.createElement("pre");
  note.id = "seen";
  note.textContent = JSON.stringify(seen);
  document.body.append(note);
});
</script>
"""


def _opened(tmp_path: Path, width: int, *, dark: bool) -> dict[str, Any]:
    """Return what the page says of itself in a window as wide, in light or dark colours."""
    assert BROWSER is not None
    _, target = tiny_report()
    page = tmp_path / "page.html"
    text = (target / "index.html").read_text(encoding="utf-8")
    page.write_text(text.replace("<style>", PROBE + "<style>", 1), encoding="utf-8")
    done = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            f"--user-data-dir={tmp_path / 'profile'}", "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            f"--window-size={width},900", "--dump-dom", page.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )  # fmt: skip
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, flags=re.DOTALL)
    assert found is not None, done.stderr[-2000:]
    seen: dict[str, Any] = json.loads(unescape(found[1]))
    return seen


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
    for w, h in (*seen["tables"], *seen["figures"], *seen["captions"]):
        assert w > 50
        assert h > 15
    assert seen["wide"] <= 0, "the page itself scrolls sideways"
    assert seen["cut"] == 0
    levels = [sum(map(int, re.findall(r"\d+", seen[key])[:3])) for key in ("ground", "ink")]
    assert (levels[0] < levels[1]) == dark
    assert abs(levels[0] - levels[1]) > 300, "too little contrast"
