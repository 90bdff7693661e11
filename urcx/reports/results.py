"""How the results of public functions show themselves: by the reports of the command line.

`urcx.results` looks them up here. `RESULTS` names the function that makes the report of each public
function's result: the command's own, or, if that needs more than the result holds, a report of this
result alone (the modules ``single``). They are named, not imported, so that showing a result
imports only what it needs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.complexity.forms import FORMS
from urcx.reports.display.html import html as report_html
from urcx.reports.display.layout import lay_out_all
from urcx.reports.display.output import Report
from urcx.reports.display.terminal import terminal_width
from urcx.reports.display.wrapping import running
from urcx.reports.figures.board_svg import board_svg
from urcx.results import Result
from urcx.rules.model import Board, Path, RuleSet

REMEDY = "to_dict() has all columns"
MOST = 2**127  # from here on, numbers are too large for polars' 128 bits


@dataclass(frozen=True)
class Shown:
    """How a function's result is shown.

    ``report`` is ``module:function`` below `urcx.reports`, which makes a `Report` of the result.
    ``whole`` are the columns of whole numbers that CSV and JSON have as texts. ``rows`` is another
    such function, if the rows are not those of the report.
    """

    report: str
    whole: tuple[str, ...] = ()
    rows: str = ""


RESULTS = {
    "count": Shown("counting.single:count", ("diagrams", "branches", "dark_branches")),
    "exact_measures": Shown("games.single:exact_measures"),
    "expected": Shown("games.single:expected"),
    "gain": Shown("strategy.single:gain"),
    "gamble": Shown("games.single:gamble"),
    "gambling_game": Shown("games.single:gambling_game"),
    "hunt": Shown("strategy.single:hunt"),
    "journey": Shown("strategy.single:journey"),
    "match": Shown("games.match:report", ("games", "wins")),
    "measures": Shown("games.single:measures"),
    "nalimov": Shown(
        "solving.nalimov:report",
        ("states", "literal", "zero_rolls", "passes", "quiet", "on_cycle"),
    ),
    "open_tablebase": Shown("solving.single:open_tablebase", ("states",)),
    "perft": Shown("games.single:perft", ("nodes", "distinct", "positions")),
    "ranking": Shown("counting.single:ranking", ("states",)),
    "reach": Shown("counting.reach:reach_report", ("new", "total", "terminals")),
    "regret": Shown("games.regret:report"),
    "rush": Shown("strategy.single:rush", ("sequences",)),
    "simulate": Shown("games.single:simulate"),
    "solve": Shown("solving.solve:report", ("states",)),
    "solve_exactly": Shown(
        "solving.single:solve_exactly", ("states", "digits", "decisions", "tied", "best_tied")
    ),
    "ssc": Shown("counting.single:ssc", (*FORMS, "enumerated", "branches", "dark_branches")),
    "throughput": Shown("strategy.single:throughput"),
    "verify": Shown("single:verify", ("exact",), rows="verify:report"),
}


def _made(named: str, result: Result) -> Report:
    module, _, function = named.partition(":")
    found: Report = getattr(import_module(f"urcx.reports.{module}"), function)(result)
    return found


def text(result: Result) -> str:
    """Return a result as the command line would print it: laid out if stdout is a terminal."""
    report = _made(RESULTS[result._function].report, result)  # noqa: SLF001 - ours, said by its class
    if sys.stdout is None or not sys.stdout.isatty():
        return report.text().rstrip("\n")
    width = terminal_width()
    lines = [running(report.body, width)] if report.body else []
    laid = lay_out_all(report.tables, width, remedy=REMEDY)
    lines += ["".join(part for part, _ in line).rstrip() for line in laid]
    return "\n".join(lines).rstrip("\n")


def html(result: Result) -> str:
    """Return a result as HTML for a notebook."""
    return report_html(_made(RESULTS[result._function].report, result))  # noqa: SLF001


def columns(result: Result) -> dict[str, NDArray[Any]]:
    """Return the rows of a result, as in ``--csv``, by columns."""
    shown = RESULTS[result._function]  # noqa: SLF001
    report = _made(shown.rows or shown.report, result)
    names = dict.fromkeys((*report.fields, *(key for record in report.records for key in record)))
    return {
        name: _column([record.get(name) for record in report.records], whole=name in shown.whole)
        for name in names
    }


def _column(values: Sequence[Any], *, whole: bool) -> NDArray[Any]:
    """Return a column as an array; ``whole`` numbers may be given as texts."""
    if whole:
        values = [None if value in (None, "") else int(value) for value in values]
        exact = None in values or any(abs(value) >= 2**63 for value in values)
        return np.array(values, object if exact else np.int64)
    kinds = {type(value) for value in values if value is not None}
    missing = None in values
    if kinds == {bool}:
        return np.array(values, object if missing else np.bool_)
    if kinds == {int} and not missing:
        return np.array(values, np.int64)
    if kinds <= {int, float}:
        return np.array([np.nan if value is None else value for value in values], np.float64)
    return np.array(["" if value is None else str(value) for value in values], np.str_)


def for_frame(found: dict[str, NDArray[Any]], library: str) -> dict[str, Any]:
    """Return columns in the types best suited to a library's data frame.

    polars would keep Python's integers as objects without arithmetic; here they become 64-bit
    integers or, where these are too small, 128-bit ones.
    """
    made: dict[str, Any] = dict(found)
    if library != "polars":
        return made
    for name, values in found.items():
        if values.dtype != object:
            continue
        most = max((abs(value) for value in values if value is not None), default=0)
        if most < 2**63:
            made[name] = values.tolist()
        elif most < MOST:
            polars = import_module("polars")
            made[name] = polars.Series(values.tolist(), dtype=polars.Int128)
    return made


def drawing(what: Path | RuleSet | Board) -> str:
    """Return a drawing of a board, or of a path on its board, as an SVG file."""
    if isinstance(what, Board):
        bare = Path(what.name, what.title, what, (), (), ())
        return board_svg(bare, ways=(), standalone=True)
    return board_svg(what, standalone=True)
