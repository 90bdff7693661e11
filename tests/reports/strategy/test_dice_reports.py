"""How dice, sequences, sums, counts and intervals are shown."""

from __future__ import annotations

import json
from fractions import Fraction

import urcx
from urcx.reports.strategy import dice as single
from urcx.reports.strategy import sequences as several
from urcx.strategy.dice import substitutes, summary
from urcx.strategy.dice_comparison import compare_dice
from urcx.strategy.frequencies import counts_chance, intervals
from urcx.strategy.sequences import equal_classes, sequence_chance, sums

FOUR, THREE = urcx.dice("binary4"), urcx.dice("binary3")


def test_dice_below_each_other_have_the_rolls_that_they_give() -> None:
    report = single.distribution_report([summary(FOUR), summary(THREE)])
    given = [(record["dice"], int(record["roll"])) for record in report.records]
    wanted = [("binary4", range(5)), ("binary3", range(4))]
    assert given == [(name, roll) for name, rolls in wanted for roll in rolls]
    data = json.loads(report.json())
    assert [row["mean"] for row in data["summaries"]] == ["2", "3/2"]
    assert data["dice"] == ["binary4", "binary3"]


def test_dice_compared() -> None:
    report = single.compare_report(compare_dice([FOUR, THREE], "finkel"))
    four, three = report.tables[0].rows
    assert (four[0], four[-1]) == ("binary4", "0.0000")
    assert (three[1], three[3]) == ("3/2", "0")
    data = json.loads(report.json())
    wanted = [list(item.five_and_six) for item in substitutes(FOUR)]
    assert [[row["five"], row["six"]] for row in data["readings"]] == wanted
    assert len(report.tables[1].rows) == len(data["readings"]) == 15


def test_a_long_sequence_is_cut_in_the_table_only() -> None:
    rolls = (1, 2) * 40
    report = several.sequence_report(sequence_chance(FOUR, rolls))
    lines = {row[0]: row[1] for row in report.tables[0].rows}
    assert lines["as a product"].endswith(" x ...")
    assert lines["as a product"].count("1/4") == several.MAX_MEMBERS // 2
    assert lines["probability"] == "-", "too long to read"
    data = json.loads(report.json())
    assert Fraction(data["probability"]) == Fraction(3, 32) ** 40
    assert (data["length"], len(data["sequence"])) == (80, 80)


def test_classes_of_many_members_are_cut_in_the_table_only() -> None:
    classes = equal_classes(FOUR, [6])
    report = several.table_report(FOUR, classes)
    many = next(k for k, item in enumerate(classes) if item.multisets == 12)
    assert report.tables[0].rows[many][0].count(" ") == 11
    assert report.records[many]["members"].count(" ") == 11
    assert report.records[many]["length"] == 6


def test_sums_counts_and_intervals() -> None:
    found = sums(FOUR, 4, [1, 2])
    report = several.sums_report(FOUR, found)
    assert [row[1] for row in report.tables[0].rows] == ["4", "04", "13", "22"]
    assert report.tables[1].rows[-1][0] == "added"
    assert json.loads(report.json())["reached"] == str(found.reached)
    counts = counts_chance(FOUR, {0: 1, 1: 2}, 5)
    report = several.counts_report(FOUR, counts)
    data = json.loads(report.json())
    assert data["expected"] == {"0": "5/16", "1": "5/4"}
    assert (data["at_least"], data["counts"]) == (None, {"0": 1, "1": 2})
    assert report.csv().splitlines()[0].split(",")[:3] == ["counts", "rolls", "exactly"]
    assert [row[0] for row in report.tables[0].rows] == ["exactly"]
    assert report.tables[0].notes == ["Eq. 13 of Raposo and Lamont, all other rolls taken as one"]
    items = intervals(FOUR, 20, Fraction(9, 10))
    row = several.interval_report(FOUR, items).records[2]
    assert (row["normal_low"], row["normal_high"]) == items[2].normal
    assert (row["exact_low"], row["exact_high"]) == items[2].exact
