"""Figures in one style: one width and type size, colour-blind safe, direct labels, opaque.

Files have no title and caption, which a paper writes itself. Both are in the file's metadata, where
screen readers find them, and notebooks show them.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from matplotlib.transforms import Bbox

from urcx.complexity import forms
from urcx.engine.files.writing import atomic_file
from urcx.errors import UsageError
from urcx.reading import as_path
from urcx.reports.display.output import check_plot, note
from urcx.reports.display.provenance import provenance_text
from urcx.reports.figures.labels import (
    LINE,
    SIZE,
    End,
    label_beside,
    label_near,
    place_labels,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from urcx.enumerate.state_space import StateSpace, StateSpaces

# Okabe and Ito's colours and a brown, distinguishable with every common kind of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C5227")
GREY = "#999999"  # of guiding lines, and of curves in the background
MARKERS = "osD^vP*X"
SIGNS = "●■◆▲▼✚★✖"  # the markers in labels, so that curves are distinguishable in grey as well
GOLD, NAVY, CREAM = "#c9a227", "#23304d", "#fbf7ee"  # more and less than a value, and equal to it
WIDTH = 6.3  # inches: the width of the text on a page of paper
DPI = 200
MARGIN = 0.05  # inches above and below
LETTERS = 14.0  # of a caption per inch
MAX_PANELS = 4
DESCRIPTION = {"svg": "Description", "pdf": "Subject", "png": "Description"}  # in the metadata
RC: dict[Any, Any] = {
    "font.size": SIZE,
    "axes.titlesize": SIZE,
    "axes.labelsize": SIZE,
    "xtick.labelsize": SIZE,
    "ytick.labelsize": SIZE,
    "figure.titlesize": SIZE,
    "figure.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "savefig.facecolor": "white",
    "svg.hashsalt": "urcx",  # the same figure gives the same file
    "svg.fonttype": "path",  # looks the same if the reader does not have the font
}

# The paper's Figure 4: its program as it was run (see `urcx verify`), with t and t' of each path.
# There Skiriuk's path has Masters' curve, and Murray's path has the curve of Eq. 3.
PAPER = {"bell": (8, 6), "aseb": (12, 4), "masters": (16, 4), "skiriuk": (16, 4)}
PAPER_TABLE = {"bell": (7, 1.2e7), "aseb": (5, 1.9e8), "masters": (7, 4.3e9), "murray": (7, 5.9e9)}

# Each path has the same colour and marker in every figure. A rule set has the colour of its path,
# and another marker if it shares the path.
PATH_STYLES = dict(
    zip(
        ("bell", "aseb", "masters", "murray", "skiriuk"),
        zip(COLOURS, MARKERS, SIGNS, strict=True),
        strict=False,
    )
)
MOST_LETTERS = 40  # of the names of equal curves. Longer labels have only the first name
FAR = 1e4  # times the exact number: a form this far above would make all others illegible


@dataclass(frozen=True)
class Look:
    """The look of a curve: its colour, its marker, and the marker as a character in its label."""

    colour: str
    marker: str
    sign: str


def path_look(name: str, others: Sequence[str] = ()) -> Look:
    """Return the look of a path. A user's path gets a look by its place among ``others``.

    If the users' paths outnumber the other colours, all of them are grey, without a marker.
    """
    if name in PATH_STYLES:
        return Look(*PATH_STYLES[name])
    rest = [other for other in others if other not in PATH_STYLES]
    if len(rest) > len(COLOURS) - len(PATH_STYLES):
        return Look(GREY, "", "")
    k = (len(PATH_STYLES) + (rest.index(name) if name in rest else 0)) % len(COLOURS)
    return Look(COLOURS[k], MARKERS[k], SIGNS[k])


class Drawing(Figure):
    """A matplotlib figure that notebooks show and that saves itself completely."""

    def __repr__(self) -> str:
        return "<Drawing, which notebooks show; save(FILE) writes it>"

    def _repr_svg_(self) -> str:
        return render(self, "svg", captioned=True).decode()

    def save(self, file: str | FilePath) -> None:
        """Write the figure to a file, whose name ends in ``.svg``, ``.png`` or ``.pdf``.

        Raises
        ------
        UsageError
            If the name has another ending.
        UrcxError
            If the file cannot be written.
        """
        save(self, as_path(file), quiet=True)


def save(figure: Figure, file: FilePath, *, quiet: bool = False) -> None:
    """Write a figure in the format of the file's suffix, completely or not at all, with a note."""
    check_plot(file, None)
    drawn = render(figure, file.suffix.lower()[1:], about=provenance_text())
    with atomic_file(file, "wb") as stream:
        stream.write(drawn)
    if not quiet:
        note(f"drew {file}")


