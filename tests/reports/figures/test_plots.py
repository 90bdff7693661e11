from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

import urcx
from urcx.enumerate.state_space import StateSpace, state_spaces
from urcx.errors import UrcxError, UsageError
from urcx.reports.figures import game_plots, plots, strategy_plots
from urcx.rules.catalogue import catalogue
from urcx.strategy.gain import gain
from urcx.strategy.journey import light_journeys


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
    assert axes.yaxis.get_major_formatter()(8) == "$10^{8}$"
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
    assert {"bits", "bits-pieces"} <= set(plots.far_off(rows))
    figure = plots.forms_figure(rows)
    labels = " ".join(label.get_text() for label in _labels(figure))
    assert "bits" not in labels
    assert max(axes.get_ylim()[1] for axes in figure.axes) < 100, "what is left is not squeezed"
    text = " ".join(figure.get_supxlabel().split())
    # The greatest factor: 2^(15 * 2 * 5) over the diagrams of masters with 15 pieces.
    worst = max(2 ** (2 * 5 * row.pieces) / row.exact for row in rows if row.path.name == "masters")
    assert f"bits-pieces, $10^{{2}}$ to $10^{{{int(np.log10(worst)) + 2}}}$ % above" in text
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


def test_exact_numbers_for_print() -> None:
    rows = _rows("bell", "masters", top=5)
    figure = plots.exact_figure(rows)
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == figure.get_supxlabel() == ""
    assert "exact" in figure.get_suptitle()
    assert {label.get_text() for label in _labels(figure)} == {"bell", "masters"}
    for line, name in zip(axes.lines, ("bell", "masters"), strict=True):
        sizes = [np.log10(row.exact) for row in rows if row.path.name == name]
        assert _heights(line) == pytest.approx(sizes)
    # The figure of a result: of one path beside what was printed.
    assert len(urcx.figure(urcx.ssc(["bell", "aseb"], [1, 2])).axes[0].lines) == 2
    assert "as printed" in urcx.figure(urcx.ssc("bell", [1, 2])).get_suptitle()


def test_titles_are_drawn_on_request_and_always_in_the_metadata() -> None:
    figure = plots.forms_figure(_rows("bell", top=4))
    with_it, without = (plots.render(figure, "svg", captioned=on) for on in (True, False))
    for text in (b"bell: relative error of each form", b"The axis is linear"):
        assert b"<!-- " + text in with_it, "not drawn"
        assert b"<!-- " + text not in without
        assert text in without[: without.index(b"<metadata>")], "no title for screen readers"
    assert plots.render(figure, "svg") == without
    assert "<!-- bell: relative error" in figure._repr_svg_(), "a notebook has no other title"


def test_a_figure_that_is_laid_out_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = plots.forms_figure(_rows("bell", top=4))
    plots.render(figure, "svg")
    drawn: list[Figure] = []
    draw = Figure.draw

    def listed(self: Figure, renderer: Any) -> None:
        drawn.append(self)
        draw(self, renderer)

    monkeypatch.setattr(Figure, "draw", listed)
    plots.render(figure, "png")
    assert drawn == [figure]


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


def test_many_paths_are_grey_and_the_five_of_the_sources_are_named() -> None:
    figure = plots.paths_figure(_rows(*urcx.path_names(), top=7))
    figure.canvas.draw()
    (axes,) = figure.axes
    assert axes.get_window_extent().width > 0.5 * figure.bbox.width
    texts = " ".join(label.get_text() for label in _labels(figure))
    assert all(name in texts for name in plots.PATH_STYLES)
    assert "michon" not in texts
    solid = {line.get_color() for line in axes.lines if line.get_linestyle() == "-"}
    five = {plots.PATH_STYLES[name][0] for name in ("bell", "masters", "murray", "skiriuk")}
    assert solid == {plots.GREY, *five}, "aseb and masters are one curve"
    number = len(urcx.path_names()) - len(plots.PATH_STYLES)
    assert f"Grey: {number} other paths" in " ".join(figure.get_supxlabel().split())


# What people without one kind of cones see, of linear red, green and blue: Machado, Oliveira and
# Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency (2009).
DICHROMACIES = {
    "none": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
APART = 15.0  # CIE 1976; 2.3 is what can just be told


def _seen(colours: Sequence[str], sight: Any) -> Any:
    """Return how colours look with a kind of sight, in CIE L*a*b*."""
    codes = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in colours]) / 255
    linear = np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)
    xyz = np.clip(linear @ np.transpose(sight), 0, 1) @ np.transpose(XYZ) / np.sum(XYZ, axis=1)
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


@pytest.mark.parametrize("sight", DICHROMACIES)
def test_colours_are_told_apart_with_every_kind_of_sight(sight: str) -> None:
    style = resources.files("urcx").joinpath("reports/templates/report.css").read_text()
    light, dark = (
        dict(re.findall(r"--(c\d|ink): (#\w+)", root))
        for root in re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    )
    for palette in (plots.COLOURS, list(light.values()), list(dark.values())):
        assert len(palette) == len(plots.COLOURS)
        seen = _seen(palette, DICHROMACIES[sight])
        for a, b in combinations(range(len(palette)), 2):
            gap = float(np.linalg.norm(seen[a] - seen[b]))
            assert gap > APART, f"{palette[a]} and {palette[b]}: {gap:.1f}"


