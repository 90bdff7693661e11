"""Figures hold in the readings that their entries name, and no figure fails that holds in one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from urcx.published.figures import FAILS, HOLDS, INCONSISTENT, NO_CLAIM, OTHERWISE, Figure, sources
from urcx.published.quantities.registry import QUANTITIES
from urcx.published.rounding import READINGS, Ranged, Sampled, Worded, matches
from urcx.published.verify import verdict_of

FIGURES = [figure for _, figures in sources() for figure in figures]
FAILING = [figure for figure in FIGURES if figure.verdict == FAILS]
PLAYED = ("measure", "wins")


def _printings(value: Fraction, digits: int) -> Iterator[tuple[str, Fraction]]:
    """Yield a value in so many digits: rounded, cut off and rounded up, by integers alone."""
    exponent = math.floor(math.log10(value)) - digits + 1
    while value / Fraction(10) ** exponent >= 10**digits:
        exponent += 1
    while value / Fraction(10) ** exponent < 10 ** (digits - 1):
        exponent -= 1
    scaled = value / Fraction(10) ** exponent
    for name, whole in (
        ("rounded", math.floor(scaled + Fraction(1, 2))),
        ("cut off", math.floor(scaled)),
        ("up", math.ceil(scaled)),
        ("even", round(scaled)),
    ):
        yield name, whole * Fraction(10) ** exponent


def _again(figure: Figure) -> Iterator[tuple[str, bool]]:
    """Yield for a number whether it holds in a reading, found by other means than the readings'."""
    value = QUANTITIES[figure.quantity](figure.params)
    try:
        printed = Decimal(figure.value.replace(",", ""))
    except ArithmeticError:
        return
    if isinstance(value, str | Worded):
        return
    digits = len(printed.as_tuple().digits)
    for words, factor in (
        ("percent or chance", 100), ("chance or percent", Fraction(1, 100)),
        ("both players or one, positions or diagrams", 2), ("one of two", Fraction(1, 2)),
        ("as it is", 1),
    ):  # fmt: skip
        if isinstance(value, Sampled | Ranged):
            yield words, matches(value * Fraction(factor), figure.value)
            continue
        for name, result in _printings(Fraction(value) * factor, digits):
            # One reading at a time: with two, small numbers would hold by chance.
            if (factor == 1 and (digits > 1 or name == "even")) or name == "rounded":
                yield f"{words}, {name}", result == Fraction(printed)


@pytest.mark.parametrize(
    "figure", [f for f in FAILING if f.quantity not in PLAYED], ids=lambda f: f.printed
)
def test_failing_figures_hold_in_no_reading(figure: Figure) -> None:
    verdict = verdict_of(figure)
    assert verdict.verdict == FAILS
    assert [words for words, holds in _again(figure) if holds] == []
    # The entry names some other meanings, and the explanation lists each.
    assert verdict.readings
    assert not any(reading.holds for reading in verdict.readings)
    assert all(reading.words in verdict.explanation for reading in verdict.readings)


def test_readings_are_named_where_they_decide() -> None:
    for figure in FIGURES:
        if figure.verdict == OTHERWISE:
            assert figure.readings, figure.place
        if figure.readings and figure.verdict not in (HOLDS, FAILS):
            verdict = verdict_of(figure)
            assert verdict.verdict in (OTHERWISE, INCONSISTENT)
            assert len(verdict.otherwise) == len(figure.readings), figure.place
        for reading in figure.readings:
            if isinstance(reading, str):
                assert reading in READINGS
            else:
                changed = reading["params"]
                assert changed != {key: figure.params.get(key) for key in changed}, figure.place


def test_premises_are_not_judged() -> None:
    printed = {figure.printed for figure in FIGURES if figure.verdict == NO_CLAIM}
    assert printed == {"70", "complex and large"}


def test_a_figure_is_tried_in_its_own_readings_alone() -> None:
    figure = next(f for f in FIGURES if f.quantity == "coverage")
    assert verdict_of(figure).otherwise == ("at least so much (93.1701)",)
    assert verdict_of(replace(figure, value="99")).verdict == FAILS
    without = verdict_of(replace(figure, readings=()))
    assert (without.verdict, without.readings) == (FAILS, ())


def test_parameters_of_a_reading_replace_those_of_the_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(QUANTITIES, "made up", lambda params: params["pieces"] + params["more"])
    change = {"params": {"pieces": 2}}
    figure = Figure(
        "post", "a place", "made up", {"pieces": 1, "more": 7}, "9", "9", FAILS, "",
        readings=(change, {"words": "of three", "params": {"pieces": 3}}),
    )  # fmt: skip
    verdict = verdict_of(figure)
    assert verdict.verdict == OTHERWISE
    assert [(r.text, r.holds) for r in verdict.readings] == [
        ("p = 2, more 7 (9)", True), ("of three (10)", False),
    ]  # fmt: skip
    # A text that holds is not repeated in brackets.
    monkeypatch.setitem(QUANTITIES, "made up", lambda params: str(params["pieces"]))
    assert verdict_of(replace(figure, value="3", printed="3")).otherwise == ("of three",)