def render(
    figure: Figure, suffix: str, *, captioned: bool = False, about: str | None = None
) -> bytes:
    """Return the bytes of a figure as ``svg``, ``pdf`` or ``png``, without a date.

    ``captioned`` adds the title and the caption, which are always in the metadata. ``about`` is a
    description for the metadata.
    """
    buffer = io.BytesIO()
    undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(suffix, {})
    metadata = undated | {"Title": alt_text(figure)}
    metadata |= {} if about is None else {DESCRIPTION[suffix]: about}
    with rc_context(RC):
        place_labels(figure)  # as slow as drawing, so done once
        outside = figure.get_supxlabel(), figure.get_suptitle()
        for text in figure.texts:
            text.set_visible(captioned or text.get_text() not in outside)
        drawn = figure.get_tightbbox()
        # All figures have their full width. Above and below, nothing is left empty.
        box = Bbox.from_extents(0.0, drawn.y0 - MARGIN, figure.get_figwidth(), drawn.y1 + MARGIN)
        figure.savefig(buffer, format=suffix, dpi=DPI, metadata=metadata, bbox_inches=box)
    return buffer.getvalue()


def alt_text(figure: Figure) -> str:
    """Return the title and the caption of a figure as one text."""
    texts = (" ".join(text.split()) for text in (figure.get_suptitle(), figure.get_supxlabel()))
    return re.sub(r"\$10\^\{(.*?)\}\$", r"10^\1", ". ".join(filter(None, texts)))


