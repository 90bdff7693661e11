"""The luck strip: columns whose areas are the probabilities, balanced around the line."""

from __future__ import annotations

from fractions import Fraction

import pytest
from matplotlib.patches import Rectangle

import urcx
from urcx.errors import UsageError
from urcx.played.values import SolvedGame
from urcx.reports.figures import strip
from urcx.solving.probing import Probed, probe

pytestmark = pytest.mark.jit


def _probed(position: str, roll: int | None = None) -> Probed:
    return probe(SolvedGame(urcx.ruleset("finkel", pieces=2)), position, roll)


@pytest.mark.parametrize("position", ["start", "A3/C2,B2/0-0/L", "A3/C2,B2/0-0/D"])
def test_columns_are_as_wide_as_likely_and_end_at_the_value_after_the_roll(position: str) -> None:
    result = _probed(position)
    columns = strip.columns_of(result)
    assert [column.roll for column in columns] == [0, 1, 2, 3, 4]
    assert sum(column.chance for column in columns) == Fraction(1)
    mean = sum(float(column.chance) * column.value for column in columns)
    assert mean == pytest.approx(result.value, abs=1e-9)
    (axes,) = urcx.figure(result).axes
    bars = [item for item in axes.patches if isinstance(item, Rectangle)]
    before = 100 * result.value
    left = 0.0
    for bar, column in zip(bars, columns, strict=True):
        chance = float(column.chance)
        assert bar.get_width() == pytest.approx(chance - 2 * strip.GAP)
        assert bar.get_x() - strip.GAP == pytest.approx(left), "columns side by side"
        assert (bar.get_y(), bar.get_y() + bar.get_height()) == pytest.approx(
            (before, 100 * column.value)
        )
        left += chance
    assert left == pytest.approx(1.0)


def test_the_best_moves_stand_below_where_there_is_room() -> None:
    result = _probed("A1/B2/0-0/L")
    moves = [column.move for column in strip.columns_of(result)]
    assert moves[0] == "pass"
    assert moves[2] == "A1 to B2 \N{MULTIPLICATION SIGN}"
    figure = urcx.figure(result)
    (axes,) = figure.axes
    shown = [" ".join(text.get_text().split()) for text in axes.texts if text.get_visible()]
    assert {"3/8", *moves[:4]} <= set(shown)
    text = axes.texts[0]
    for room, lines in ((500.0, 1), (60.0, 2), (20.0, 0)):
        text.set_text("from A1 to B2")
        strip._fit(text, room)
        assert text.get_visible() == (lines > 0)
        assert lines in (0, text.get_text().count("\n") + 1)


def test_a_game_in_a_notebook_has_its_strip() -> None:
    drawing = urcx.figure(urcx.Game("finkel", "A3/C2,B2/0-0/L", pieces=2))
    shown = drawing._repr_svg_()
    assert "<!-- A3/C2,B2/0-0/L, finkel, 2 pieces per side" in shown
    assert "<!-- 41.7 % -->" in shown


def test_a_single_roll_and_a_finished_game_have_no_strip() -> None:
    with pytest.raises(UsageError, match="leave out --roll"):
        urcx.figure(_probed("start", 2))
    with pytest.raises(UsageError, match="over"):
        urcx.figure(_probed("-/1/2-0/D"))
