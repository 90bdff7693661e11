"""Progress bars on stderr: only on a terminal, and only for what takes more than a second."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

SHOW_AFTER = 1.0


@contextlib.contextmanager
def progress(label: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Give a function to call with the amount done so far, out of ``total``.

    The bar appears once the work has taken a second, and goes away at the end.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        show: Callable[[int], None] | None = None

        def update(done: int) -> None:
            nonlocal show
            if show is None and time.monotonic() - began > SHOW_AFTER:
                show = stack.enter_context(_bar(label, total, unit))
            if show:
                show(done)

        yield update


@contextlib.contextmanager
def stages() -> Iterator[Callable[[str, int, str], Callable[[int], None]]]:
    """Give a function that begins a bar, as `progress` shows it, and ends the one before.

    It takes label, total and unit, and returns what to call with the amount done.
    """
    with contextlib.ExitStack() as stack:

        def begin(label: str, total: int, unit: str) -> Callable[[int], None]:
            stack.close()
            return stack.enter_context(progress(label, total, unit))

        yield begin


def rate_text(done: int, seconds: float, unit: str) -> str:
    """Return how fast something goes, or how long the first of it has taken so far."""
    if done:
        return f"{done / max(seconds, 1e-9):.2g} {unit}/s"
    return f"at the first {unit} for {seconds:.0f} s"


@contextlib.contextmanager
def _bar(label: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    # rich is slow to import, and most commands are done before a bar is due.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %  {task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    began = time.monotonic()
    with bar:
        task = bar.add_task(label, total=total, rate="")

        def update(done: int) -> None:
            seconds = time.monotonic() - began + SHOW_AFTER
            bar.update(task, completed=done, rate=rate_text(done, seconds, unit))

        yield update
