"""What is shown while kernels are compiled: ``compiling, once, about 20 s``, with a bar that moves.

The estimate comes from ``data/compiling.toml``: typical commands with the compile times of their
kernels, in order, on one machine. The kernels compiled so far show which ones will follow, and
their times how fast this machine is. Without an estimate the bar only shows activity.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from urcx.engine import compiling
from urcx.engine.compiling import Compiled
from urcx.reading import own_toml
from urcx.reports.display import progress
from urcx.reports.display.output import note

SHOW_AFTER = 0.5  # seconds of compilation before the bar appears
EVERY = 0.1  # seconds between updates
Kernels = tuple[Compiled, ...]


@cache
def typical() -> tuple[tuple[str, Kernels], ...]:
    """Return typical command lines, each with its kernels in order and their compile times."""
    return tuple(
        (run["command"], tuple(Compiled(f"urcx.{name}", took) for name, took in run["kernels"]))
        for run in own_toml("reports/display/data/compiling.toml")["runs"]
    )


def remaining(command: str, kernel: str, done: Sequence[Compiled]) -> float | None:
    """Return how many seconds compiling will still take as a kernel begins, or None if unknown.

    Parameters
    ----------
    command
        The command line, such as ``solve -p 2``.
    kernel
        The kernel that begins.
    done
        The kernels compiled before, in order.
    """
    best: tuple[tuple[int, bool, int], float] | None = None
    for line, run in typical():
        left, shared, spent, usual = list(run), 0, 0.0, 0.0
        for item in done:
            known = next((other for other in left if other.kernel == item.kernel), None)
            if known is not None:
                left.remove(known)
                shared, spent, usual = shared + 1, spent + item.seconds, usual + known.seconds
        place = next((k for k, item in enumerate(left) if item.kernel == kernel), None)
        if place is None:
            continue
        same = line.split()[:1] == command.split()[:1]
        fit = (shared, same, len(_words(line) & _words(command)))
        if best is None or fit > best[0]:
            # One short kernel says little about a machine's speed. Kernels before this one that
            # were not compiled in this run were in the cache.
            factor = spent / usual if usual >= 1.0 else 1.0
            best = fit, factor * sum(item.seconds for item in left[place:])
    return None if best is None else best[1]


def _words(line: str) -> set[str]:
    return set(re.findall(r"[a-z][a-z-]+", line))


class _Bar:
    """The bar, drawn by its own thread, as the compiling thread is busy."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.thread: threading.Thread | None = None
        self.kernel: str | None = None
        self.total: float | None = None  # estimated seconds in total
        self.shown: tuple[contextlib.ExitStack, Any, Any] | None = None
        self.before, self.known = compiling.seconds(), len(compiling.kernels())

    @property
    def spent(self) -> float:
        """Return how many seconds this command has compiled so far."""
        return compiling.seconds() - self.before

    def begins(self, kernel: str | None) -> None:
        """Record the kernel that is being compiled; called in the compiling thread."""
        with self.lock:
            self.kernel = kernel
            if kernel is None:
                self._hide()  # at once: the next output may be the result
                return
            rest = remaining(self.command, kernel, compiling.kernels()[self.known :])
            self.total = None if rest is None else self.spent + rest
            if self.thread is None:
                self.thread = threading.Thread(target=self._loop, daemon=True)
                self.thread.start()

    def end(self) -> None:
        """Remove the bar for good."""
        self.ended.set()
        with self.lock:
            self.kernel = None
            self._hide()

    def _loop(self) -> None:
        while not self.ended.wait(EVERY):
            with self.lock, contextlib.suppress(Exception):  # a bar must not cause an error
                if self.kernel is not None and self.spent > SHOW_AFTER:
                    self._show()

    def _show(self) -> None:
        spent = self.spent
        if self.shown is None:
            stack = contextlib.ExitStack()
            bar = stack.enter_context(progress.interlude())
            self.shown = (
                stack,
                bar,
                bar.add_task("compiling, once", total=None, state="", left=self._left),
            )
        _, bar, task = self.shown
        about = "" if self.total is None else f", about {_rounded(self.total)} s"
        known = self._left() is not None
        bar.update(
            task,
            description=f"compiling, once{about}",
            total=self.total if known else None,
            completed=spent if known else 0,
            state=f"{spent:.0f} s",
        )

    def _left(self) -> float | None:
        # If it takes longer than estimated, the remaining time is unknown.
        left = None if self.total is None else self.total - self.spent
        return left if left is not None and left > 0 else None

    def _hide(self) -> None:
        if self.shown is not None:
            stack, self.shown = self.shown[0], None
            stack.close()


def _rounded(seconds: float) -> int:
    """Return seconds rounded to 1 below 10, and to 5 from there on."""
    return max(round(seconds), 1) if seconds < 10 else 5 * round(seconds / 5)


@contextlib.contextmanager
def compilation_shown(command: str) -> Iterator[None]:
    """Show on a terminal that a command compiles, and at its end how long that took."""
    if not sys.stderr.isatty():
        yield
        return
    bar = _Bar(command)
    compiling.watch(bar.begins)
    try:
        yield
    finally:
        compiling.watch(None)
        bar.end()
        if bar.spent > SHOW_AFTER:
            kept = "what is compiled is kept" if _is_kept() else "it could not be kept"
            note(f"compiling took {bar.spent:.0f} s of this; {kept}")


def _is_kept() -> bool:
    from urcx.engine.files.cache import kernel_directory

    directory = kernel_directory()
    return directory is not None and os.access(directory, os.W_OK)
