"""Fixtures that several test files of the explorer name in ``pytest_plugins``.

A ``conftest.py`` beside that of all tests would be a second module of that name to mypy.
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
    """An explorer with a tablebase of finkel with two pieces, and a path of a user's."""
    with open_solution(file) as base:
        yield application(Explorer([base], catalogue.read_catalogue_file(SHORT)[0]))


@pytest.fixture
def unsolved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Explorer]:
    """An explorer to which no game is small, with a directory of its own for those it solves."""
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
    """Start a browser; not for all files, as other tests cannot run loops beside Playwright's."""
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def address(file: Path) -> Iterator[str]:
    with explorer(file) as found:
        yield found


@pytest.fixture(scope="module")
def usual(chromium: Browser) -> Iterator[Seen]:
    """Return a window for one test after the other, which leaves it as it was."""
    seen = Seen(chromium, "")
    yield seen
    seen.close()


@pytest.fixture
def window(chromium: Browser, usual: Seen, address: str) -> Iterator[Open]:
    """Open windows, each with a memory of its own; nothing may go wrong in any.

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
