"""A page with the widget's script, as a notebook loads it: for the tests, and for the picture.

``python docs/notebook_page.py`` writes ``docs/notebooks/board.png`` anew: the board of
``urcx.widget`` in Chromium, by Playwright.
"""

from __future__ import annotations

import os
import shutil
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import urcx
from urcx.explore.board_widget import BoardWidget

PICTURE = Path(__file__).with_name("notebooks") / "board.png"
PLACE = "4,8/3/0-0/L"
COLOURS = 96  # of the picture, which keeps it small

# A model as anywidget gives it to the script: what is sent goes to Python, and what changed there
# comes back.
MODEL = """
async ([esm, traits]) => {
  document.documentElement.lang = "en";
  const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  const heard = {};
  window.values = traits;
  window.take = ([changed, messages]) => {
    for (const [name, value] of Object.entries(changed)) {
      if (JSON.stringify(window.values[name]) === JSON.stringify(value)) continue;
      window.values[name] = value;
      (heard[`change:${name}`] ?? []).forEach((does) => does());
    }
    for (const message of messages) (heard["msg:custom"] ?? []).forEach((does) => does(message));
  };
  window.end = await widget.render({ el: document.body, model: {
    get: (name) => window.values[name],
    on: (name, does) => { (heard[name] ??= []).push(does); },
    off: (name, does) => { heard[name] = heard[name].filter((one) => one !== does); },
    send: async (message) => { window.take(await window.answered(message)); },
  } });
}
"""


class Shown:
    """A widget, and a page of a browser with its script."""

    def __init__(self, page: Any, widget: BoardWidget) -> None:
        self.page, self.widget = page, widget
        self.messages: list[Any] = []
        self.troubles: list[str] = []
        widget.send = self.messages.append
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("console", lambda said: self.troubles.append(said.text))
        page.expose_function("answered", self._answered)
        sent = widget.get_state(["_esm", "_css"])
        page.evaluate(MODEL, [sent["_esm"], self._traits()])
        page.add_style_tag(content=sent["_css"])

    def _traits(self) -> dict[str, Any]:
        found: dict[str, Any] = self.widget.get_state(["_board", "_state"])
        return found

    def _answered(self, message: Any) -> list[Any]:
        self.messages.clear()
        self.widget._handle_custom_msg(message, [])  # noqa: SLF001 - as ipywidgets calls it
        return [self._traits(), list(self.messages)]

    def sync(self) -> None:
        """Have the page draw what was changed in Python."""
        self.page.evaluate("(all) => window.take(all)", [self._traits(), []])

    def click(self, name: str) -> None:
        """Click a button."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def wait(self, position: str) -> None:
        """Wait until the page shows a position."""
        self.page.wait_for_function(
            "(text) => window.values._state.position === text", arg=position
        )


def picture(file: Path) -> None:
    """Write a picture of the board with a position, a roll and what its moves are worth."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    rules = urcx.ruleset("finkel", pieces=2)
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))))
    options = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with TemporaryDirectory() as directory, sync_playwright() as playwright:
        solution = Path(directory, "finkel-2.urcx")
        urcx.solve(rules, solution)
        with urcx.open_tablebase(solution) as base:
            browser = playwright.chromium.launch(executable_path=found, args=options)
            page = browser.new_page(viewport={"width": 720, "height": 640})
            page.goto("about:blank")
            page.add_style_tag(content="body { font-family: system-ui, sans-serif; }")
            Shown(page, urcx.widget(urcx.Game(rules, PLACE), base, roll=2))
            drawn = page.locator(".urcx-widget").screenshot()
            browser.close()
    image: Any = Image.open(BytesIO(drawn)).convert("RGB").quantize(COLOURS)
    image.save(file, optimize=True)


if __name__ == "__main__":
    picture(PICTURE)
