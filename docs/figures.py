"""Boards and figures for the pages, and README's picture; needs no Sphinx, so that tests can look.

``python docs/figures.py`` writes README's picture, ``docs/board.svg``, anew.
"""

from __future__ import annotations

import re
import shlex
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import urcx
from urcx.cli import main
from urcx.reports import book
from urcx.reports.figures.board_svg import board_svg

README_BOARD = "4,8/3,10,12/2-1/L"  # what README's picture shows


def board_file() -> str:
    """Return README's picture of the board, ``docs/board.svg``."""
    title = "The Royal Game of Ur: both players' paths by Finkel's rules, and a position"
    return board_svg(urcx.ruleset("finkel"), README_BOARD, title=title, standalone=True)


def variables() -> tuple[dict[str, str], dict[str, str]]:
    """Return the colours of figures on light and on dark pages: the report's, by their names."""
    style = Path(book.__file__).parent.parent / "templates" / "report.css"
    roots = re.findall(r":root \{(.*?)\}", style.read_text(encoding="utf-8"), re.DOTALL)
    light, dark = (dict(re.findall(r"--(c\d|grid): (#\w+)", root)) for root in roots[:2])
    page = {"ink": "var(--color-foreground-primary)", "card": "var(--color-background-primary)"}
    page["c6"] = page["ink"]
    # Matrices are pictures of pixels, dark on white.
    return {**light, **page, "pixels": "none"}, {**dark, **page, "pixels": "invert(0.9)"}


def plotted(command: str) -> bytes:
    """Return the SVG that a command draws, whose last option is ``--plot FILE``."""
    words = shlex.split(command)
    if words[0] != "urcx" or words[-2] != "--plot":
        raise ValueError(f"{command}: is not urcx ... --plot FILE")
    with TemporaryDirectory() as directory:
        file = Path(directory) / "figure.svg"
        said = StringIO()
        try:
            with redirect_stdout(StringIO()), redirect_stderr(said):
                main([*words[1:-1], str(file)])
        except SystemExit as end:
            if end.code:
                raise ValueError(f"{command}: {said.getvalue()}") from end
        return file.read_bytes()


if __name__ == "__main__":
    Path(__file__).with_name("board.svg").write_text(board_file(), encoding="utf-8")
