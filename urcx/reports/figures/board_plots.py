"""The figure of other games: all state spaces on one axis of powers of ten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib import rc_context
from matplotlib.ticker import FuncFormatter, MaxNLocator

from urcx.enumerate.board_spaces import BoardGames, BoardSpace
from urcx.reports.figures.plots import (
    COLOURS,
    RC,
    Drawing,
    caption,
    new_figure,
    path_look,
    power_label,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.25  # inches
BREAK = 32.0  # the exponent at which the axis is broken, if a game is beyond
MARKS = {"exact": "o", "upper bound": "<", "cited": "D"}
DARK = "#333333"
EXPLAINED = (
    "Dots: exact numbers of arrangements. Triangles: upper bounds. Diamonds: cited, not computed. "
    "Rings: published figures."
)


def board_games_figure(result: BoardGames) -> Drawing:
    """Return the figure of state spaces, a row for each game, the smallest at the top."""
    rows = sorted(result, key=lambda row: row.log10)
    beyond = [row for row in rows if row.log10 > BREAK]
    broken = 0 < len(beyond) < len(rows)
    with rc_context(RC):
        ratios = {"width_ratios": [2.7, 1.0]} if broken else None
        figure, panels = new_figure(
            1.0 + ROW * len(rows), 1 + broken, sharey=True, gridspec_kw=ratios
        )
        for axes in panels:
            for place, row in enumerate(rows):
                if not broken or (row in beyond) == (axes is panels[1]):
                    _draw_row(axes, place, row)
            axes.set_ylim(len(rows) - 0.5, -0.5)
            axes.xaxis.set_major_formatter(FuncFormatter(power_label))
            axes.tick_params(axis="y", length=0)
        low = min(map(_least, rows))
        near = [row.log10 for row in rows if row not in beyond or not broken]
        panels[0].set_xlim(low - 1, max(near) + 0.18 * (max(near) - low) + 1)
        panels[0].xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
        if broken:
            panels[1].set_xlim(BREAK - 14, max(row.log10 for row in beyond) * 1.4)
            panels[1].set_xticks([40, 160])
            panels[1].spines["left"].set_linestyle((0, (2, 3)))
        names = [
            row.board.name + ("" if row.pieces is None else f", {row.pieces} per side")
            for row in rows
        ]
        panels[0].set_yticks(range(len(rows)), names)
        for label, row in zip(panels[0].get_yticklabels(), rows, strict=True):
            label.set_color(_colour(row))
        panels[0].set_xlabel("states")
        cut = " The axis is broken on the right." if broken else ""
        caption(figure, "States of board games", EXPLAINED + cut)
    return figure


def _least(row: BoardSpace) -> float:
    return min([row.log10, *(item.figure.log10 for item in row.published)])


def _colour(row: BoardSpace) -> str:
    """Return the colour of a game: that of its path, or one for each status."""
    if row.board.name.startswith("ur-"):
        return path_look(row.board.name.removeprefix("ur-")).colour
    return DARK


def _draw_row(axes: Axes, place: int, row: BoardSpace) -> None:
    """Draw a game's number with its size, and the published figures."""
    colour = _colour(row)
    for item in row.published:
        at = item.figure.log10
        axes.plot([at], [place], "o", mfc="none", mec=COLOURS[1], ms=9, mew=1.1, zorder=2)
    axes.plot([row.log10], [place], MARKS[row.exactness], color=colour, ms=5.5, zorder=3)
    size = max([row.log10, *(item.figure.log10 for item in row.published)])
    axes.annotate(
        f"$10^{{{row.log10:.1f}}}$", (size, place), (9, 0), textcoords="offset points",
        va="center", color=colour, annotation_clip=True,
    )  # fmt: skip
