"""Fixtures that several test files of the explorer name in ``pytest_plugins``.

A second ``conftest.py`` would have the same module name as the first, which mypy refuses.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chromium_window import SIZE, Seen, browser
from explorer_pictures import explorer
from own_rules import SHORT
from starlette.types import ASGIApp

from urcx.explore import explorer as module
from urcx.explore import whole
from urcx.explore.app import application
from urcx.explore.explorer import Explorer
from urcx.rules import catalogue
from urcx.solving.files.rgu import open_solution

if TYPE_CHECKING:
    from explorer_page import Open
    from playwright.sync_api import Browser

pytest_plugins = ["solved_games"]


@pytest.fixture(scope="session")
def file(two_pieces: Path) -> Path:
    """Return a tablebase of finkel with two pieces, solved once."""
    return two_pieces


@pytest.fixture(scope="module")
def app(file: Path) -> Iterator[ASGIApp]:
    """Return an app with a tablebase of finkel with two pieces, and a path of the user."""
    with open_solution(file) as base:
        yield application(Explorer([base], catalogue.read_catalogue_file(SHORT)[0]))


@pytest.fixture
def unsolved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Explorer]:
    """Return an explorer that solves all games as large games, in a temporary directory."""
    for place in (module, whole):
        monkeypatch.setattr(place, "can_be_solved", lambda _: False)
    monkeypatch.setenv("URCX_DATA_DIR", str(tmp_path))
    whole._work.cache_clear()  # estimates of games that are small otherwise
    found = Explorer()
    yield found
    found.close()
    whole._work.cache_clear()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Start a browser for one file, because Playwright's event loop disturbs other tests."""
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def address(file: Path) -> Iterator[str]:
    with explorer(file) as found:
        yield found


@pytest.fixture(scope="module")
def usual(chromium: Browser) -> Iterator[Seen]:
    """Return a window that all tests of a file use; each test resets it."""
    seen = Seen(chromium, "")
    yield seen
    seen.close()


@pytest.fixture
def window(chromium: Browser, usual: Seen, address: str) -> Iterator[Open]:
    """Open windows with separate storage; the test fails if an error occurs in a window.

    The first is the usual one unless it has to be a special one: other than in size.
    """
    usual.address = address
    opened: list[Seen] = []

    def new(viewport: Any = SIZE, **options: Any) -> Seen:
        if not opened and not options:
            usual.page.set_viewport_size(viewport)
            opened.append(usual)
        else:
            opened.append(Seen(chromium, address, viewport=viewport, **options))
        return opened[-1]

    yield new
    for one in opened:
        one.leave() if one is usual else one.close()
