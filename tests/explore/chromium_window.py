"""A real browser on the explorer's page: the server in a thread, and Debian's Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from urcx.engine.executors import Threads
from urcx.explore.app import application
from urcx.explore.explorer import Explorer
from urcx.explore.server import address_of, hosts_of, listening
from urcx.solving.files.rgu import open_solution

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
LOCAL = "127.0.0.1"
QUICK = {"reduced_motion": "reduce"}  # nothing to wait for while pieces move


@contextmanager
def served(file: Path) -> Iterator[str]:
    """Serve the page with a tablebase, and give its address."""
    import uvicorn  # noqa: PLC0415 - an extra

    with open_solution(file) as base:
        taken = listening(LOCAL, 0)
        app = application(Explorer([base]), hosts=hosts_of(taken, LOCAL))
        config = uvicorn.Config(
            app, http="h11", ws="none", loop="asyncio", lifespan="off", log_config=None
        )
        server = uvicorn.Server(config)
        ended = Threads(1).submit(server.run, [taken])
        try:
            yield address_of(taken, LOCAL)
        finally:
            server.should_exit = True
            ended.result(timeout=30)
            taken.close()


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium; a test is skipped where there is none, but fails in CI (``.ci/run``)."""
    if BROWSER is None:
        if os.environ.get("URCX_CHROMIUM") == "needed":
            pytest.fail("Chromium is not installed")
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only with a browser

    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        started = playwright.chromium.launch(executable_path=BROWSER, args=options)
        yield started
        started.close()


class Seen:
    """A window, and what went wrong in it."""

    def __init__(self, opened: Browser, address: str, **options: Any) -> None:
        self.address = address
        self.troubles: list[str] = []
        settings = {"viewport": {"width": 1280, "height": 900}, **QUICK, **options}
        self.context: BrowserContext = opened.new_context(**settings)
        self.context.set_default_timeout(10_000)
        self.page: Page = self.context.new_page()
        self.watch(self.page)

    def watch(self, page: Page) -> None:
        """Keep what a page complains of, and what it asks for elsewhere."""
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("console", self._said)
        page.on("request", self._asked)

    def _said(self, message: Any) -> None:
        # That the server refuses what it should refuse is for the page to say.
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

    def close(self) -> None:
        """Close the window; nothing may have gone wrong in it."""
        self.context.close()
        assert self.troubles == [], self.troubles
