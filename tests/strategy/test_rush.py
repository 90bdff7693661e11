"""A piece rushed home: by all sequences, by hand, and by simulation."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

import urcx
from urcx.errors import UsageError
from urcx.rules.catalogue import catalogue, path_names
from urcx.strategy.dice import chances
from urcx.strategy.journey import Track, path_rushes, rush, simulate_rush, track

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
    found = rush(way)
    total, number, likeliest = _by_all_sequences(way)
    assert (found.probability, found.sequences) == (total, number)
    assert found.likeliest in likeliest
    assert number > 5 or way is not DENSE


def test_the_papers_paths_by_hand() -> None:
    wanted = {
        "bell": (Fraction(0), ()),
        "masters": (Fraction(1, 16**4 * 4), (4, 4, 4, 4, 1)),
        "aseb": (Fraction(1, 16**4 * 4), (4, 4, 4, 4, 1)),
        "skiriuk": (Fraction(1, 16**6), (4,) * 6),
        "murray": (Fraction(1, 16**7), (4,) * 7),
    }
    for name, (p, rolls) in wanted.items():
        found = rush(track(replace(FINKEL, path=urcx.path(name))))
        assert (found.probability, found.likeliest) == (p, rolls)


@pytest.mark.parametrize("name", [*path_names(), "dense"])
def test_simulation_agrees(name: str) -> None:
    way = DENSE if name == "dense" else track(replace(FINKEL, path=urcx.path(name)))
    p = float(rush(way).probability)
    found = simulate_rush(way, 100_000, seed=2)
    if p:
        assert found.ci95 is not None
        half = found.ci95[1] - found.probability
        assert 0 < half < p / 4  # the interval says something
        assert abs(found.probability - p) < 2 * half
    else:
        assert (found.probability, found.ci95) == (0, None)


def test_splitting_is_not_off_in_the_mean() -> None:
    # Over many seeds the intervals hold the exact value as often as they say.
    way = track(urcx.ruleset("masters"))
    p = float(rush(way).probability)
    runs = [simulate_rush(way, 8000, seed) for seed in range(60)]
    inside = sum(run.ci95 is not None and run.ci95[0] <= p <= run.ci95[1] for run in runs)
    assert inside >= 50
    mean = sum(run.probability for run in runs) / 60
    assert mean == pytest.approx(p, rel=0.1)


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    one, again, other = (simulate_rush(DENSE, 4000, seed) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    assert one.rolls > 4000
    assert one.rolls % 100 == 0, "each of 40 batches rolls for all of its 100 pieces"


def test_tracks_and_numbers_that_make_no_sense() -> None:
    endless = Track(urcx.dice("binary4"))
    for function in (rush, simulate_rush):
        with pytest.raises(UsageError, match="no home"):
            function(endless)
    for particles in (39, 10**8):
        with pytest.raises(UsageError, match="40 to 10,000,000"):
            simulate_rush(DENSE, particles)


def test_paths_and_dice_in_order_each_with_its_own_estimate() -> None:
    paths = [urcx.path("bell"), urcx.path("masters")]
    kinds = [urcx.dice("binary4"), urcx.dice("d6-substitute")]
    done: list[int] = []
    found = path_rushes(paths, kinds, turns=50, particles=400, seed=3, progress=done.append)
    assert [(row.path.name, row.dice.name) for row in found.rows] == [
        (path.name, dice.name) for path, dice in product(paths, kinds)
    ]
    assert done == [1, 2, 3, 4]
    never, _, masters, _ = found.rows
    assert (never.rush.sequences, never.simulated, never.games) == (0, None, None)
    way = Track(kinds[0], 16, frozenset({4, 8, 12, 16}))
    assert masters.rush == rush(way)
    assert masters.simulated == simulate_rush(way, 400, 3)
    assert masters.games == 1 / (50 * masters.rush.probability)
    assert all(row.simulated is None for row in path_rushes(paths, kinds).rows)


def test_rushes_that_never_happen_have_a_table_or_are_all_that_is_said() -> None:
    four = urcx.dice("binary4")
    paths = [urcx.path("bell"), urcx.path("masters")]
    both = path_rushes(paths, [four]).report()
    assert [row[0] for row in both.tables[0].rows] == ["masters"]
    assert both.tables[1].rows == [["bell"]]
    assert "simulated, %" not in [head.title for head in both.tables[0].heads]
    simulated = path_rushes(paths, [four], particles=40).report()
    assert "simulated, %" in [head.title for head in simulated.tables[0].heads]
    none = path_rushes(paths[:1], [four]).report()
    assert (len(none.tables), none.answer.endswith(": bell")) == (0, True)
    (row,) = json.loads(none.json())["rows"]
    assert (row["sequences"], row["likeliest"], row["games"]) == ("0", None, None)
