"""The page for a tablet in public: it plays, its targets are large, and it begins anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chromium_window import Seen
from explorer_page import Open, box_of
from explorer_pictures import served

from urcx.explore.explorer import Explorer
from urcx.solving.files.rgu import open_solution

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ["explorer_fixtures"]
pytestmark = pytest.mark.chromium

LARGE = 44  # pixels, what fingers need at least


@pytest.fixture
def address(file: Path) -> Iterator[str]:
    """The address of a page that only plays."""
    with open_solution(file) as base, served(Explorer([base], kiosk=True)) as found:
        yield found


def test_a_tablet_in_public_plays_and_begins_anew(window: Open) -> None:
    seen = window(viewport={"width": 1024, "height": 768}, has_touch=True)
    seen.page.clock.install()
    page = seen.go("?view=counts&rules=blitz")  # it plays nevertheless
    assert page.is_hidden(".tabs")
    assert page.is_hidden("#rules")
    for button in page.locator("#panel button").all():
        box = box_of(button)
        assert min(box["width"], box["height"]) >= LARGE
    page.click("[data-key=level-0]")
    assert page.inner_text("#h-play") == "You (light) against level 1 (dark)"
    page.click("[data-key=roll]")
    page.wait_for_selector(".die:not(:text-is('\u2013'))")
    assert page.is_hidden("[data-key=save]")
    page.clock.fast_forward(60_000)
    page.mouse.move(300, 300)  # somebody is there
    page.clock.fast_forward(60_000)
    assert page.is_visible("[data-key=new]")
    page.clock.fast_forward(90_000)
    page.wait_for_selector("[data-key=level-0]")
    assert page.evaluate('localStorage.getItem("urcx.game")') in (None, "null")


def test_levels_are_spread_evenly_without_a_solution(chromium: Browser) -> None:
    with served(Explorer(kiosk=True, solves=False)) as found:
        seen = Seen(chromium, found)
        labels = seen.go().locator(".levels small").all_inner_texts()
        seen.close()
    chances = [int(one) for one in re.findall(r"(\d+).% against perfect", " ".join(labels))]
    assert len(chances) == 5
    apart = [more - less for less, more in pairwise(chances)]
    assert 8 <= min(apart) <= max(apart) <= 12
