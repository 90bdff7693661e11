"""Shows reports on a terminal: laid out for its width, with colour where it has a meaning."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from urcx.results.layout import LEAST_WIDTH, terminal_width
from urcx.results.wrapping import hang, running, wrap

if TYPE_CHECKING:
    from urcx.results.report import Report

# Colour only repeats what the text says; without it (NO_COLOR, TERM=dumb) nothing is lost.
STYLES = {
    "": "",
    "title": "bold",
    "head": "bold",
    "note": "dim",
    "good": "green",
    "fair": "yellow",
    "bad": "bold red",
    "best": "bold green",
}


def message(text: str) -> str:
    """Return a message for stderr: one line, wrapped at words if stderr is a terminal."""
    if not sys.stderr.isatty():
        return text
    width = terminal_width()
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        with contextlib.suppress(OSError):
            width = max(os.get_terminal_size(sys.stderr.fileno()).columns, LEAST_WIDTH)
    return "\n".join(hang(text, width))


def show(report: Report, *, wide: bool = False, remedy: str = "--wide shows all") -> None:
    """Print answer, text and tables; ``wide`` keeps everything, whatever the width."""
    from rich.console import Console
    from rich.text import Text

    width = terminal_width()
    # Rich would believe COLUMNS=0, and print nothing; lines are laid out here, for the width above.
    console = Console(highlight=False, width=width)
    if report.answer:
        answer = "\n".join(wrap(report.answer, width))
        console.print(Text(f"{answer}\n", STYLES["title"]), soft_wrap=True)
    if report.body:
        console.print(Text(running(report.body, width)), soft_wrap=True)
    for line in report.lines(width, wide=wide, remedy=remedy):
        spans = [(text, STYLES[style]) for text, style in line]
        shown = Text.assemble(*spans)
        shown.rstrip()
        console.print(shown, soft_wrap=True)
