"""The pictures of the explorer: screenshots of the real page in Chromium, by Playwright.

``python docs/explorer_pictures.py finkel.urcx`` writes ``docs/explore/*.png`` again, from the
solution of finkel that ``urcx solve`` writes. Each has a variant for dark pages, ``NAME-dark.png``.
Nothing is drawn by hand, and a seed determines the dice.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urcx.engine.threads import Threads
from urcx.explore.app import application
from urcx.explore.explorer import Explorer
from urcx.explore.server import address_of, hosts_of, listening
from urcx.solving.files.rgu import open_solution

if TYPE_CHECKING:
    from playwright.sync_api import Page

PICTURES = Path(__file__).with_name("explore")
LOCAL = "127.0.0.1"
WIDE: Any = {"width": 1280, "height": 860}
PHONE: Any = {"width": 390, "height": 844}
COLOURS = 256  # per picture, to make files small
PLACE = "?position=4,8/3,10,12/2-1/L"  # README's position
SEED = "5"
PLIES = 40  # plies of the unfinished game in a picture


@contextmanager
def explorer(file: Path) -> Iterator[str]:
    """Serve the page with a tablebase, and yield its address."""
    with open_solution(file) as base, served(Explorer([base])) as address:
        yield address


@contextmanager
def served(shown: Explorer) -> Iterator[str]:
    """Serve the page of an explorer, and yield its address."""
    import uvicorn

    socket = listening(LOCAL, 0)
    app = application(shown, hosts=hosts_of(socket, LOCAL))
    config = uvicorn.Config(
        app, http="h11", ws="none", loop="asyncio", lifespan="off", log_config=None
    )
    server = uvicorn.Server(config)
    ended = Threads(1).submit(server.run, [socket])
    try:
        yield address_of(socket, LOCAL)
    finally:
        server.should_exit = True
        ended.result(timeout=30)
        socket.close()


def values(page: Page, address: str) -> None:
    """Show a position with a roll: every move with an arrow, best first."""
    page.goto(address + PLACE + "&roll=2")
    page.wait_for_selector(".arrow.best")
    page.click("[data-key=agents]")
    page.check("#panel label:has-text('learned') input")
    page.wait_for_selector("#panel .players:has-text('learned')", timeout=120_000)


def paths(page: Page, address: str) -> None:
    """Show a position on a phone, with light's path."""
    page.goto(address + PLACE)
    page.wait_for_selector("#panel tbody tr")
    page.click("#help-open")
    page.check("#way-light")
    page.keyboard.press("Escape")


def game(page: Page, address: str) -> None:
    """Show a game against optimal play, with a hint."""
    watched(page, address, "you", PLIES)
    page.wait_for_function(
        """() => {
          const moves = document.querySelectorAll("#panel .moves button").length;
          if (moves > 1) return true;
          for (const name of ["r", "p"]) press(name);
          if (moves) press("1");
          return false;
        }""",
        polling=100,
    )
    page.keyboard.press("h")
    page.wait_for_selector(".arrow.best")


def watched(page: Page, address: str, light: str, plies: int) -> None:
    """Play a number of plies of a game, or to its end; "you" always play the first move."""
    page.goto(address + "?view=play")
    page.evaluate('localStorage.setItem("urcx.pace", "0.01")')
    page.reload()
    page.click("[data-key=more]")
    page.select_option("[name=light]", light)
    page.select_option("[name=dark]", "optimal")
    page.fill("[name=seed]", SEED)
    page.click("text=Begin")
    page.evaluate(
        """() => { window.press = name => document.querySelector("#panel").dispatchEvent(
             new KeyboardEvent("keydown", {key: name, bubbles: true})); }"""
    )
    page.wait_for_function(
        """plies => {
          const over = document.querySelector("#headline").textContent.includes("has won");
          const rows = document.querySelectorAll("#panel .log tbody tr");
          if (over || rows.length >= plies) return true;
          for (const name of ["r", "1", "p"]) press(name);
          return false;
        }""",
        arg=plies,
        polling=30,
        timeout=120_000,
    )


def review(page: Page, address: str) -> None:
    """Show the review of a complete game."""
    watched(page, address, "greedy", 10_000)
    page.click("#tab-review")
    page.wait_for_selector(".curve")


def counts(page: Page, address: str) -> None:
    """Show the growth of the number of states."""
    page.goto(address + "?view=counts")
    page.wait_for_selector(".chart")


SHOWN: dict[str, tuple[Callable[[Page, str], None], Any]] = {
    "values": (values, WIDE),
    "phone": (paths, PHONE),
    "game": (game, WIDE),
    "review": (review, WIDE),
    "counts": (counts, WIDE),
}
THEMES: dict[Any, str] = {"light": "", "dark": "-dark"}


def small(picture: bytes) -> bytes:
    """Return a picture with fewer colours."""
    from PIL import Image

    image, written = Image.open(BytesIO(picture)).convert("RGB"), BytesIO()
    image.quantize(COLOURS, kmeans=3, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
    return written.getvalue()


def take(file: Path) -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    PICTURES.mkdir(exist_ok=True)
    with explorer(file) as address, sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (show, size) in SHOWN.items():
            page = started.new_page(viewport=size, device_scale_factor=1.5, reduced_motion="reduce")
            show(page, address)
            for theme, suffix in THEMES.items():
                page.emulate_media(color_scheme=theme)
                page.wait_for_timeout(300)
                file = PICTURES / f"{name}{suffix}.png"
                file.write_bytes(small(page.screenshot()))
            page.close()
        started.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]))
