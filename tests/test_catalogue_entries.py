"""Paths, rule sets, boards and dice show themselves in a line, and as figures in a page."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest

import urcx


def test_entries_of_the_catalogue_are_short_and_drawn() -> None:
    assert repr(urcx.path("bell")) == "<Path bell: 14 steps, 6 private and 8 shared tiles>"
    assert repr(urcx.ruleset("kwan")) == "<RuleSet kwan: path bell, 6 pieces, dice binary4>"
    assert repr(urcx.board("aseb")) == "<Board aseb: 20 tiles, 5 rosettes>"
    assert repr(urcx.dice("binary4")) == "<Dice binary4: 0 to 4, mean 2>"
    for entry in (urcx.path("murray"), urcx.ruleset("finkel"), urcx.board("aseb")):
        drawing = entry._repr_svg_()
        assert drawing is not None
        assert drawing.count('class="tile"') == 20
    assert 'class="way' not in (urcx.board("aseb")._repr_svg_() or "")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (urcx.path("bell"), ("bell: Bell", "14 steps, 6 private and 8 shared tiles")),
        (urcx.ruleset("kwan"), ("rules kwan: ", "6 pieces per side, dice binary4", "protects")),
        (urcx.board("aseb"), ("aseb: ", "20 tiles, 5 rosettes")),
        (urcx.dice("binary3-0as4"), ("binary3-0as4: ", "mean 2")),
    ],
    ids=repr,
)
def test_entries_of_the_catalogue_are_figures_in_a_page(entry: Any, said: tuple[str, ...]) -> None:
    html = entry._repr_html_()
    page = ET.fromstring(html.replace("<br>", "<br/>"))  # noqa: S314 - our own
    assert page.tag == "figure"
    caption = "\n".join(page.find("figcaption").itertext())  # type: ignore[union-attr]
    assert all(part in caption for part in said)
    assert html.count("<svg") == 1
    assert "<style" not in html, "of the whole page"
    # Ink is the page's, so that it is seen on dark pages; the drawing as a file has its own.
    assert "currentColor" in html
    assert "color-scheme" in (entry._repr_svg_() or "")


def test_dice_are_bars_with_their_chances() -> None:
    dice = urcx.dice("binary4")
    drawn = ET.fromstring(dice._repr_svg_() or "")  # noqa: S314 - our own
    bars = drawn.findall("{*}rect")
    heights = [float(bar.attrib["height"]) for bar in bars]
    assert len(bars) == 5
    assert [height / heights[2] for height in heights] == pytest.approx(
        [float(chance / dice.probabilities[2]) for chance in dice.probabilities], abs=0.01
    )
    texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[:3] == ["1/16", "6.25 %", "0"]
    box = [float(value) for value in drawn.attrib["viewBox"].split()]
    assert all(0 <= float(bar.attrib["x"]) <= box[2] - float(bar.attrib["width"]) for bar in bars)


def test_what_cannot_be_drawn_is_left_to_its_text() -> None:
    broken = replace(urcx.dice("binary4"))
    object.__setattr__(broken, "probabilities", ())
    assert broken._repr_html_() is None
    assert broken._repr_svg_() is None
