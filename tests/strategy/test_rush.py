"""A piece rushed home: by all sequences, by hand, and by simulation."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import urcx
from urcx.errors import UsageError
from urcx.results.writing import json_text
from urcx.rules.catalogue import catalogue, path_names
from urcx.strategy.dice import chances
from urcx.strategy.journey import rush_chance, simulate_rush
from urcx.strategy.track import Track, track

FINKEL = urcx.ruleset("finkel")
DENSE = Track(urcx.dice("d6-substitute"), 7, frozenset({1, 3, 4, 6}))


def _by_all_sequences(way: Track) -> tuple[Fraction, int, set[tuple[int, ...]]]:
    assert way.length is not None
    table = chances(way.dice)
    total, number = Fraction(0), 0
    ways: dict[Fraction, set[tuple[int, ...]]] = {Fraction(0): {()}}
    for n in range(1, len(way.rosettes) + 2):
        for rolls in product([r for r in way.dice.rolls if r], repeat=n):
            stops = [sum(rolls[: k + 1]) for k in range(n)]
            if stops[-1] == way.length + 1 and set(stops[:-1]) <= way.rosettes:
                p = math.prod((table[r] for r in rolls), start=Fraction(1))
                total, number = total + p, number + 1
                ways.setdefault(p, set()).add(rolls)
    return total, number, ways[max(ways)]


@pytest.mark.parametrize(
    "way",
    [
        DENSE,
        *(
            track(replace(FINKEL, path=urcx.path(path), dice=dice))
            for path in ("bell", "masters")
            for dice in catalogue().dice.values()
        ),
    ],
)
def test_rushes_against_all_sequences(way: Track) -> None:
    result = rush_chance(way)
    total, number, likeliest = _by_all_sequences(way)
    assert (result.probability, result.sequences) == (total, number)
    assert result.likeliest in likeliest
    assert number > 5 or way is not DENSE


def test_the_papers_paths_by_hand() -> None:
    wanted = {
        "bell": (Fraction(0), ()),
        "masters": (Fraction(1, 16**4 * 4), (4, 4, 4, 4, 1)),
        "aseb": (Fraction(1, 16**4 * 4), (4, 4, 4, 4, 1)),
        "skiriuk": (Fraction(1, 16**6), (4,) * 6),
        "murray": (Fraction(1, 16**7), (4,) * 7),
    }
    rows = urcx.rush(list(wanted), "binary4").rows
    assert {row.path.name: (row.probability, row.likeliest) for row in rows} == wanted


@pytest.mark.parametrize("name", [*path_names(), "dense"])
def test_simulation_agrees(name: str) -> None:
    way = DENSE if name == "dense" else track(replace(FINKEL, path=urcx.path(name)))
    p = float(rush_chance(way).probability)
    estimate, interval, _ = simulate_rush(way, 100_000, seed=2)
    if not p:
        assert (estimate, interval) == (0, None)
        return
    assert interval is not None
    half = interval[1] - estimate
    assert 0 < half < p / 4  # the interval says something
    assert abs(estimate - p) < 2 * half


def test_splitting_is_not_off_in_the_mean() -> None:
    # Over many seeds the intervals hold the exact value as often as they say.
    way = track(urcx.ruleset("masters"))
    p = float(rush_chance(way).probability)
    runs = [simulate_rush(way, 8000, seed) for seed in range(60)]
    inside = sum(ends is not None and ends[0] <= p <= ends[1] for _, ends, _ in runs)
    assert inside >= 50
    mean = sum(estimate for estimate, _, _ in runs) / 60
    assert mean == pytest.approx(p, rel=0.1)


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    first, again, other = (simulate_rush(DENSE, 4000, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert first[2] > 4000
    assert first[2] % 100 == 0, "each of 40 batches rolls for all of its 100 pieces"


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("40 to 10,000,000", {"samples": 39}),
        ("40 to 10,000,000", {"samples": 10**8}),
        ("seed -1", {"seed": -1}),
        ("--turns 0", {"turns": 0}),
    ],
)
def test_numbers_that_make_no_sense(words: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=words):
        urcx.rush("aseb", **arguments)
    with pytest.raises(UsageError, match="no home"):
        rush_chance(Track(FINKEL.dice))


def test_paths_and_dice_in_order_each_with_its_own_estimate() -> None:
    paths, kinds = ["bell", "masters"], ["binary4", "d6-substitute"]
    rows = urcx.rush(paths, kinds, turns=50, samples=400, seed=3).rows
    assert [(row.path.name, row.dice.name) for row in rows] == [*product(paths, kinds)]
    never, _, masters, _ = rows
    assert (never.sequences, never.simulated, never.games) == (0, None, None)
    way = Track(FINKEL.dice, 16, frozenset({4, 8, 12, 16}))
    assert (masters.probability, masters.sequences, masters.likeliest) == rush_chance(way)[:3]
    simulated = (masters.simulated, masters.interval, masters.simulated_rolls)
    assert simulated == simulate_rush(way, 400, 3)
    assert masters.games == 1 / (50 * masters.probability)


def test_rushes_that_never_happen_have_a_table_or_are_all_that_is_said() -> None:
    both = urcx.rush(["bell", "masters"], "binary4")
    assert [row[0] for row in both.tables()[0].rows] == ["masters"]
    assert both.tables()[1].rows == [["bell"]]
    none = urcx.rush("bell", "binary4")
    assert (len(none.tables()), none.answer.endswith(": bell")) == (0, True)
    (row,) = json.loads(json_text(none))["rows"]
    assert (row["sequences"], row["likeliest"], row["games"]) == ("0", None, None)
