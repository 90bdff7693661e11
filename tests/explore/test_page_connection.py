"""The explorer's page while its server does not answer, and the ways back to earlier views."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from explorer_page import GAME, PLACE, Open, played_on, until

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest_plugins = ["explorer_fixtures"]
pytestmark = pytest.mark.chromium

LINE = "#notice:has-text('does not answer')"
EXPLORE = f"?rules=finkel&pieces=2&position={PLACE}"


def ended(page: Page, name: str = "") -> None:
    """Let no request of the page get an answer, or none to one endpoint."""
    page.route(f"**/api/{name}*", lambda route: route.abort())


def again(page: Page) -> None:
    """Let the server answer again, and wait until the page has noticed."""
    page.unroute_all()
    page.wait_for_selector(LINE, state="hidden")


def test_the_last_view_stays_below_one_line(window: Open) -> None:
    page = window().go(EXPLORE)
    page.wait_for_selector("#panel .players:has-text('greedy')")
    # A later answer would remove the line, and change the view.
    page.wait_for_function("() => !document.body.textContent.includes('getting ready')")
    page.wait_for_load_state("networkidle")
    address, shown = page.url, page.inner_text("main")
    ended(page)
    page.keyboard.press("2")
    page.wait_for_selector(LINE)
    assert "--port" in page.inner_text("#notice-text")
    for name in ("play", "review", "counts"):
        page.click(f"#tab-{name}")
    page.select_option("#rules", "blitz")
    page.click("#notice-close")
    page.keyboard.press("3")
    page.wait_for_selector(LINE)  # as long as it is so
    assert page.inner_text("main") == shown
    assert page.url == address
    assert page.get_attribute("#tab-explore", "aria-selected") == "true"
    assert page.input_value("#rules") == "finkel"
    again(page)
    page.keyboard.press("2")
    page.wait_for_selector("#headline:has-text('rolled 2')")
    page.click("#tab-counts")
    page.wait_for_selector("#h-counts")


def test_a_page_that_begins_without_an_answer_begins_later(window: Open) -> None:
    seen = window()
    ended(seen.page)
    seen.page.goto(seen.address + EXPLORE)
    seen.page.wait_for_selector(LINE)
    seen.page.unroute_all()
    until(seen.page, PLACE)


def test_games_go_on(window: Open) -> None:
    page = window().go("?rules=finkel&pieces=2&view=play")
    page.click("[data-key=more]")
    page.select_option("[data-key=light]", "greedy")
    page.select_option("[data-key=dark]", "random")
    page.click("[data-key=begin]")
    page.fill("[data-key=pace]", "0.1")
    ended(page)
    page.wait_for_selector(LINE)
    plies = page.locator("#panel .log tbody tr").count()
    again(page)
    played_on(page, plies + 2)


def test_a_review_is_made_when_it_can_be(window: Open) -> None:
    page = window().go("?rules=finkel&pieces=2&view=review")
    ended(page, "review")
    page.fill("textarea", GAME)
    page.click("text=Review it")
    page.wait_for_selector(LINE)
    again(page)
    page.wait_for_selector(".sum")


def test_another_number_of_pieces_can_be_undone(window: Open) -> None:
    page = window().go(EXPLORE)
    page.keyboard.press("2")
    page.wait_for_selector("#headline:has-text('rolled 2')")
    page.select_option("#pieces", "1")  # this position has two a side
    page.wait_for_selector("#notice:has-text('Undo')")
    until(page, "-/-/0-0/L")
    page.click("[data-key=undo]")
    until(page, PLACE)
    assert page.input_value("#pieces") == "2"
    page.wait_for_selector("#headline:has-text('rolled 2')")
    page.click("[data-key=redo]")
    until(page, "-/-/0-0/L")
    assert page.input_value("#pieces") == "1"


def test_a_position_stays_with_another_number_of_pieces(window: Open) -> None:
    page = window().go("?rules=finkel&pieces=2&position=5/3/0-0/D")
    page.select_option("#pieces", "1")
    page.wait_for_function("() => location.search.includes('pieces=1')")
    until(page, "5/3/0-0/D")
    assert page.is_hidden("#notice")


def test_the_way_back_is_for_views_and_leaves_undo(window: Open) -> None:
    page = window().go(EXPLORE)
    length = page.evaluate("history.length")
    page.click("text=Dark moves")
    until(page, PLACE.replace("/L", "/D"))
    page.select_option("#pieces", "3")
    page.wait_for_function("() => location.search.includes('pieces=3')")
    assert page.evaluate("history.length") == length
    page.click("#tab-counts")
    page.wait_for_selector("#h-counts")
    assert page.evaluate("history.length") == length + 1
    page.go_back()
    page.wait_for_selector("#tools button")
    assert page.input_value("#pieces") == "3"
    page.click("[data-key=undo]")
    page.wait_for_function("() => location.search.includes('pieces=2')")
    page.click("[data-key=undo]")
    until(page, PLACE)