def empty_figure(height: float) -> Drawing:
    """Return a figure of a height in inches, without panels."""
    figure = Drawing(figsize=(WIDTH, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def new_figure(
    height: float, columns: int = 1, rows: int = 1, **grid: Any
) -> tuple[Drawing, list[Axes]]:
    """Return a figure of a height in inches, and its panels by row. ``grid`` is for subplots."""
    figure = empty_figure(height)
    return figure, list(figure.subplots(rows, columns, squeeze=False, **grid).flat)


def power_label(exponent: float, _: Any = None) -> str:
    """Return the label of a power of ten at an axis of exponents."""
    return f"$10^{{{exponent:g}}}$"


def caption(figure: Figure, title: str, text: str) -> None:
    """Write a title above the panels and a caption below, and increase the height to fit.

    Powers such as ``10^8`` are written with an exponent.
    """
    width = int(LETTERS * figure.get_figwidth())
    above, below = (textwrap.wrap(words, width) for words in (title, text))
    lines = len(above) + len(below)
    figure.set_figheight(figure.get_figheight() + LINE * SIZE / 72 * lines)
    figure.suptitle("\n".join(above), x=0.01, ha="left")
    written = re.sub(r"10\^(-?\d+)", r"$10^{\1}$", "\n".join(below))
    figure.supxlabel(written, fontsize=SIZE, x=0.01, ha="left", color="#333333")


def paths_figure(rows: Sequence[StateSpace]) -> Drawing:
    """Return the paper's Figure 4 with exact values, next to the paper's curves.

    Solid curves are exact, with many users' paths in grey. Dashed curves are the paper's, from p =
    1 to t - 1 as printed. Rings are the figures of its Table 1.
    """
    with rc_context(RC):
        figure, (axes,) = new_figure(0.62 * WIDTH)
        looks, exact = _exact(rows)
        names = list(looks)
        low, high = min(r.pieces for r in rows), max(r.pieces for r in rows)
        printed = {name: points for name in names if (points := _paper_curve(name, low, high))}
        ends = [
            *_draw(axes, exact, looks, "-", "{}"),
            *_draw(axes, printed, looks, "--", "{}, as printed"),
        ]
        rings = [n for n in names if n in PAPER_TABLE and low <= PAPER_TABLE[n][0] <= high]
        for name in rings:
            p, states = PAPER_TABLE[name]
            style: dict[str, Any] = {"mfc": "none", "mec": looks[name].colour, "ms": 11, "mew": 1.6}
            axes.plot([p], [math.log10(states)], "o", **style)
        _pieces_axis(axes, low, high)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_formatter(FuncFormatter(power_label))
        axes.set_ylabel("configurations, both home included")
        others = sum(look.colour == GREY for look in looks.values())
        title = "State spaces: exact, and as printed in 2023"
        caption(figure, title, _paths_caption(names, rings, others))
        label_beside(axes, [end for end in ends if end.x == high])
        label_near(axes, [end for end in ends if end.x != high])
    return figure


def exact_figure(rows: Sequence[StateSpace]) -> Drawing:
    """Return the exact numbers of several paths."""
    with rc_context(RC):
        figure, (axes,) = new_figure(0.62 * WIDTH)
        looks, exact = _exact(rows)
        ends = _draw(axes, exact, looks, "-", "{}")
        low, high = min(r.pieces for r in rows), max(r.pieces for r in rows)
        _pieces_axis(axes, low, high)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_formatter(FuncFormatter(power_label))
        axes.set_ylabel("configurations")
        others = sum(look.colour == GREY for look in looks.values())
        grey = f"Grey: {others} other paths, some with equal numbers." if others else ""
        caption(figure, "State spaces by the number of pieces, exact", grey)
        label_beside(axes, ends)
    return figure


def spaces_figure(result: StateSpace | StateSpaces, kind: str | None = None) -> Drawing:
    """Return a figure of ``paths`` with printed curves, ``exact`` numbers, or errors of ``forms``.

    The default is ``paths`` for a single path, and ``exact`` for several paths.
    """
    rows = getattr(result, "rows", [result])
    several = len({row.path.name for row in rows}) > 1
    figures = {"paths": paths_figure, "exact": exact_figure, "forms": forms_figure}
    return figures[kind or ("exact" if several else "paths")](rows)


def _exact(
    rows: Sequence[StateSpace],
) -> tuple[dict[str, Look], dict[str, list[tuple[int, float]]]]:
    """Return the look of each path, and the logarithms of its exact numbers, by name."""
    names = list(dict.fromkeys(row.path.name for row in rows))
    points = {
        name: [(r.pieces, math.log10(r.exact)) for r in rows if r.path.name == name]
        for name in names
    }
    return {name: path_look(name, names) for name in names}, points


def _pieces_axis(axes: Axes, low: int, high: int) -> None:
    """Set the axis of pieces, with half a piece of margin on both sides."""
    axes.set_xlim(low - 0.5, high + 0.5)
    axes.set_xlabel("pieces per side, p")
    if high - low < 16:
        axes.set_xticks(range(low, high + 1))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _draw(
    axes: Axes,
    curves: dict[str, list[tuple[int, float]]],
    looks: dict[str, Look],
    line: str,
    label: str,
) -> list[End]:
    """Draw curves and return their ends. Equal curves are drawn once, with all names that fit.

    Grey curves have no names.
    """
    together: dict[tuple[tuple[int, float], ...], list[str]] = {}
    for name, points in curves.items():
        together.setdefault(tuple(points), []).append(name)
    ends = []
    for curve, names in together.items():
        x, y = zip(*curve, strict=True)
        named = [name for name in names if looks[name].colour != GREY]
        if not named:
            axes.plot(x, y, color=GREY, marker="." if len(x) == 1 else None, lw=1.0, zorder=1)
            continue
        look = looks[named[0]]
        # A single dashed point needs a marker to be seen.
        marker = look.marker if line == "-" else "." if len(x) == 1 else None
        axes.plot(x, y, line, color=look.colour, marker=marker, markersize=4, lw=1.6)
        ends.append(End(x[-1], y[-1], label.format(named_alike(named)), look.colour))
    return ends


def named_alike(names: Sequence[str]) -> str:
    """Return all names of equal curves, or the first name and the number of others."""
    text = " = ".join(names)
    if len(names) == 1 or len(text) <= MOST_LETTERS:
        return shortened(text)
    return f"{shortened(names[0])} and {len(names) - 1} equal"


def _paper_curve(name: str, low: int, high: int) -> list[tuple[int, float]]:
    if name in PAPER:
        war, safe = PAPER[name]
        values = {p: forms.raposo_program(war, safe, p) for p in range(1, war)}
    elif name == "murray":
        values = {p: forms.raposo_murray(20, p) for p in range(1, 20)}
    else:
        return []
    return [(p, math.log10(value)) for p, value in values.items() if low <= p <= high]


def _paths_caption(names: list[str], rings: list[str], others: int) -> str:
    """Return a text on the curves, and on the paper's differences, for the paths in the figure."""
    lines = ["Solid: exact numbers."]
    if others:
        lines.append(f"Grey: {others} other paths, some with equal numbers.")
    listed = [name for name in names if name in PAPER]
    if listed or "murray" in names:
        source = ["their program"] if listed else []
        source += ["their Eq. 3 (murray)"] if "murray" in names else []
        lines.append(
            f"Dashed: Figure 4 of Raposo and Lamont, computed with {' and '.join(source)}."
        )
    if rings:
        lines.append("Rings: their Table 1.")
    if listed:
        lines.append("The program omits a factor, and some arrangements of many pieces.")
    if "masters" in names or "skiriuk" in names:
        which = " and ".join(name for name in ("masters", "skiriuk") if name in names)
        lines.append(f"For {which} it used 16 shared tiles instead of 12.")
    if "aseb" in rings:
        lines.append("Table 1 prints its value for aseb with p = 7 as the value for p = 5.")
    if "murray" in names:
        lines.append("Eq. 3 ignores which lap a piece is on, so it is a lower bound.")
    return " ".join(lines)


def far_off(rows: Sequence[StateSpace]) -> list[str]:
    """Return the forms so far above the exact numbers that the others would be illegible.

    Return an empty list if this would leave out every inexact form.
    """
    worst: dict[str, Fraction] = {}
    for row in rows:
        for name, value in row.forms.items():
            if value is not None and forms.FORMS[name].status != "exact":
                worst[name] = max(worst.get(name, Fraction(0)), Fraction(value, row.exact))
    far = [name for name, factor in worst.items() if factor > FAR]
    return far if len(far) < len(worst) else []


def forms_figure(rows: Sequence[StateSpace]) -> Drawing:
    """Return the relative error of each form over p, a panel for each path.

    The error is (form - exact) / exact, on an axis that is linear from -1 to 1 and logarithmic
    above. Forms that are `far_off` are left out, and the caption has their errors.

    Raises
    ------
    UsageError
        If there are more than `MAX_PANELS` paths.
    """
    with rc_context(RC):
        groups: dict[str, list[StateSpace]] = {}
        for row in rows:
            groups.setdefault(row.path.name, []).append(row)
        if len(groups) > MAX_PANELS:
            raise UsageError(
                f"--compare forms: must be at most {MAX_PANELS} paths, not {len(groups)}"
            )
        figure, panels = new_figure(3.6 * len(groups), rows=len(groups), sharex=True)
        without = far_off(rows)
        ends = []
        for axes, (name, group) in zip(panels, groups.items(), strict=True):
            ends.append(_draw_errors(axes, group, without))
            axes.set_ylabel("(form - exact) / exact")
            if len(groups) > 1:
                axes.set_title(name, loc="left")
        for axes in panels[:-1]:
            axes.set_xlabel("")
        text = (
            "The axis is linear between -100 % and 100 %, and logarithmic above. Each form is "
            "drawn for the p that its source allows."
        )
        if without:
            named = "; ".join(_far(rows, name) for name in without)
            text += f" Not shown, because their errors are too great: {named}."
        caption(figure, f"{', '.join(groups)}: relative error of each form", text)
        for axes, curves in zip(panels, ends, strict=True):
            label_near(axes, curves)
    return figure


def _far(rows: Sequence[StateSpace], name: str) -> str:
    """Return a text on a form's errors in percent, as powers of ten."""
    factors = [Fraction(v, row.exact) for row in rows if (v := row.forms[name]) is not None]
    low, high = (10 ** math.floor(math.log10(f) + 2) for f in (min(factors), max(factors)))
    powers = [f"10^{round(math.log10(value))}" for value in dict.fromkeys((low, high))]
    return f"{name}, {' to '.join(powers)} % above"


def _draw_errors(axes: Axes, rows: list[StateSpace], without: Sequence[str]) -> list[End]:
    """Draw the errors on a path, and return labels where the curves are furthest apart."""
    low, high = min(row.pieces for row in rows), max(row.pieces for row in rows)
    axes.set_yscale("symlog", linthresh=1.0, linscale=2.0)
    exact = [name for name, form in forms.FORMS.items() if form.status == "exact"]
    exact = [name for name in exact if any(row.forms[name] is not None for row in rows)]
    drawn = [name for name, form in forms.FORMS.items() if form.status != "exact"]
    curves = {
        k: {
            row.pieces: float(Fraction(value, row.exact) - 1)
            for row in rows
            if (value := row.forms[name]) is not None
        }
        for k, name in enumerate(drawn)
        if name not in without
    }
    ends = []
    for k, curve in curves.items():
        if not curve:
            continue
        axes.plot(
            *zip(*curve.items(), strict=True), color=COLOURS[k], marker=MARKERS[k], ms=4, lw=1.5
        )
        others = [other for n, other in curves.items() if n != k]
        at = max(curve, key=lambda p: min(abs(curve[p] - c.get(p, 0.0)) for c in [*others, {}]))
        ends.append(End(at, curve[at], f"{SIGNS[k]} {drawn[k]}", COLOURS[k]))
    axes.plot([low, high], [0, 0], color="#000000", lw=1.2)
    # Two lines, because a single line would cover the curves that descend to the right.
    named = textwrap.fill("exact: " + ", ".join(exact), 24)
    ends.append(End((low + high) / 2, 0.0, named, "#000000"))
    axes.set_ylim(bottom=-1.4)
    axes.yaxis.set_major_formatter(FuncFormatter(_percent))
    _pieces_axis(axes, low, high)
    return ends


def _percent(value: float, _: Any = None) -> str:
    if abs(value) <= 1:
        return f"{100 * value:+.0f} %" if value else "0"
    return rf"$+10^{{{round(math.log10(value)) + 2}}}$ %"
