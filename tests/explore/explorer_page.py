"""Actions on the explorer's page. Importing this skips a test file if an extra is missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="the extra urcx[explore] is not installed")
pytest.importorskip("uvicorn", reason="the extra urcx[explore] is not installed")
pytest.importorskip("playwright", reason="Playwright is not installed")

from chromium_window import Seen

import urcx

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

DOCS = Path(__file__).parents[2] / "docs"
GAME = (DOCS / "examples" / "game.txt").read_text(encoding="utf-8")
PLACE = "5,8/3,6/0-0/L"
Open = Callable[..., Seen]


def box_of(found: Locator) -> Any:
    """Return the place of a visible element."""
    box = found.bounding_box()
    assert box is not None
    return box


def spot(page: Page, name: str) -> tuple[float, float]:
    box = box_of(page.locator(f'[data-place="{name}"]'))
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: str, end: str) -> None:
    page.mouse.move(*spot(page, start))
    page.mouse.down()
    page.mouse.move(*spot(page, end), steps=4)
    page.mouse.up()


def slid(page: Page, key: str, shares: list[float]) -> None:
    """Drag a slider with the mouse to shares of its width, one after the other."""
    page.locator(f"[data-key={key}]").hover()  # scrolls there, also if the page is drawn again
    box = box_of(page.locator(f"[data-key={key}]"))
    page.mouse.move(box["x"] + box["width"] * shares[0], box["y"] + box["height"] / 2)
    page.mouse.down()
    for share in shares[1:]:
        page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)
    page.mouse.up()


def entered(page: Page, game: str) -> None:
    """Enter a game in the view Review."""
    unfolded(page, "other")
    page.fill("textarea", game)
    page.click("text=Review it")


def reviewed(page: Page) -> Page:
    """Review the game of the documentation."""
    entered(page, GAME)
    page.wait_for_selector("[data-key=again]")
    return page


def unfolded(page: Page, key: str) -> None:
    """Open a section of the page, if the page has it."""
    for closed in page.locator(f"details:not([open]) > [data-key={key}]").all():
        closed.click()


def click(page: Page, *names: str) -> None:
    for name in names:
        page.mouse.click(*spot(page, name))


def typed(page: Page, text: str) -> None:
    """Enter a position or a move."""
    page.fill("[name=notation]", text)
    page.keyboard.press("Enter")


def until(page: Page, position: str) -> None:
    """Wait until the page shows a position, in its address, its notation, and on its board."""
    page.wait_for_function(
        """wanted => new URLSearchParams(location.search).get("position") === wanted
           || (wanted === "-/-/0-0/L" && !location.search.includes("position="))""",
        arg=position,
    )
    rules = re.search(r"[?&]rules=([^&]*)", page.url)
    path = urcx.ruleset(rules[1] if rules else "finkel").path
    page.wait_for_function(
        'wanted => document.querySelector("[name=notation]")?.value === wanted',
        arg=urcx.parse_position(position).on(path),
    )


def throw(page: Page) -> None:
    """Throw the dice on the board."""
    page.click("[data-place=dice]")
    page.wait_for_selector(".dice .cast", state="attached")


def plies_played(page: Page, least: int) -> None:
    """Wait until the list of a game has a number of plies."""
    page.wait_for_function(
        "least => document.querySelectorAll('#panel .log tbody tr').length >= least", arg=least
    )


def played_on(page: Page, plies: int) -> None:
    """Play a game by keyboard until it has a number of plies, or is over."""
    page.wait_for_function(
        """plies => {
          const over = document.querySelector("#headline").textContent.includes("has won");
          const rows = document.querySelectorAll("#panel .log tbody tr");
          if (over || rows.length >= plies) return true;
          const key = name => document.querySelector("#panel").dispatchEvent(
            new KeyboardEvent("keydown", {key: name, bubbles: true}));
          for (const name of ["r", "1", "p"]) key(name);
          return false;
        }""",
        arg=plies,
        polling=30,
    )
