"""The reports on games, played and followed exactly."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

import urcx
from urcx.expectations.expected import Expected, expected
from urcx.games import tallies
from urcx.games.simulator import simulate
from urcx.published.gtc import GameTree, Played, evaluated

RULES = replace(urcx.ruleset("finkel"), pieces=1)


@cache
def played() -> Played:
    return evaluated(simulate("random", "first", RULES, games=50, seed=2))


@cache
def followed() -> Expected:
    return expected("random", "first", RULES)


def test_wins_and_rolls_are_those_of_the_games() -> None:
    report = played().report()
    light, dark, first = tallies.wins(played().games)
    rows = report.tables[2].rows
    assert rows[0] == [
        "light wins",
        str(light.number),
        f"{light.share:.2%}",
        f"{light.ci95[0]:.2%} to {light.ci95[1]:.2%}",
    ]
    assert rows[3][0] == "roll 0"
    assert rows[3][3] == "1/16"
    assert report.data["wins"]["dark"]["games"] == str(dark.number)
    assert {row["kind"] for row in report.records} == {"measure", "gtc", "wins"}
    assert report.records[-1] == {
        "kind": "wins",
        "name": "first_mover",
        "mean": first.share,
        "ci95_low": first.ci95[0],
        "ci95_high": first.ci95[1],
    }


def test_titles_say_who_plays_and_who_begins() -> None:
    title = played().report().tables[1].title
    assert "random (light) against first (dark)" in title
    assert title.endswith("seed 2, each colour begins in turn")


@pytest.mark.parametrize(
    ("verdict", "tone"),
    [("within the interval", "good"), ("outside the interval", "bad"), ("too few games", None)],
)
def test_published_figures_are_toned_by_their_verdict(verdict: str, tone: str | None) -> None:
    some = replace(evaluated(simulate("random", games=4, seed=1)).published[0], verdict=verdict)
    report = replace(played(), published=(some,)).report()
    cell = report.tables[3].rows[0][-1]
    assert getattr(cell, "tone", None) == tone


def test_exact_means_beside_games_are_compared_with_them() -> None:
    alone, beside = followed().report(), GameTree(played(), followed()).report()
    assert "sample" not in alone.data
    assert beside.data["sample"] == played().members()
    assert alone.records == beside.records
    plies = beside.data["measures"]["plies"]
    mean = {m.name: m for m in played().measures}["plies"]
    assert plies["sampled"] == mean.mean
    assert plies["standard_errors_off"] * (mean.mean - plies["mean"]) > 0
    assert "sampled" not in alone.data["measures"]["plies"]
    assert [len(row) for row in alone.tables[2].rows] == [3, 3, 3]
    assert [len(row) for row in beside.tables[2].rows] == [5, 5, 5]
    light = alone.data["wins"]["light"]["share"]
    assert light + alone.data["wins"]["dark"]["share"] == pytest.approx(1)
