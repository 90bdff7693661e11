"""Every view of the explorer's page in a real browser: small, dark, printed, read out, audited."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest
from explorer_page import DOCS, PLACE, Open, drag, reviewed, slid, until

import urcx
from urcx.complexity import tiles
from urcx.explore.boards import board_members

pytest_plugins = ["explorer_fixtures"]
pytestmark = pytest.mark.chromium

STATIC = Path(urcx.__file__).parent / "explore" / "static"


def test_counts_grow_with_the_slider(window: Open) -> None:
    page = window().go("?view=counts&rules=finkel&pieces=2")
    page.focus("[data-key=pieces]")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    exact = str(tiles.diagrams(urcx.path("bell"), 7, 7))
    assert re.sub(r"\D", "", page.inner_text(".big")) == exact
    page.select_option("[data-key=path]", "masters")
    page.wait_for_selector("text=4 private and 12 shared tiles")
    exact = str(tiles.diagrams(urcx.path("masters"), 7, 7))
    assert re.sub(r"\D", "", page.inner_text(".big")) == exact
    outside = page.evaluate(
        """() => [...document.querySelectorAll(".chart")].flatMap(chart => {
          const whole = chart.getBoundingClientRect();
          return [...chart.querySelectorAll("text")].filter(
            text => text.getBoundingClientRect().left < whole.left).map(text => text.textContent);
        })"""
    )
    assert outside == []


def test_the_slider_is_dragged_and_long_counts_leave_their_table_whole(window: Open) -> None:
    page = window(viewport={"width": 1280, "height": 800}).go("?view=counts&rules=skiriuk&pieces=5")
    slid(page, "pieces", [4 / 19, 0.4, 0.7, 1.0])
    page.wait_for_selector("#counted:has-text('20')")
    assert page.evaluate(
        "[...document.querySelectorAll('.scroll')].every(t => t.scrollWidth <= t.clientWidth)"
    )
    page.click("#tab-explore")
    page.click("#tab-counts")
    page.wait_for_selector("#counted:has-text('20')")  # what was chosen here stays


def test_large_text_leaves_a_phone_no_wider(window: Open) -> None:
    seen = window(viewport={"width": 390, "height": 844})
    page = seen.go("?rules=masters-four-dice&pieces=1")
    page.evaluate("document.documentElement.style.fontSize = '32px'")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


VIEWS = {
    "explore": f"?rules=finkel&pieces=2&position={PLACE}&roll=2",
    "play": "?rules=finkel&pieces=2&view=play",
    "review": "?rules=finkel&pieces=2&view=review",
    "counts": "?rules=aseb&pieces=5&view=counts",
}


@pytest.mark.parametrize(
    "dark", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["light", "dark"]
)
def test_every_view_fits_a_phone_and_passes_an_audit(window: Open, dark: bool) -> None:
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    seen = window(viewport={"width": 360, "height": 740}, color_scheme="dark" if dark else "light")
    for name, query in VIEWS.items():
        if dark and name in {"play", "counts"}:  # they have no colours of their own
            continue
        page = seen.go(query)
        if name == "review":
            reviewed(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 360, name
        ground, ink = page.evaluate(
            """() => [getComputedStyle(document.documentElement).backgroundColor,
                      getComputedStyle(document.body).color]"""
        )
        assert (_level(ground) < _level(ink)) == dark
        page.evaluate(axe)
        found = page.evaluate("axe.run().then(found => found.violations)")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], name


def _level(colour: str) -> int:
    return sum(map(int, re.findall(r"\d+", colour)[:3]))


def test_a_printed_page_has_the_board_and_no_buttons(window: Open) -> None:
    page = window().go(VIEWS["explore"])
    page.emulate_media(media="print")
    assert page.is_visible("#board svg")
    assert page.is_hidden("#tools")
    assert page.is_hidden(".tabs")
    assert page.is_visible("#panel table")
    page = window().go(VIEWS["counts"])
    page.wait_for_selector("#h-curve")
    page.emulate_media(media="print")
    assert page.locator("select:visible, input:visible").count() == 0
    assert page.is_visible("text=5 pieces per player")
    assert page.is_visible(".legend >> text=binomial")


def test_letters_of_long_boards_leave_room_for_pieces(window: Open) -> None:
    tiles = tuple(f"A{k}" for k in range(1, 25))
    plain = urcx.Board("long", "Long", tiles, frozenset(), ("B", "C"))
    path = urcx.Path("long", "Long", plain, tiles, tiles, (24,))
    page = window().go(VIEWS["explore"])
    overlap = page.evaluate(
        """async geometry => {
          const { createBoard } = await import("./static/board.js");
          const place = document.querySelector("#board");
          createBoard(place, {geometry, pieces: 3, position: "1/2/0-0/L"});
          const boxes = of => [...place.querySelectorAll(of)].map(e => e.getBoundingClientRect());
          const [names, pieces] = [boxes(".pool-name"), boxes(".pieces > *")];
          if (names.length < 8 || pieces.length < 6) return "nothing is drawn";
          return names.some(a => pieces.some(b => a.left < b.right && b.left < a.right
            && a.top < b.bottom && b.top < a.bottom));
        }""",
        board_members(path, 3),
    )
    assert overlap is False


def test_screen_readers_are_told_places_and_what_happened(window: Open) -> None:
    page = window().go(f"?rules=finkel&pieces=2&position={PLACE}")
    said = {
        "B4": "B4, rosette, shared: light piece on step 8",
        "A7": "A7, rosette, private: empty",
        "dark-start": "dark's start pool: 0 pieces",
        "light-home": "light's home: 0 pieces",
    }
    for name, label in said.items():
        assert page.get_attribute(f'[data-place="{name}"]', "aria-label") == label
    drag(page, "B4", "light-home")
    until(page, "5/3,6/1-0/L")
    assert page.inner_text("#live").strip() == "light piece put on light's home"


def test_paths_are_drawn_on_demand(window: Open) -> None:
    page = window().go(f"?rules=finkel&pieces=2&position={PLACE}")
    assert page.locator("polyline.way").count() == 0
    page.click("#help-open")
    page.check("#way-dark")
    page.keyboard.press("Escape")
    assert page.is_hidden("#help")
    assert page.locator("polyline.way.dark").count() == 1
    assert page.locator(".step.dark").count() == len(urcx.path("bell").dark)
    page.reload()  # it is remembered
    page.wait_for_selector("polyline.way.dark")


def test_a_window_that_was_used_is_as_new_for_the_next_test(window: Open) -> None:
    seen = window(viewport={"width": 390, "height": 844})
    page = seen.go(VIEWS["explore"])
    page.evaluate('localStorage.setItem("urcx.agents", "[]"); document.cookie = "one=1"')
    page.emulate_media(media="print")
    page.route("**/api/**", lambda route: route.abort())
    seen.leave()
    found = page.evaluate(
        """async () => [localStorage.length, document.cookie, innerWidth, innerHeight,
          matchMedia("print").matches, matchMedia("(prefers-reduced-motion)").matches,
          (await fetch("/api/catalogue")).ok]"""
    )
    assert found == [0, "", 1280, 900, False, True, True]


def test_pictures_of_the_page_are_small_and_all_shown() -> None:
    tour = (DOCS / "explore.rst").read_text(encoding="utf-8")
    pictures = sorted((DOCS / "explore").iterdir())
    light = {file.name.replace("-dark", "") for file in pictures}  # dark variants stand next to it
    assert [name for name in light if f"explore/{name}" not in tour] == []
    assert max(file.stat().st_size for file in pictures) < 150_000


def test_the_page_is_small_and_its_board_stands_alone() -> None:
    sizes = {file.name: file.stat().st_size for file in STATIC.iterdir()}
    only_exported = sizes["offline.js"] + sizes["stored.js"]
    assert sum(sizes.values()) - only_exported < 230_000
    board = (STATIC / "board.js").read_text(encoding="utf-8")
    assert not re.search(r"^import ", board, re.MULTILINE)
    for file in STATIC.iterdir():
        text = file.read_text(encoding="utf-8")
        assert "innerHTML" not in text
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
        assert " style=" not in text
