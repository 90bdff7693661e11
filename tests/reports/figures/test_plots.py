from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

import urcx
from urcx.enumerate.conflicts import conflicts
from urcx.enumerate.state_space import StateSpace, state_spaces
from urcx.errors import UrcxError, UsageError
from urcx.reports.figures import plots


def _rows(*names: str, top: int = 15) -> list[StateSpace]:
    return [state_spaces(urcx.path(name), p) for name in names for p in range(1, top + 1)]


def _heights(line: Line2D) -> list[float]:
    return [float(y) for y in np.asarray(line.get_ydata())]


def _labels(figure: Figure) -> list[Annotation]:
    return [a for axes in figure.axes for a in axes.texts if isinstance(a, Annotation)]


def test_figure_4_has_every_path_and_the_paper_beside() -> None:
    figure = plots.paths_figure(_rows("bell", "aseb", "masters", "murray", "skiriuk"))
    texts = {label.get_text() for label in _labels(figure)}
    assert {"bell", "aseb = masters", "murray", "skiriuk"} <= texts
    printed = {"bell", "aseb", "masters = skiriuk", "murray"}
    assert {f"{names}, as printed" for names in printed} <= texts
    (axes,) = figure.axes
    assert "log10" in axes.get_ylabel()
    assert "p" in axes.get_xlabel()
    solid = [line for line in axes.lines if line.get_linestyle() == "-"]
    # Exact curves rise throughout: that is what the paper's do not.
    for line in solid:
        heights = _heights(line)
        assert heights == sorted(heights)
    dashed = [_heights(line) for line in axes.lines if line.get_linestyle() == "--"]
    assert any(heights != sorted(heights) for heights in dashed)


def test_relative_errors_of_forms() -> None:
    figure = plots.forms_figure(_rows("bell", "murray", top=7))
    # A curve's label begins with its marker.
    texts = {label.get_text().lstrip(f"{plots.SIGNS} ") for label in _labels(figure)}
    assert "exact: tile-polynomial,\nreader, michon" in texts
    assert {"binomial", "raposo", "raposo-equations", "raposo-program"} <= texts
    # The binomial's error at p = 7, from the post's two tables.
    (binomial,) = [line for line in figure.axes[0].lines if line.get_color() == plots.COLOURS[3]]
    error = (130_873_600 - 137_913_936) / 137_913_936
    assert _heights(binomial)[-1] == pytest.approx(error)


def test_forms_far_above_are_left_out_and_the_caption_says_so() -> None:
    rows = _rows("bell", "masters")
    assert plots.far_off(rows) == ["bits", "bits-pieces"]
    figure = plots.forms_figure(rows)
    labels = " ".join(label.get_text() for label in _labels(figure))
    assert "bits" not in labels
    assert max(axes.get_ylim()[1] for axes in figure.axes) < 100, "what is left is not squeezed"
    text = " ".join(figure.get_supxlabel().split())
    # The greatest factor: 2^(15 * 2 * 5) over the diagrams of masters with 15 pieces.
    worst = max(2 ** (2 * 5 * row.pieces) / row.exact for row in rows if row.path.name == "masters")
    assert f"bits-pieces, 10^2 to 10^{int(np.log10(worst)) + 2} % above" in text
    # Where nothing else would be left, all is drawn.
    only = [replace(row, forms={"bits": 10**9 * row.exact}) for row in rows[:3]]
    assert plots.far_off(only) == []


def test_a_path_looks_the_same_in_every_figure() -> None:
    looks = [plots.path_look(name) for name in plots.PATH_STYLES]
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == 5
    for names in (("bell",), ("murray", "bell"), ("skiriuk", "michon-double-short", "bell")):
        figure = plots.paths_figure(_rows(*names, top=5))
        drawn = {line.get_color() for line in figure.axes[0].lines}
        assert {
            plots.path_look(name).colour for name in names if name in plots.PATH_STYLES
        } <= drawn
    # Paths of others take what the sources' leave, and not all the same.
    mine = [plots.path_look(name, ["bell", "x", "y", "z"]) for name in ("x", "y", "z")]
    assert len({look.colour for look in (*mine, *looks)}) == 8
    rules = [
        plots.rules_look(urcx.ruleset(name)) for name in ("finkel", "masters", "blitz", "aseb")
    ]
    assert [look.colour for look in rules] == [
        plots.path_look(name).colour for name in ("bell", "masters", "masters", "aseb")
    ]
    assert len({look.marker for look in rules}) == 4


def test_titles_are_left_out_where_the_page_has_them() -> None:
    figure = plots.forms_figure(_rows("bell", top=4))
    with_it, without = (plots.render(figure, "svg", captioned=on) for on in (True, False))
    assert b"bell: relative error of each form" in with_it
    assert b"bell: relative error of each form" not in without
    assert b"Linear between" in with_it
    assert b"Linear between" not in without
    assert plots.render(figure, "svg") == with_it


def test_conflict_matrices() -> None:
    found = [conflicts(urcx.path("bell"), p) for p in (1, 2)]
    figure = plots.conflicts_figure(found)
    images = [axes.get_images()[0].get_array() for axes in figure.axes]
    assert [int(image.sum()) for image in images if image is not None] == [8, 1772]


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_files_are_complete_repeatable_and_opaque(tmp_path: Path, suffix: str) -> None:
    files = [tmp_path / f"{k}{suffix}" for k in range(2)]
    for file in files:
        plots.save(plots.paths_figure(_rows("bell", top=4)), file)
    assert files[0].read_bytes() == files[1].read_bytes()
    if suffix == ".svg":
        text = files[0].read_text()
        ET.fromstring(text)  # noqa: S314 - our own file
        assert "#ffffff" in text
    assert sorted(tmp_path.iterdir()) == files


def test_refuses_what_it_cannot_draw(tmp_path: Path) -> None:
    figure = plots.paths_figure(_rows("bell", top=2))
    with pytest.raises(UsageError, match=r"must end in \.svg"):
        plots.save(figure, tmp_path / "figure.jpg")
    with pytest.raises(UrcxError, match="no directory"):
        plots.save(figure, tmp_path / "missing" / "figure.svg")
    with pytest.raises(UsageError, match="at most 4 paths"):
        plots.forms_figure(_rows(*urcx.path_names()[:5], top=1))
    with pytest.raises(UsageError, match="at most 4 matrices"):
        plots.conflicts_figure([conflicts(urcx.path("bell"), 1)] * 5)


def test_names_of_many_paths_leave_room_for_the_curves() -> None:
    figure = plots.paths_figure(_rows(*urcx.path_names(), top=7))
    figure.canvas.draw()
    (axes,) = figure.axes
    assert axes.get_window_extent().width > 0.5 * figure.bbox.width
    assert any(text.get_text().endswith(" and 3 alike") for text in axes.texts)
