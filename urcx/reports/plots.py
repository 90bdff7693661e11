"""Figures: one style for all, colour-blind safe, direct labels, opaque ground for dark screens."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
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
MAX_PANELS = 4
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

# What the paper's Figure 4 shows: its listing, as it was run. See `urcx verify`: t and t' of each
# path, and for Murray Eq. 3 instead. Skiriuk's path has Masters' curve there.
PAPER = {"bell": (8, 6), "aseb": (12, 4), "masters": (16, 4)}
PAPER_TABLE = {"bell": (7, 1.2e7), "aseb": (5, 1.9e8), "masters": (7, 4.3e9), "murray": (7, 5.9e9)}


def save(figure: Figure, file: FilePath) -> None:
    """Write a figure in the format that the file's suffix names; all of it or nothing."""
    check_plot(file)
    suffix = file.suffix.lower()[1:]
    buffer = io.BytesIO()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[suffix]
    with rc_context(RC):
        figure.savefig(buffer, format=suffix, dpi=150, metadata=metadata, bbox_inches="tight")
    with atomic_file(file, "wb") as stream:
        stream.write(buffer.getvalue())
    note(f"drew {file}")


def _figure(width: float, height: float, columns: int = 1) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, columns, squeeze=False)[0]
    return figure, list(axes)


def _spread(positions: list[float], gap: float) -> list[float]:
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


def _label_ends(axes: Axes, ends: list[tuple[float, float, str, str]], gap: float) -> None:
    """Write labels right of line ends given as (x, y, text, colour), without overlap."""
    heights = _spread([y for _, y, _, _ in ends], gap)
    right = max(x for x, _, _, _ in ends)
    for (_, y, text, colour), height in zip(ends, heights, strict=True):
        axes.annotate(
            text,
            xy=(right, y),
            xytext=(right + 0.03 * max(right, 8), height),
            color=colour,
            va="center",
            annotation_clip=False,
        )


def _caption(figure: Figure, text: str) -> None:
    figure.supxlabel(text, fontsize=8.5, x=0.01, ha="left", color="#333333")


def paths_figure(rows: Sequence[Row]) -> Figure:
    """Return the paper's Figure 4 with exact values, and its own curves beside.

    Solid: exact. Dashed: what the paper's program gives with the tiles it was run with (Eq. 3 for
    Murray), from p = 1 to t - 1 as there. Rings: the figures of its Table 1.
    """
    with rc_context(RC):
        figure, (axes,) = _figure(8.6, 6.4)
        curves: dict[str, list[Row]] = {}
        for row in rows:
            curves.setdefault(row.path.name, []).append(row)
        ends: list[tuple[float, float, str, str]] = []
        dashed_ends: list[tuple[float, float, str, str]] = []
        drawn: dict[tuple[int, ...], int] = {}
        low, high = min(r.pieces for r in rows), max(r.pieces for r in rows)
        differing = []
        for k, (name, group) in enumerate(curves.items()):
            colour = COLOURS[k % len(COLOURS)]
            x = [row.pieces for row in group]
            y = [math.log10(row.exact) for row in group]
            values = tuple(row.exact for row in group)
            if values in drawn:  # the same curve: one line, both names
                at = drawn[values]
                ends[at] = (*ends[at][:2], f"{ends[at][2]} = {name}", ends[at][3])
                colour = ends[at][3]
            else:
                drawn[values] = len(ends)
                axes.plot(x, y, "-", color=colour, marker=MARKERS[k % 8], markersize=4, lw=1.8)
                ends.append((x[-1], y[-1], name, colour))
            printed = _paper_curve(name, low, high)
            if printed:
                axes.plot(*zip(*printed, strict=True), "--", color=COLOURS[k % 8], lw=1.2)
                last, value = printed[-1]
                text = f"{name}, as printed"
                if last == high:
                    dashed_ends.append((last, value, text, COLOURS[k % 8]))
                else:
                    axes.annotate(
                        text,
                        xy=(last, value),
                        xytext=(4, -10),
                        textcoords="offset points",
                        fontsize=8,
                        color=COLOURS[k % 8],
                    )
                differing.append(name)
            if name in PAPER_TABLE and low <= PAPER_TABLE[name][0] <= high:
                p, states = PAPER_TABLE[name]
                axes.plot(
                    [p], [math.log10(states)], "o", mfc="none", mec=COLOURS[k % 8], ms=11, mew=1.6
                )
        _label_ends(axes, ends + dashed_ends, gap=0.035 * (axes.get_ylim()[1] - axes.get_ylim()[0]))
        axes.set_xlabel("pieces a side, p")
        axes.set_ylabel("diagrams, log10 (both home included)")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_title(
            "State-space complexity of the paths: exact, and as once printed", loc="left"
        )
        _caption(figure, _paths_caption(differing))
    return figure


