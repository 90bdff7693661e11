"""The figure of strategy complexity: a player's bits, and how little it loses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from urcx.learn.curve.bits import Bits
from urcx.learn.curve.points import Point
from urcx.reports.figures.labels import SIZE, End, label_near, leader, spread_labels
from urcx.reports.figures.plots import COLOURS, RC, caption, new_figure
from urcx.results.numbers import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUANTISED = ("uniform", "values", "decisions")
# Colour and marker of each kind of point; networks by what they learned from.
LOOKS = {
    "rule": (COLOURS[6], "o"),
    "uniform": (COLOURS[4], "v"),
    "values": (COLOURS[0], "s"),
    "decisions": (COLOURS[2], "^"),
    "self-play": (COLOURS[1], "D"),
    "distilled": (COLOURS[3], "P"),
    "network": (COLOURS[5], "X"),
    "play": (COLOURS[6], "*"),
    "table": (COLOURS[6], "p"),
}
WORDS = {
    "uniform": "tables, uniform",
    "values": "tables, for values",
    "decisions": "tables, for decisions",
}
STATE_TICKS = (1, 2, 4, 8, 16, 64)
ROOM = 0.36  # of the axis for each name of a rule, in a figure of an inch's width
SHIFT = 1.45  # from the dot of a rule to its name, as a factor
MANY = 8  # powers of ten, beyond which every other one is on the axis


def bits_figure(found: Bits, width: float = 8.6) -> Figure:
    """Return the curve: bits, and the chance of winning by its distance from 1/2, both logarithmic.

    Players without data stand at the left edge, those that lose nothing at the upper one, both
    beyond a dotted line, as neither has a place on a logarithmic axis. ``width`` is in inches.
    """
    with rc_context(RC):
        figure, (axes,) = new_figure(width, 0.72 * width)
        none = 10.0 ** (math.floor(math.log10(min(p.bits for p in found.points if p.bits))) - 1)
        lost = [point.loss for point in found.points if point.loss > 0.0]
        perfect = 10.0 ** (math.floor(math.log10(min(lost, default=0.1))) - 1)

        def at(point: Point) -> tuple[float, float]:
            return float(point.bits or none), max(point.loss, perfect)

        best = [at(point) for point in found.points if point.frontier]
        axes.plot(*zip(*best, strict=True), drawstyle="steps-post", color="#bbbbbb", lw=5, zorder=1)
        ends: list[End] = []
        for name in LOOKS:
            some = [point for point in found.points if _look(point) == name]
            ends += _draw(axes, name, some, [at(point) for point in some])
        _bits_axis(axes, found, none)
        _chance_axis(axes, perfect)
        pieces = counted(found.rules.pieces, "piece")
        axes.set_title(f"Strategy complexity of {found.rules.name}, {pieces} a side", loc="left")
        caption(figure, _caption(found))
        _label_rules(axes, [at(point) for point in found.points if not point.bits], found, none)
        label_near(axes, ends)
    return figure


def _look(point: Point) -> str:
    return point.origin if point.kind == "network" and point.origin else point.kind


def _draw(
    axes: Axes, name: str, points: Sequence[Point], places: Sequence[tuple[float, float]]
) -> list[End]:
    """Draw the points of one kind; return the labels that they want."""
    if not points:
        return []
    colour, marker = LOOKS[name]
    line = "-" if name in QUANTISED else "none"
    x, y = zip(*places, strict=True)
    axes.errorbar(
        x, y, yerr=[point.error or 0.0 for point in points], fmt=marker, ls=line, color=colour,
        ms=9 if marker == "*" else 5, lw=1.2, elinewidth=0.8, zorder=3,
    )  # fmt: skip
    if name == "rule":
        return []
    if name in QUANTISED:
        return [End(x[len(x) // 2], y[len(y) // 2], WORDS[name], colour)]
    return [End(*place, _short(point), colour) for place, point in zip(places, points, strict=True)]


def _label_rules(
    axes: Axes, places: Sequence[tuple[float, float]], found: Bits, none: float
) -> None:
    """Label the players without data, one below another right of them."""
    names = [point.name for point in found.points if not point.bits]
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    figure = cast("Figure", axes.figure)
    gap = ROOM / figure.get_figwidth() * abs(high - low)
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
        f"exact play: {name}"
        if point.kind == "play"
        else name.removeprefix("net:").removesuffix(".npz")
    )


def _bits_axis(axes: Axes, found: Bits, none: float) -> None:
    axes.set_xscale("log")
    most = max(point.bits for point in found.points)
    axes.set_xlim(none / 2, most * 4)
    first, last = round(math.log10(none)) + 1, math.floor(math.log10(most * 4))
    step = 1 if last - first < 8 else 2
    powers = range(first, last + 1, step)
    labels = ["0", *(f"$10^{{{k}}}$" for k in powers)]
    axes.set_xticks([none, *(10.0**k for k in powers)], labels)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.axvline(none * 10**0.5, color="#999999", lw=0.8, ls=":")
    axes.set_xlabel("bits of the player's data")
    states = found.states
    above = axes.secondary_xaxis(
        "top", functions=(partial(np.multiply, 1 / states), partial(np.multiply, states))
    )
    above.set_xticks(STATE_TICKS, [str(k) for k in STATE_TICKS])
    above.xaxis.set_minor_locator(NullLocator())
    above.tick_params(labelsize=8)
    above.spines["top"].set_visible(False)
    above.set_xlabel("bits a state", fontsize=8.5, loc="right")


def _chance_axis(axes: Axes, perfect: float) -> None:
    axes.set_yscale("log")
    axes.set_ylim(1.0, perfect / 2)  # the best above
    last = round(math.log10(perfect)) + 1
    step = 1 if -last < MANY else 2
    powers = range(-1, last - 1, -step)
    ticks = [0.5, *(10.0**k for k in powers), perfect]
    axes.set_yticks(ticks, ["0 %", *(_chance(k) for k in powers), "50 %"])
    axes.yaxis.set_minor_locator(NullLocator())
    axes.axhline(perfect * 10**0.5, color="#999999", lw=0.8, ls=":")
    axes.set_ylabel("chance of winning against perfect play")


def _chance(power: int) -> str:
    """Return one half less a power of ten, in percent."""
    return f"{50 - 10.0 ** (power + 2):.{max(0, -2 - power)}f} %"


def _caption(found: Bits) -> str:
    how = (
        f"estimates from what moves lose in {found.sample:,} games, with 95 % intervals"
        if found.sample
        else "all chances exact"
    )
    return (
        f"The upward scale is that of what is lacking to 50 %, each part ten times smaller; {how}. "
        "Programs are not counted: rules without data stand at 0 bits. Tables have a code for "
        f"each of {found.states:,} states. Grey: the fewest bits of a player here that is as good."
    )
