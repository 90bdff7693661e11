"""How the results of public functions show themselves: by the reports of the command line.

`urcx.results` asks here. A line of `RESULTS` for each public function says what makes its report:
the command's own, or, where that takes more than the result has, one of the same fields in the same
module. They are named, not imported, so that showing one imports no other.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.errors import UrcxError
from urcx.played.record import PlayedGame
from urcx.reports.display.html import html as report_html
from urcx.reports.display.layout import lay_out_all
from urcx.reports.display.output import Report
from urcx.reports.display.terminal import terminal_width
from urcx.reports.display.wrapping import running
from urcx.reports.figures.board import rules_text
from urcx.reports.figures.board_svg import board_svg, in_page
from urcx.reports.figures.dice_svg import dice_svg
from urcx.reports.figures.game_svg import game_svg
from urcx.results import Result
from urcx.rules.model import Board, Dice, Path, RuleSet

REMEDY = "to_dict() has all columns"
MOST = 2**127  # from which on polars has no whole numbers


@dataclass(frozen=True)
class Shown:
    """How a function's result is shown.

    ``report`` is ``module:function`` below `urcx.reports`, which makes a `Report` of the result.
    ``fields`` names the `Fields` of its rows in that module, if some are counts. ``rows`` is
    another function there if the rows are not those of the report. ``figure`` is
    ``module:function`` below `urcx.reports.figures`, which draws the result.
    """

    report: str
    fields: str = ""
    rows: str = ""
    figure: str = ""

    def inside(self, name: str) -> Any:
        """Return what the report's module has by a name."""
        return getattr(import_module(f"urcx.reports.{self.report.partition(':')[0]}"), name)

    def made(self, result: Result, name: str = "") -> Report:
        """Return the report on a result, or what another function makes of it."""
        found: Report = self.inside(name or self.report.partition(":")[2])(result)
        return found

    def whole(self) -> frozenset[str]:
        """Return the columns that CSV and JSON have as texts, and that are whole numbers."""
        fields = self.inside(self.fields) if self.fields else ()
        return frozenset(field.key for field in fields if field.kind.whole)


RESULTS = {
    "bits": Shown("games.bits:bits_report", "POINTS", figure="bits_plot:bits_figure"),
    "compress": Shown("solving.exact_play:compressed_report", "PARTS"),
    "count": Shown("counting.visitors:count_report", "COUNTED"),
    "exact_measures": Shown("games.gtc:exact_measures_report"),
    "expected": Shown("games.expected:exact_report"),
    "gain": Shown("strategy.gain:one_gain"),
    "gamble": Shown("games.gamble:gambles_report"),
    "gambling_game": Shown("games.gamble:gambling_game_report"),
    "gtc": Shown("games.expected:tree_report", figure="game_plots:tree_figure"),
    "hint": Shown("games.played:hint_report"),
    "hunt": Shown("strategy.capture:hunt_report"),
    "journey": Shown("strategy.journey:one_journey"),
    "lengths": Shown("extremes.lengths:lengths_report", figure="game_plots:exact_lengths_figure"),
    "longest": Shown("extremes.longest:longest_report", "LAYERS"),
    "luck": Shown("extremes.luck:luck_report"),
    "legal_moves": Shown("games.positions:legal_moves_report"),
    "match": Shown("games.match:match_report", "PAIRS"),
    "measures": Shown("games.gtc:measures_report"),
    "nalimov": Shown("solving.nalimov:nalimov_report", "LAYERS"),
    "open_tablebase": Shown("solving.solve:file_report", "LAYERS"),
    "perft": Shown("games.positions:perft_report", "LEVELS"),
    "ranking": Shown("counting.numbering:ranking_report", "RANKING"),
    "reach": Shown("counting.reach:reach_report", "LEVELS"),
    "read_game": Shown("games.played:game_report"),
    "regret": Shown("games.regret:regret_report"),
    "review": Shown("games.played:review_report", figure="review_plot:review_figure"),
    "rush": Shown("strategy.rush:one_rush", "PATH_RUSHES"),
    "shortest": Shown("extremes.shortest:shortest_report"),
    "simulate": Shown("games.gtc:games_report", figure="game_plots:simulated_figure"),
    "solve": Shown("solving.solve:solution_report", "LAYERS"),
    "solve_exactly": Shown("solving.rational:fractions_report", "LAYERS"),
    "ssc": Shown("counting.ssc:row_report", "COLUMNS"),
    "throughput": Shown("strategy.alone:throughput_report"),
    "train": Shown("games.training:training_report", "STRENGTHS"),
    "verify": Shown("verify:summary_report", "FIGURES", rows="report"),
}


