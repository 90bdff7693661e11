"""Labels of curves and dots in figures: close to their objects, clear of lines and other labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = 9.0  # points: of all texts in figures
LINE = 1.25  # height of a line of text, in its size
LEADER = 0.6  # points: the width of the line from a label to its object
NEAR = 14.0  # points: a label at a greater distance gets such a line
DOT = 8  # a covered dot counts as many covered places of a line
# Costs of covering a label, and of a line from a label across another label or line.
OVER, ACROSS = 500.0, 100.0
MOST = 24  # characters of a name
STEP = 3.0  # points between two places of a line that a label must not cover

Place = tuple[float, float, str, str]

# Possible places of a label: offsets in points, and the alignment, the best first.
_AROUND: tuple[Place, ...] = tuple(
    (dx * far, dy * far, ha, va)
    for far in (1.0, 2.0, 3.5, 5.0, 7.0)
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
ANCHORS = {"left": 0.0, "center": 0.5, "right": 1.0}  # where a line meets a label, of its width


def shortened(name: str, most: int = MOST) -> str:
    """Return a name of at most ``most`` characters, with its first and last characters."""
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[: most - 1 - half]}…{name[-half:]}"


@dataclass(frozen=True)
class End:
    """The end of a curve, or a dot, in data coordinates, and the label that belongs to it."""

    x: float
    y: float
    text: str
    colour: str


def place_labels(figure: Figure) -> None:
    """Compute a figure's final layout before drawing, so that positions on the canvas are known.

    Bytes of file names that are not UTF-8 become escapes, because matplotlib cannot draw them.
    """
    for text in figure.findobj(Text):
        text.set_text(text.get_text().encode(errors="backslashreplace").decode())
    if figure.get_layout_engine() is not None:
        for _ in range(2 if figure.subfigs else 1):  # parts settle in the second pass
            figure.draw_without_rendering()
        figure.set_layout_engine(None)  # another engine would draw each figure twice


def spread_labels(
    positions: Sequence[float], gap: float, low: float = -np.inf, high: float = np.inf
) -> list[float]:
    """Return label positions, in the same order, at least ``gap`` apart and near their targets.

    Labels that would overlap form a cluster around their mean, and clusters that meet are joined.
    All stay between ``low`` and ``high`` if there is room.
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


def label_beside(axes: Axes, ends: Sequence[End]) -> None:
    """Write labels in a column right of the axes, each joined to the end of its curve by a line.

    This fixes the figure's layout. Too many labels keep their distance and extend below the axes.
    """
    if not ends:
        return
    figure = _root(axes)
    texts = [
        axes.annotate(
            end.text,
            xy=(end.x, end.y),
            xytext=(1.04, 0.5),
            textcoords="axes fraction",
            color=end.colour,
            va="center",
            fontsize=SIZE,
            annotation_clip=False,
            arrowprops=leader(end.colour),
        )
        for end in ends
    ]
    place_labels(figure)
    frame = axes.get_window_extent()
    gap = LINE * SIZE * figure.dpi / 72 / frame.height
    heights = axes.transData.transform([(end.x, end.y) for end in ends])[:, 1]
    shares = [float(h) for h in (heights - frame.y0) / frame.height]
    for text, height in zip(texts, spread_labels(shares, gap, 0.0, 1.0), strict=True):
        text.set_position((1.04, height))


def _root(axes: Axes) -> Figure:
    """Return the whole figure, also if the axes are in a part of it."""
    return axes.figure.canvas.figure


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


