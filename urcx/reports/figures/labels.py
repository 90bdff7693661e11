"""Labels of curves and dots in figures: close to their objects, clear of lines and other labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib.figure import Figure
from matplotlib.layout_engine import PlaceHolderLayoutEngine
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = 8.5  # points
LINE = 1.25  # height of a line of text, in its size
LEADER = 0.6  # points: the width of the line from a label to its object
NEAR = 14.0  # points: a label further away than this gets such a line
POINTS = 24  # on a line between two of its vertices, which a label must not cover

# Possible places of a label: offsets in points, and the alignment; the best first.
_AROUND: tuple[tuple[float, float, str, str], ...] = tuple(
    (dx * far, dy * far, ha, va)
    for far in (1.0, 2.0, 3.5, 5.0)
    for dx, dy, ha, va in (
        (8.0, 0.0, "left", "center"),
        (6.0, -6.0, "left", "top"),
        (6.0, 6.0, "left", "bottom"),
        (0.0, -8.0, "center", "top"),
        (0.0, 8.0, "center", "bottom"),
        (-6.0, -6.0, "right", "top"),
        (-6.0, 6.0, "right", "bottom"),
        (-8.0, 0.0, "right", "center"),
    )
)


@dataclass(frozen=True)
class End:
    """The end of a curve, or a dot, in data coordinates, and the label that belongs to it."""

    x: float
    y: float
    text: str
    colour: str


def settle(figure: Figure) -> None:
    """Compute a figure's final layout before drawing, so that positions on the canvas are known."""
    if not isinstance(figure.get_layout_engine(), PlaceHolderLayoutEngine | None):
        figure.draw_without_rendering()
        figure.set_layout_engine("none")


def spread(
    positions: Sequence[float], gap: float, low: float = -np.inf, high: float = np.inf
) -> list[float]:
    """Return label positions, in the order given, at least ``gap`` apart and near their targets.

    Labels that would overlap form a cluster around their mean; clusters that meet are joined. All
    stay between ``low`` and ``high`` as far as there is room.
    """
    order = sorted(range(len(positions)), key=lambda k: positions[k])
    clusters: list[tuple[list[int], float]] = []  # members, and the sum of their positions
    for k in order:
        members, total = [k], positions[k]
        while clusters:
            before, total_before = clusters[-1]
            top = total_before / len(before) + (len(before) - 1) * gap / 2
            if total / len(members) - (len(members) - 1) * gap / 2 - top >= gap:
                break
            clusters.pop()
            members, total = before + members, total_before + total
        clusters.append((members, total))
    placed = list(positions)
    for members, total in clusters:
        first = total / len(members) - (len(members) - 1) * gap / 2
        for n, k in enumerate(members):
            placed[k] = first + n * gap
    for n, k in enumerate(reversed(order)):
        placed[k] = min(placed[k], high - n * gap)
    for n, k in enumerate(order):
        placed[k] = max(placed[k], low + n * gap)
    return placed


def label_beside(axes: Axes, ends: Sequence[End], size: float = SIZE) -> None:
    """Write labels in a column right of the axes, each joined to the end of its curve by a line.

    The figure's layout is final afterwards. If there are more than fit, they keep their distance
    and extend below the axes.
    """
    if not ends:
        return
    figure = cast("Figure", axes.figure)
    texts = [
        axes.annotate(
            end.text,
            xy=(end.x, end.y),
            xytext=(1.04, 0.5),
            textcoords="axes fraction",
            color=end.colour,
            va="center",
            fontsize=size,
            annotation_clip=False,
            arrowprops=leader(end.colour),
        )
        for end in ends
    ]
    settle(figure)
    frame = axes.get_window_extent()
    gap = LINE * size * figure.dpi / 72 / frame.height
    heights = axes.transData.transform([(end.x, end.y) for end in ends])[:, 1]
    shares = [float(h) for h in (heights - frame.y0) / frame.height]
    for text, height in zip(texts, spread(shares, gap, 0.0, 1.0), strict=True):
        text.set_position((1.04, height))


def leader(colour: str) -> dict[str, Any]:
    """Return the style of the line from a label's left end to its object."""
    return {
        "arrowstyle": "-",
        "lw": LEADER,
        "color": colour,
        "alpha": 0.7,
        "shrinkA": 1,
        "shrinkB": 4,
        "relpos": (0.0, 0.5),
    }


def label_near(axes: Axes, ends: Iterable[End], size: float = SIZE) -> None:
    """Write each label next to its dot, clear of lines, dots, bars and other labels.

    The figure's layout is final afterwards. If no place is clear, the one that covers least is
    taken; a label placed far from its dot gets a line to it.
    """
    figure = cast("Figure", axes.figure)
    settle(figure)
    renderer = cast("Any", figure.canvas).get_renderer()
    unit = figure.dpi / 72
    frame = axes.get_window_extent(renderer)
    lines = _points(axes)
    taken = [patch.get_window_extent(renderer) for patch in axes.patches]
    taken += [extent(text, renderer) for text in axes.texts]
    for end in ends:
        text = axes.annotate(
            end.text,
            xy=(end.x, end.y),
            xytext=(0, 0),
            color=end.colour,
            fontsize=size,
            textcoords="offset points",
        )
        costs = []
        for k, place in enumerate(_AROUND):
            box = _moved(text, place, renderer)
            costs.append((_cost(box, frame, lines, taken, unit), k))
            if costs[-1][0] == 0:
                break
        _, best = min(costs)
        taken.append(_moved(text, _AROUND[best], renderer))
        dx, dy, ha, va = _AROUND[best]
        if np.hypot(dx, dy) > NEAR:
            text.remove()
            anchor = {"left": 0.0, "center": 0.5, "right": 1.0}[ha], 0.5
            axes.annotate(
                end.text,
                xy=(end.x, end.y),
                xytext=(dx, dy),
                textcoords="offset points",
                ha=ha,
                va=va,
                color=end.colour,
                fontsize=size,
                arrowprops=leader(end.colour) | {"relpos": anchor},
            )


def _moved(text: Annotation, place: tuple[float, float, str, str], renderer: Any) -> Bbox:
    dx, dy, ha, va = place
    text.set_position((dx, dy))
    text.set(ha=ha, va=va)
    return extent(text, renderer)


def extent(text: Text, renderer: Any) -> Bbox:
    """Return the box of a text on the canvas, without the line to its object."""
    if isinstance(text, Annotation):
        text.update_positions(renderer)
    return Text.get_window_extent(text, renderer)


def _points(axes: Axes) -> Any:
    """Return points on the canvas, of all dots, and along lines close enough to find a crossing."""
    found = [np.empty((0, 2))]
    for line in axes.lines:
        at = line.get_transform().transform(line.get_xydata())
        found.append(at)
        if line.get_linestyle() != "None":
            share = np.linspace(0, 1, POINTS, endpoint=False)[:, None]
            found += [a + share * (b - a) for a, b in zip(at, at[1:], strict=False)]
    return np.concatenate(found)


def _cost(box: Bbox, frame: Bbox, lines: Any, taken: Sequence[Bbox], unit: float) -> float:
    """Return how much a label in a box would cover, and how far it extends beyond the axes."""
    wide = box.padded(2.0 * unit)
    inside = (lines > (wide.x0, wide.y0)) & (lines < (wide.x1, wide.y1))
    covered = float(inside.all(axis=1).sum())
    out = max(frame.x0 - box.x0, box.x1 - frame.x1, frame.y0 + unit - box.y0, box.y1 - frame.y1, 0)
    over = sum(wide.overlaps(other) for other in taken)
    return covered + 50.0 * over + 10.0 * float(out)
