"""The figure of the longest games: the mean length to come, by the pieces that are home."""

from __future__ import annotations

import numpy as np
from matplotlib import rc_context
from matplotlib.ticker import FuncFormatter, NullFormatter

from urcx.contrib.extremes.longest_game import Longest
from urcx.reports.figures.labels import End, label_near
from urcx.reports.figures.plots import COLOURS, RC, Drawing, caption, new_figure
from urcx.results.numbers import count_text

HEIGHT = 3.2  # inches
MOST_DIGITS = 1e5


def longest_figure(result: Longest) -> Drawing:
    """Return the greatest mean length to come, over the pieces that both sides have home."""
    pairs = [(*layer.layers[0], layer.most) for layer in result.layers]
    pieces = result.rules.pieces
    with rc_context(RC):
        figure, (axes,) = new_figure(HEIGHT)
        ends = []
        for home in range(pieces):
            # One side's pieces home, with as many or more of the other side's.
            row = sorted((a + b, most) for a, b, most in pairs if min(a, b) == home)
            colour = COLOURS[home % len(COLOURS)]
            axes.plot(*zip(*row, strict=True), "o-", color=colour, ms=4, lw=1.0)
            ends.append(End(*row[0], f"{home}-{home} home", colour))
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(_plies))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.margins(y=0.15)
        axes.set_xticks(np.arange(2 * pieces - 1))
        axes.set(xlabel="pieces home, of both sides", ylabel=f"{result.unit} to come, at most")
        caption(
            figure,
            f"The longest games of {result.rules.name}, {count_text(pieces, 'piece')} per side",
            f"Both players prolong the game, which then takes {result.mean:.6g} {result.unit} on "
            "average from the start. Dots: the greatest mean in a layer. Lines: layers with the "
            "same number of pieces home of the side that has fewer.",
        )
        label_near(axes, ends)
    return figure


def _plies(value: float, _: int | None) -> str:
    """Return the label of a power of ten, in digits if it has few."""
    return f"{value:,.0f}" if value < MOST_DIGITS else f"$10^{{{round(np.log10(value))}}}$"
