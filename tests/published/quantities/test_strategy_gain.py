"""Quantities of gain, against the terms of the gain itself."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import urcx
from urcx.published.quantities import strategy as quantities
from urcx.strategy.gain import Term

TABLE_3 = "2/3,6,8/5-4/L"
AB = {"position": TABLE_3, "sequence": "AB", "part": "G"}


def _terms(sequence: str, reading: str = "text") -> list[Term]:
    return list(urcx.gain(TABLE_3, sequences=sequence).of[reading][0].terms)


def test_parts_and_their_sums() -> None:
    terms = _terms("AB")
    assert quantities.gained(AB) == sum(t.value for t in terms)
    parts = {part: sum(t.value for t in terms if t.part == part) for part in "WAC"}
    assert quantities.gained({**AB, "part": "A+C"}) == parts["A"] + parts["C"]
    assert quantities.gained({**AB, "part": "W"}) == parts["W"]


def test_terms_rounded_and_attacks_left_out() -> None:
    cents = [
        Decimal(t.value.numerator) / Decimal(t.value.denominator) for t in _terms("BB", "tables")
    ]
    rounded = sum(Fraction(c.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)) for c in cents)
    params = {**AB, "sequence": "BB", "reading": "tables", "terms": "rounded"}
    assert quantities.gained(params) == rounded
    last = {**AB, "sequence": "BB", "part": "A", "reading": "tables", "attack": "last"}
    wanted = [t.value for t in _terms("BB", "tables") if t.part == "A" and t.move == 2]
    assert quantities.gained(last) == sum(wanted)
    assert quantities.gained(last) != quantities.gained({**last, "attack": "x", "sequence": "BA"})


def test_terms_as_texts() -> None:
    text = quantities.terms({**AB, "part": "W"})
    assert text.split()[0].startswith("+2")
    assert len(text.split()) == sum(t.part == "W" for t in _terms("AB"))
    replies = quantities.terms({**AB, "part": "C"})
    assert replies.count(" on ") == len({(t.move, t.tile) for t in _terms("AB") if t.part == "C"})


def test_best_signs_and_walks() -> None:
    of = {"position": TABLE_3, "of": "AA AB BA BB"}
    gains = {s: sum(t.value for t in _terms(s)) for s in ("AA", "AB", "BA", "BB")}
    assert quantities.best_gain(of) == max(gains, key=lambda s: gains[s])
    assert quantities.signs(of) == ("all negative" if max(gains.values()) < 0 else "mixed")
    assert quantities.walks_on({**of, "of": "BA", "over": "BA"}) == "1 tile or less"


def test_dangers_and_hunts() -> None:
    figure_6 = {"position": "3,4/2,4/0-0/L", "roll": 2, "rolls": "single"}
    # On 5 the 1 and the 3 hit, on 6 the 2 and the 4.
    assert quantities.danger({**figure_6, "tile": 5}) == Fraction(100 * 8, 16)
    assert quantities.danger({**figure_6, "tile": 6}) == Fraction(100 * 7, 16)
    less = quantities.danger_less({**figure_6, "tile": 6, "than": 5})
    assert less == Fraction(100, 16)
    figure_7 = {"position": "1/6/6-6/D"}
    shortest = quantities.shortest_gain(figure_7).split(", ")
    each = [quantities.shortest_chance({**figure_7, "sequence": text}) for text in shortest]
    found = urcx.capture("1/6/6-6/D").hunts[1]
    assert sum(each) == 100 * found.estimate
    assert quantities.war_zone({"path": "bell"}) == "more than twice"
