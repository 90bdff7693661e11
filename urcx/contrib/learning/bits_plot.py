"""The figure of strategy complexity: a player's bits, and how few games it gives away."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import rc_context
from matplotlib.ticker import NullLocator

from urcx.contrib.learning.curve import Bits, Point
from urcx.reports.figures.labels import SIZE, End, label_near, leader, spread_labels
from urcx.reports.figures.plots import COLOURS, GREY, NARROW, RC, Drawing, caption, new_figure
from urcx.results.numbers import count_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colour and marker of each kind of point; networks by what they learned from.
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
GAP = 0.25  # inches for each name of a rule
SHIFT = 1.45  # from the dot of a rule to its name, as a factor
MANY = 8  # powers of ten, beyond which every other one is on the axis


def bits_figure(result: Bits, width: float = 8.6) -> Drawing:
    """Return the curve: bits, and how many games are given away, both logarithmic.

    Players without data stand at the left edge, those that lose nothing at the upper one, both
    beyond a dotted line, as neither has a place on a logarithmic axis. ``width`` is in inches.
    """
    height = (0.95 if width <= NARROW else 0.72) * width
    with rc_context(RC):
        figure, (axes,) = new_figure(width, height, 1, 1)
        none = 10.0 ** (math.floor(math.log10(min(p.bits for p in result.points if p.bits))) - 1)
        lost = [point.loss for point in result.points if point.loss > 0.0]
        perfect = 10.0 ** (math.floor(math.log10(min(lost, default=0.1))) - 1)

        def at(point: Point) -> tuple[float, float]:
            return float(point.bits or none), max(point.loss, perfect)

        best = [at(point) for point in result.points if point.frontier]
        # Steps as points of their own, so that labels keep clear of them.
        x, y = (np.repeat(np.array(values), 2) for values in zip(*best, strict=True))
        axes.plot(x[1:], y[:-1], color="#cccccc", lw=3, zorder=1)
        ends: list[End] = []
        for name in LOOKS:
            some = [point for point in result.points if _look(point) == name]
            ends += _draw(axes, name, some, [at(point) for point in some])
        _bits_axis(axes, result, none)
        _loss_axis(axes, perfect)
        pieces = count_text(result.rules.pieces, "piece")
        axes.set_title(f"Strategy complexity of {result.rules.name}, {pieces} a side", loc="left")
        caption(figure, _caption(result))
        rules = [at(point) for point in result.points if not point.bits]
        _label_rules(axes, rules, result, none, GAP / height)
        label_near(axes, ends)
    return figure


def _look(point: Point) -> str:
    return point.origin if point.kind == "network" and point.origin else point.kind


def _draw(
    axes: Axes,
    name: str,
    points: Sequence[Point],
    places: Sequence[tuple[float, float]],
) -> list[End]:
    """Draw the points of one kind; return the labels that they want."""
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
    """Label the players without data, right of them and ``gap`` of the axis apart."""
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
            fontsize=SIZE,
            color=colour,
            # The grey line of the best passes behind some of the names.
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
            arrowprops=leader(colour) | {"relpos": (0.0, 0.5)},
        )


def _short(point: Point) -> str:
    if point.kind == "table":
        return "solution"
    name = point.name.rpartition("/")[2]
    return (
        f"exact play: {name.removesuffix('.play')}"
        if point.kind == "play"
        else name.removeprefix("net:").removesuffix(".npz")
    )


def _bits_axis(axes: Axes, result: Bits, none: float) -> None:
    axes.set_xscale("log")
    most = max(point.bits for point in result.points)
    axes.set_xlim(none / 2, most * 4)
    first, last = round(math.log10(none)) + 1, math.floor(math.log10(most * 4))
    step = 1 if last - first < 8 else 2
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
    above.tick_params(labelsize=8)
    above.spines["top"].set_visible(False)
    above.set_xlabel("bits a state", fontsize=8.5, loc="right")


def _loss_axis(axes: Axes, perfect: float) -> None:
    axes.set_yscale("log")
    axes.set_ylim(1.0, perfect / 2)  # the best above
    last = round(math.log10(perfect)) + 1
    step = 1 if -last < MANY else 2
    powers = range(-1, last - 1, -step)
    ticks = [0.5, *(10.0**k for k in powers), perfect]
    axes.set_yticks(ticks, ["1 in 2", *(f"1 in {10**-k:,}" for k in powers), "none"])
    axes.yaxis.set_minor_locator(NullLocator())
    axes.axhline(perfect * 10**0.5, color=GREY, lw=0.8, ls=":")
    axes.set_ylabel("games given away against perfect play")


def _caption(result: Bits) -> str:
    how = (
        f"estimates from what moves lose in {result.sample:,} games, with 95 % intervals"
        if result.sample
        else "all chances exact"
    )
    return (
        f"1 game in 100 given away: wins 49 % against perfect play, not 50 %; {how}. Tables have a "
        f"code for each of {result.states:,} states. Players without data have 0 bits, as programs "
        "are not counted. Grey: the fewest bits for such play."
    )