def test_a_journey_has_a_tick_for_each_tile_and_two_curves() -> None:
    figure = strategy_plots.journey_figure(light_journeys(urcx.ruleset("finkel"), range(1, 16)))
    (axes,) = figure.axes
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    assert ticks[:5] == ["A4", "A3", "A2", "A1*", "B1"]
    assert ticks[-1] == "home"
    thumb, passing = map(_heights, axes.lines)
    assert thumb[3] == 2.0
    assert passing[3] == pytest.approx(120784 / 50625)
    with pytest.raises(UsageError, match="several steps"):
        urcx.figure(urcx.journey(to=4))
    with pytest.raises(UsageError, match="leave out --pieces and --within"):
        urcx.figure(urcx.journey(pieces=1))


def test_gains_are_bars_in_a_panel_for_each_reading() -> None:
    tables, *others = strategy_plots.gain_figure(gain("2/3,6/5-5/L", "finkel")).axes
    assert [label.get_text() for label in tables.get_yticklabels()] == ["AA", "AB", "BA", "BB"]
    shown = [text.get_text() for text in tables.texts]
    assert shown == ["-3.64", "-2.99", "-1.27", "-5.55"], "Table 3 of Raposo and Lamont"
    assert len(others) == 2


def test_a_mistake_is_named_by_its_tiles_and_what_it_costs() -> None:
    file = Path(__file__).parents[3] / "docs/examples/game.txt"
    texts = {
        label.get_text() for label in _labels(urcx.figure(urcx.review(urcx.read_game(file))).figure)
    }
    assert {"C2 to B1 loses 8.97", "A2 to B1 loses 4.62"} <= texts


def test_only_graded_decisions_are_marked() -> None:
    file = Path(__file__).parents[3] / "docs/examples/game.txt"
    result = urcx.review(urcx.read_game(file))
    (axes,) = urcx.figure(result).axes
    marks = [line for line in axes.lines if line.get_linestyle() == "None"]
    marked = np.sort(np.concatenate([np.asarray(line.get_xdata()) for line in marks]))
    assert marked.tolist() == [ply.number for ply in result.plies if ply.grade]


def test_conventions_of_exact_means_are_dots_among_the_lines_of_other_games() -> None:
    rules = urcx.ruleset("finkel", pieces=1)
    found = urcx.gtc("random", rules=rules, exact=True)
    moves, sizes = urcx.figure(found).axes
    assert found.expected is not None
    lengths = np.array([bar.get_width() for bar in moves.containers[0]])
    assert lengths.sum() == pytest.approx(100)
    plies = found.expected.by_choices.sum(axis=0)
    assert lengths[0] == pytest.approx(100 * plies[0] / plies.sum())
    names = [label.get_text() for label in sizes.get_yticklabels()]
    assert "raposo-lamont-both   $10^{10.7}$" in names
    dots = [line for line in sizes.lines if line.get_marker() == "o"]
    assert [float(np.asarray(dot.get_xdata())[0]) for dot in dots] == [
        pytest.approx(size) for size, _ in found.exact.values()
    ]
    dotted = [line for line in sizes.lines if line.get_linestyle() == ":"]
    lines = [float(np.asarray(line.get_xdata())[0]) for line in dotted]
    assert lines == [31.0, 91.0, 123.0, 144.0], "Table 1 of Raposo and Lamont"
    assert {text.get_text() for text in sizes.texts} == {"Checkers", "Ludo", "Chess", "Backgammon"}
    assert "states" not in sizes.get_xlabel(), "conventions differ in the tree alone"
    exact = urcx.lengths("random", rules=rules)
    assert len(game_plots.tree_figure(replace(found, lengths=exact)).axes) == 3


def test_kinds_of_dice_have_panels_of_their_own() -> None:
    kinds = list(catalogue().dice.values())
    figure = urcx.figure(urcx.dice_chances()).figure
    titles = [axes.get_title(loc="left").partition(":")[0] for axes in figure.axes]
    assert titles == [kind.name for kind in kinds]
    (one,) = urcx.figure(urcx.dice_chances("binary4")).axes
    assert [bar.get_height() for bar in one.containers[0]] == [6.25, 25.0, 37.5, 25.0, 6.25]
    with pytest.raises(UsageError, match="not of sum"):
        urcx.figure(urcx.dice_chances(sum=4))


def test_every_figure_has_a_title_and_a_caption_that_is_soon_read() -> None:
    rows = _rows(*plots.PATH_STYLES, top=7)
    figures = [
        plots.paths_figure(rows),
        plots.forms_figure(rows[:7]),
        strategy_plots.dice_figure(urcx.dice_chances()),
        strategy_plots.journey_figure(light_journeys(urcx.ruleset("finkel"), range(1, 16))),
        strategy_plots.gain_figure(gain("2/3,6/5-5/L", "finkel")),
    ]
    for figure in figures:
        titles = [figure.get_suptitle(), *(axes.get_title(loc="left") for axes in figure.axes)]
        assert any(titles)
        assert len(figure.get_supxlabel().split()) <= 85
