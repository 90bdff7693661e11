"""Boards and figures for README and the pages; tests can use this module without Sphinx.

``python docs/figures.py`` writes README's board again, ``docs/board.svg``, and the figure of the
page on strategy complexity, ``docs/strategy.svg``. This figure is drawn from
``docs/strategy.json``, which has the results of long runs of ``urcx bits --json``:

    python docs/figures.py --keep RESULT.json "urcx bits ..." COMMIT CPU_SECONDS

adds a run. If several runs have the same player, the last one counts.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import urcx
from urcx import explore, reports
from urcx.cli import main
from urcx.contrib.learning.bits_plot import bits_figure
from urcx.contrib.learning.curve import Bits, Point, curve
from urcx.reading import parse_json
from urcx.reports.figures.plots import render
from urcx.rules.pictures import board_svg

STRATEGY = Path(__file__).with_name("strategy.json")
README_BOARD = "4,8/3,10,12/2-1/L"  # the position in README's picture


def board_file() -> str:
    """Return README's picture of the board, ``docs/board.svg``."""
    title = "The Royal Game of Ur: both players' paths by Finkel's rules, and a position"
    return board_svg(urcx.ruleset("finkel"), README_BOARD, title=title, standalone=True)


# The site's colours (names of the theme), each with the explorer's colour.
PAGE_COLOURS = {
    "color-background-primary": "paper",
    "color-background-secondary": "card",
    "color-background-hover": "tint",
    "color-background-border": "rule",
    "color-foreground-primary": "ink",
    "color-foreground-secondary": "soft",
    "color-foreground-muted": "soft",
    "color-foreground-border": "soft",
    "color-brand-primary": "accent",
    "color-brand-content": "accent",
    "color-brand-visited": "accent",
    "color-link-underline": "rule",
    "color-code-background": "card",
    "color-inline-code-background": "card",
    "color-table-header-background": "tint",
    "color-api-background": "card",
    "color-highlight-on-target": "tint",
    "color-gold": "gold",
}


def page_colours() -> tuple[dict[str, str], dict[str, str]]:
    """Return the colours of light and of dark pages by name, from the explorer."""
    light, dark = _roots(Path(explore.__file__).parent / "static" / "style.css", r"\w+")
    both = (light, light | dark)
    first, second = ({name: of[own] for name, own in PAGE_COLOURS.items()} for of in both)
    return first, second


def _roots(style: Path, names: str) -> list[dict[str, str]]:
    """Return the colours that a style sheet declares for light and for dark pages."""
    roots = re.findall(r":root \{(.*?)\}", style.read_text(encoding="utf-8"), re.DOTALL)
    return [dict(re.findall(rf"--({names}): (#\w+)", root)) for root in roots[:2]]


def variables() -> tuple[dict[str, str], dict[str, str]]:
    """Return the colours of figures on light and on dark pages by name, from the report."""
    light, dark = _roots(Path(reports.__file__).parent / "templates" / "report.css", r"c\d|grid")
    page = {"ink": "var(--color-foreground-primary)", "card": "var(--color-background-primary)"}
    page["c6"] = page["ink"]
    # Matrices are pictures of pixels, dark on white.
    return {**light, **page, "pixels": "none"}, {**dark, **page, "pixels": "invert(0.9)"}


def plotted(command: str) -> bytes:
    """Return the SVG of a command whose last option is ``--plot FILE``."""
    words = shlex.split(command)
    if words[0] != "urcx" or words[-2] != "--plot":
        raise ValueError(f"{command}: must be urcx ... --plot FILE")
    with TemporaryDirectory() as directory:
        file = Path(directory) / "figure.svg"
        errors = StringIO()
        try:
            here = chdir(Path(__file__).parent)  # the folder of the pages' files
            with here, redirect_stdout(StringIO()), redirect_stderr(errors):
                main([*words[1:-1], str(file)])
        except SystemExit as end:
            if end.code:
                raise ValueError(f"{command}: {errors.getvalue()}") from end
        return file.read_bytes()


def kept_runs() -> list[dict[str, Any]]:
    """Return the runs in ``docs/strategy.json``: ``result``, command, commit and CPU seconds."""
    runs: list[dict[str, Any]] = parse_json(STRATEGY.read_bytes())
    return runs


def kept_curve() -> Bits:
    """Return the strategy-complexity curve with the points of all saved runs."""
    results = [run["result"] for run in kept_runs()]
    points: dict[tuple[str, str], Point] = {}
    for result in results:
        for row in result["rows"]:
            points[row["kind"], row["player"]] = Point(
                row["kind"],
                row["player"],
                int(row["bits"]),
                int(result["states"]),
                row["wins"],
                row["error"],
                row["exactness"],
                row["ties"],
                row["origin"],
                row["entropy"],
            )
    last = results[-1]
    rules = urcx.ruleset(last["rules"], pieces=last["pieces"])
    games = max(result["games"] for result in results)
    states = int(last["states"])
    return Bits(rules, curve(list(points.values())), states, games, last["seed"], last["bound"])


def keep(result: str, command: str, commit: str, seconds: str) -> None:
    """Add a run to ``docs/strategy.json``."""
    document = parse_json(Path(result).read_bytes())
    for row in document["rows"]:
        if row["kind"] in ("network", "play"):  # files without their directory
            kind, colon, file = row["player"].rpartition(":")
            row["player"] = kind + colon + Path(file).name
    runs = kept_runs() if STRATEGY.exists() else []
    about = {"command": command, "commit": commit, "processor_seconds": round(float(seconds))}
    runs.append({**about, "result": document})
    STRATEGY.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--keep"]:
        keep(*sys.argv[2:])
    STRATEGY.with_suffix(".svg").write_bytes(render(bits_figure(kept_curve()), "svg"))
    Path(__file__).with_name("board.svg").write_text(board_file(), encoding="utf-8")
