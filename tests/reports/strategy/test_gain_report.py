"""How gains are shown."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from urcx.reports.strategy.gain import gain_report, rounded_gain
from urcx.results.tables import Toned
from urcx.strategy.gains import gains

FOUND = gains("2/3,6,8/5-4/L", "finkel", ["AA", "AB", "BA", "BB"])


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(1, 8), "0.13"), (Fraction(-1, 8), "-0.13"), (Fraction(2, 3), "0.67"), (3, "3.00")],
)
def test_halves_are_rounded_away_from_zero(value: Fraction | int, text: str) -> None:
    assert rounded_gain(Fraction(value)) == text


def test_json_has_the_tables_reading_first_and_the_others_in_it() -> None:
    data = json.loads(gain_report(FOUND, "text").json())
    row = data["rows"][1]
    tables, text = FOUND.of["tables"][1], FOUND.of["text"][1]
    assert (row["sequence"], row["G"]) == ("AB", str(tables.part("G")))
    assert row["text"]["G"] == str(text.part("G"))
    assert len(row["text"]["terms"]) == len(text.terms)
    assert data["best"] == {name: FOUND.best(name).sequence for name in FOUND.of}
    steps = {row["label"]: row["step"] for row in data["pieces"]}
    assert steps == FOUND.places


def test_the_best_of_each_reading_is_marked() -> None:
    table = gain_report(FOUND, "text").tables[0]
    marked = {(row[1], str(row[0])) for row in table.rows if isinstance(row[0], Toned)}
    assert marked == {(name, FOUND.best(name).sequence) for name in FOUND.of}


def test_terms_are_of_the_reading_asked_for() -> None:
    for reading, items in FOUND.of.items():
        table = gain_report(FOUND, reading).tables[1]
        assert table.title == f"Terms of the reading {reading}"
        assert len(table.rows) == sum(len(item.terms) for item in items)
    rolls = [row[5] for row in table.rows if row[1] == "C"]
    assert rolls
    assert all("/" in text for text in rolls), "the opponent's after a stroke"
