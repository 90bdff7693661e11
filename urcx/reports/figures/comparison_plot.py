"""The figure of several rule sets beside each other, for print: no title, no caption, a legend."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rc_context
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from urcx.errors import UsageError
from urcx.extremes.lengths import Lengths
from urcx.reports.figures.plots import (
    COLOURS,
    MARKERS,
    PRINTED,
    RC,
    Drawing,
    new_figure,
    path_look,
    power_label,
)
from urcx.rules.comparison import Asked, Beside, ComparedNumber, Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]
LINES = ("-", "--", "-.", ":")
SHOWN = 0.999  # share of all games that the axis of lengths shows
ROW = 0.34  # inches for a quantity with its rule sets


def comparison_figure(found: Comparison[Any]) -> Drawing:
    """Return the figure of a comparison.

    Lengths of games are distributions. Of anything else, a range of pieces gives a curve for each
    quantity (powers: the first), and rule sets that differ otherwise give dots in a row for each
    quantity, with their intervals.

    Raises
    ------
    UsageError
        If there are more curves, or dots in a row, than can be told apart.
    """
    ranged = len(found.of) > len(found.names)
    curves = len(found)
    if ranged and not _lengths(found):
        curves = len(found.names) * len(_curves(found.compared(found[0])))
    if curves > len(COLOURS):
        raise UsageError(
            f"a figure tells {len(COLOURS)} curves apart, not {curves}; draw fewer rule sets or "
            "agents"
        )
    with rc_context(RC):
        figure, (axes,) = new_figure(PRINTED, 3.1)
        if _lengths(found):
            _distributions(axes, found)
        elif ranged:
            _over_pieces(axes, found)
        else:
            figure.set_figheight(1.0 + ROW * len(_dots(axes, found)))
        names = len(axes.get_legend_handles_labels()[1])
        figure.legend(
            loc="outside upper left", ncols=min(4, names), frameon=False, handlelength=1.8
        )
    return figure


def agents_figure(found: Any) -> Drawing:
    """Return the figure of a match, or of what agents give away, by one rule set."""
    alone = Asked(found.rules.name, found.rules.name, found.rules)
    compared = sys.modules[type(found).__module__].compared
    return comparison_figure(Comparison([found], of=(alone,), question="", compared=compared))


def _lengths(found: Comparison[Any]) -> bool:
    return all(isinstance(one, Lengths) for one in found)


def _styles(asked: Sequence[tuple[str, Asked]]) -> dict[str, dict[str, Any]]:
    """Return how each curve is drawn: in its path's own colour if no other has it."""
    free, colours = list(COLOURS), {}
    for name, each in asked:
        own = path_look(each.rules.path.name).colour
        if own in free:
            colours[name] = own
            free.remove(own)
    found = {}
    for k, (name, _) in enumerate(dict(asked).items()):
        colour = colours.get(name) or free.pop(0)
        line, marker = LINES[k % len(LINES)], MARKERS[k % len(MARKERS)]
        found[name] = {"color": colour, "linestyle": line, "marker": marker, "label": name}
    return found


def _distributions(axes: Axes, found: Comparison[Any]) -> None:
    """Draw how likely games have each number of plies."""
    styles = _styles([(each.label, each) for each in found.of])
    last = 0
    for each, one in zip(found.of, found, strict=False):
        end = one.quantile(SHOWN) or len(one.chances) - 1
        axes.plot(100 * one.chances[: end + 1], **styles[each.label] | {"marker": ""}, lw=1.4)
        last = max(last, end)
    axes.set_xlim(0, last)
    axes.set_ylim(bottom=0.0)
    axes.set(xlabel="plies of both players", ylabel="games, %")


def _curves(shown: Beside) -> Sequence[ComparedNumber]:
    """Return the quantities that are drawn over the number of pieces."""
    return shown.drawn[:1] if shown.powers else shown.drawn


def _over_pieces(axes: Axes, found: Comparison[Any]) -> None:
    """Draw quantities over the number of pieces, curves for each rule set."""
    shown = [found.compared(one) for one in found]
    several = len(_curves(shown[0])) > 1
    curves: dict[str, list[tuple[Asked, ComparedNumber]]] = {}
    for each, of in zip(found.of, shown, strict=False):
        where = [] if several and len(found.names) == 1 else [each.name]
        for one in _curves(of):
            name = ", ".join([*where, *([one.title] if several else [])])
            curves.setdefault(name, []).append((each, one))
    styles = _styles([(name, points[0][0]) for name, points in curves.items()])
    for name, points in curves.items():
        values, off = _ends([one for _, one in points])
        pieces = [each.rules.pieces for each, _ in points]
        axes.errorbar(pieces, values, yerr=off, **styles[name], ms=5, lw=1.4)
    only = "" if several else f", {shown[0].drawn[0].title}"
    axes.set(xlabel="pieces a side, p", ylabel=f"{shown[0].axis}{only}")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _scale(axes.yaxis, shown[0])


def _dots(axes: Axes, found: Comparison[Any]) -> list[str]:
    """Draw a row for each quantity, with a dot for each rule set; return the rows' names."""
    shown = [found.compared(one) for one in found]
    titles = list(dict.fromkeys(one.title for each in shown for one in each.drawn))
    styles = _styles([(each.label, each) for each in found.of])
    step = 0.7 / len(shown)
    for k, (each, of) in enumerate(zip(found.of, shown, strict=False)):
        rows = [titles.index(one.title) + (k - (len(shown) - 1) / 2) * step for one in of.drawn]
        values, off = _ends(of.drawn)
        style = styles[each.label] | {"linestyle": ""}
        axes.errorbar(values, rows, xerr=off, **style, ms=4.5, elinewidth=1.2)
    axes.set_yticks(range(len(titles)), titles)
    axes.set_ylim(len(titles) - 0.5, -0.5)
    axes.set_xlabel(shown[0].axis)
    _scale(axes.xaxis, shown[0])
    return titles


def _ends(quantities: Sequence[ComparedNumber]) -> tuple[Array, Array]:
    """Return values, and by how much the ends of their intervals are off; 0 without."""
    values = np.array([one.value for one in quantities])
    ends = np.array([one.interval or (one.value, one.value) for one in quantities])
    return values, np.abs(ends.T - values)


def _scale(axis: Any, shown: Beside) -> None:
    if shown.powers:
        axis.set_major_locator(MaxNLocator(integer=True))
        axis.set_major_formatter(FuncFormatter(power_label))
