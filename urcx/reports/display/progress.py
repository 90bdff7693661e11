"""Progress bars on stderr: only on a terminal, and only for what takes more than a second."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

from urcx.engine.time_left import TimeLeft

SHOW_AFTER = 1.0
BEHIND = 3  # columns left free after a bar
_shown: list[Any] = []  # the bar shown, if any


@contextlib.contextmanager
def progress(label: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the amount done so far, out of ``total``.

    The bar appears after a second of work, compilation excluded, and disappears at the end.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from urcx.engine.compiling import active, clock  # the help shows no bar

    began = clock()
    with contextlib.ExitStack() as stack:
        show: Callable[[int], None] | None = None

        def update(done: int) -> None:
            nonlocal show
            due = done < total and clock() - began > SHOW_AFTER
            if show is None and due and not active():
                show = stack.enter_context(_bar(label, total, unit, done))
            if show:
                show(done)

        yield update


@contextlib.contextmanager
def stages() -> Iterator[Callable[[str, int, str], Callable[[int], None]]]:
    """Yield a function that begins a bar, as `progress` does, and ends the previous one.

    It takes label, total and unit, and returns the function to call with the amount done.
    """
    with contextlib.ExitStack() as stack:

        def begin(label: str, total: int, unit: str) -> Callable[[int], None]:
            stack.close()
            return stack.enter_context(progress(label, total, unit))

        yield begin


def rate_text(done: int, seconds: float, unit: str) -> str:
    """Return the rate of progress, or the time elapsed before the first progress."""
    if done:
        rate = done / max(seconds, 1e-9)
        size, sign = (1e6, " M") if rate >= 1e6 else (1, "")
        return f"{two_digits(rate / size)}{sign} {unit}/s"
    return f"at the first {unit} for {seconds:.0f} s"


def two_digits(value: float) -> str:
    """Return a number rounded to two digits, without an exponent: 0.025, 3.1, 48, 2,200."""
    return f"{value:.2g}" if value < 99.5 else f"{float(f'{value:.2g}'):,.0f}"


def timed(seconds: float | None) -> str:
    """Return seconds as a bar shows them: ``0:02:30``, and without a number if it is unknown."""
    if seconds is None:
        return "-:--:--"
    minutes, rest = divmod(math.ceil(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


@contextlib.contextmanager
def _bar(label: str, total: int, unit: str, done: int) -> Iterator[Callable[[int], None]]:
    from urcx.engine.compiling import clock

    began = clock()
    bar = _columns(get_time=clock)
    estimate = TimeLeft(began, done / max(total, 1))
    with bar:
        _shown.append(bar)

        def state(done: int) -> str:
            share = min(int(100 * done / max(total, 1)), 100)  # never 100 % before the end
            return f"{share:3d} %  {rate_text(done, clock() - began + SHOW_AFTER, unit)}"

        def left() -> float | None:
            return estimate.seconds(clock())

        task = bar.add_task(label, total=total, completed=done, state=state(done), left=left)

        def update(done: int) -> None:
            estimate.update(clock(), done / max(total, 1))
            bar.update(task, completed=done, state=state(done))

        try:
            yield update
        finally:
            _shown.remove(bar)


@contextlib.contextmanager
def interlude() -> Iterator[Any]:
    """Show another bar for a while, in place of the current one."""
    before = _shown[-1] if _shown else None
    if before is not None:
        before.stop()
    try:
        with _columns() as bar:
            yield bar
    finally:
        if before is not None and before in _shown:
            before.start()


def _columns(**options: Any) -> Any:
    """Return a bar without tasks.

    A task's field ``state`` is its text, ``left`` a function that returns the seconds left, or
    None.
    """
    # rich is slow to import, and most commands finish before a bar would appear.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class TimeLeftColumn(ProgressColumn):
        """The time left; rich's own estimate jumps with every step of the work."""

        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            """Return hours, minutes and seconds."""
            seconds = task.fields["left"]()
            return Text(timed(seconds), style="progress.remaining")

    # A terminal writes ^C behind a bar; in the last columns that would begin a line of its own, and
    # the bar would stay.
    console = Console(stderr=True)
    console.width = max(console.width - BEHIND, BEHIND)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeLeftColumn(),
        console=console,
        transient=True,
        **options,
    )
