"""Figures: one style for all, colour-blind safe, direct labels, opaque ground for dark screens."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from urcx.complexity import forms
from urcx.errors import UsageError
from urcx.reports.output import atomic_file, check_plot, note

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from urcx.enumerate.conflicts import Conflicts
    from urcx.reports.ssc import Row

# Okabe and Ito's colours, told apart with every common kind of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C6D1F")
MARKERS = "osD^vP*X"
SIGNS = "●■◆▲▼✚★✖"  # the markers in a label, so that curves are told apart in grey as well
MARGIN = 0.1  # inches
MAX_PANELS = 4
MAX_DOTS = 600  # rows of a matrix that a panel shows one by one
RC: dict[Any, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "savefig.facecolor": "white",
    "svg.hashsalt": "urcx",  # the same figure gives the same file
    "svg.fonttype": "path",  # looks the same without the reader having the font
}

# What the paper's Figure 4 shows: its listing, as it was run (see `urcx verify`), with t and t' of
# each path; Skiriuk's path has Masters' curve there, Murray's that of Eq. 3.
PAPER = {"bell": (8, 6), "aseb": (12, 4), "masters": (16, 4), "skiriuk": (16, 4)}
PAPER_TABLE = {"bell": (7, 1.2e7), "aseb": (5, 1.9e8), "masters": (7, 4.3e9), "murray": (7, 5.9e9)}
LABEL_BOX = {"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.85}


def save(figure: Figure, file: FilePath) -> None:
    """Write a figure in the format that the file's suffix names; all of it or nothing."""
    check_plot(file, None)
    drawn = render(figure, file.suffix.lower()[1:])
    with atomic_file(file, "wb") as stream:
        stream.write(drawn)
    note(f"drew {file}")


def render(figure: Figure, suffix: str, *, captioned: bool = True) -> bytes:
    """Return a figure as a file of this suffix, ``svg``, ``pdf`` or ``png``; no date in it."""
    buffer = io.BytesIO()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[suffix]
    with rc_context(RC):
        if figure.get_layout_engine() is not None:  # takes as long as drawing, so only once
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
        for text in figure.texts:
            text.set_visible(captioned or text.get_text() != figure.get_supxlabel())
        box = figure.get_tightbbox().padded(MARGIN)
        figure.savefig(buffer, format=suffix, dpi=150, metadata=metadata, bbox_inches=box)
    return buffer.getvalue()


