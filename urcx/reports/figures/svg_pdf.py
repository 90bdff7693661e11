"""Pages of SVG as PDF: what boards and sheets are made of, drawn once more by matplotlib.

It knows the elements of `urcx.reports.figures.board_svg` and of the sheets, and no others.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from xml.parsers.expat import ParserCreate

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from urcx.reports.figures.plots import RC

Attributes = dict[str, str]

INK = "#1b1d21"
POINTS = 72 / 254  # to a tenth of a millimetre
NUMBER = re.compile(r"-?[0-9.]+")
MOVES = {"translate": "translate", "scale": "scale", "rotate": "rotate_deg"}
BEGIN = {"fill": "none", "stroke": "none", "stroke-width": "1", "font-size": "24"}
ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def pdf(pages: Sequence[str], about: str) -> bytes:
    """Return pages of SVG, measured in tenths of a millimetre, as a PDF without a date.

    ``about`` is its subject in the metadata.
    """
    buffer = io.BytesIO()
    settings = {**RC, "pdf.fonttype": 42}
    with (
        rc_context(settings),
        PdfPages(buffer, metadata={"CreationDate": None, "Subject": about}) as file,
    ):
        for page in pages:
            file.savefig(_Page(page).figure)
    return buffer.getvalue()


class _Page:
    """A page as a figure; elements are drawn as they are read."""

    def __init__(self, page: str) -> None:
        parser = ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._begin, self._end
        parser.CharacterDataHandler = self._say
        self.outer: list[tuple[Affine2D, Attributes]] = []  # of the elements that are open
        self.text = ""
        parser.Parse(page, True)

    def _begin(self, kind: str, given: Attributes) -> None:
        if not self.outer:
            _, _, width, height = _numbers(given["viewBox"])
            self.figure = Figure(figsize=(width / 254, height / 254))
            FigureCanvasPdf(self.figure)
            self.axes = self.figure.add_axes((0, 0, 1, 1))
            self.axes.set(xlim=(0, width), ylim=(height, 0))
            self.axes.set_axis_off()
            to_page, style = Affine2D(), BEGIN | given
        else:
            to_page, style = _moved(given, self.outer[-1][0]), self.outer[-1][1] | given
        self.outer.append((to_page, style))
        self.text = ""
        if kind in SHAPES:
            self._draw(SHAPES[kind](given), to_page, style)

    def _say(self, text: str) -> None:
        self.text += text

    def _end(self, kind: str) -> None:
        to_page, style = self.outer.pop()
        if kind == "text":
            x, y = to_page.transform([float(style["x"]), float(style["y"])])
            self.axes.text(
                x, y, self.text, size=float(style["font-size"]) * _scale(to_page),
                color=_colour(style["fill"]), alpha=float(style.get("fill-opacity", 1)),
                ha=ANCHORS[style.get("text-anchor", "start")], va="baseline", parse_math=False,
                weight="bold" if "font-weight" in style else "normal",
            )  # fmt: skip

    def _draw(self, shape: Path, to_page: Affine2D, style: Attributes) -> None:
        fill, edge = (_colour(style[name]) for name in ("fill", "stroke"))
        width = float(style["stroke-width"]) * _scale(to_page) if edge != "none" else 0.0
        patch = PathPatch(to_page.transform_path(shape), edgecolor=edge, linewidth=width)
        opacity = float(style.get("fill-opacity", 1))
        patch.set_facecolor("none" if fill == "none" else (fill, opacity))
        self.axes.add_patch(patch)


def _numbers(text: str) -> list[float]:
    return list(map(float, NUMBER.findall(text)))


def _scale(to_page: Affine2D) -> float:
    """Return how many points a length is on the page."""
    return float(np.sqrt(abs(np.linalg.det(to_page.get_matrix()[:2, :2])))) * POINTS


def _moved(given: Attributes, outer: Affine2D) -> Affine2D:
    """Return the way from an element's lengths to those of the page."""
    here = Affine2D()
    if "viewBox" in given:  # a board in its place
        left, top, width, _ = _numbers(given["viewBox"])
        here.translate(-left, -top).scale(float(given["width"]) / width)
        here.translate(float(given["x"]), float(given["y"]))
    for name, text in reversed(re.findall(r"(\w+)\(([^)]*)\)", given.get("transform", ""))):
        getattr(here, MOVES[name])(*_numbers(text))
    return Affine2D((here + outer).get_matrix())


def _colour(name: str) -> str:
    return INK if name == "currentColor" else name


def _rect(given: Attributes) -> Path:
    x, y, width, height = (float(given[name]) for name in ("x", "y", "width", "height"))
    return Path.unit_rectangle().transformed(Affine2D().scale(width, height).translate(x, y))


def _ellipse(given: Attributes) -> Path:
    x, y = (float(given.get(name, 0)) for name in ("cx", "cy"))
    wide, high = (float(given.get(name) or given["r"]) for name in ("rx", "ry"))
    return Path.unit_circle().transformed(Affine2D().scale(wide, high).translate(x, y))


def _polyline(given: Attributes) -> Path:
    return Path(np.reshape(_numbers(given["points"]), (-1, 2)))


SHAPES = {"rect": _rect, "circle": _ellipse, "ellipse": _ellipse, "polyline": _polyline}