def _paper_curve(name: str, low: int, high: int) -> list[tuple[float, float]]:
    if name in PAPER:
        war, safe = PAPER[name]
        values = {p: forms.raposo_program(war, safe, p) for p in range(1, war)}
    elif name == "murray":
        values = {p: forms.raposo_murray(20, p) for p in range(1, 20)}
    else:
        return []
    return [(p, math.log10(value)) for p, value in values.items() if low <= p <= high]


def _paths_caption(differing: list[str]) -> str:
    lines = ["Solid: exact (enumerated or by the tile polynomial); it rises with p throughout."]
    if differing:
        lines += [
            "Dashed: Figure 4 of Raposo and Lamont, recomputed with their program; rings: Table 1.",
            "Their bell and aseb lack a factor, and aseb turns down for want of arrangements.",
        ]
    if "aseb" in differing:
        lines.append("The ring of aseb, said to be p = 5, is the program's value for p = 7.")
    if "masters" in differing:
        lines.append(
            "Their masters counts all 16 tiles as shared; exactly, masters and aseb are one curve."
        )
    if "murray" in differing:
        lines.append("Their murray leaves out which way a piece faces: a lower bound.")
    return "\n".join(lines)


def forms_figure(rows: Sequence[Row]) -> Figure:
    """Return the relative error of each form over p, a panel for each path.

    The error is (form - exact) / exact: linear from -1 to 1, logarithmic above.

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
        figure, panels = _figure(1.6 + 6.4 * len(groups), 5.6, len(groups))
        for axes, (name, group) in zip(panels, groups.items(), strict=True):
            ends: list[tuple[float, float, str, str]] = []
            exact = []
            axes.set_yscale("symlog", linthresh=1.0, linscale=2.0)
            for k, form in enumerate(forms.FORMS):
                points = [
                    (row.pieces, (value - row.exact) / row.exact)
                    for row in group
                    if (value := row.forms[form]) is not None
                ]
                if not points:
                    continue
                if all(error == 0 for _, error in points):
                    exact.append(form)
                    continue
                colour = COLOURS[k % len(COLOURS)]
                x, y = zip(*points, strict=True)
                axes.plot(x, y, "-", color=colour, marker=MARKERS[k % 8], markersize=4, lw=1.5)
                ends.append((x[-1], y[-1], form, colour))
            right = max(row.pieces for row in group)
            axes.plot([min(row.pieces for row in group), right], [0, 0], color="#000000", lw=1.2)
            if exact:
                ends.append((right, 0.0, "exact: " + ", ".join(exact), "#000000"))
            _label_symlog(axes, [(right, *end[1:]) for end in ends])
            axes.yaxis.set_major_formatter(FuncFormatter(_percent))
            axes.set_xlabel("pieces a side, p")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.set_title(f"{name}: relative error of each form", loc="left")
        panels[0].set_ylabel("(form - exact) / exact")
        _caption(
            figure,
            "Linear between -100 % and 100 %, logarithmic above. A form is drawn within the domain "
            "that its source gives it.",
        )
    return figure


def _label_symlog(axes: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Write labels in the scale's own distances, which are not those of the data."""
    scale = axes.yaxis.get_transform()
    back = scale.inverted()
    heights = [float(scale.transform([y])[0]) for _, y, _, _ in ends]
    low, high = (float(scale.transform([limit])[0]) for limit in axes.get_ylim())
    placed = _spread(heights, 0.05 * (high - low))
    right = max(x for x, _, _, _ in ends)
    for (_, y, text, colour), height in zip(ends, placed, strict=True):
        axes.annotate(
            text,
            xy=(right, y),
            xytext=(right + 0.03 * max(right, 8), float(back.transform([height])[0])),
            color=colour,
            va="center",
            fontsize=9,
            annotation_clip=False,
        )


def _percent(value: float, _: Any = None) -> str:
    if abs(value) <= 1:
        return f"{value:+.0%}" if value else "0"
    exponent = round(math.log10(value))
    return rf"$\times 10^{{{exponent}}}$"


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
        figure, panels = _figure(0.6 + 4.6 * len(found), 5.2, len(found))
        for axes, item, matrix in zip(panels, found, matrices, strict=True):
            axes.imshow(matrix, cmap="Greys", interpolation="nearest", vmin=0, vmax=1)
            axes.set_title(
                f"p = {item.pieces}: {item.conflicts:,} of {item.pairs:,} pairs", loc="left"
            )
            axes.set_xlabel("dark's placement (lexicographic index)")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        panels[0].set_ylabel("light's placement (lexicographic index)")
        _caption(
            figure,
            f"Black: both players would stand on one tile of {found[0].path.name}; white pairs are "
            "the diagrams.",
        )
    return figure
