"""Formulas as MathML, for the report and for the documentation."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from urcx.complexity import forms
from urcx.complexity.game_tree import CONVENTIONS
from urcx.reports.display.mathml import has_formula, mathml, set_formulas

MATH = "{http://www.w3.org/1998/Math/MathML}"


def _read(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - our own


def test_a_formula_becomes_elements() -> None:
    root = _read(mathml(r"\frac{a}{b+1}"))
    assert root.tag == f"{MATH}math"
    (fraction,) = root.iter(f"{MATH}mfrac")
    assert ["".join(part.itertext()) for part in fraction] == ["a", "b+1"]
    assert root.get("display") != "block"
    assert _read(mathml(r"\frac{a}{b}", block=True)).get("display") == "block"


def test_texts_are_escaped_and_their_formulas_set() -> None:
    text = set_formulas(r"if a < b & \(a < b\), then \[c \le d\] holds")
    assert text.startswith("if a &lt; b &amp; <math")
    assert '<span class="math"><math' in text
    assert text.endswith(" holds")
    assert "\\" not in text
    _read(f"<p>{text}</p>")
    assert set_formulas("10 < 11") == "10 &lt; 11"
    assert has_formula(r"\(a\)")
    assert not has_formula("f(x) [1]")


@pytest.mark.parametrize("name", list(forms.FORMS))
def test_every_form_is_written_out(name: str) -> None:
    root = _read(mathml(forms.FORMS[name].latex, block=True))
    letters = {item.text for item in root.iter(f"{MATH}mi")}
    assert letters & {"p", "k"}


@pytest.mark.parametrize("convention", CONVENTIONS, ids=lambda c: c.name)
def test_conventions_have_the_letters_of_their_plain_form(convention: object) -> None:
    latex, written = (getattr(convention, name) for name in ("latex", "written"))
    root = _read(mathml(latex))
    letters = {item.text for item in root.iter(f"{MATH}mi") if len(item.text or "") == 1}
    words = written.replace("mean of", "").replace("sum", "").replace("log", "")
    assert letters == {letter for letter in words if letter.isalpha()}
