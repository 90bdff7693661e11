"""Quantities of gain, against the terms of the gain itself."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest

import urcx
from urcx.published.quantities import strategy
from urcx.strategy.gain import Term

TABLE_3 = "2/3,6,8/5-4/L"
AB = {"position": TABLE_3, "sequence": "AB", "part": "G"}


def _terms(sequence: str, reading: str = "text") -> list[Term]:
    return list(urcx.gain(TABLE_3, sequences=sequence).of[reading][0].terms)


def test_parts_and_their_sums() -> None:
    terms = _terms("AB")
    assert strategy.gain(AB) == sum(t.value for t in terms)
    parts = {part: sum(t.value for t in terms if t.part == part) for part in "WAC"}
    assert strategy.gain({**AB, "part": "A+C"}) == parts["A"] + parts["C"]
    assert strategy.gain({**AB, "part": "W"}) == parts["W"]


def test_terms_rounded_and_attacks_left_out() -> None:
    cents = [
        Decimal(t.value.numerator) / Decimal(t.value.denominator) for t in _terms("BB", "tables")
    ]
    rounded = sum(Fraction(c.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)) for c in cents)
    params = {**AB, "sequence": "BB", "reading": "tables", "terms": "rounded"}
    assert strategy.gain(params) == rounded
    last = {**AB, "sequence": "BB", "part": "A", "reading": "tables", "attack": "last"}
    wanted = [t.value for t in _terms("BB", "tables") if t.part == "A" and t.move == 2]
    assert strategy.gain(last) == sum(wanted)
    assert strategy.gain(last) != strategy.gain({**last, "attack": "x", "sequence": "BA"})


def test_dangers_and_hunts() -> None:
    figure_6 = {"position": "3,4/2,4/0-0/L", "roll": 2, "rolls": "single"}
    # On 5 the 1 and the 3 hit, on 6 the 2 and the 4.
    assert strategy.danger({**figure_6, "tile": 5}) == Fraction(100 * 8, 16)
    assert strategy.danger({**figure_6, "tile": 6}) == Fraction(100 * 7, 16)
    less = strategy.danger_less({**figure_6, "tile": 6, "than": 5})
    assert less == Fraction(100, 16)
    figure_7 = {"position": "1/6/6-6/D"}
    shortest = strategy.capture_sequences(figure_7).split(", ")
    each = [strategy.capture_sequence({**figure_7, "sequence": text}) for text in shortest]
    hunt = urcx.capture("1/6/6-6/D").hunts[1]
    assert sum(each) == 100 * hunt.estimate
    assert strategy.war_zone({"path": "bell"}) == "more than twice"


def test_undisturbed_race_against_its_definition() -> None:
    way = {"rules": "finkel", "to": 1, "significant": "1/10"}
    # To step 1 any roll but 0 is enough: 1 / (1 + 1/16) for who begins.
    assert strategy.race(way).numbers == "94.12% to 5.88%"


@pytest.mark.parametrize(
    ("rules", "captures"),
    [("finkel", "1"), ("blitz", "several"), ("masters", "several"), ("seleucid", "1")],
)
def test_captures_in_a_turn(rules: str, captures: str) -> None:
    assert strategy.captures_a_turn({"rules": rules}) == captures


def test_roll_and_capture_in_a_turn_and_in_a_move() -> None:
    params = {"rules": "finkel", "position": "2/3,6,8/5-4/L", "rolls": "42"}
    assert strategy.roll_and_capture(params).words == "both"
    assert strategy.roll_and_capture({**params, "rolls": "31"}).words == "not both"
    assert strategy.roll_and_capture({**params, "within": "a move"}).words == "not both"
    assert (
        strategy.roll_and_capture({**params, "rules": "blitz", "within": "a move"}).words == "both"
    )