def label_near(axes: Axes, ends: Iterable[End]) -> None:
    """Write each label next to its dot, clear of lines, dots, bars, other labels and their lines.

    This fixes the figure's layout. If no place is clear, the label takes the place that covers
    least. A label far from its dot gets a line to it.
    """
    figure = _root(axes)
    place_labels(figure)
    renderer = cast("Any", figure.canvas).get_renderer()
    unit = figure.dpi / 72
    frame = axes.get_window_extent(renderer)
    lines = _points(axes, unit)
    taken = [patch.get_window_extent(renderer) for patch in axes.patches]
    taken += [extent(text, renderer) for text in axes.texts]
    leaders: list[Any] = []
    for end in ends:
        dot = axes.transData.transform((end.x, end.y))
        text = axes.annotate(
            end.text,
            xy=(end.x, end.y),
            xytext=(0, 0),
            color=end.colour,
            fontsize=SIZE,
            textcoords="offset points",
        )
        costs = []
        for k, place in enumerate(_AROUND):
            box = _moved(text, place, renderer)
            line = _led(dot, box, place, unit)
            across = sum(bool(_inside(line, other).any()) for other in taken)
            across += sum(_cross(line, other) for other in leaders)
            costs.append((_cost(box, frame, lines, taken, unit) + ACROSS * across, k))
            if costs[-1][0] == 0:
                break
        _, best = min(costs)
        box = _moved(text, _AROUND[best], renderer)
        taken.append(box)
        leaders.append(_led(dot, box, _AROUND[best], unit))
        lines = np.concatenate([lines, leaders[-1]])
        dx, dy, ha, va = _AROUND[best]
        if np.hypot(dx, dy) > NEAR:
            text.remove()
            axes.annotate(
                end.text,
                xy=(end.x, end.y),
                xytext=(dx, dy),
                textcoords="offset points",
                ha=ha,
                va=va,
                color=end.colour,
                fontsize=SIZE,
                arrowprops=leader(end.colour) | {"relpos": (ANCHORS[ha], 0.5)},
            )


def _led(dot: Any, box: Bbox, place: Place, unit: float) -> Any:
    """Return points along the line from a dot to its label, or none if the label is near."""
    dx, dy, ha, _ = place
    if np.hypot(dx, dy) <= NEAR:
        return np.empty((0, 2))
    to = np.array([box.x0 + ANCHORS[ha] * box.width, (box.y0 + box.y1) / 2])
    return _along(dot, to, unit)


def _cross(line: Any, other: Any) -> bool:
    """Return whether two straight lines cross, each given by points along it."""
    if not len(line) or not len(other):
        return False
    ends = np.array([line[0], line[-1]]), np.array([other[0], other[-1]])
    return all(
        bool((np.linalg.det([b - a, c - a]) > 0) != (np.linalg.det([b - a, d - a]) > 0))
        for (a, b), (c, d) in (ends, ends[::-1])
    )


def _along(start: Any, end: Any, unit: float) -> Any:
    number = 1 + int(np.hypot(*(end - start)) / (STEP * unit))
    return start + np.linspace(0, 1, number, endpoint=False)[:, None] * (end - start)


def _moved(text: Annotation, place: Place, renderer: Any) -> Bbox:
    dx, dy, ha, va = place
    text.set_position((dx, dy))
    text.set(ha=ha, va=va)
    return extent(text, renderer)


def extent(text: Text, renderer: Any) -> Bbox:
    """Return the box of a text on the canvas, without the line to its object."""
    if isinstance(text, Annotation):
        text.update_positions(renderer)
    return Text.get_window_extent(text, renderer)


def _points(axes: Axes, unit: float) -> Any:
    """Return canvas points of all dots, and along lines, close enough to notice a crossing."""
    points = [np.empty((0, 2))]
    for line in axes.lines:
        at = line.get_transform().transform(line.get_xydata())
        points += [at] * DOT
        if line.get_linestyle() != "None":
            points += [_along(a, b, unit) for a, b in zip(at, at[1:], strict=False)]
    return np.concatenate(points)


def _inside(points: Any, box: Bbox) -> Any:
    """Return a mask of the points inside a box."""
    return ((points > (box.x0, box.y0)) & (points < (box.x1, box.y1))).all(axis=1)


def _cost(box: Bbox, frame: Bbox, lines: Any, taken: Sequence[Bbox], unit: float) -> float:
    """Return the cost of a label in a box: covered objects, and its extent outside the axes."""
    wide = box.padded(2.0 * unit)
    covered = float(_inside(lines, wide).sum())
    out = max(frame.x0 - box.x0, box.x1 - frame.x1, frame.y0 + unit - box.y0, box.y1 - frame.y1, 0)
    over = sum(wide.overlaps(other) for other in taken)
    return covered + OVER * over + 10.0 * float(out)
