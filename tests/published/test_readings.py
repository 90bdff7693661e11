"""No figure fails that holds in another reading of what is printed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urcx.errors import OutOfDomainError
from urcx.published.figures import FAILS, HOLDS, NO_CLAIM, OTHERWISE, Figure, sources
from urcx.published.quantities.registry import QUANTITIES
from urcx.published.quantities.values import Quantity, Ranged, Sampled, Worded
from urcx.published.readings import (
    LISTED,
    NUMBER_COST,
    WORDS_COST,
    attempt,
    number_readings,
    readings,
)
from urcx.published.rounding import matches
from urcx.published.verify import Verdict, verdict_of

FIGURES = [figure for _, figures in sources() for figure in figures]
FAILING = [figure for figure in FIGURES if figure.verdict == FAILS]
PLAYED = ("measure", "wins")
UNITS = sorted({unit for group in number_readings() for item in group for unit in item.units})


def _figure(value: str) -> Figure:
    return Figure("post", "a place", "made up", {}, value, value, FAILS, "")


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


def _judged(value: Fraction, printed: Fraction, digits: int, unit: str) -> Verdict:
    text = f"{Decimal(printed.numerator) / Decimal(printed.denominator):.{digits - 1}e}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(QUANTITIES, "made up", Quantity(lambda _: value, unit=unit))
        return verdict_of(_figure(text))


VALUES = st.fractions(min_value=Fraction(1, 10**6), max_value=10**9, max_denominator=10**6)


@given(VALUES, st.integers(1, 6), st.sampled_from(UNITS))
def test_what_a_reading_prints_always_holds_in_one(value: Fraction, digits: int, unit: str) -> None:
    for name, printed in _printings(value, digits):
        if digits == 1 and name in ("cut off", "up"):
            continue  # half of it, or twice as much
        assert _judged(value, printed, digits, unit).verdict != FAILS
    for scale in number_readings()[0]:
        if unit not in scale.units:
            continue
        (_, printed), *_ = _printings(value * scale.factor, digits)
        found = _judged(value, printed, digits, unit)
        assert found.verdict != FAILS
        if found.verdict == OTHERWISE:
            assert any(r.holds and r.words == scale.words for r in found.readings)


def _again(figure: Figure) -> Iterator[tuple[str, bool]]:
    """Yield for a number whether it holds in a reading, found by other means than the readings'."""
    value = QUANTITIES[figure.quantity].compute(figure.params)
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
    found = verdict_of(figure)
    assert found.verdict == FAILS
    assert [words for words, holds in _again(figure) if holds] == []
    # Some were tried, and the explanation lists each.
    assert found.readings
    assert not any(reading.holds for reading in found.readings)
    assert all(reading.words in found.explanation for reading in found.readings)
    known = {words for words, _ in QUANTITIES[figure.quantity].readings(figure.params)}
    assert known <= {reading.words for reading in found.readings}


def test_premises_and_findings_are_not_judged() -> None:
    printed = {figure.printed for figure in FIGURES if figure.verdict == NO_CLAIM}
    assert printed == {"70", "complex and large"}


def test_a_figure_that_holds_in_a_reading_says_so() -> None:
    figure = next(f for f in FIGURES if f.quantity == "coverage")
    assert verdict_of(figure).otherwise == ("at least so much (93.1701)",)
    assert verdict_of(replace(figure, value="99")).verdict == FAILS


def test_readings_are_not_so_wide_that_most_numbers_hold() -> None:
    figure = next(f for f in FIGURES if f.quantity == "coverage")
    # Of 93.17 % nobody says "at least 84 %", nor of 31 bits "at most 35".
    assert verdict_of(replace(figure, value="84")).verdict == FAILS
    assert verdict_of(replace(figure, value="85")).verdict == OTHERWISE
    bits = next(f for f in FIGURES if f.quantity == "key-bits" and f.value == "32")
    assert verdict_of(bits).verdict == OTHERWISE
    assert verdict_of(replace(bits, value="35")).verdict == FAILS


def test_one_digit_is_neither_cut_off_nor_rounded_up() -> None:
    value = Fraction("3.91582")
    assert _judged(value, Fraction(3), 1, "bits").verdict == FAILS
    assert _judged(value, Fraction(39, 10), 2, "bits").verdict == HOLDS
    assert _judged(value, Fraction(391, 100), 3, "bits").verdict == OTHERWISE


def test_means_and_ranges_are_read_in_other_units_too() -> None:
    values: tuple[Sampled | Ranged, ...] = (Sampled(50.0, 0.1), Ranged(49.9, 50.1))
    for value in values:

        def compute(_: dict[str, int], value: Sampled | Ranged = value) -> Sampled | Ranged:
            return value

        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(QUANTITIES, "made up", Quantity(compute, unit="plies"))
            assert verdict_of(_figure("50")).verdict == HOLDS
            found = verdict_of(_figure("100"))
            assert found.otherwise == (f"both players together, not one ({value * Fraction(2)})",)
            # A value that is not exact is neither cut off nor a bound.
            assert {reading.words for reading in found.readings} == {
                scale.words for scale in number_readings()[0] if "plies" in scale.units
            }


def test_readings_for_which_a_quantity_is_not_defined_are_left_out() -> None:
    def compute(params: dict[str, int]) -> int:
        if params["n"] == 1:
            raise OutOfDomainError("not of one")
        return params["n"]

    def variants(_: dict[str, int]) -> Iterator[tuple[float, dict[str, int]]]:
        yield from ((cost, {"n": n}) for cost, n in ((1.0, 1), (2.0, 7), (3.0, 8), (4.0, 7)))

    def meanings(_: dict[str, int]) -> Iterator[tuple[str, dict[str, int]]]:
        yield from (("of one", {"n": 1}), ("of nine", {"n": 9}))

    quantity = Quantity(compute, variants, meanings)
    found = readings(quantity, {"n": 8}, 8, "7", lambda params: f"n = {params['n']}")
    assert [(r.words, r.computed, r.holds, r.cost) for r in found if r.cost != NUMBER_COST] == [
        ("of nine", "9", False, WORDS_COST),
        ("n = 7", "7", True, 2.0),  # the nearest of two alike; 8 is what was meant
    ]
    assert attempt(compute, {"n": 1}) is None
    assert attempt(compute, {"n": 2}) == 2


def test_many_variants_that_fail_are_counted() -> None:
    for many in (LISTED, LISTED + 1):

        def variants(_: dict[str, int], many: int = many) -> Iterator[tuple[float, dict[str, int]]]:
            yield from ((float(n), {"n": n}) for n in range(1, many + 1))

        quantity = Quantity(lambda params: params["n"], variants)
        found = readings(quantity, {"n": 99}, 99, "77", lambda params: f"n = {params['n']}")
        failed = [r for r in found if not r.words.startswith(("cut", "round", "halves"))]
        if many == LISTED:
            assert [r.words for r in failed] == [f"n = {n}" for n in range(1, many + 1)]
        else:
            (one,) = failed
            assert one.words.startswith(f"{many} other forms")
            assert (one.computed, one.cost, one.holds) == ("", float(many), False)
            assert one.text == one.words
