"""Elements in sight at five sizes in a real browser: always the board, and the controls of a game.

The whole board must be in the window, with nothing over it, at every scroll position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from explorer_page import PLACE, Open, box_of, reviewed, throw, unfolded

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest_plugins = ["explorer_fixtures"]
pytestmark = pytest.mark.chromium

SIZES = [(1920, 1080), (1366, 650), (1280, 720), (390, 844), (360, 640)]
MANY = "position=1,4,6,9/3,10,12/0-1/L"  # kwan is not solved
# By view: its address, and the elements that must be in sight before the page is scrolled.
VIEWS = {
    "explore": (f"?rules=finkel&pieces=2&position={PLACE}&roll=2", ".strip .hit, td button"),
    "all rolls": (f"?rules=finkel&pieces=2&position={PLACE}", ".strip .hit, [data-key=throw]"),
    "unknown": (f"?rules=kwan&{MANY}&roll=1", ".hint, .strip .hit, td button"),
    "play": (
        f"?rules=kwan&view=play&{MANY}",
        ".moves button, .say, [data-key=hint]",
    ),
    "review": (
        "?rules=finkel&pieces=2&view=review",
        ".curve, .steps button, [data-key=again], [data-key=reveal], .steps .dice",
    ),
}
SEEN = """selector => [...document.querySelectorAll(selector)].map(element => {
  const {left, top, right, bottom} = element.getBoundingClientRect();
  const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
  const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  const seen = inside && (element.contains(found) || Boolean(found?.contains(element)));
  return [element.dataset.place ?? element.textContent, seen];
})"""


def hidden(page: Page, selector: str) -> list[str]:
    """Return the names of elements that are outside the window or under another element."""
    found = page.evaluate(SEEN, selector)
    assert found, selector
    return [name for name, seen in found if not seen]


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


@pytest.mark.parametrize(
    "view",
    [
        pytest.param(view, marks=[pytest.mark.slow] if view in {"all rolls", "unknown"} else [])
        for view in VIEWS
    ],
)
def test_the_board_is_never_out_of_sight(window: Open, view: str) -> None:
    query, beside = VIEWS[view]
    page = window().go(query)
    if view == "play":
        page.click("[data-key=more]")
        page.fill("[name=seed]", "4")
        page.click("text=Begin")
        throw(page)
        page.wait_for_selector(".moves button")
    if view == "review":
        reviewed(page)
    page.wait_for_selector(beside.split(",")[0])
    for width, height in SIZES:
        resize(page, (width, height))
        if view == "review":
            unfolded(page, "x-plies")
            sideways = "element => element.scrollWidth - element.clientWidth"
            assert page.eval_on_selector(".log.plies", sideways) == 0
        for scrolled, seen in ((0, f"#board [data-place], {beside}"), (1e6, "#board [data-place]")):
            page.evaluate(
                """top => { for (const part of document.querySelectorAll("html, main, .panel"))
                     part.scrollTop = top; }""",
                scrolled,
            )
            assert hidden(page, seen) == [], (width, height, scrolled)
        assert box_of(page.locator("#board svg"))["height"] > min(0.6 * width, 0.45 * height)
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize(
    "view",
    ["explore", *(pytest.param(view, marks=pytest.mark.slow) for view in ("all rolls", "unknown"))],
)
def test_the_board_is_in_sight_on_a_telephone_in_landscape(window: Open, view: str) -> None:
    page = window(viewport={"width": 844, "height": 390}).go(VIEWS[view][0])
    page.wait_for_selector("#board [data-place]")
    page.wait_for_selector(".strip .hit[height]", state="attached")
    assert hidden(page, "#board [data-place]") == []


def test_the_board_stays_where_it_is_from_ply_to_ply(window: Open) -> None:
    page = reviewed(window().go(VIEWS["review"][0]))
    for size in SIZES[-2:]:
        resize(page, size)
        page.click("[data-key=first]")
        places = set()
        while page.is_enabled("[data-key=on]"):
            places.add(str(box_of(page.locator("#board svg"))))
            page.click("[data-key=on]")
        assert len(places) == 1, (size, places)


def test_a_phone_on_its_side_keeps_the_board_and_the_buttons_of_a_review(window: Open) -> None:
    page = reviewed(window(viewport={"width": 844, "height": 390}).go(VIEWS["review"][0]))
    page.evaluate("scrollTo(0, 1e6)")
    assert hidden(page, f"#board [data-place], {VIEWS['review'][1]}") == []
    assert box_of(page.locator("#board svg"))["height"] > 0.45 * 390
