"""The page of an unsolved game: its estimates, and the button that solves it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chromium_window import Seen
from explorer_page import Open
from explorer_pictures import served

import urcx
from urcx.explore import whole
from urcx.explore.explorer import Explorer
from urcx.solving.files.kept import place_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ["explorer_fixtures"]
pytestmark = pytest.mark.chromium


@pytest.fixture
def address(unsolved: Explorer) -> Iterator[str]:
    with served(unsolved) as found:
        yield found


def test_the_whole_game_is_estimated_at_once(window: Open) -> None:
    page = window().go()
    assert page.input_value("#pieces") == "7"
    page.wait_for_selector("#headline:has-text('\u2248')")
    for known in ("95.2 % of decisions", "off by 0.18 points on average"):
        assert known in page.inner_text("#panel")
    assert re.search(
        r"exactly \d\.\d\d points apart .* (\d|< 0)\.\d points\)",
        page.inner_text("#panel"),
    )
    # Estimates have one decimal, and a loss is the difference of the rounded estimates.
    assert re.search(r"light \u2248 \d\d\.\d\s%", page.inner_text("#headline"))
    rows = re.findall(r"(\d+\.\d)\s%\s+(?:best|(< 0\.1|\d+\.\d))", page.inner_text("#panel table"))
    best, *others = [(float(wins), loss) for wins, loss in rows]
    assert others
    for wins, loss in others:
        assert loss == ("< 0.1" if wins == best[0] else f"{best[0] - wins:.1f}")
    assert page.is_visible("#status button:has-text('make exact (about')")
    page.select_option("#pieces", "6")  # of which there is no network
    page.wait_for_selector("#headline:not(:has-text('\u2248'))")


def test_a_click_solves_and_a_reload_does_not_matter(window: Open) -> None:
    page = window().go("?rules=finkel&pieces=4")  # or it is solved before it is stopped
    page.click("[data-key=solve]")
    page.wait_for_selector("progress")
    page.click("[data-key=stop]")
    page.click("[data-key=solve]")
    page.wait_for_selector("progress")
    page.reload()
    page.wait_for_selector("text=proven, \u00b1", timeout=120_000)
    assert page.locator("[data-key=solve]").count() == 0


def test_a_game_is_reviewed_by_estimates(window: Open) -> None:
    page = window().go("?view=review")
    page.click("[data-key=example]")
    page.wait_for_selector("#h-coach:has-text('\u2248')")
    page.wait_for_selector(".verdict .grade")
    assert page.locator(".boards button").count() > 1
    page.wait_for_selector("#h-luck")
    strip = page.locator(".strip.small")
    assert strip.locator(".column").count() == 5
    assert strip.locator(".played").count() == 1, "the move of a mistake"


def test_the_time_left_counts_down_between_reports(window: Open) -> None:
    page = window(viewport={"width": 1280, "height": 900}).go("?rules=finkel&pieces=4")
    page.clock.set_fixed_time(1e9)
    page.evaluate(
        """async seconds_left => {
          const { unsolved } = await import("./static/solving.js");
          const values = { state: "solving", share: 0.25, seconds_left, stops: false };
          document.body.append(unsolved({}, { rules: "x", pieces: 4, values }, () => {}));
        }""",
        65.0,
    )
    left = page.locator("body > .hint .left")
    assert left.text_content() == ": 1:05 left"
    page.clock.set_fixed_time(1e9 + 10)
    page.wait_for_function(
        "() => document.querySelector('body > .hint .left').textContent === ': 0:55 left'"
    )
    assert page.eval_on_selector("body > .hint progress", "bar => bar.value") == 0.25


def test_what_does_not_fit_offers_the_pieces_that_do(
    window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole, "_fits", lambda rules: rules.pieces <= 2)
    page = window().go("?rules=blitz")
    page.click("button:has-text('With 2 pieces this game can be solved')")
    page.wait_for_selector("[data-key=solve]")
    assert page.input_value("#pieces") == "2"


def test_what_is_solved_is_offered_before_what_could_be(
    window: Open, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    monkeypatch.setattr(whole, "_fits", lambda rules: rules.pieces <= 1)
    place = place_of(urcx.ruleset("finkel", pieces=2))
    place.parent.mkdir(parents=True)
    shutil.copy(file, place)
    page = window().go("?rules=finkel&pieces=3")
    page.click("button:has-text('With 2 pieces this game is solved')")
    page.wait_for_selector("text=proven, \u00b1")


def test_a_small_game_is_solved_by_itself(chromium: Browser) -> None:
    with served(Explorer()) as found:
        seen = Seen(chromium, found)
        page = seen.go("?rules=blitz&pieces=2")
        page.wait_for_selector(
            "#live:has-text('blitz with 2 pieces is being solved')", state="attached"
        )
        page.wait_for_selector("text=proven, \u00b1", timeout=120_000)
        page = seen.go("?view=play&rules=kwan&pieces=2")
        page.wait_for_selector(
            "option[value=optimal]:not([disabled])", state="attached", timeout=120_000
        )
        seen.close()
