"""How journeys, rushes and pieces alone are shown."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import urcx
from urcx.reports.strategy.alone import pieces_report
from urcx.reports.strategy.arrival import arrival_report
from urcx.reports.strategy.journey import journey_report
from urcx.reports.strategy.rush import rush_report
from urcx.strategy.alone import alone
from urcx.strategy.arrival import arrival
from urcx.strategy.journey import legs, plain_legs
from urcx.strategy.rush import path_rushes

FINKEL = urcx.ruleset("finkel")
FOUR = urcx.dice("binary4")


def test_what_never_happens_is_null_and_never() -> None:
    half = Fraction(1, 2)
    even = replace(FOUR, rolls=(0, 2), probabilities=(half, half))
    rules = replace(FINKEL, dice=even)
    report = journey_report(legs(rules, [3]), even, rules)
    (row,) = json.loads(report.json())["rows"]
    assert (row["lands"], row["lands_decimal"]) == ("0", 0.0)
    assert (row["alone_rolls"], row["alone_rolls_decimal"]) == (None, None)
    assert report.tables[0].rows[0][6:8] == ["never", "never"]


def test_a_plain_track_has_no_rules() -> None:
    data = json.loads(journey_report(plain_legs(FOUR, [1]), FOUR, None).json())
    assert (data["rules"], data["path"], data["dice"]) == (None, None, "binary4")
    assert data["rows"][0]["goal"] == "1 tile on"


def test_rushes_that_never_happen_are_in_a_note_or_all_that_is_said() -> None:
    paths = [urcx.path("bell"), urcx.path("masters")]
    both = rush_report(path_rushes(paths, [FOUR]))
    assert [row[0] for row in both.tables[0].rows] == ["masters"]
    assert both.tables[0].notes[-1] == "never: bell"
    assert "simulated, %" not in [head.title for head in both.tables[0].heads]
    simulated = rush_report(path_rushes(paths, [FOUR], particles=40))
    assert "simulated, %" in [head.title for head in simulated.tables[0].heads]
    none = rush_report(path_rushes(paths[:1], [FOUR]))
    assert (len(none.tables), none.body.endswith(": bell\n")) == (0, True)
    (row,) = json.loads(none.json())["rows"]
    assert (row["sequences"], row["likeliest"], row["games"]) == ("0", None, None)


def test_pieces_alone_in_two_tables() -> None:
    found = alone(FINKEL, [1, 2])
    report = pieces_report(found)
    assert [row["rolls"] for row in report.records] == [item.rolls for item in found.rows]
    assert report.tables[0].rows[1][:2] == ["2", f"{found.rows[1].rolls:.4f}"]
    lines = {row[0]: row[1] for row in report.tables[1].rows}
    assert found.single is not None
    assert lines["one piece, rolls"] == f"{float(found.single.rolls):.4f}"
    assert json.loads(report.json())["one_piece_rolls"] == str(found.single.rolls)


def test_arrivals_by_turns_and_numbers_of_pieces() -> None:
    found = {n: arrival(FINKEL, 4, n, 2) for n in (1, 2)}
    report = arrival_report(FINKEL, 4, found)
    assert [(row["pieces"], row["turns"]) for row in report.records] == [
        (1, 1), (1, 2), (2, 1), (2, 2),
    ]  # fmt: skip
    assert [row["probability"] for row in report.records][2:] == list(map(str, found[2]))
    assert [head.title for head in report.tables[0].heads] == ["turns", "1 piece", "2 pieces"]
