"""Labels of figures: near what they name, within the figure, over nothing else."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox
from tiny_report import tiny_report

import urcx
from urcx.enumerate.state_space import StateSpace, state_spaces
from urcx.games.simulator import simulate
from urcx.published.gtc import Played, measure_games
from urcx.reports.figures import game_plots, plots
from urcx.reports.figures.labels import NEAR, End, extent, label_near, spread_labels


def _rows(names: tuple[str, ...], top: int) -> list[StateSpace]:
    return [state_spaces(urcx.path(name), p) for name in names for p in range(1, top + 1)]


def _renderer(figure: Figure) -> Any:
    return figure.canvas.get_renderer()  # type: ignore[attr-defined]


def _boxes(figure: Figure) -> list[tuple[Annotation, Bbox]]:
    renderer = _renderer(figure)
    found = [a for axes in figure.axes for a in axes.texts if isinstance(a, Annotation)]
    return [(text, extent(text, renderer)) for text in found if text.get_text()]


def _dots(figure: Figure) -> Any:
    """Return the places of all markers, on the canvas."""
    found = [
        line.get_transform().transform(line.get_xydata())
        for axes in figure.axes
        for line in axes.lines
        if line.get_marker() not in ("None", None, "")
    ]
    return np.concatenate(found)


def _check_apart(boxes: list[tuple[Any, Bbox]]) -> None:
    for k, (text, box) in enumerate(boxes):
        over = [other.get_text() for other, place in boxes[k + 1 :] if box.overlaps(place)]
        assert over == [], f"{text.get_text()} lies over {over}"


def _check(figure: Figure) -> None:
    boxes = _boxes(figure)
    dots = _dots(figure)
    _check_apart(boxes)
    for text, box in boxes:
        name = text.get_text()
        inside = ((dots > (box.x0, box.y0)) & (dots < (box.x1, box.y1))).all(axis=1)
        assert not inside.any(), f"{name} lies over a dot"
        # On its dot, or joined to it by a line.
        at = text.axes.transData.transform(text.xy)  # type: ignore[union-attr]
        gap = max(box.x0 - at[0], at[0] - box.x1, box.y0 - at[1], at[1] - box.y1, 0)
        assert gap < 1.5 * NEAR * figure.dpi / 72 or text.arrow_patch is not None, name


@cache
def _played(pieces: int) -> Played:
    rules = replace(urcx.ruleset("finkel"), pieces=pieces)
    return measure_games(simulate("random", rules=rules, games=30, seed=1))


def test_conventions_have_their_intervals_and_other_games_their_names() -> None:
    played = _played(7)
    figure = game_plots.games_figure(played)
    sizes = figure.axes[-1]
    spans = {tuple(line.get_xdata()) for line in sizes.lines if len(line.get_xdata()) == 2}  # type: ignore[arg-type]
    for estimate in played.estimates:
        assert {estimate.ci95, estimate.games95} <= spans
    assert {"Chess", "Backgammon", "Ludo", "Checkers"} == {text.get_text() for text in sizes.texts}
    caption = " ".join(figure.get_supxlabel().split())
    assert "Not shown: Go" in caption


@pytest.mark.jit
@pytest.mark.parametrize("pieces", [1, 2])  # bars of one ply, and of several
def test_bars_and_the_exact_line_stand_on_what_they_count(pieces: int) -> None:
    found = _played(pieces)
    exact = urcx.lengths("random", rules=found.games.rules)
    (axes, *_) = game_plots.games_figure(found, exact).axes
    centres = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]  # type: ignore[attr-defined]
    line = axes.lines[0]
    assert line.get_xdata() == pytest.approx(centres)
    step = round(axes.patches[0].get_width())  # type: ignore[attr-defined]
    assert centres[0] == min(found.games.plies) + (step - 1) / 2
    shares = [30 * exact.chances[round(x - (step - 1) / 2) :][:step].sum() for x in centres]
    assert line.get_ydata() == pytest.approx(shares)


FIVE = ("bell", "aseb", "masters", "murray", "skiriuk")


@pytest.mark.parametrize(
    ("top", "names"),
    [(1, FIVE), (15, FIVE), (30, FIVE), (7, ("murray", "bell")), (30, ("murray", "bell"))],
)
def test_curves_that_end_early_have_their_labels_there(top: int, names: tuple[str, ...]) -> None:
    figure = plots.paths_figure(_rows(names, top))
    figure.canvas.draw()
    _check(figure)
    if top == 15 and names == FIVE:
        marks = {text.get_text(): box for text, box in _boxes(figure)}
        box = next(box for name, box in marks.items() if name == "aseb, as printed")
        (axes,) = figure.axes
        end = axes.transData.transform((11, plots._paper_curve("aseb", 1, 15)[-1][1]))
        assert abs(box.y0 + box.y1 - 2 * end[1]) / 2 < 25, "it floats off its curve"
        assert 0 < max(box.x0 - end[0], end[0] - box.x1) < 25


@pytest.mark.parametrize(
    ("top", "names"),
    [(1, ("bell",)), (15, ("masters",)), (15, ("bell", "murray")), (1, FIVE[:4]), (30, FIVE[:4])],
)
def test_labels_of_forms_lie_over_nothing(names: tuple[str, ...], top: int) -> None:
    figure = plots.forms_figure(_rows(names, top))
    figure.canvas.draw()
    _check(figure)


def test_no_label_of_the_report_lies_over_another() -> None:
    book, _ = tiny_report()
    figures = [item.figure for section in book.sections for item in section.items if item.figure]
    assert len(figures) == 4
    for figure in figures:
        figure.canvas.draw()
        legends = [legend for axes in figure.axes if (legend := axes.get_legend())]
        texts = [text for legend in legends for text in legend.get_texts()]
        _check_apart([*_boxes(figure), *((one, extent(one, _renderer(figure))) for one in texts)])


def test_a_label_goes_where_nothing_is() -> None:
    figure, (axes,) = plots.new_figure(3.0)
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 10)
    axes.plot([0, 10], [5, 5])
    axes.plot([5], [5], "o")
    axes.bar([8], [4.5], 3)
    ends = [End(5, 5, "the middle", "#000000"), End(5, 5, "and again", "#000000")]
    label_near(axes, [*ends, End(10, 5, "at the right edge", "#000000")])
    _check(figure)
    frame = axes.get_window_extent()
    for _, box in _boxes(figure):
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        line = float(axes.transData.transform((5, 5))[1])
        assert not box.y0 < line < box.y1


def test_a_label_with_no_room_is_joined_to_its_dot() -> None:
    _, (axes,) = plots.new_figure(3.0)
    axes.plot(np.repeat(np.arange(30), 2) / 3, [0.0, 6.0] * 30)
    axes.set_ylim(0, 10)
    label_near(axes, [End(5, 4, "far away", "#000000")])
    (label,) = [a for a in axes.texts if isinstance(a, Annotation)]
    assert label.arrow_patch is not None
    assert label.arrow_patch.get_visible()


@given(
    st.lists(st.floats(-3, 3), min_size=1, max_size=8),
    st.floats(0.01, 0.12),
)
def test_spread_keeps_distance_order_and_bounds(places: list[float], gap: float) -> None:
    placed = spread_labels(places, gap, 0.0, 1.0)
    order = sorted(range(len(places)), key=lambda k: places[k])
    heights = [placed[k] for k in order]
    assert all(b - a >= gap - 1e-9 for a, b in zip(heights, heights[1:], strict=False))
    assert heights[0] >= -1e-9
    assert heights[-1] <= 1 + 1e-9
