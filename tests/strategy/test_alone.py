"""One player alone: expected plies, by hand and by playing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

import urcx
from urcx.errors import TooLargeError, UrcxError, UsageError
from urcx.rules.model import Dice
from urcx.strategy import alone as module
from urcx.strategy.alone import alone, plies_alone, plies_alone_each, throughput
from urcx.strategy.dice import chances
from urcx.strategy.journey import Track, track


def test_a_path_of_one_step_by_hand() -> None:
    path = replace(urcx.path("bell"), light=("A4",), dark=("C4",))
    rules = replace(urcx.ruleset("finkel"), path=path, pieces=1)
    # From step 1 only a 1 (1/4) helps: 4 plies. From the pool a 1 leads there, a 2 (3/8) home:
    # E = (1 + 1/4 * 4) / (5/8).
    assert plies_alone(rules, 1) == pytest.approx(2 / (5 / 8))


def test_the_best_choice_is_no_slower_than_the_worst() -> None:
    finkel = replace(urcx.ruleset("finkel"), pieces=2)
    assert plies_alone(finkel, 2) < plies_alone(finkel, 2, max)
    for best in (min, max):
        each = plies_alone_each(finkel, 2, best)
        assert each == (plies_alone(finkel, 1), plies_alone(finkel, 2, best)), "nothing to choose"


def test_refuses_long_paths() -> None:
    with pytest.raises(TooLargeError, match="16 steps"):
        plies_alone(urcx.ruleset("murray"), 1)


def test_dice_that_never_bring_a_piece_home() -> None:
    for dice in (_dice(_0="1/2", _2="1/2"), _dice(_0="1")):
        stuck = replace(urcx.ruleset("finkel"), dice=dice)
        for best in (min, max):
            with pytest.raises(UsageError, match="may never come home"):
                plies_alone(stuck, 2, best)


def test_numbers_of_pieces_are_those_of_each_and_what_the_last_adds() -> None:
    rules = urcx.ruleset("finkel")
    labels: list[tuple[str, int]] = []

    def stage(label: str, total: int, _: str) -> Callable[[int], None]:
        labels.append((label, total))
        return lambda _: None

    found = alone(rules, [1, 3], stage)
    fewest, most = plies_alone_each(rules, 3, min), plies_alone_each(rules, 3, max)
    assert [(row.pieces, row.rolls, row.rolls_worst) for row in found.rows] == [
        (1, fewest[0], most[0]), (3, fewest[2], most[2]),
    ]  # fmt: skip
    assert [row.added_by_last for row in found.rows] == [fewest[0], fewest[2] - fewest[1]]
    assert found.rows[1].rolls_a_piece == fewest[2] / 3
    assert found.single is not None
    assert float(found.single.rolls) == pytest.approx(fewest[0])
    assert labels == [("the fewest plies", 3), ("the most plies", 3)]


def _dice(**odds: str) -> Dice:
    rolls = {int(roll[1:]): Fraction(p) for roll, p in odds.items()}
    return Dice("own", "", tuple(rolls), tuple(rolls.values()))


def _slowly(way: Track, sweeps: int) -> tuple[float, float]:
    """Return bounds of the least waste by value iteration over sets of steps."""
    assert way.length is not None
    boards = [
        frozenset(s for s in range(1, way.length + 1) if n >> (s - 1) & 1)
        for n in range(1 << way.length)
    ]
    cost = dict.fromkeys(boards, 0.0)
    change = [0.0]
    for _ in range(sweeps):
        after = {}
        for board in boards:
            total = 0.0
            for roll, p in chances(way.dice).items():
                options = [cost[board]] if roll == 0 else []
                for start in (0, *board) if roll else ():
                    end = start + roll
                    if end == way.length + 1:
                        options.append(cost[board - {start}])
                    elif end <= way.length and end not in board:
                        options.append(cost[board - {start} | {end}])
                total += float(p) * (min(options) if options else cost[board] + roll)
            after[board] = total
        change = [after[board] - cost[board] for board in boards]
        cost = after
    return min(change), max(change)


@pytest.mark.parametrize(
    ("dice", "length", "rate"),
    [
        # Nothing is ever lost: a 1 moves the piece on the only step home, a 2 another past it.
        (_dice(_1="1/2", _2="1/2"), 1, Fraction(3, 4)),
        # A 3 is always too much.
        (_dice(_1="1/2", _3="1/2"), 1, Fraction(1, 4)),
        # Straight home from the pool, now and then.
        (_dice(_0="1/2", _2="1/2"), 1, Fraction(1, 2)),
        # The first 2 stands on step 2 of 2, and blocks all others.
        (_dice(_2="1"), 2, Fraction(0)),
        # Every second roll brings a piece home, the others another one to step 2.
        (_dice(_2="1"), 3, Fraction(1, 2)),
    ],
)
def test_rates_by_hand(dice: Dice, length: int, rate: Fraction) -> None:
    found = throughput(Track(dice, length))
    assert found.rate == pytest.approx((float(rate), float(rate)), abs=1e-11)
    assert found.rate[0] <= found.rate[1]
    assert found.rolls_a_piece[1] == (pytest.approx(1 / float(rate)) if rate else math.inf)


@pytest.mark.parametrize(
    "way",
    [
        Track(urcx.dice("binary4"), 4),
        Track(urcx.dice("binary4"), 6),
        Track(urcx.dice("binary3-0as4"), 5),
        Track(_dice(_1="1/3", _4="2/3"), 6),
        Track(_dice(_0="1/4", _2="1/4", _3="1/2"), 5),
    ],
)
def test_waste_against_a_slow_twin(way: Track) -> None:
    low, high = _slowly(way, 150)
    found = throughput(way)
    assert found.waste[0] <= high + 1e-12
    assert found.waste[1] >= low - 1e-12
    assert high - low < 1e-3
    # So that the comparison says something; on the last path 2 + 2 + 2 and 3 + 3 waste nothing.
    assert found.waste[0] > 1e-4 or way.dice.rolls == (0, 2, 3)


@pytest.mark.parametrize("name", ["finkel", "kwan"])
def test_a_piece_more_costs_what_the_long_run_says(name: str) -> None:
    rules = urcx.ruleset(name)
    found = throughput(track(rules))
    low, high = found.rolls_a_piece
    assert found.bound == Fraction(2, 15)
    assert 7.5 <= low <= high < 7.5 + 1e-9
    plies = plies_alone_each(rules, 5)
    assert plies[4] - plies[3] == pytest.approx(high, abs=1e-3)


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    for length in (None, 21):
        with pytest.raises(TooLargeError, match="20 steps"):
            throughput(Track(urcx.dice("binary4"), length))
    monkeypatch.setattr(module, "MAX_SWEEPS", 2)
    with pytest.raises(UrcxError, match="did not settle"):
        throughput(Track(urcx.dice("binary4"), 4))