def _shown(result: Result) -> Shown:
    return RESULTS[result._function]  # noqa: SLF001 - ours, said by its class


def text(result: Result) -> str:
    """Return a result as the command line would print it: laid out if stdout is a terminal."""
    report = _shown(result).made(result)
    if sys.stdout is None or not sys.stdout.isatty():
        return report.text().rstrip("\n")
    width = terminal_width()
    lines = [running(report.body, width)] if report.body else []
    laid = lay_out_all(report.tables, width, remedy=REMEDY)
    lines += ["".join(part for part, _ in line).rstrip() for line in laid]
    return "\n".join(lines).rstrip("\n")


def html(result: Result) -> str:
    """Return a result as HTML for a notebook: a played game as a drawing, others as tables."""
    if isinstance(result, PlayedGame):
        return in_page(game_svg(result, standalone=False))
    return report_html(_shown(result).made(result))


def columns(result: Result) -> dict[str, NDArray[Any]]:
    """Return the rows of a result, those of ``--csv``, as columns."""
    shown = _shown(result)
    report, whole = shown.made(result, shown.rows), shown.whole()
    names = dict.fromkeys((*report.fields, *(key for record in report.records for key in record)))
    return {
        name: _column([record.get(name) for record in report.records], whole=name in whole)
        for name in names
    }


def _column(values: Sequence[Any], *, whole: bool) -> NDArray[Any]:
    """Return a column as an array; ``whole`` numbers may be there as texts."""
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
    """Return columns as a library's data frame takes them best.

    polars would keep Python's integers as objects that it cannot count with; here they become
    numbers of its own, as long as they are not too large for these.
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


def figure(result: Result) -> Any:
    """Return the figure of a result, one of matplotlib's."""
    module, _, name = _shown(result).figure.partition(":")
    if not name:
        some = ", ".join(f"urcx.{known}" for known, shown in RESULTS.items() if shown.figure)
        raise UrcxError(f"there is no figure of this result; there are of those of {some}")
    return getattr(import_module(f"urcx.reports.figures.{module}"), name)(result)


def rendered(drawn: Any) -> bytes:
    """Return a figure as a file of SVG."""
    found: bytes = import_module("urcx.reports.figures.plots").render(drawn, "svg")
    return found


def draw(drawn: Any, file: FilePath) -> None:
    """Write a figure to a file."""
    import_module("urcx.reports.figures.plots").save(drawn, file, quiet=True)


def json(result: Result) -> str:
    """Return a result as ``--json`` prints it."""
    return _shown(result).made(result).json()


def drawing(what: Board | Dice | Path | RuleSet | PlayedGame) -> str:
    """Return a board, a path on its board, dice, or a played game as a file of SVG."""
    if isinstance(what, PlayedGame):
        return game_svg(what)
    return _drawn(what, standalone=True)


def figure_html(what: Board | Dice | Path | RuleSet) -> str:
    """Return a drawing as part of a page, with what it shows below it."""
    return in_page(_drawn(what, standalone=False), _said(what))


def _drawn(what: Board | Dice | Path | RuleSet, *, standalone: bool) -> str:
    if isinstance(what, Dice):
        return dice_svg(what, standalone=standalone)
    if isinstance(what, Board):
        bare = Path(what.name, what.title, what, (), (), ())
        return board_svg(bare, ways=(), standalone=standalone)
    return board_svg(what, title=what.title, standalone=standalone)


def _said(what: Board | Dice | Path | RuleSet) -> list[str]:
    """Return what stands below a drawing."""
    if isinstance(what, RuleSet):
        return rules_text(what).splitlines()
    named = f"{what.name}: {what.title}"
    if isinstance(what, Path):
        return [named, what.describe()]
    if isinstance(what, Dice):
        return [f"{named}; mean {what.mean}"]
    return [f"{named}; {len(what.tiles)} tiles, {len(what.rosettes)} rosettes"]
