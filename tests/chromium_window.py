"""A real browser for tests of pages: Debian's Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
QUICK = {"reduced_motion": "reduce"}  # nothing to wait for while pieces move
SIZE: Any = {"width": 1280, "height": 900}


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium. Without it a test is skipped, or fails in CI (``.ci/run``)."""
    if BROWSER is None:
        if os.environ.get("URCX_CHROMIUM") == "needed":
            pytest.fail("Chromium is not installed")
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        started = playwright.chromium.launch(executable_path=BROWSER, args=options)
        yield started
        started.close()


class Seen:
    """A window, and the errors that occur in it.

    The explorer's page takes its visitor for a new one only if ``first_visit`` is true.
    """

    def __init__(
        self, opened: Browser, address: str, *, first_visit: bool = False, **options: Any
    ) -> None:
        self.address = address
        self.troubles: list[str] = []
        settings = {"viewport": SIZE, **QUICK, **options}
        self.context: BrowserContext = opened.new_context(**settings)
        self.context.set_default_timeout(60_000)  # kernels may have to be compiled
        if not first_visit:
            self.context.add_init_script(
                "try { localStorage.setItem('urcx.seen', 'true') } catch {}"
            )
        self.page: Page = self.context.new_page()
        self.watch(self.page)

    def watch(self, page: Page) -> None:
        """Record the errors of a page, and its requests to other servers."""
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("console", self._said)
        page.on("request", self._asked)

    def _said(self, message: Any) -> None:
        # The page itself reports refusals of the server.
        if message.type in {"error", "warning"} and "Failed to load resource" not in message.text:
            self.troubles.append(message.text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.address, "blob:")):
            self.troubles.append(f"asked for {request.url}")

    def go(self, query: str = "") -> Page:
        """Open an address, and wait until the view is drawn."""
        self.page.goto(self.address + query)
        self.page.wait_for_selector("#panel .card")
        return self.page

    def leave(self) -> None:
        """Reset the window, and fail if an error has occurred in it.

        A new window would start a process, which reads the scripts again.
        """
        self.page.unroute_all()
        self.page.goto(self.address + "static/icon.svg")  # no script runs here
        self.page.evaluate("localStorage.clear()")
        self.context.clear_cookies()
        self.page.emulate_media(media="null")
        self.page.set_viewport_size(SIZE)
        self.page.mouse.move(0, 0)
        troubles, self.troubles = self.troubles, []
        assert troubles == [], troubles

    def close(self) -> None:
        """Close the window, and fail if an error has occurred in it."""
        self.context.close()
        assert self.troubles == [], self.troubles
