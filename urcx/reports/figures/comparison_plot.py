"""The figure of compared rule sets: who wins, how long games are, how large the tree is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.ticker import MaxNLocator

from urcx.errors import UsageError, printable
from urcx.expectations.compare import ComparedRules, Comparison
from urcx.expectations.regret import AgentLosses
from urcx.games.match import Match
from urcx.reports.figures.plots import COLOURS, MARKERS, PRINTED, RC, Drawing, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What is drawn: an attribute of a row, its axis, and what its values are multiplied by.
PANELS = (
    ("first_wins", "first player wins, %", 100.0),
    ("plies", "plies of a game", 1.0),
    ("raposo_lamont", "tree with dice, log10", 1.0),
)
WIDTH = 8.6  # inches
LINES = ("-", "--", "-.", ":")  # curves of rule sets that play alike lie on each other
ROW = 0.3  # inches for a row of dots


def comparison_figure(found: Comparison) -> Drawing:
    """Return the figure of a comparison.

    Rule sets with several numbers of pieces are curves, others rows of dots; estimates have their
    intervals.

    Raises
    ------
    UsageError
        If there are more curves than can be told apart.
    """
    curves: dict[str, list[ComparedRules]] = {}
    for row in found:
        curves.setdefault(row.rules.name, []).append(row)
    ranged = len(curves) < len(found)
    if ranged and len(curves) > len(COLOURS):
        raise UsageError(f"a figure tells {len(COLOURS)} curves apart, not {len(curves)}")
    with rc_context(RC):
        height = 3.1 if ranged else 1.0 + ROW * len(found)
        figure, panels = new_figure(WIDTH, height, len(PANELS))
        if ranged:
            for axes, (name, label, scale) in zip(panels, PANELS, strict=True):
                _curves(axes, [*curves.values()], name, scale)
                axes.set(xlabel="pieces a side, p", ylabel=label)
            figure.legend(
                *panels[0].get_legend_handles_labels(), loc="outside upper left",
                ncols=min(4, len(curves)), frameon=False,
            )  # fmt: skip
            return figure
        for axes, (name, label, scale) in zip(panels, PANELS, strict=True):
            values, off = _ends(found, name, scale)
            axes.errorbar(values, range(len(found)), xerr=off, fmt="o", color=COLOURS[0])
            axes.set(xlabel=label, ylim=(len(found) - 0.5, -0.5))
            axes.set_yticks(range(len(found)), [] if axes is not panels[0] else _names(found))
    return figure


def agents_figure(found: Match | AgentLosses) -> Drawing:
    """Return the figure of a match, or of what agents give away: a row of dots."""
    rows: list[tuple[str, float, tuple[float, float] | None]]
    if isinstance(found, Match):
        axis = "share of wins"
        rows = [
            (f"{pair.agent.name} against {pair.opponent.name}", pair.share, pair.ci95)
            for pair in found.pairs
            if pair.agent != pair.opponent or len(found.agents) == 1
        ]
    else:
        axis = "win probability given away in a game"
        rows = [(one.agent.name, one.side.loss, None) for one in found.regrets]
    with rc_context(RC):
        figure, (axes,) = new_figure(PRINTED, 1.0 + ROW * len(rows))
        values = np.array([value for _, value, _ in rows])
        ends = np.array([ci95 or (value, value) for _, value, ci95 in rows])
        off = np.abs(ends.T - values)
        axes.errorbar(values, range(len(rows)), xerr=off, fmt="o", color=COLOURS[0])
        axes.set(xlabel=axis, ylim=(len(rows) - 0.5, -0.5))
        axes.set_yticks(range(len(rows)), [printable(name) for name, _, _ in rows])
    return figure


def _names(rows: Sequence[ComparedRules]) -> list[str]:
    return [f"{row.rules.name}, p = {row.rules.pieces}" for row in rows]


def _curves(axes: Axes, curves: Sequence[Sequence[ComparedRules]], name: str, scale: float) -> None:
    """Draw a quantity over the number of pieces, a curve for each rule set."""
    for k, rows in enumerate(curves):
        values, off = _ends(rows, name, scale)
        pieces = [row.rules.pieces for row in rows]
        axes.errorbar(
            pieces, values, yerr=off, color=COLOURS[k], marker=MARKERS[k],
            linestyle=LINES[k % len(LINES)], label=rows[0].rules.name,
        )  # fmt: skip
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _ends(rows: Sequence[ComparedRules], name: str, scale: float) -> tuple[Any, Any]:
    """Return values, and by how much the ends of their intervals are off; 0 without."""
    figures = [getattr(row, name) for row in rows]
    values = np.array([figure.value for figure in figures])
    ends = np.array([figure.ci95 or (figure.value, figure.value) for figure in figures])
    return scale * values, scale * np.abs(ends.T - values)
