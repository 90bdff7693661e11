"""The figure of strategy complexity: the bits of players, and their losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import rc_context
from matplotlib.ticker import NullLocator

from urcx.contrib.learning.curve import Bits, Point
from urcx.reports.figures.labels import End, label_near, leader, shortened, spread_labels
from urcx.reports.figures.plots import COLOURS, GREY, RC, Drawing, caption, new_figure
from urcx.results.numbers import count_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colour and marker of each kind of point. The kind of a network is the source of its training.
LOOKS = {
    "rule": (COLOURS[6], "o"),
    "uniform": (COLOURS[4], "v"),
    "self-play": (COLOURS[1], "D"),
    "distilled": (COLOURS[3], "P"),
    "network": (COLOURS[5], "X"),
    "play": (COLOURS[6], "*"),
    "table": (COLOURS[6], "p"),
}
STATE_TICKS = (1, 2, 4, 8, 16, 64)
HEIGHT = 4.6  # inches
GAP = 0.2  # inches for each name of a rule
SHIFT = 1.45  # from the dot of a rule to its name, as a factor
MANY = 8  # powers of ten. With more, the axis shows every second one


def bits_figure(result: Bits) -> Drawing:
    """Return the curve of bits and losses, both logarithmic.

    Players without data are at the left edge, and players without a loss at the upper edge, beyond
    dotted lines, because a logarithmic axis has no place for 0.
    """
    with rc_context(RC):
        figure, (axes,) = new_figure(HEIGHT)
        none = 10.0 ** (math.floor(math.log10(min(p.bits for p in result.points if p.bits))) - 1)
        losses = [point.loss for point in result.points if point.loss > 0.0]
        perfect = 10.0 ** (math.floor(math.log10(min(losses, default=0.1))) - 1)

        def at(point: Point) -> tuple[float, float]:
            return float(point.bits or none), max(point.loss, perfect)

        best = [at(point) for point in result.points if point.frontier]
        # The steps are points, too, so labels avoid them.
        x, y = (np.repeat(np.array(values), 2) for values in zip(*best, strict=True))
        axes.plot(x[1:], y[:-1], color="#cccccc", lw=3, zorder=1)
        ends: list[End] = []
        for name in LOOKS:
            kind_points = [point for point in result.points if _look(point) == name]
            ends += _draw(axes, name, kind_points, [at(point) for point in kind_points])
        _bits_axis(axes, result, none)
        _loss_axis(axes, perfect)
        pieces = count_text(result.rules.pieces, "piece")
        title = f"Strategy complexity of {result.rules.name}, {pieces} per side"
        caption(figure, title, _caption(result))
        rules = [at(point) for point in result.points if not point.bits]
        _label_rules(axes, rules, result, none, GAP / HEIGHT)
        # From the right, because most labels are to the right of their dots.
        label_near(axes, sorted(ends, key=lambda end: -end.x))
    return figure


def _look(point: Point) -> str:
    return point.origin if point.kind == "network" and point.origin else point.kind


def _draw(
    axes: Axes,
    name: str,
    points: Sequence[Point],
    places: Sequence[tuple[float, float]],
) -> list[End]:
    """Draw the points of one kind, and return their labels."""
    if not points:
        return []
    colour, marker = LOOKS[name]
    line = "-" if name == "uniform" else "none"
    x, y = zip(*places, strict=True)
    axes.errorbar(
        x, y, yerr=[point.error or 0.0 for point in points], fmt=marker, ls=line, color=colour,
        ms=9 if marker == "*" else 5, lw=1.2, elinewidth=0.8, zorder=3,
    )  # fmt: skip
    if name == "rule":
        return []
    if name == "uniform":
        return [End(x[len(x) // 2], y[len(y) // 2], "tables", colour)]
    return [End(*place, _short(point), colour) for place, point in zip(places, points, strict=True)]


def _label_rules(
    axes: Axes, places: Sequence[tuple[float, float]], result: Bits, none: float, gap: float
) -> None:
    """Label the players without data, to their right and ``gap`` of the axis apart."""
    names = [point.name for point in result.points if not point.bits]
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    gap *= abs(high - low)
    heights = spread_labels([math.log10(y) for _, y in places], gap, high=low - gap / 2)
    colour = LOOKS["rule"][0]
    for name, (x, y), height in zip(names, places, heights, strict=True):
        axes.annotate(
            name,
            xy=(x, y),
            xytext=(none * SHIFT, 10.0**height),
            va="center",
            color=colour,
            # The grey line passes behind some of the names.
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
            arrowprops=leader(colour) | {"relpos": (0.0, 0.5)},
        )


def _short(point: Point) -> str:
    if point.kind == "table":
        return "solution"
    name = point.name.rpartition("/")[2]
    return (
        f"exact play: {shortened(name.removesuffix('.play'))}"
        if point.kind == "play"
        else shortened(name.removeprefix("net:").removesuffix(".npz"))
    )


def _bits_axis(axes: Axes, result: Bits, none: float) -> None:
    axes.set_xscale("log")
    most = max(point.bits for point in result.points)
    axes.set_xlim(none / 2, most * 4)
    first, last = round(math.log10(none)) + 1, math.floor(math.log10(most * 4))
    step = 1 if last - first < MANY else 2
    powers = range(first, last + 1, step)
    labels = ["0", *(f"$10^{{{k}}}$" for k in powers)]
    axes.set_xticks([none, *(10.0**k for k in powers)], labels)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.axvline(none * 10**0.5, color=GREY, lw=0.8, ls=":")
    axes.set_xlabel("bits of the player's data")
    states = result.states
    above = axes.secondary_xaxis(
        "top", functions=(partial(np.multiply, 1 / states), partial(np.multiply, states))
    )
    above.set_xticks(STATE_TICKS, [str(k) for k in STATE_TICKS])
    above.xaxis.set_minor_locator(NullLocator())
    above.spines["top"].set_visible(False)
    above.set_xlabel("bits per state", loc="right")


def _loss_axis(axes: Axes, perfect: float) -> None:
    axes.set_yscale("log")
    axes.set_ylim(1.0, perfect / 2)  # the best at the top
    last = round(math.log10(perfect)) + 1
    step = 1 if -last < MANY else 2
    powers = range(-1, last - 1, -step)
    ticks = [*(10.0**k for k in powers), perfect]
    axes.set_yticks(ticks, [*(f"$10^{{{k}}}$" for k in powers), "none"])
    axes.yaxis.set_minor_locator(NullLocator())
    axes.axhline(perfect * 10**0.5, color=GREY, lw=0.8, ls=":")
    axes.set_ylabel("loss against optimal play, games")


def _caption(result: Bits) -> str:
    certainty = (
        f"estimates from the losses of moves in {result.sample:,} games, with 95 % intervals"
        if result.sample
        else "all losses are exact"
    )
    return (
        "A loss of 10^-2 means 49 % of games won against optimal play instead of 50 %; "
        f"{certainty}. Tables have a code for each of {result.states:,} states. Programs do not "
        "count, so players without data have 0 bits. Grey: the fewest bits for a loss."
    )
