"""The figure of review: light's chance of winning by ply, and where it was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib import rc_context
from matplotlib.ticker import MaxNLocator, PercentFormatter

from urcx.played.record import Ply
from urcx.played.review import Review, ReviewedPly
from urcx.reports.figures.labels import End, label_near
from urcx.reports.figures.plots import COLOURS, RC, caption, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE = COLOURS[0]
LOOKS = {"light": (COLOURS[5], "o"), "dark": (COLOURS[6], "s")}
NAMED = 3  # of the worst mistakes of each side


def review_figure(found: Review) -> Figure:
    """Return light's chance of winning by ply, with a marker at each mistake.

    The worst mistakes are labelled with what was played and what it cost.
    """
    with rc_context(RC):
        figure, (axes,) = new_figure(8.6, 4.2)
        chances = [found.light_start, *(one.light_after for one in found.plies)]
        axes.plot(range(len(chances)), list(map(float, chances)), color=LINE, lw=1.6)
        axes.axhline(0.5, color="#999999", lw=0.8)
        axes.set_ylim(0.0, 1.0)
        axes.set_xlim(0, max(1, len(found.plies)))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set(xlabel="ply", ylabel="light's chance of winning")
        played = found.played
        axes.set_title(
            f"{played.player('light')} (light) against {played.player('dark')} (dark), "
            f"{found.rules.name}: {f'{played.winner} has won' if played.winner else played.result}",
            loc="left",
        )
        ends = [end for side in LOOKS for end in _mistakes(axes, found, side)]
        caption(figure, _caption(found))
        label_near(axes, ends)
    return figure


def _mistakes(axes: Axes, found: Review, side: str) -> list[End]:
    """Mark a side's mistakes; return the labels of the worst."""
    colour, marker = LOOKS[side]
    wrong = [one for one in found.plies if one.side == side and one.regret > 0]
    axes.plot(
        [one.number for one in wrong],
        [float(one.light_after) for one in wrong],
        marker,
        color=colour,
        mec="#333333",
        ms=5,
    )

    def cost(one: ReviewedPly) -> float:
        return float(one.regret)

    worst = sorted(wrong, key=cost, reverse=True)[:NAMED]
    return [
        End(
            one.number,
            float(one.light_after),
            f"{_tiles(one.ply)} costs {cost(one):.1%}",
            "#333333",
        )
        for one in worst
    ]


def _tiles(ply: Ply) -> str:
    """Return a move from tile to tile, without what it does."""
    return ply.describe().partition(",")[0]


def _caption(found: Review) -> str:
    said = [
        f"{side.side.capitalize()}: luck {float(side.luck):+.1%}, regret {float(side.lost):.1%} in "
        f"{side.mistakes} of {side.decisions} decisions"
        for side in found.sides
    ]
    return (
        f"Chances under perfect play. Circles: light's mistakes; squares: dark's; labels: what the "
        f"worst cost. {'. '.join(said)}."
    )
