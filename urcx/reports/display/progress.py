"""Progress bars on stderr: only on a terminal, and only for work of more than a second.

While kernels are compiled, another bar replaces them: ``compiling, once, about 20 s``. The estimate
comes from ``data/compiling.toml``, which has typical commands with the compile times of their
kernels, in order, on one machine. The kernels compiled so far show which kernels will follow, and
their times show the speed of this machine. Without an estimate the bar only shows activity.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from urcx.engine import compiling
from urcx.engine.compiling import Compiled, active, compute_clock
from urcx.engine.time_left import TimeLeft
from urcx.reading import package_toml
from urcx.reports.display.output import note

SHOW_AFTER = 1.0
COMPILING_AFTER = 0.5  # seconds of compilation before its bar appears
EVERY = 0.1  # seconds between updates of the compilation bar
Kernels = tuple[Compiled, ...]
BEHIND = 3  # columns left free after a bar
_visible: list[Any] = []  # the visible bar, if any


@contextlib.contextmanager
def progress(label: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the amount done so far, out of ``total``.

    The bar appears after a second of work, compilation excluded, and disappears at the end.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return

    began = compute_clock()
    with contextlib.ExitStack() as stack:
        show: Callable[[int], None] | None = None

        def update(done: int) -> None:
            nonlocal show
            due = done < total and compute_clock() - began > SHOW_AFTER
            if show is None and due and not active():
                show = stack.enter_context(_bar(label, total, unit, done))
            if show:
                show(done)

        yield update


@contextlib.contextmanager
def progress_bars() -> Iterator[Callable[[str, int, str], Callable[[int], None]]]:
    """Yield a function that begins a bar, as `progress` does, and ends the previous one.

    The function takes label, total and unit, and returns the function to call with the amount done.
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
    """Return seconds as a bar shows them, such as ``0:02:30``, or ``-:--:--`` for None."""
    if seconds is None:
        return "-:--:--"
    minutes, rest = divmod(math.ceil(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


@contextlib.contextmanager
def _bar(label: str, total: int, unit: str, done: int) -> Iterator[Callable[[int], None]]:

    began = compute_clock()
    bar = _columns(get_time=compute_clock)
    estimate = TimeLeft(began, done / max(total, 1))
    with bar:
        _visible.append(bar)

        def state(done: int) -> str:
            share = min(int(100 * done / max(total, 1)), 100)  # never 100 % before the end
            return f"{share:3d} %  {rate_text(done, compute_clock() - began + SHOW_AFTER, unit)}"

        def left() -> float | None:
            return estimate.seconds(compute_clock())

        task = bar.add_task(label, total=total, completed=done, state=state(done), left=left)

        def update(done: int) -> None:
            estimate.update(compute_clock(), done / max(total, 1))
            bar.update(task, completed=done, state=state(done))

        try:
            yield update
        finally:
            _visible.remove(bar)


@contextlib.contextmanager
def interlude() -> Iterator[Any]:
    """Show another bar for a while instead of the current one."""
    before = _visible[-1] if _visible else None
    if before is not None:
        before.stop()
    try:
        with _columns() as bar:
            yield bar
    finally:
        if before is not None and before in _visible:
            before.start()


def _columns(**options: Any) -> Any:
    """Return a bar without tasks.

    A task's field ``state`` is its text, and ``left`` a function that returns the seconds left or
    None.
    """
    # rich is slow to import, and most commands finish before a bar would appear.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class TimeLeftColumn(ProgressColumn):
        """The time left, because rich's estimate jumps with every step of the work."""

        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            """Return hours, minutes and seconds."""
            seconds = task.fields["left"]()
            return Text(timed(seconds), style="progress.remaining")

    # A terminal writes ^C after a bar. In the last columns that would begin a new line, and the bar
    # would stay.
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


# --- while kernels are compiled


@cache
def typical() -> tuple[tuple[str, Kernels], ...]:
    """Return typical command lines, each with its kernels in order and their compile times."""
    return tuple(
        (run["command"], tuple(Compiled(f"urcx.{name}", took) for name, took in run["kernels"]))
        for run in package_toml("reports/display/data/compiling.toml")["runs"]
    )


def remaining(command: str, kernel: str, done: Sequence[Compiled]) -> float | None:
    """Return the seconds that compiling will still take when a kernel begins, or None if unknown.

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
            same = next((other for other in left if other.kernel == item.kernel), None)
            if same is not None:
                left.remove(same)
                shared, spent, usual = shared + 1, spent + item.seconds, usual + same.seconds
        place = next((k for k, item in enumerate(left) if item.kernel == kernel), None)
        if place is None:
            continue
        same_command = line.split()[:1] == command.split()[:1]
        fit = (shared, same_command, len(_words(line) & _words(command)))
        if best is None or fit > best[0]:
            # A single short kernel tells little about a machine's speed. Earlier kernels that this
            # run did not compile were in the cache.
            factor = spent / usual if usual >= 1.0 else 1.0
            best = fit, factor * sum(item.seconds for item in left[place:])
    return None if best is None else best[1]


def _words(line: str) -> set[str]:
    return set(re.findall(r"[a-z][a-z-]+", line))


class _CompilingBar:
    """The bar of compilation, drawn by a separate thread because the compiling thread is busy."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.thread: threading.Thread | None = None
        self.kernel: str | None = None
        self.total: float | None = None  # estimated seconds in total
        self.drawn: tuple[contextlib.ExitStack, Any, Any] | None = None
        self.before, self.first = compiling.seconds(), len(compiling.kernels())

    @property
    def spent(self) -> float:
        """Return the seconds for which this command has compiled so far."""
        return compiling.seconds() - self.before

    def begins(self, kernel: str | None) -> None:
        """Record the kernel that is being compiled. Called in the compiling thread."""
        with self.lock:
            self.kernel = kernel
            if kernel is None:
                self._hide()  # at once: the next output may be the result
                return
            rest = remaining(self.command, kernel, compiling.kernels()[self.first :])
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
                if self.kernel is not None and self.spent > COMPILING_AFTER:
                    self._show()

    def _show(self) -> None:
        spent = self.spent
        if self.drawn is None:
            stack = contextlib.ExitStack()
            bar = stack.enter_context(interlude())
            self.drawn = (
                stack,
                bar,
                bar.add_task("compiling, once", total=None, state="", left=self._left),
            )
        _, bar, task = self.drawn
        about = "" if self.total is None else f", about {_rounded(self.total)} s"
        has_estimate = self._left() is not None
        bar.update(
            task,
            description=f"compiling, once{about}",
            total=self.total if has_estimate else None,
            completed=spent if has_estimate else 0,
            state=f"{spent:.0f} s",
        )

    def _left(self) -> float | None:
        # If it takes longer than estimated, the remaining time is unknown.
        left = None if self.total is None else self.total - self.spent
        return left if left is not None and left > 0 else None

    def _hide(self) -> None:
        if self.drawn is not None:
            stack, self.drawn = self.drawn[0], None
            stack.close()


def _rounded(seconds: float) -> int:
    """Return seconds rounded to a multiple of 1 below 10, and of 5 from 10."""
    return max(round(seconds), 1) if seconds < 10 else 5 * round(seconds / 5)


@contextlib.contextmanager
def compilation_shown(command: str) -> Iterator[None]:
    """Show on a terminal that a command compiles, and afterwards how long it took."""
    if not sys.stderr.isatty():
        yield
        return
    bar = _CompilingBar(command)
    compiling.watch(bar.begins)
    try:
        yield
    finally:
        compiling.watch(None)
        bar.end()
        if bar.spent > COMPILING_AFTER:
            cached = (
                "once; cached from now on" if _is_cached() else "not cached, no writable folder"
            )
            note(f"compiled in {bar.spent:.0f} s ({cached})")


def _is_cached() -> bool:
    from urcx.engine.files.cache import kernel_directory

    directory = kernel_directory()
    return directory is not None and os.access(directory, os.W_OK)
