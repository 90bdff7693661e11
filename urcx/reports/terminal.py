"""Showing a report on a terminal: laid out for its width, in colour where that means something."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from urcx.reports.layout import lay_out
from urcx.reports.wrapping import running

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urcx.reports.tables import Table

LEAST_WIDTH = 20  # below which nothing is laid out any more
# Colour says nothing that the words do not say; without it (NO_COLOR, TERM=dumb) nothing is lost.
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


def terminal_width() -> int:
    """Return the columns of the terminal that stdout is, or what ``COLUMNS`` says."""
    return max(shutil.get_terminal_size().columns, LEAST_WIDTH)


def show(body: str, tables: Sequence[Table], *, wide: bool = False) -> None:
    """Print text and tables; ``wide`` keeps all columns, whatever the width."""
    from rich.console import Console  # noqa: PLC0415 - slow to import, and only a terminal needs it
    from rich.text import Text  # noqa: PLC0415

    width = terminal_width()
    console = Console(highlight=False)
    if body:
        console.print(Text(running(body, width)), soft_wrap=True)
    for table in tables:
        for line in lay_out(table, width, wide=wide):
            spans = [(text, STYLES[style]) for text, style in line]
            shown = Text.assemble(*spans)
            shown.rstrip()
            console.print(shown, soft_wrap=True)