def new_figure(width: float, height: float, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """Return a figure of a size in inches, and its panels, next to each other."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, columns, squeeze=False)[0]
    return figure, list(axes)


def spread(positions: list[float], gap: float) -> list[float]:
    """Return label positions, in the order given, at least ``gap`` apart and near their places.

    Labels that would overlap form a cluster around their mean; clusters that meet are joined.
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
    return placed


@dataclass(frozen=True)
class End:
    """The right end of a curve, and the label that belongs to it."""

    x: float
    y: float
    text: str
    colour: str


def label_ends(axes: Axes, ends: list[End], gap: float) -> None:
    """Write labels: right of the axes for curves that reach it, beside their ends for others.

    ``gap`` is the least distance between two labels, as a share of the axes' height.
    """
    right = max(end.x for end in ends)
    scale = axes.yaxis.get_transform()
    low, high = (float(scale.transform([limit])[0]) for limit in axes.get_ylim())
    outside = [end for end in ends if end.x == right]
    heights = [(float(scale.transform([end.y])[0]) - low) / (high - low) for end in outside]
    for end, height in zip(outside, spread(heights, gap), strict=True):
        axes.annotate(
            end.text,
            xy=(1.02, height),
            xycoords="axes fraction",
            color=end.colour,
            va="center",
            fontsize=9,
            annotation_clip=False,
        )
    inside: list[tuple[float, float]] = []
    for end in ends:
        if end.x == right:
            continue
        height = (float(scale.transform([end.y])[0]) - low) / (high - low)
        # Below the end, or above it near the axis; one line further for each neighbour.
        lines = sum(abs(x - end.x) < right / 2 and abs(y - height) < 0.15 for x, y in inside)
        inside.append((end.x, height))
        axes.annotate(
            end.text,
            xy=(end.x, end.y),
            xytext=(4, 6 + 14 * lines if height < 0.15 else -10 - 14 * lines),
            textcoords="offset points",
            fontsize=8,
            color=end.colour,
            bbox=LABEL_BOX,
        )


def caption(figure: Figure, text: str) -> None:
    """Write a caption below the panels."""
    figure.supxlabel(text, fontsize=8.5, x=0.01, ha="left", color="#333333")


def paths_figure(rows: Sequence[Row]) -> Figure:
    """Return the paper's Figure 4 with exact values, and its own curves beside.

    Solid: exact. Dashed: the paper's curves, from p = 1 to t - 1 as there. Rings: the figures of
    its Table 1.
    """
    with rc_context(RC):
        figure, (axes,) = new_figure(8.6, 6.4)
        names = list(dict.fromkeys(row.path.name for row in rows))
        colours = {name: COLOURS[k % len(COLOURS)] for k, name in enumerate(names)}
        low, high = min(r.pieces for r in rows), max(r.pieces for r in rows)
        exact = {
            name: [(r.pieces, math.log10(r.exact)) for r in rows if r.path.name == name]
            for name in names
        }
        printed = {name: points for name in names if (points := _paper_curve(name, low, high))}
        ends = [
            *_draw(axes, exact, colours, "-", "{}"),
            *_draw(axes, printed, colours, "--", "{}, as printed"),
        ]
        rings = [n for n in names if n in PAPER_TABLE and low <= PAPER_TABLE[n][0] <= high]
        for name in rings:
            p, states = PAPER_TABLE[name]
            style: dict[str, Any] = {"mfc": "none", "mec": colours[name], "ms": 11, "mew": 1.6}
            axes.plot([p], [math.log10(states)], "o", **style)
        _whole_numbers(axes, low, high)
        label_ends(axes, ends, gap=0.036)
        axes.set_ylabel("diagrams, log10 (both home included)")
        axes.set_title(
            "State-space complexity of the paths: exact, and as once printed", loc="left"
        )
        caption(figure, _paths_caption(names, rings))
    return figure


def _whole_numbers(axes: Axes, low: int, high: int) -> None:
    """Set the axis of pieces: from half a piece before the first to half a piece after the last."""
    axes.set_xlim(low - 0.5, high + 0.5)
    axes.set_xlabel("pieces a side, p")
    if high - low < 16:
        axes.set_xticks(range(low, high + 1))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _draw(
    axes: Axes,
    curves: dict[str, list[tuple[int, float]]],
    colours: dict[str, str],
    line: str,
    label: str,
) -> list[End]:
    """Draw curves, equal ones once with all their names, and return their ends."""
    together: dict[tuple[tuple[int, float], ...], list[str]] = {}
    for name, points in curves.items():
        together.setdefault(tuple(points), []).append(name)
    ends = []
    for k, (curve, names) in enumerate(together.items()):
        x, y = zip(*curve, strict=True)
        colour = colours[names[0]]
        # A single dashed point needs a marker to be seen.
        marker = MARKERS[k % len(MARKERS)] if line == "-" else "." if len(x) == 1 else None
        axes.plot(x, y, line, color=colour, marker=marker, markersize=4, lw=1.6)
        ends.append(End(x[-1], y[-1], label.format(" = ".join(names)), colour))
    return ends


def _paper_curve(name: str, low: int, high: int) -> list[tuple[int, float]]:
    if name in PAPER:
        war, safe = PAPER[name]
        values = {p: forms.raposo_program(war, safe, p) for p in range(1, war)}
    elif name == "murray":
        values = {p: forms.raposo_murray(20, p) for p in range(1, 20)}
    else:
        return []
    return [(p, math.log10(value)) for p, value in values.items() if low <= p <= high]


def _paths_caption(names: list[str], rings: list[str]) -> str:
    """Return what the figure shows and how the paper differs, for the paths that are in it."""
    lines = ["Solid: exact, enumerated or by the tile polynomial; it rises with p throughout."]
    listed = [name for name in names if name in PAPER]
    if listed or "murray" in names:
        ways = ["their program"] if listed else []
        ways += ["their Eq. 3 (murray)"] if "murray" in names else []
        lines.append(
            f"Dashed: Figure 4 of Raposo and Lamont, recomputed by {' and '.join(ways)}"
            f"{'; rings: their Table 1' if rings else ''}."
        )
    if listed:
        lines.append(
            f"It lacks a factor and, beyond t/2 pieces, arrangements ({', '.join(listed)}): too "
            "few, and falling in the end."
        )
    if "masters" in names or "skiriuk" in names:
        which = " and ".join(name for name in ("masters", "skiriuk") if name in names)
        lines.append(f"For {which} it was run with all 16 tiles shared, where 12 are: too many.")
    if "masters" in names and "aseb" in names:
        lines.append("Exactly, masters and aseb are one curve: 4 private and 12 shared tiles both.")
    if "aseb" in rings:
        lines.append("The ring of aseb, said to be p = 5, is the program's value for p = 7.")
    if "murray" in names:
        lines.append("Eq. 3 leaves out which way a piece faces: a lower bound.")
    return "\n".join(lines)


def forms_figure(rows: Sequence[Row], without: Sequence[str] = ()) -> Figure:
    """Return the relative error of each form over p, a panel for each path.

    The error is (form - exact) / exact: linear from -1 to 1, logarithmic above. Forms in
    ``without`` are left out.

    Raises
    ------
    UsageError
        If there are more than `MAX_PANELS` paths.
    """
    with rc_context(RC):
        groups: dict[str, list[Row]] = {}
        for row in rows:
            groups.setdefault(row.path.name, []).append(row)
        if len(groups) > MAX_PANELS:
            raise UsageError(f"--compare forms draws at most {MAX_PANELS} paths, not {len(groups)}")
        figure, panels = new_figure(1.6 + 6.4 * len(groups), 5.6, len(groups))
        for axes, (name, group) in zip(panels, groups.items(), strict=True):
            _draw_errors(axes, group, without)
            axes.set_title(f"{name}: relative error of each form", loc="left")
        panels[0].set_ylabel("(form - exact) / exact")
        caption(
            figure,
            "Linear between -100 % and 100 %, logarithmic above. A form is drawn within the\n"
            "domain that its source gives it."
            + (f" Far above, and left out: {', '.join(without)}." if without else ""),
        )
    return figure


def _draw_errors(axes: Axes, rows: list[Row], without: Sequence[str]) -> None:
    low, high = min(row.pieces for row in rows), max(row.pieces for row in rows)
    axes.set_yscale("symlog", linthresh=1.0, linscale=2.0)
    ends = []
    exact = []
    for k, (name, form) in enumerate(forms.FORMS.items()):
        if name in without:
            continue
        points = [
            (row.pieces, float(Fraction(value, row.exact) - 1))
            for row in rows
            if (value := row.forms[name]) is not None
        ]
        if not points:
            continue
        if form.status == "exact":
            exact.append(name)
            continue
        x, y = zip(*points, strict=True)
        colour = COLOURS[k % len(COLOURS)]
        axes.plot(x, y, "-", color=colour, marker=MARKERS[k % 8], markersize=4, lw=1.5)
        ends.append(
            End(high, y[-1], f"{SIGNS[k % 8]} {name}", colour)
        )  # beside the axes: they end close together
    axes.plot([low, high], [0, 0], color="#000000", lw=1.2)
    ends.append(End(high, 0.0, "exact: " + ", ".join(exact), "#000000"))
    axes.set_ylim(bottom=-1.4)
    axes.yaxis.set_major_formatter(FuncFormatter(_percent))
    _whole_numbers(axes, low, high)
    label_ends(axes, ends, gap=0.045)


def _percent(value: float, _: Any = None) -> str:
    if abs(value) <= 1:
        return f"{value:+.0%}" if value else "0"
    return rf"$+10^{{{round(math.log10(value)) + 2}}}$ %"


def conflicts_figure(found: Sequence[Conflicts]) -> Figure:
    """Return the conflict matrices, a panel for each number of pieces; black is a conflict.

    Raises
    ------
    TooLargeError
        If a matrix is too large to draw.
    UsageError
        If there are more than `MAX_PANELS` matrices.
    """
    if len(found) > MAX_PANELS:
        raise UsageError(f"--plot draws at most {MAX_PANELS} matrices, not {len(found)}")
    matrices = [item.matrix() for item in found]
    with rc_context({**RC, "axes.grid": False}):
        figure, panels = new_figure(0.6 + 4.6 * len(found), 5.2, len(found))
        for axes, item, matrix in zip(panels, found, matrices, strict=True):
            # Beyond the figure's dots, shares of conflicts are shown rather than some of them.
            smooth = "antialiased" if len(matrix) > MAX_DOTS else "nearest"
            axes.imshow(matrix, cmap="Greys", interpolation=smooth, vmin=0, vmax=1)
            axes.set_title(
                f"p = {item.pieces}: {item.conflicts:,} of {item.pairs:,} pairs", loc="left"
            )
            axes.set_xlabel("dark's placement (lexicographic index)")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        panels[0].set_ylabel("light's placement (lexicographic index)")
        caption(
            figure,
            f"Black: both players would stand on one tile of {found[0].path.name}; white pairs are "
            "the diagrams.",
        )
    return figure
